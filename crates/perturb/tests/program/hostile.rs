//! What others wrote — names, sources, output, arguments — does nothing to a terminal, to the log of a pipeline, or to
//! a format: in every command and format it is shown, and it stays what it is.

mod project;
mod store;

/// What is in names and texts: controls, marks of direction, separators, markup, and commands of two build servers.
pub const ODD: &str =
    "\x1b[31m\u{9b}32m\r\x08\x7f\u{202e}\u{2066}\u{61c}\u{200f}\u{2028}\u{feff}|`x`[x](y)<b>##[error]x##vso[task.x]";

/// How the first of it is shown.
pub const SHOWN: &str = "\\x1b[31m\\u{9b}32m\\r\\x08\\x7f\\u{202e}\\u{2066}\\u{61c}\\u{200f}";

/// Nothing in a text that people or logs read does more than to be read. `layout` are the controls that are meant.
#[track_caller]
pub fn expect_harmless(text: &str, layout: &[char]) {
    for (number, line) in (1..).zip(text.split('\n')) {
        let is_forbidden = |c: char| {
            let turns =
                matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}');
            (c.is_control() || turns || matches!(c, '\u{feff}' | '\u{fffe}')) && !layout.contains(&c)
        };
        assert!(!line.contains(is_forbidden), "line {number} is not harmless: {line:?}");
        assert!(!line.trim_start().starts_with("::"), "line {number} is a command to a workflow: {line}");
        let lower = line.to_lowercase();
        assert!(!lower.contains("##[") && !lower.contains("##vso["), "line {number} is a command to a server: {line}");
    }
}
