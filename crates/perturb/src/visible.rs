//! Escapes hidden characters: the name of a file or a test, or the text of a source, must not move the cursor of a
//! terminal, change the direction of a line, or hide a part of it. Only this module lists them and escapes them.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

/// Whether a character has no glyph: controls (also line feed and tab), marks of direction, and characters without
/// width. Spaces of all widths are not hidden.
pub fn is_hidden(character: char) -> bool {
    // Most text is ASCII: decide quickly.
    if matches!(character, ' '..='~') {
        return false;
    }
    character.is_control() || is_format(character)
}

/// Format characters, separators of lines and paragraphs, fillers, variation selectors, and code points that are no
/// characters.
fn is_format(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fdd0}'..='\u{fdef}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{fffe}'..='\u{ffff}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The escape of a character: `\n`, `\x1b`, `\u{202e}`.
pub fn escape(character: char) -> String {
    match character {
        '\n' => "\\n".to_string(),
        '\r' => "\\r".to_string(),
        '\t' => "\\t".to_string(),
        '\0'..='\x7f' => format!("\\x{:02x}", u32::from(character)),
        _ => format!("\\u{{{:x}}}", u32::from(character)),
    }
}

/// Beginnings of commands to build servers, in any case.
const COMMANDS: [&str; 3] = ["##[", "##vso[", "##teamcity["];

/// Whether a character completes a command to a build server that reads the log: `::error::` is a command at the start
/// of a line, the others are commands anywhere.
pub fn commands(before: &str, character: char) -> bool {
    let starts_line = || {
        let before = before.strip_suffix(':')?;
        let line = before.trim_end_matches(|character: char| character.is_whitespace() && character != '\n');
        Some(line.is_empty() || line.ends_with('\n'))
    };
    (character == ':' && starts_line() == Some(true)) || opens_command(before, character)
}

/// The same for commands that may stand anywhere.
pub fn opens_command(before: &str, character: char) -> bool {
    let ends_in = |word: &str| {
        let at = before.len().checked_sub(word.len()).filter(|at| before.is_char_boundary(*at));
        at.is_some_and(|at| before[at..].eq_ignore_ascii_case(word))
    };
    character == '[' && COMMANDS.iter().any(|command| ends_in(&command[..command.len() - 1]))
}

/// A text of one line: a name, a message, a cell of a table. It is no command either.
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, |before, character| is_hidden(character) || commands(before, character))
}

/// A text that may have many lines, and tabs in them.
pub fn text(text: &str) -> Cow<'_, str> {
    escaped(text, |_, character| is_hidden(character) && !matches!(character, '\n' | '\t'))
}

/// The same for a text that may be in the log of a pipeline: none of its lines is a command.
pub fn log(text: &str) -> Cow<'_, str> {
    let is_layout = |character| matches!(character, '\n' | '\t');
    escaped(text, |before, character| (is_hidden(character) && !is_layout(character)) || commands(before, character))
}

/// Escapes the characters for which `is_escaped` is true, given the text before each.
fn escaped(text: &str, is_escaped: impl Fn(&str, char) -> bool) -> Cow<'_, str> {
    if !text.char_indices().any(|(at, character)| is_escaped(&text[..at], character)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for (at, character) in text.char_indices() {
        if is_escaped(&text[..at], character) {
            shown.push_str(&escape(character));
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// Bytes as text. Bytes that are not UTF-8 become `\xff`; nothing else changes.
pub fn bytes(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        shown.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    Cow::Owned(shown)
}

/// The name of a file or folder, for a format that escapes hidden characters itself.
pub fn name(path: &Path) -> Cow<'_, str> {
    bytes(path.as_os_str().as_encoded_bytes())
}

/// The name of a file or folder, for a line of text.
pub fn path(path: &Path) -> String {
    line(&name(path)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    #[test]
    fn what_has_no_shape_is_spelled_and_all_else_stays() {
        for (given, expected) in [
            ("naïve 🙂 日本\u{3000}語\u{a0}\\", "naïve 🙂 日本\u{3000}語\u{a0}\\"),
            ("\x1b[31m\u{9b}31m\x08\x7f\0", "\\x1b[31m\\u{9b}31m\\x08\\x7f\\x00"),
            ("a\u{202e}b\u{2066}c\u{61c}\u{200f}", "a\\u{202e}b\\u{2066}c\\u{61c}\\u{200f}"),
            ("\u{2028}\u{2029}\u{85}\u{feff}\u{200b}", "\\u{2028}\\u{2029}\\u{85}\\u{feff}\\u{200b}"),
            ("a\r\n\tb", "a\\r\\n\\tb"),
            ("::error::x", ":\\x3aerror::x"),
            ("a::b##[x", "a::b##\\x5bx"),
        ] {
            assert_eq!(line(given), expected);
        }
        assert_eq!(text("a\r\n\tb\x1b"), "a\\r\n\tb\\x1b");
        assert!(matches!(line("plain"), Cow::Borrowed(_)));
    }

    #[test]
    fn bytes_that_are_no_text_are_spelled() {
        assert_eq!(bytes(b"caf\xe9 \xff\xc3"), "caf\\xe9 \\xff\\xc3");
        assert_eq!(path(Path::new(OsStr::from_bytes(b"a\n\xe9.c"))), "a\\n\\xe9.c");
    }
}
