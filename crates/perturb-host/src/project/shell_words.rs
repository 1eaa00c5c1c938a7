//! Parses the small part of the shell's grammar that test recipes use.
//!
//! Rejects everything else, rather than reading it differently from the shell.

/// One command or loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Statement {
    Simple {
        words: Vec<Word>,
        /// It stands after `||`.
        or_else: bool,
    },
    For {
        variable: String,
        values: Vec<Word>,
        body: Vec<Statement>,
    },
}

/// One word, in which variables may stand.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Word {
    pieces: Vec<WordPiece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum WordPiece {
    Text(String),
    Variable(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ShellToken {
    Word(Word),
    /// `;` or the end of the line.
    End,
    And,
    Or,
}

impl Word {
    /// The word with the values of its variables; `None` if one has none.
    pub fn text(&self, value: impl Fn(&str) -> Option<String>) -> Option<String> {
        let piece = |piece: &WordPiece| match piece {
            WordPiece::Text(text) => Some(text.clone()),
            WordPiece::Variable(name) => value(name),
        };
        self.pieces.iter().map(piece).collect()
    }

    fn push(&mut self, c: char) {
        match self.pieces.last_mut() {
            Some(WordPiece::Text(text)) => text.push(c),
            _ => self.pieces.push(WordPiece::Text(c.to_string())),
        }
    }

    fn plain(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [WordPiece::Text(text)] => Some(text),
            _ => None,
        }
    }
}

/// The statements of a line; `None` for what is not understood.
pub(crate) fn parse(line: &str) -> Option<Vec<Statement>> {
    let tokens = tokens(line)?;
    let mut parser = ShellParser { tokens: &tokens };
    let statements = parser.list(None)?;
    parser.tokens.is_empty().then_some(statements)
}

struct ShellParser<'a> {
    tokens: &'a [ShellToken],
}

/// Words that begin or end something else than a simple command.
const RESERVED: &[&str] = &[
    "if", "then", "else", "elif", "fi", "while", "until", "case", "esac", "do", "done", "{", "}", "!", "in", "function",
];

impl ShellParser<'_> {
    /// Up to the word `end`, or to the end of the line.
    fn list(&mut self, end: Option<&str>) -> Option<Vec<Statement>> {
        let mut statements = Vec::new();
        let mut or_else = false;
        loop {
            match self.tokens.first() {
                None => return end.is_none().then_some(statements),
                Some(ShellToken::End | ShellToken::And) => {
                    or_else = false;
                    self.tokens = &self.tokens[1..];
                }
                Some(ShellToken::Or) => {
                    or_else = true;
                    self.tokens = &self.tokens[1..];
                }
                Some(ShellToken::Word(word)) => match word.plain() {
                    Some(word) if Some(word) == end => {
                        self.tokens = &self.tokens[1..];
                        return Some(statements);
                    }
                    Some("for") => statements.push(self.for_loop()?),
                    Some(word) if RESERVED.contains(&word) => return None,
                    _ => statements.push(Statement::Simple { words: self.words(), or_else }),
                },
            }
        }
    }

    fn for_loop(&mut self) -> Option<Statement> {
        let [ShellToken::Word(_), ShellToken::Word(variable), ShellToken::Word(keyword), rest @ ..] = self.tokens
        else {
            return None;
        };
        let variable = variable.plain()?.to_string();
        if keyword.plain() != Some("in") {
            return None;
        }
        self.tokens = rest;
        let values = self.words();
        let [ShellToken::End, ShellToken::Word(keyword), rest @ ..] = self.tokens else { return None };
        if keyword.plain() != Some("do") {
            return None;
        }
        self.tokens = rest;
        Some(Statement::For { variable, values, body: self.list(Some("done"))? })
    }

    fn words(&mut self) -> Vec<Word> {
        let is_word = |token: &&ShellToken| matches!(token, ShellToken::Word(_));
        let count = self.tokens.iter().take_while(is_word).count();
        let (words, rest) = self.tokens.split_at(count);
        self.tokens = rest;
        let word = |token: &ShellToken| match token {
            ShellToken::Word(word) => Some(word.clone()),
            _ => None,
        };
        words.iter().filter_map(word).collect()
    }
}

