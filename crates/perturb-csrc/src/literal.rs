//! Literals as tokens: their value, and how a neighbouring value is written in the same style.

/// An integer literal taken apart: `0x03A6UL` is radix 16, prefix `0x`, four digits, suffix `UL`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntegerLiteral {
    pub value: i128,
    radix: u32,
    prefix: String,
    digits: usize,
    upper: bool,
    pub suffix: String,
}

impl IntegerLiteral {
    /// None for what is no plain integer literal, a user-defined one (`10_km`) included.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let (radix, prefix) = match text.as_bytes() {
            [b'0', b'x' | b'X', ..] => (16, &text[..2]),
            [b'0', b'b' | b'B', ..] => (2, &text[..2]),
            [b'0', b'0'..=b'9' | b'\'', ..] => (8, &text[..1]),
            _ => (10, ""),
        };
        let rest = &text[prefix.len()..];
        let end = rest.find(|c: char| !c.is_digit(radix) && c != '\'').unwrap_or(rest.len());
        let (digits, suffix) = (rest[..end].replace('\'', ""), &rest[end..]);
        let known = suffix.chars().all(|c| matches!(c, 'u' | 'U' | 'l' | 'L' | 'z' | 'Z'));
        let value = i128::from(u64::from_str_radix(&digits, radix).ok().filter(|_| known)?);
        let upper = digits.contains(|c: char| c.is_ascii_uppercase());
        let (prefix, suffix) = (prefix.to_string(), suffix.to_string());
        Some(Self { value, radix, prefix, digits: digits.len(), upper, suffix })
    }

    /// Another value in this literal's own base, width and suffix; None if no literal holds it.
    pub fn in_same_style(&self, value: i128) -> Option<String> {
        let magnitude = u64::try_from(value.unsigned_abs()).ok()?;
        let digits = match (self.radix, self.upper) {
            (16, true) => format!("{magnitude:X}"),
            (16, false) => format!("{magnitude:x}"),
            (8, _) => format!("{magnitude:o}"),
            (2, _) => format!("{magnitude:b}"),
            _ => magnitude.to_string(),
        };
        let width = if self.radix == 10 { 0 } else { self.digits };
        Some(signed(value, &format!("{}{digits:0>width$}{}", self.prefix, self.suffix)))
    }

    /// A small value in plain decimal, with this literal's suffix.
    pub fn plain(&self, value: i128) -> String {
        signed(value, &format!("{}{}", value.unsigned_abs(), self.suffix))
    }
}

/// A negative number is written in parentheses: `a-1` must not become `a--1`.
fn signed(value: i128, magnitude: &str) -> String {
    if value < 0 {
        format!("(-{magnitude})")
    } else {
        magnitude.to_string()
    }
}

/// A character literal of one character of the basic set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CharacterLiteral {
    pub value: i128,
    pub prefix: String,
}

impl CharacterLiteral {
    pub fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let quote = text.find('\'')?;
        let body = text[quote + 1..].strip_suffix('\'')?;
        let value = match body.as_bytes() {
            [b'\\', escape] => simple_escape(*escape)?,
            [b'\\', b'x', hex @ ..] => i128::from(u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()?),
            [b'\\', octal @ ..] => i128::from(u8::from_str_radix(std::str::from_utf8(octal).ok()?, 8).ok()?),
            [plain] => i128::from(*plain),
            // Several characters, or one beyond ASCII: its value is the implementation's.
            _ => return None,
        };
        // Whether '\xff' is 255 or -1 is the target's choice.
        (value < 128).then(|| Self { value, prefix: text[..quote].to_string() })
    }

    /// A neighbouring character as a literal.
    pub fn neighbour(&self, value: i128) -> Option<String> {
        let byte = u8::try_from(value).ok().filter(|byte| *byte < 128)?;
        let body = match byte {
            0 => "\\0".to_string(),
            b'\'' | b'\\' => format!("\\{}", byte as char),
            b'\n' => "\\n".to_string(),
            b'\t' => "\\t".to_string(),
            b'\r' => "\\r".to_string(),
            b' '..=b'~' => (byte as char).to_string(),
            _ => format!("\\x{byte:02x}"),
        };
        Some(format!("{}'{body}'", self.prefix))
    }

    /// The C++ type of the literal; None for those whose type depends on the standard.
    pub fn cpp_type(&self) -> Option<&'static str> {
        match self.prefix.as_str() {
            "" => Some("char"),
            "L" => Some("wchar_t"),
            "u" => Some("char16_t"),
            "U" => Some("char32_t"),
            _ => None,
        }
    }
}

fn simple_escape(letter: u8) -> Option<i128> {
    Some(match letter {
        b'n' => 10,
        b't' => 9,
        b'r' => 13,
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'v' => 11,
        b'e' => 27,
        b'0'..=b'7' => i128::from(letter - b'0'),
        b'\\' | b'\'' | b'"' | b'?' => i128::from(letter),
        _ => return None,
    })
}

