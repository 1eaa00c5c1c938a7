//! Escapes the text of others for pages: none of it is markup, and none of it is invisible.

use crate::visible;
use maud::{html, Markup, Render};
use std::fmt::Write as _;

/// Text from sources, tests and compilers. Control characters become their symbols, marks of direction their numbers:
/// both could make code look like other code.
#[derive(Debug, Clone, Copy)]
pub struct Escaped<'t>(pub &'t str);

impl Render for Escaped<'_> {
    fn render_to(&self, out: &mut String) {
        for character in self.0.chars() {
            match character {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '"' => out.push_str("&quot;"),
                '\'' => out.push_str("&#39;"),
                '\n' | '\t' => out.push(character),
                // A page may be printed into the log of a pipeline.
                ':' | '[' if visible::commands(out, character) => {
                    let _ = write!(out, "&#{};", u32::from(character));
                }
                '\0'..='\x1f' => out.extend(char::from_u32(0x2400 + u32::from(character))),
                '\x7f' => out.push('\u{2421}'),
                _ if visible::is_hidden(character) => {
                    let _ = write!(out, "[U+{:04X}]", u32::from(character));
                }
                _ => out.push(character),
            }
        }
    }
}

/// `100 000`, with a narrow space that does not break.
pub fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// Text with code in backticks.
pub fn prose(text: &str) -> Markup {
    html! {
        @for (at, part) in text.split('`').enumerate() {
            @if at % 2 == 1 { code { (Escaped(part)) } } @else { (Escaped(part)) }
        }
    }
}

/// A part of a relative address, percent-encoded.
pub fn address(part: &str) -> String {
    let mut text = String::new();
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || b"._-".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// Base64, for the hash in the content security policy.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for part in bytes.chunks(3) {
        let bits = part.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - part.len()));
        for at in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * at)) as usize & 63];
            text.push(if at <= part.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_others_is_markup_or_invisible() {
        let shown = |text| Escaped(text).render().into_string();
        assert_eq!(
            shown("</script><img onerror=\"x\" a='&'>"),
            "&lt;/script&gt;&lt;img onerror=&quot;x&quot; a=&#39;&amp;&#39;&gt;"
        );
        assert_eq!(shown("a\0b\x1b[31m\tc\x7f\u{85}\n"), "a\u{2400}b\u{241b}[31m\tc\u{2421}[U+0085]\n");
        assert_eq!(shown("if (\u{202e}admin\u{2066})"), "if ([U+202E]admin[U+2066])");
        assert_eq!(shown("\u{61c}\u{ad}\u{e0041}"), "[U+061C][U+00AD][U+E0041]");
        assert_eq!(shown("naïve 🙂"), "naïve 🙂");
        assert_eq!(shown("a\n ::error::x##[b"), "a\n :&#58;error::x##&#91;b");
    }

    #[test]
    fn numbers_and_addresses_are_spelled() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(count), ["0", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]);
        assert_eq!(address("a b#1?é.html"), "a%20b%231%3F%C3%A9.html");
        assert_eq!(
            ["", "f", "fo", "foo", "foob"].map(|text| base64(text.as_bytes())),
            ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]
        );
    }
}
