//! A minimal C and C++ lexer: finds the token at an offset, and the text between two offsets.
//!
//! libclang's own tokeniser is slow and differs between versions. This one works on the bytes of one file, so that
//! digraphs, CRLF, UTF-8 identifiers and raw strings give the same tokens everywhere. It does not preprocess: a
//! directive in the middle of an expression is a token `#`, at which callers stop.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    Identifier,
    Number,
    Character,
    String,
    Punctuator,
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    pub kind: TokenKind,
    pub start: u32,
    pub end: u32,
}

impl Token {
    pub fn text<'a>(&self, source: &'a [u8]) -> &'a [u8] {
        &source[self.start as usize..self.end as usize]
    }
}

const PUNCTUATORS: [&[u8]; 30] = [
    b"%:%:", b"...", b"<<=", b">>=", b"<=>", b"->*", b"->", b"++", b"--", b"<<", b">>", b"<=", b">=", b"==", b"!=",
    b"&&", b"||", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=", b"##", b"::", b".*", b"<:", b":>",
];

pub fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// The first offset at or after `at` that is neither white space, nor a comment, nor a spliced line end.
pub fn skip_trivia(source: &[u8], at: u32) -> u32 {
    let mut i = at as usize;
    while i < source.len() {
        let rest = &source[i..];
        i += match rest[0] {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => 1,
            b'\\' if rest.starts_with(b"\\\n") => 2,
            b'\\' if rest.starts_with(b"\\\r\n") => 3,
            b'/' if rest.starts_with(b"//") => line_comment_length(rest),
            b'/' if rest.starts_with(b"/*") => block_comment_length(rest),
            _ => break,
        };
    }
    i as u32
}

/// Up to, not including, the line end; a backslash before the line end carries the comment on.
fn line_comment_length(rest: &[u8]) -> usize {
    let mut from = 0;
    while let Some(at) = find(&rest[from..], b"\n") {
        let end = from + at;
        let line = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
        if line.last() != Some(&b'\\') {
            return end;
        }
        from = end + 1;
    }
    rest.len()
}

fn block_comment_length(rest: &[u8]) -> usize {
    find(&rest[2..], b"*/").map_or(rest.len(), |at| at + 4)
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

/// The token at or after `at`, white space and comments passed over.
pub fn token_at(source: &[u8], at: u32) -> Token {
    let start = skip_trivia(source, at);
    let rest = &source[start as usize..];
    let (kind, length) = match rest.first() {
        None => (TokenKind::End, 0),
        Some(b'"') => (TokenKind::String, quoted_length(rest, b'"')),
        Some(b'\'') => (TokenKind::Character, quoted_length(rest, b'\'')),
        Some(b) if b.is_ascii_digit() => (TokenKind::Number, number_length(rest)),
        Some(b'.') if rest.get(1).is_some_and(u8::is_ascii_digit) => (TokenKind::Number, number_length(rest)),
        Some(&b) if is_identifier_byte(b) => word(rest),
        Some(_) => (TokenKind::Punctuator, punctuator_length(rest)),
    };
    Token { kind, start, end: start + length as u32 }
}

/// All tokens of `source[start..end]`.
pub fn tokens(source: &[u8], start: u32, end: u32) -> impl Iterator<Item = Token> + '_ {
    let source = &source[..end as usize];
    let mut at = start;
    std::iter::from_fn(move || {
        let token = token_at(source, at);
        at = token.end;
        (token.kind != TokenKind::End).then_some(token)
    })
}

/// The offset of the bracket that closes the one at `open`.
pub fn matching_bracket(source: &[u8], open: u32) -> Option<u32> {
    let mut depth = 0i32;
    for token in tokens(source, open, source.len() as u32) {
        match token.text(source) {
            b"(" | b"[" | b"{" => depth += 1,
            b")" | b"]" | b"}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(token.start);
        }
    }
    None
}

/// An identifier, or a literal with an encoding prefix (`L'x'`, `u8"s"`, `R"(raw)"`).
fn word(rest: &[u8]) -> (TokenKind, usize) {
    let length = rest.iter().position(|&b| !is_identifier_byte(b)).unwrap_or(rest.len());
    match (&rest[..length], rest.get(length)) {
        (b"R" | b"LR" | b"uR" | b"UR" | b"u8R", Some(b'"')) => {
            (TokenKind::String, length + raw_length(&rest[length..]))
        }
        (b"L" | b"u" | b"U" | b"u8", Some(b'"')) => (TokenKind::String, length + quoted_length(&rest[length..], b'"')),
        (b"L" | b"u" | b"U" | b"u8", Some(b'\'')) => {
            (TokenKind::Character, length + quoted_length(&rest[length..], b'\''))
        }
        _ => (TokenKind::Identifier, length),
    }
}

fn quoted_length(rest: &[u8], quote: u8) -> usize {
    let mut i = 1;
    while i < rest.len() {
        match rest[i] {
            b'\\' => i += 2,
            b'\n' => return i, // not closed: what the compiler says of it is not our business
            b if b == quote => return i + 1,
            _ => i += 1,
        }
    }
    rest.len()
}

fn raw_length(rest: &[u8]) -> usize {
    let Some(open) = rest.iter().position(|&b| b == b'(') else { return rest.len() };
    let close = [b")", &rest[1..open], b"\""].concat();
    find(&rest[open..], &close).map_or(rest.len(), |at| open + at + close.len())
}