/// The value of an integer or character literal.
pub fn value(text: &[u8]) -> Option<i128> {
    IntegerLiteral::parse(text).map(|l| l.value).or_else(|| CharacterLiteral::parse(text).map(|l| l.value))
}

/// The suffix of a floating literal, and whether it is zero; None for user-defined ones.
pub fn floating(text: &[u8]) -> Option<(String, bool)> {
    let text = std::str::from_utf8(text).ok()?;
    let is_hex = text.starts_with("0x") || text.starts_with("0X");
    let end = match text.char_indices().last()? {
        (at, 'f' | 'F' | 'l' | 'L') if !is_hex || text.contains(['p', 'P']) => at,
        _ => text.len(),
    };
    let (number, suffix) = text.split_at(end);
    let digits = if is_hex { &number[2..] } else { number };
    let mantissa = digits.split(if is_hex { ['p', 'P'] } else { ['e', 'E'] }).next()?;
    let plain =
        number.chars().all(|c| c.is_ascii_hexdigit() || matches!(c, '.' | '+' | '-' | 'x' | 'X' | 'p' | 'P' | '\''));
    let is_zero = mantissa.chars().all(|c| matches!(c, '0' | '.' | '\''));
    (plain && !number.contains('_')).then(|| (suffix.to_string(), is_zero))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    #[test]
    fn integer_literals_keep_base_width_case_and_suffix() {
        let check = |text: &str, value, next: &str, before: &str| {
            let literal = IntegerLiteral::parse(text.as_bytes()).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(literal.value, value, "{text}");
            assert_eq!(literal.in_same_style(value + 1).as_deref(), Some(next), "{text}");
            assert_eq!(literal.in_same_style(value - 1).as_deref(), Some(before), "{text}");
        };
        check("42", 42, "43", "41");
        check("0x03A6", 0x3a6, "0x03A7", "0x03A5");
        check("0xffu", 255, "0x100u", "0xfeu");
        check("0644", 0o644, "0645", "0643");
        check("10UL", 10, "11UL", "9UL");
        check("0b0101", 5, "0b0110", "0b0100");
        check("1'000", 1000, "1001", "999");
        check("0", 0, "1", "(-1)");
    }

    #[test]
    fn what_is_no_plain_literal_is_left_alone() {
        for text in ["10_km", "5s", "1.5", "1e3", "0x", "18446744073709551616", "3i"] {
            assert_eq!(IntegerLiteral::parse(text.as_bytes()), None, "{text}");
        }
        for text in ["'ab'", "'é'", "'\\xff'", "'\\q'"] {
            assert_eq!(CharacterLiteral::parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn characters_have_readable_neighbours() {
        let check = |text: &str, value, next: &str| {
            let literal = CharacterLiteral::parse(text.as_bytes()).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((literal.value, literal.neighbour(value + 1).as_deref()), (value, Some(next)), "{text}");
        };
        check("'a'", 97, "'b'");
        check("L'&'", 38, "L'\\''");
        check("'\\n'", 10, "'\\x0b'");
        check("'\\0'", 0, "'\\x01'");
        check("'\\x41'", 65, "'B'");
        check("'\\101'", 65, "'B'");
    }

    #[test]
    fn floating_literals_tell_suffix_and_zero() {
        let check = |text: &str, expect: Option<(&str, bool)>| {
            assert_eq!(floating(text.as_bytes()), expect.map(|(s, z)| (s.to_string(), z)), "{text}");
        };
        check("1e-3f", Some(("f", false)));
        check("0.0", Some(("", true)));
        check(".0L", Some(("L", true)));
        check("0e10", Some(("", true)));
        check("0x1.8p3", Some(("", false)));
        check("0x0p0f", Some(("f", true)));
        check("1.5_km", None);
        check("2.0q", None);
    }

    #[test]
    fn fuzzed_literals_are_read_or_refused_and_written_in_their_style() {
        let examples = ["0x03A6UL", "017", "0b101u", "1'000'000", "42", "'a'", "L'\\n'", "'\\x1f'", "u8'\\07'"];
        perturb_fuzz::survives("literals", Share::All, &examples, |text| {
            if let Some(literal) = IntegerLiteral::parse(text) {
                let same = literal.in_same_style(literal.value).expect("it holds its own value");
                let read = IntegerLiteral::parse(same.as_bytes()).expect("a literal");
                assert_eq!((read.value, read.suffix), (literal.value, literal.suffix.clone()), "{same}");
                literal.in_same_style(literal.value + 1);
                literal.plain(-1);
            }
            if let Some(literal) = CharacterLiteral::parse(text) {
                (-1..129).for_each(|value| drop(literal.neighbour(value)));
            }
        });
    }
}
