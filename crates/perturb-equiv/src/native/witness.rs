//! Writes a difference as a small C program: it includes the unit, calls a function with an input in plain objects, and
//! checks that the result and all outputs are those of the original.
//!
//! This module only writes text; its callers compile and run it before they report it.

mod answers;
mod calls;
mod checks;
mod declared;
mod image;
mod list;
mod literal;
mod memory;
mod names;
mod rooms;
mod stage;
mod stand_ins;
mod streams;
mod types;

use super::floats::{float_helpers, Tolerance};
use super::Layout;
use perturb_csrc::{Signature, Signatures};
use perturb_model::Difference;
use std::fmt::Write;

pub use memory::{MemoryStatements, TEST_MEMORY};
pub use stage::Stage;
pub use stand_ins::StandIns;

/// The function that differs, and its unit.
#[derive(Debug, Clone, Copy)]
pub struct Differing<'d> {
    pub signatures: &'d Signatures,
    pub signature: &'d Signature,
    pub layout: &'d Layout,
    pub by: &'d Difference,
    /// The path of the included file, unless the compiler is given another one.
    pub unit: &'d str,
    /// The distance within which floats count as the same; all bits count if `None`.
    pub tolerance: Option<Tolerance>,
}

/// The macro by which another file is included.
pub const UNIT_MACRO: &str = "PERTURB_UNIT";

/// The variable that counts failed checks.
const FAILED: &str = "differences";

/// The line width.
const WIDTH: usize = 110;

/// The whole program; `head` are the lines of its first comment.
pub fn witness(differing: Differing<'_>, head: &[String]) -> String {
    let stage = Stage::new(differing, &[FAILED]);
    let mut checks = stage.checks(differing.by);
    let memory = stage.memory(differing.by, &[differing.by]);
    let mut statements = stage.statements.clone();
    statements.extend(memory.iter().flat_map(|memory| memory.before.clone()));
    statements.push(stage.call.clone());
    statements.extend(stage.after_call());
    statements.extend(memory.iter().flat_map(|memory| memory.after.clone()));
    checks.extend(memory.iter().flat_map(|memory| memory.checks.clone()));
    let mut body = String::new();
    for statement in &statements {
        let _ = writeln!(body, "{}", wrapped(statement));
    }
    let _ = writeln!(body);
    for check in &checks {
        let _ = writeln!(body, "{}", wrapped(&format!("EXPECT({check});")));
    }
    for statement in stage.at_end() {
        let _ = writeln!(body, "{}", wrapped(&statement));
    }
    let redirections: String = stage.stand_ins.redirections().iter().map(|line| format!("{line}\n")).collect();
    let definitions: String = stage.stand_ins.definitions().iter().map(|text| format!("\n{text}")).collect();
    let head: Vec<String> = head.iter().map(|line| format!(" * {line}").trim_end().to_string()).collect();
    let head = head.join("\n").replacen(" * ", "/* ", 1);
    format!(
        "{head}\n */\n\
         #ifndef {UNIT_MACRO}\n#define {UNIT_MACRO} \"{}\"\n#endif\n\
         {redirections}#define main perturb_main\n#include {UNIT_MACRO}\n#undef main\n\n{}{definitions}\n\
         int main(void)\n{{\n    int {FAILED} = 0;\n{body}    return {FAILED} != 0;\n}}\n",
        differing.unit.replace('\\', "\\\\").replace('"', "\\\""),
        helpers(&body, memory.is_some())
    )
}

/// The helpers that the body uses.
fn helpers(body: &str, has_memory: bool) -> String {
    let mut text = String::new();
    if body.contains("NULL") {
        text.push_str("#ifndef NULL\n#define NULL ((void *)0)\n#endif\n");
    }
    text.push_str("#undef EXPECT\n");
    let print = "__builtin_printf(\"not as in the original: %s\\n\", #__VA_ARGS__)";
    let _ = match has_memory {
        // The target of a pointer can be checked only if the pointer is right.
        true => writeln!(text, "#define EXPECT(...) \\\n    if (!(__VA_ARGS__)) return {print}, 1\n\n{TEST_MEMORY}"),
        false => writeln!(text, "#define EXPECT(...) \\\n    ((__VA_ARGS__) ? 0 : ({FAILED}++, {print}))"),
    };
    text + &float_helpers(None, |name| body.contains(name))
}

/// Wraps a statement between values.
pub fn wrapped(statement: &str) -> String {
    let mut lines = Vec::new();
    for whole in statement.lines() {
        let mut line = String::from("    ");
        for part in values(whole) {
            if line.len() + part.len() > WIDTH && !line.trim().is_empty() {
                lines.push(line.trim_end().to_string());
                line = String::from("        ");
            }
            line.push_str(part);
        }
        lines.push(line);
    }
    lines.join("\n")
}

/// The parts of a line, each up to its comma; commas in string and character literals do not count.
fn values(line: &str) -> Vec<&str> {
    let (mut parts, mut start, mut quote, mut is_escaped) = (Vec::new(), 0, None, false);
    for (at, letter) in line.char_indices() {
        match (letter, quote) {
            _ if is_escaped => is_escaped = false,
            ('\\', Some(_)) => is_escaped = true,
            ('"' | '\'', None) => quote = Some(letter),
            (_, Some(open)) if open == letter => quote = None,
            (' ', None) if line[..at].ends_with(',') => {
                parts.push(&line[start..=at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&line[start..]);
    parts
}

/// `1, 2, 255`
fn listed(bytes: &[u8]) -> String {
    bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_values_and_never_in_a_text() {
        assert_eq!(values("f(\"a, b\", ', ', 1, 2)"), ["f(\"a, b\", ", "', ', ", "1, ", "2)"]);
        assert_eq!(values("g(\"\\\", \", 1)"), ["g(\"\\\", \", ", "1)"]);
        let long = wrapped(&format!("x = {{{}}};", vec!["1000"; 40].join(", ")));
        assert!(long.lines().all(|line| line.len() <= WIDTH && line.starts_with("    ")), "{long}");
    }
}
