//! The runtime compiled once for all files with the same flags: a header that declares its functions and includes them
//! as assembly. It replaces the text of the runtime, for a small part of the compile time.

use crate::HEADERS;

/// C text that defines all of the runtime: with the functions for these floating types (`f`, `d`, `e`), and what a
/// program says that was started without our variables. `header` is where the first of [`HEADERS`] stands.
pub fn runtime_source(header: &str, floating: &[&str], lost: &str) -> String {
    let needs: String = floating.iter().map(|letter| format!("#define PERTURB_NEEDS_{letter}\n")).collect();
    format!("{needs}#define PERTURB_LOST \"{}\"\n#include \"{header}\"\n", escaped(lost))
}

/// A header to include in place of the first of [`HEADERS`], with assembly of what [`runtime_source`] gives. In a unit
/// that has the runtime already, in whichever way, it brings nothing.
pub fn assembled_header(assembly: &str) -> String {
    let lines: String = assembly.lines().map(|line| format!("\"{}\\n\"\n", escaped(line))).collect();
    format!("#pragma GCC system_header\n#ifndef PERTURB_H\n__asm__(\n{lines});\n#endif\n{}", declarations())
}

/// A small file that uses such a header: if it compiles, so do others.
pub fn trial_source(header: &str, floating: &[&str]) -> String {
    let needs: String = floating.iter().map(|letter| format!("#define PERTURB_NEEDS_{letter}\n")).collect();
    let numbers: String = (0..9).map(|n| format!("\tcase {n}: return \"{}\";\n", n * n)).collect();
    format!(
        "{needs}#include \"{header}\"\n\
         static const unsigned __perturb_first0[] = {{0, 1}};\n\
         static const unsigned __perturb_points0[] = {{0, 1}};\n\
         static const char __perturb_codes0[] = \"\\001\";\n\
         PERTURB_FILE(0, 1, 1, 1, 1)\n\
         const char *__perturb_trial(int n);\n\
         const char *__perturb_trial(int n)\n{{\n\tswitch (n) {{\n{numbers}\t}}\n\
         \treturn __perturb_at(&__perturb_f0, 0) ? \"a\" : \"b\";\n}}\n"
    )
}

/// The runtime's header without what it defines: a body is left out, and so is a variable. What only the bodies need,
/// the other header, is too.
fn declarations() -> String {
    let mut out = String::new();
    let mut lines = HEADERS[0].1.lines().peekable();
    let is_brace = |line: &str, brace: &str| line.trim_end_matches('\\').trim() == brace;
    while let Some(line) = lines.next() {
        let begins = line.trim_start().starts_with("PERTURB_ONCE ");
        if begins && lines.peek().is_some_and(|next| is_brace(next, "{")) {
            let indent = &line[..line.len() - line.trim_start().len()];
            let end = |line: &&str| is_brace(line, "}") && line.starts_with(&format!("{indent}}}"));
            let last = lines.find(end).expect("a body has an end");
            // The last line of a macro goes on nowhere.
            let goes_on = if last.ends_with('\\') { " \\" } else { "" };
            out += &format!("{};{goes_on}\n", line.trim_end_matches('\\').trim_end());
        } else if line != "#include \"split.h\"" && !line.starts_with("PERTURB_ONCE ") {
            out += line;
            out.push('\n');
        }
    }
    out
}

/// As it is written in a string of C.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\t' => out += "\\t",
            '"' | '\\' => out.extend(['\\', c]),
            // Two of them may begin a trigraph.
            '?' => out += "\\?",
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_declared_has_no_body() {
        let text = declarations();
        assert!(!text.contains("\treturn "), "{text}");
        assert!(text.contains("\nPERTURB_ONCE int __perturb_at(") && text.contains("#define PERTURB_FILE("));
        let functions = |text: &str| text.lines().filter(|line| line.trim_start().starts_with("PERTURB_C ")).count();
        assert_eq!(functions(&text), functions(HEADERS[0].1));
    }

    #[test]
    fn assembly_is_written_as_a_string() {
        let header = assembled_header("\t.string \"a\\\"b??/\"\n");
        assert!(header.contains("\n\"\\t.string \\\"a\\\\\\\"b\\?\\?/\\\"\\n\"\n);\n"), "{header}");
    }
}