/// A preprocessing number: digits, letters, dots, signed exponents and C++ digit separators.
fn number_length(rest: &[u8]) -> usize {
    let mut i = 1;
    while i < rest.len() {
        let follows = rest.get(i + 1).is_some_and(|&b| is_identifier_byte(b));
        match rest[i] {
            b'+' | b'-' if matches!(rest[i - 1], b'e' | b'E' | b'p' | b'P') && !hex_digit_e(rest, i) => i += 1,
            b'\'' if follows => i += 2,
            b'.' => i += 1,
            b if is_identifier_byte(b) => i += 1,
            _ => break,
        }
    }
    i
}

/// Whether the `e` before `at` is a digit of a hexadecimal number, which a sign ends (`0xe+1` is one preprocessing
/// number by the letter of the standard, but no valid literal: nobody writes it, and compilers reject it).
fn hex_digit_e(rest: &[u8], at: usize) -> bool {
    matches!(rest, [b'0', b'x' | b'X', ..]) && matches!(rest[at - 1], b'e' | b'E')
}

fn punctuator_length(rest: &[u8]) -> usize {
    PUNCTUATORS.iter().find(|p| rest.starts_with(p)).map_or(1, |p| p.len())
}

/// Whether an `#if` starts in the text and ends elsewhere, or the other way round.
pub fn has_split_directives(text: &[u8]) -> bool {
    let mut depth = 0i32;
    for line in text.split(|byte| *byte == b'\n') {
        let Some(directive) = line.trim_ascii_start().strip_prefix(b"#") else { continue };
        let directive = directive.trim_ascii_start();
        if directive.starts_with(b"if") {
            depth += 1;
        } else if directive.starts_with(b"endif") {
            depth -= 1;
        } else if directive.starts_with(b"el") && depth == 0 {
            return true;
        }
        if depth < 0 {
            return true;
        }
    }
    depth != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::prelude::*;
    use perturb_fuzz::Share;

    fn check(source: &str, expect: &[&str]) {
        let bytes = source.as_bytes();
        let found: Vec<_> =
            tokens(bytes, 0, bytes.len() as u32).map(|t| String::from_utf8_lossy(t.text(bytes)).into_owned()).collect();
        assert_eq!(found, expect, "{source}");
    }

    #[test]
    fn splits_text_into_tokens_as_the_standards_do() {
        check("a+++b", &["a", "++", "+", "b"]);
        check("x<<=0x1Fu;", &["x", "<<=", "0x1Fu", ";"]);
        check("1.5e-3f .5 1'000ull 0b11", &["1.5e-3f", ".5", "1'000ull", "0b11"]);
        check("L'x' u8\"s\" '\\'' \"a\\\"b\"", &["L'x'", "u8\"s\"", "'\\''", "\"a\\\"b\""]);
        check("R\"x(a)\" b)x\" c", &["R\"x(a)\" b)x\"", "c"]);
        check("a /* b */ // c \\\n d\n e \\\n f", &["a", "e", "f"]);
        check("a<:0:>", &["a", "<:", "0", ":>"]);
        check("größe->λ", &["größe", "->", "λ"]);
        check("0xe+1", &["0xe", "+", "1"]);
        check("'unclosed\nx", &["'unclosed", "x"]);
    }

    #[test]
    fn finds_the_matching_bracket_past_strings_and_comments() {
        let source = b"f(a, \")\", /* ) */ g(b))x";
        assert_eq!(matching_bracket(source, 1), Some(22));
        assert_eq!(matching_bracket(b"f(a", 1), None);
    }

    /// Whatever the bytes are, tokens come in order, hold something, and end.
    #[test]
    fn any_bytes_are_read_to_their_end() {
        let alphabet = b"aR\"'\\/*\n\r (){}<>=+-.0x1e'#%:u8L\xc3\xff";
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..2000 {
            let text: Vec<u8> = (0..40)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    alphabet[(state >> 33) as usize % alphabet.len()]
                })
                .collect();
            let mut at = 0;
            for token in tokens(&text, 0, text.len() as u32) {
                assert!(at <= token.start && token.start < token.end, "{token:?} in {text:?}");
                at = token.end;
            }
            assert_eq!(skip_trivia(&text, at), text.len() as u32, "{text:?}");
        }
    }

    const PIECES: &[&str] = &[
        "a", "R\"x(", ")x\"", "\"", "'", "\\", "\\\n", "\\\r\n", "/", "//", "/*", "*/", "\n", "\r\n", " ", "(", ")",
        "[", "]", "{", "}", "<:", "%:", "->", "+", "-", "0x1e", "1.5e+", "1'0", "u8", "L", "#if", "#endif", "\u{e9}",
    ];

    #[test]
    fn fuzzed_texts_are_all_tokens_and_what_is_between_them() {
        let spoiled = perturb_fuzz::spoiled(perturb_fuzz::text_of(PIECES).prop_map(String::into_bytes));
        perturb_fuzz::holds("lexer", Share::All, spoiled, |text| {
            let mut at = 0;
            for (number, token) in tokens(&text, 0, text.len() as u32).enumerate() {
                assert!(at <= token.start && token.start < token.end, "{token:?}");
                assert_eq!(skip_trivia(&text, at), token.start);
                // Each looks at all that follows.
                if number < 20 {
                    assert!(matching_bracket(&text, token.start).is_none_or(|end| end >= token.start));
                }
                at = token.end;
            }
            assert_eq!(skip_trivia(&text, at), text.len() as u32);
            has_split_directives(&text);
        });
    }
}