fn tokens(line: &str) -> Option<Vec<ShellToken>> {
    let line = without_silenced_output(line);
    let mut tokens = Vec::new();
    let mut word: Option<Word> = None;
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            ' ' | '\t' => tokens.extend(word.take().map(ShellToken::Word)),
            ';' | '&' | '|' => {
                tokens.extend(word.take().map(ShellToken::Word));
                let twice = rest.next_if_eq(&c).is_some();
                tokens.push(match (c, twice) {
                    (';', false) => ShellToken::End,
                    ('&', true) => ShellToken::And,
                    ('|', true) => ShellToken::Or,
                    _ => return None,
                });
            }
            '#' if word.is_none() => break,
            '\'' => {
                let word = word.get_or_insert_default();
                word.pieces.push(WordPiece::Text(String::new()));
                loop {
                    match rest.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => double_quoted(&mut rest, word.get_or_insert_default())?,
            '\\' => word.get_or_insert_default().push(rest.next()?),
            '$' => variable(&mut rest, word.get_or_insert_default())?,
            // Patterns of files, other redirections, commands in commands.
            '<' | '>' | '`' | '(' | ')' | '*' | '?' | '[' if !(c == '[' && is_test(&word, &mut rest)) => return None,
            c => word.get_or_insert_default().push(c),
        }
    }
    tokens.extend(word.take().map(ShellToken::Word));
    Some(tokens)
}

type Characters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// `[ -f x ]`, the command.
fn is_test(word: &Option<Word>, rest: &mut Characters) -> bool {
    word.is_none() && rest.peek() == Some(&' ')
}

/// Redirections that only hide output change no test. In quotes `>` is text, and a digit that ends a word is part of
/// it.
fn without_silenced_output(line: &str) -> String {
    const SILENCES: &[&str] =
        &["2>&1", "2>/dev/null", "2> /dev/null", "1>&2", ">&2", "1>/dev/null", ">/dev/null", "> /dev/null"];
    let is_gap = |c: char| matches!(c, ' ' | '\t' | ';' | '&' | '|');
    let (mut kept, mut rest, mut quote) = (String::with_capacity(line.len()), line, None);
    while let Some(c) = rest.chars().next() {
        let starts_word = kept.is_empty() || kept.ends_with(is_gap);
        let after = SILENCES.iter().find_map(|silence| rest.strip_prefix(silence)).filter(|after| {
            quote.is_none() && (c == '>' || starts_word) && (after.is_empty() || after.starts_with(is_gap))
        });
        if let Some(after) = after {
            kept.push(' ');
            rest = after;
            continue;
        }
        let mut length = c.len_utf8();
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None | Some('"'), '\\') => length += rest[length..].chars().next().map_or(0, char::len_utf8),
            _ => {}
        }
        kept.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    kept
}

fn double_quoted(rest: &mut Characters, word: &mut Word) -> Option<()> {
    word.pieces.push(WordPiece::Text(String::new()));
    loop {
        match rest.next()? {
            '"' => return Some(()),
            '`' => return None,
            '$' => variable(rest, word)?,
            '\\' => {
                let c = rest.next()?;
                if !matches!(c, '"' | '\\' | '$' | '`') {
                    word.push('\\');
                }
                word.push(c);
            }
            c => word.push(c),
        }
    }
}

/// `$name` and `${name}`; nothing else that can follow a dollar sign.
fn variable(rest: &mut Characters, word: &mut Word) -> Option<()> {
    let is_braced = rest.next_if_eq(&'{').is_some();
    let mut name = String::new();
    while let Some(c) = rest.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
        name.push(c);
    }
    let is_closed = !is_braced || rest.next() == Some('}');
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (is_closed && is_name).then(|| word.pieces.push(WordPiece::Variable(name)))
}
