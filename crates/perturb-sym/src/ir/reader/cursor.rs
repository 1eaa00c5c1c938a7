//! Lexes the text into tokens.

use crate::ir::Unsupported;

pub(crate) type Read<T> = Result<T, Unsupported>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    /// A keyword, a type, an opcode, an attribute or a label.
    Word(&'t str),
    /// `%name`, without its sign; in quotes if it was.
    Local(&'t str),
    /// `@name`.
    Global(&'t str),
    /// As written: `-12`, `1.5e+00`, `0xK3FFF8000000000000000`.
    Number(&'t str),
    /// `"…"`, with its escapes.
    Text(&'t str),
    /// `c"…"`, with its escapes.
    Bytes(&'t str),
    /// `!name`, `!12`, or nothing but the sign.
    Metadata(&'t str),
    /// `#0`, or a debug record such as `#dbg_value`.
    Hash(&'t str),
    /// `$name`.
    Comdat(&'t str),
    Ellipsis,
    Sign(char),
    End,
}

/// A position before the next token. It is small, and copied to look further ahead.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'t> {
    text: &'t str,
    /// The offset after the next token.
    at: usize,
    at_line: u32,
    next: Token<'t>,
    next_start: usize,
    next_line: u32,
    /// The end of the last token taken.
    last_line: u32,
    last_end: usize,
}

impl<'t> Cursor<'t> {
    pub fn new(text: &'t str, line: u32) -> Self {
        let mut cursor = Self {
            text,
            at: 0,
            at_line: line,
            next: Token::End,
            next_start: 0,
            next_line: line,
            last_line: line,
            last_end: 0,
        };
        cursor.advance();
        cursor
    }

    pub fn peek(&self) -> Token<'t> {
        self.next
    }

    /// The token after the next one.
    pub fn peek_second(&self) -> Token<'t> {
        let mut ahead = *self;
        ahead.take();
        ahead.next
    }

    pub fn take(&mut self) -> Token<'t> {
        let token = self.next;
        self.last_line = self.next_line;
        self.last_end = self.at;
        self.advance();
        token
    }

    /// The line of the next token.
    pub fn line(&self) -> u32 {
        self.next_line
    }

    /// Whether the next token is on the line of the last one.
    pub fn is_on_same_line(&self) -> bool {
        self.next != Token::End && self.next_line == self.last_line
    }

    /// The offset of the next token.
    pub fn start(&self) -> usize {
        self.next_start
    }

    /// The text from an offset to the end of the last token taken.
    pub fn text_since(&self, start: usize) -> &'t str {
        self.text.get(start..self.last_end).unwrap_or_default()
    }

    pub fn eat(&mut self, sign: char) -> bool {
        self.eat_token(Token::Sign(sign))
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let is_next = self.next == Token::Word(word);
        if is_next {
            self.take();
        }
        is_next
    }

    pub fn eat_token(&mut self, token: Token<'_>) -> bool {
        let is_next = self.next == token;
        if is_next {
            self.take();
        }
        is_next
    }

    pub fn expect(&mut self, sign: char) -> Read<()> {
        if self.eat(sign) {
            return Ok(());
        }
        Err(self.unexpected(&format!("'{sign}'")))
    }

    pub fn expect_word(&mut self, word: &str) -> Read<()> {
        if self.eat_word(word) {
            return Ok(());
        }
        Err(self.unexpected(word))
    }

    /// A plain integer.
    pub fn number<N: std::str::FromStr>(&mut self) -> Read<N> {
        let wrong = self.complaint("a number");
        match self.take() {
            Token::Number(digits) => digits.parse().map_err(|_| wrong()),
            _ => Err(wrong()),
        }
    }

    pub fn fail(&self, what: impl Into<String>) -> Unsupported {
        Unsupported { what: what.into(), line: self.next_line }
    }

    /// The error for this position. It is only formatted when needed.
    pub fn complaint(&self, wanted: &'static str) -> impl Fn() -> Unsupported + Copy + use<'t> {
        let cursor = *self;
        move || cursor.unexpected(wanted)
    }

    /// The error, with some of the text there.
    pub fn unexpected(&self, wanted: &str) -> Unsupported {
        let found = self.text[self.next_start..].lines().next().unwrap_or_default();
        let found: String = found.chars().take(40).collect();
        self.fail(format!("{wanted} expected at: {found}"))
    }

    /// Skips a bracket and its contents.
    pub fn skip_bracket(&mut self) -> Read<()> {
        let mut depth = 0_u32;
        loop {
            match self.take() {
                Token::Sign('(' | '[' | '{' | '<') => depth += 1,
                Token::Sign(')' | ']' | '}' | '>') => depth = depth.saturating_sub(1),
                Token::End => return Err(self.fail("a bracket is never closed")),
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn advance(&mut self) {
        self.skip_space();
        self.next_start = self.at;
        self.next_line = self.at_line;
        self.next = self.lex();
    }

    fn skip_space(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'\n' => self.at_line += 1,
                b' ' | b'\t' | b'\r' => {}
                b';' => {
                    let end = bytes[self.at..].iter().position(|byte| *byte == b'\n');
                    self.at = end.map_or(bytes.len(), |end| self.at + end);
                    continue;
                }
                _ => return,
            }
            self.at += 1;
        }
    }

    fn lex(&mut self) -> Token<'t> {
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else { return Token::End };
        match first {
            '%' => Token::Local(self.name()),
            '@' => Token::Global(self.name()),
            '$' => Token::Comdat(self.name()),
            '!' => Token::Metadata(self.run(1, |byte| is_name(byte) || byte == b'\\')),
            '#' => Token::Hash(self.run(1, is_name)),
            '"' => Token::Text(self.quoted(1)),
            'c' if rest[1..].starts_with('"') => Token::Bytes(self.quoted(2)),
            '.' if rest.starts_with("...") => {
                self.at += 3;
                Token::Ellipsis
            }
            '0'..='9' => Token::Number(self.run(0, is_numeric)),
            '-' | '+' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => Token::Number(self.run(0, is_numeric)),
            _ if is_name(rest.as_bytes()[0]) => Token::Word(self.run(0, is_name)),
            other => {
                self.at += other.len_utf8();
                Token::Sign(other)
            }
        }
    }

    /// A name after a sigil. Quotes are kept: `%"1"` is not `%1`.
    fn name(&mut self) -> &'t str {
        if !self.text[self.at + 1..].starts_with('"') {
            return self.run(1, is_name);
        }
        let start = self.at + 1;
        self.quoted(2);
        &self.text[start..self.at]
    }

    /// The longest run of bytes of one class. The classes are ASCII only, so characters stay whole.
    fn run(&mut self, from: usize, is_of_kind: impl Fn(u8) -> bool) -> &'t str {
        let start = self.at + from;
        let length = self.text.as_bytes()[start..].iter().position(|byte| !is_of_kind(*byte));
        self.at = length.map_or(self.text.len(), |length| start + length);
        &self.text[start..self.at]
    }

    /// The contents of quotes that start before `from`. They end in the same line, as newlines are escaped.
    fn quoted(&mut self, from: usize) -> &'t str {
        let start = self.at + from;
        let length = self.text.as_bytes()[start..].iter().position(|byte| matches!(byte, b'"' | b'\n'));
        let end = length.map_or(self.text.len(), |length| start + length);
        self.at = end + usize::from(self.text[end..].starts_with('"'));
        &self.text[start..end]
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'$' | b'.' | b'_')
}

fn is_numeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.' | b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token<'_>> {
        let mut cursor = Cursor::new(text, 1);
        std::iter::from_fn(|| Some(cursor.take()).filter(|token| *token != Token::End)).collect()
    }

    #[test]
    fn every_kind_of_token_is_told() {
        use Token::*;
        let text = "%1 = call i32 (i8*, ...) @\"a b\"(c\"x\\22\\00\") #3, !dbg !12 ; the rest";
        let expected = [
            Local("1"),
            Sign('='),
            Word("call"),
            Word("i32"),
            Sign('('),
            Word("i8"),
            Sign('*'),
            Sign(','),
            Ellipsis,
            Sign(')'),
            Global("\"a b\""),
            Sign('('),
            Bytes("x\\22\\00"),
            Sign(')'),
            Hash("3"),
            Sign(','),
            Metadata("dbg"),
            Metadata("12"),
        ];
        assert_eq!(tokens(text), expected);
        assert_eq!(tokens("-1 1.5e+00 0xK4000"), [Number("-1"), Number("1.5e+00"), Number("0xK4000")]);
        assert_eq!(tokens("for.cond: $c é"), [Word("for.cond"), Sign(':'), Comdat("c"), Sign('é')]);
        assert_eq!(tokens("\"never closed\nx"), [Text("never closed"), Word("x")]);
    }

    #[test]
    fn lines_are_counted_and_comments_are_none() {
        let mut cursor = Cursor::new("a ; b\n\n  c d", 7);
        assert_eq!((cursor.take(), cursor.is_on_same_line(), cursor.line()), (Token::Word("a"), false, 9));
        assert_eq!((cursor.take(), cursor.is_on_same_line(), cursor.line()), (Token::Word("c"), true, 9));
        assert_eq!((cursor.take(), cursor.is_on_same_line()), (Token::Word("d"), false));
    }

    #[test]
    fn brackets_are_stepped_over_as_a_whole() {
        let mut cursor = Cursor::new("(a [b] {c, \")\"}) d", 1);
        cursor.skip_bracket().unwrap();
        assert_eq!(cursor.peek(), Token::Word("d"));
        assert!(Cursor::new("((a)", 1).skip_bracket().is_err());
    }
}
