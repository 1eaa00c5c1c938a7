//! Prepares the assembly of one compilation for insertion into that of another.

use std::collections::HashMap;

/// What a file says of itself as a whole. The unit around says it too.
#[rustfmt::skip]
const OF_THE_FILE: &[&str] = &[
    ".file", ".ident", ".addrsig", ".addrsig_sym", ".cfi_sections",
];

/// The text in sections of its own, with names that the unit around cannot have: local labels are numbered from the
/// start in every file, and some compilers write helpers of theirs in each.
pub(super) fn embeddable(assembly: &str, prefix: &str) -> String {
    let lines: Vec<&str> = own_lines(assembly);
    let names: HashMap<&str, String> = lines
        .iter()
        .filter_map(|line| defined(line))
        .filter(|name| !name.starts_with(prefix))
        .map(|name| (name, renamed(name, prefix)))
        .collect();
    let mut out = String::with_capacity(assembly.len() + 64);
    out.push_str("\t.pushsection .text\n");
    for line in lines {
        replace_names(line, &names, &mut out);
        out.push('\n');
    }
    out.push_str("\t.popsection\n");
    out
}

/// Without comments, and without what is said of the file as a whole. At the start of a line `#` begins a comment
/// everywhere, and some such comments are instructions to the assembler which belong to the outermost file.
fn own_lines(assembly: &str) -> Vec<&str> {
    let mut is_out = false;
    let mut is_own = |line: &&str| {
        let word = line.split_whitespace().next().unwrap_or("#");
        if matches!(word, ".section" | ".text" | ".data" | ".bss" | ".pushsection" | ".popsection" | ".previous") {
            // It declares the protections that all code of the file has.
            is_out = line.contains(".note.gnu.property");
        }
        !is_out && !word.starts_with('#') && !OF_THE_FILE.contains(&word)
    };
    assembly.lines().filter(|line| is_own(line)).collect()
}

/// The name that a line defines. Labels that are numbers may be defined again and again.
fn defined(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = [".set", ".equ"].iter().find_map(|directive| line.strip_prefix(directive));
    let (name, end) = match rest.filter(|rest| rest.starts_with(char::is_whitespace)) {
        Some(rest) => (rest.trim_start(), ','),
        None => (line, ':'),
    };
    let length = name.find(|c| !is_of_name(c))?;
    let is_name = name[length..].trim_start().starts_with(end) && !name.starts_with(|c: char| c.is_ascii_digit());
    (is_name && length > 0).then(|| &name[..length])
}

/// Local labels stay local.
fn renamed(name: &str, prefix: &str) -> String {
    let local = [".L", "$L"].into_iter().find(|local| name.starts_with(local)).unwrap_or("");
    format!("{local}{prefix}{}", &name[local.len()..])
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')
}

/// Quoted text is no name.
fn replace_names(line: &str, names: &HashMap<&str, String>, out: &mut String) {
    let (mut rest, mut is_quoted) = (line, false);
    while let Some(c) = rest.chars().next() {
        let length = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
        if !is_quoted && length > 0 {
            // Before a name `$` may be a mark of the operand's kind.
            let mark = usize::from(c == '$' && !names.contains_key(&rest[..length]));
            let word = &rest[mark..length];
            out.push_str(&rest[..mark]);
            out.push_str(names.get(word).map_or(word, String::as_str));
            rest = &rest[length..];
            continue;
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
        if is_quoted && c == '\\' {
            if let Some(next) = rest.chars().next() {
                out.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
        is_quoted ^= c == '"';
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    fn check(assembly: &str, expected: &str) {
        let text = embeddable(assembly, "__own_");
        let inner = text.strip_prefix("\t.pushsection .text\n").and_then(|text| text.strip_suffix("\t.popsection\n"));
        assert_eq!(inner, Some(expected), "{assembly}");
    }

    #[test]
    fn labels_are_renamed_wherever_they_are_used() {
        check(
            "__own_f:\n.L3:\n\tjmp\t.L3\n\tleaq\t.LC0(%rip), %rax\n\t.long\t.L3-.LC0\n\tnotrack jmp .L31\n.LC0:\n",
            "__own_f:\n.L__own_3:\n\tjmp\t.L__own_3\n\tleaq\t.L__own_C0(%rip), %rax\n\t.long\t.L__own_3-.L__own_C0\n\
             \tnotrack jmp .L31\n.L__own_C0:\n",
        );
        check(
            "\t.set\t.LANCHOR0,. + 0\n\tadr x0, :lo12:.LANCHOR0\n",
            "\t.set\t.L__own_ANCHOR0,. + 0\n\tadr x0, :lo12:.L__own_ANCHOR0\n",
        );
        check(".L1:\n\tmovabsq $.L1, %rax\n", ".L__own_1:\n\tmovabsq $.L__own_1, %rax\n");
        check("$L2:\n\tb $L2\n1:\n\tjne 1b\n", "$L__own_2:\n\tb $L__own_2\n1:\n\tjne 1b\n");
    }

    #[test]
    fn helpers_of_the_compiler_are_renamed_and_keep_their_group() {
        check(
            "\t.section\t.text.__x86.get_pc_thunk.bx,\"axG\",@progbits,__x86.get_pc_thunk.bx,comdat\n\
             \t.globl\t__x86.get_pc_thunk.bx\n__x86.get_pc_thunk.bx:\n",
            "\t.section\t.text.__x86.get_pc_thunk.bx,\"axG\",@progbits,__own___x86.get_pc_thunk.bx,comdat\n\
             \t.globl\t__own___x86.get_pc_thunk.bx\n__own___x86.get_pc_thunk.bx:\n",
        );
    }

    #[test]
    fn strings_and_names_of_others_are_left_alone() {
        check(
            ".LC0:\n\t.string \"a \\\".LC0: b\\\\\"\n\tcall open@PLT\n",
            ".L__own_C0:\n\t.string \"a \\\".LC0: b\\\\\"\n\tcall open@PLT\n",
        );
    }

    #[test]
    fn what_is_said_of_the_whole_file_is_dropped() {
        check(
            "\t.file\t\"a.c\"\n#APP\n# 95 \"a.h\" 1\n\tsyscall\n# 0 \"\" 2\n#NO_APP\n\t.ident\t\"GCC\"\n\
             \t.section\t.note.GNU-stack,\"\",@progbits\n\t.section\t.note.gnu.property,\"a\"\n\t.long 1f - 0f\n0:\n\
             1:\n\
             \t.text\n\tret\n",
            "\tsyscall\n\t.section\t.note.GNU-stack,\"\",@progbits\n\t.text\n\tret\n",
        );
    }

    #[test]
    fn fuzzed_assembly_is_made_ready_for_another() {
        let example = "\t.file \"a.c\"\n\t.text\n.LC0:\n\t.string \"a\\\"b\"\nf:\n\tmovl $.LC0, %edi\n\t.set x, f\n\
            \t.size f, .-f\n";
        perturb_fuzz::survives("assembly that is grafted", Share::All, &[example], |text| {
            let text = embeddable(&String::from_utf8_lossy(text), "__own_");
            assert!(text.starts_with("\t.pushsection .text\n") && text.ends_with("\t.popsection\n"));
        });
    }
}
