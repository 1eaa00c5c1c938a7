//! Text for people, on its way to a terminal or a text file. All text for people is written to a page, and a page
//! escapes everything that could control a terminal or a build server that reads the log:
//!
//! - Hidden characters are written as [`visible`] escapes them. Only a [`Style`] makes escape sequences, beside the
//!   text and not in it.
//! - A `writeln!` stays in its line: only line feeds at the end of its text end a line, so that a name with a line feed
//!   cannot forge one.
//! - No line is a command of a workflow (`::error::`) or of a build server (`##vso[`, `##[`, `##teamcity[`).

use crate::visible;
use anstyle::AnsiColor;
use std::cell::Cell;
use std::fmt;
use std::io;

/// How a part of a page looks on a terminal: `{style}text{style:#}`. Outside of a page it writes nothing.
#[derive(Debug, Clone, Copy)]
pub struct Style(anstyle::Style);

impl Style {
    pub const PLAIN: Self = Self(anstyle::Style::new());
    pub const BOLD: Self = Self(anstyle::Style::new().bold());
    pub const DIM: Self = Self(anstyle::Style::new().dimmed());

    pub const fn colour(colour: AnsiColor) -> Self {
        Self(colour.on_default())
    }

    pub const fn bold(colour: AnsiColor) -> Self {
        Self(colour.on_default().bold())
    }
}

/// The begin or end of a style.
#[derive(Debug, Clone, Copy)]
enum Switch {
    On(anstyle::Style),
    Off(anstyle::Style),
}

thread_local! {
    /// Carries a style to the page while it is written. Text cannot set this, so that no text makes an escape sequence.
    static SWITCH: Cell<Option<Switch>> = const { Cell::new(None) };
}

impl fmt::Display for Style {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SWITCH.set(Some(if f.alternate() { Switch::Off(self.0) } else { Switch::On(self.0) }));
        let written = f.write_str("");
        SWITCH.set(None);
        written
    }
}

/// Marks an escaped character on a terminal, so that nobody takes it for text that looks the same.
const INVERTED: [&str; 2] = ["\x1b[7m", "\x1b[27m"];

#[derive(Debug, Default)]
pub struct Page {
    styled: String,
    /// The same without styles.
    plain: String,
    line_start: usize,
    /// Whether our lines are commands to a workflow.
    is_commands: bool,
}

impl Page {
    /// A page on which our own lines are commands to a workflow. The caller escapes the text of others.
    pub fn of_commands() -> Self {
        Self { is_commands: true, ..Self::default() }
    }

    /// Makes `write!` and `writeln!` work. One call writes one line, whatever the arguments contain.
    pub fn write_fmt(&mut self, text: fmt::Arguments<'_>) -> io::Result<()> {
        let mut line = OneLine { page: self, line_feeds: 0 };
        fmt::write(&mut line, text).map_err(|_| io::Error::other("a value cannot be written"))?;
        for _ in 0..line.line_feeds {
            self.end_line();
        }
        Ok(())
    }

    /// Writes a part of a line of a source or of output, with its tabs. Escapes line feeds.
    pub fn verbatim(&mut self, text: &[u8]) {
        for character in visible::bytes(text).chars() {
            self.put(character, character == '\t');
        }
    }

    /// Writes a text of many lines, each behind a mark of ours.
    pub fn lines(&mut self, mark: &str, text: &str) {
        for line in text.lines() {
            mark.chars().for_each(|character| self.put(character, true));
            self.verbatim(line.as_bytes());
            self.end_line();
        }
    }

    /// Writes `warning: text`, with all lines but the first indented, so that none looks like another message.
    pub fn message(&mut self, style: Style, word: &str, text: &str) -> io::Result<()> {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        writeln!(self, "{style}{word}{style:#}: {first}")?;
        let is_indented = rest.lines().all(|line| line.is_empty() || line.starts_with("  "));
        self.lines(if is_indented { "" } else { "  " }, rest);
        Ok(())
    }

    /// With colours.
    pub fn styled(&self) -> &str {
        &self.styled
    }

    pub fn plain(&self) -> &str {
        &self.plain
    }

    fn switch(&mut self, switch: Switch) {
        use fmt::Write as _;
        let _ = match switch {
            Switch::On(style) => write!(self.styled, "{style}"),
            Switch::Off(style) => write!(self.styled, "{style:#}"),
        };
    }

    fn put(&mut self, character: char, is_layout: bool) {
        let before = &self.plain[self.line_start..];
        let is_command = match self.is_commands {
            true => visible::opens_command(before, character),
            false => visible::commands(before, character),
        };
        if (visible::is_hidden(character) && !is_layout) || is_command {
            let escaped = visible::escape(character);
            self.plain.push_str(&escaped);
            self.styled.extend([INVERTED[0], &escaped, INVERTED[1]]);
        } else {
            self.plain.push(character);
            self.styled.push(character);
        }
    }

    fn end_line(&mut self) {
        self.plain.push('\n');
        self.styled.push('\n');
        self.line_start = self.plain.len();
    }
}

/// One `write!` to a page. Text and arguments arrive in pieces, and the last piece of a `writeln!` is never an
/// argument.
struct OneLine<'p> {
    page: &'p mut Page,
    /// The number of line feeds at the end of the last piece so far.
    line_feeds: usize,
}

impl fmt::Write for OneLine<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if let Some(switch) = SWITCH.take() {
            self.page.switch(switch);
        }
        if text.is_empty() {
            return Ok(());
        }
        for _ in 0..std::mem::take(&mut self.line_feeds) {
            self.page.put('\n', false);
        }
        let line = text.trim_end_matches('\n');
        line.chars().for_each(|character| self.page.put(character, false));
        self.line_feeds = text.len() - line.len();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(write: impl Fn(&mut Page) -> io::Result<()>) -> String {
        let mut page = Page::default();
        write(&mut page).unwrap();
        page.plain().to_string()
    }

    #[test]
    fn only_a_style_makes_an_escape_sequence() {
        let head = Style::BOLD;
        let name = "a\x1b[2J\nb";
        let mut page = Page::default();
        let elsewhere = format!("{head}{name}{head:#}");
        writeln!(page, "{head}{name:>9}{head:#} {elsewhere}").unwrap();
        assert_eq!(page.plain(), "  a\\x1b[2J\\nb a\\x1b[2J\\nb\n");
        assert_eq!(page.styled().matches("\x1b[1m").count(), 1, "a style counts only in a page");
        assert_eq!(anstream::adapter::strip_str(page.styled()).to_string(), page.plain());
    }

    #[test]
    fn a_call_stays_in_its_line() {
        for (name, expected) in
            [("a\nerror: b\n", "a\\nerror: b\\n\n"), ("\n", "\\n\n"), ("\n\na", "\\n\\na\n"), ("", "\n")]
        {
            assert_eq!(plain(|page| writeln!(page, "{name}")), expected);
            assert_eq!(plain(|page| writeln!(page, "{name}.\n")), expected.replace("\n", ".\n\n"));
        }
        assert_eq!(plain(|page| writeln!(page)), "\n");
    }

    #[test]
    fn text_of_many_lines_is_marked_and_keeps_its_tabs() {
        let written = plain(|page| {
            page.lines("  | ", "a\tb\r\n::error::x\n\x1bc");
            page.verbatim(b"\xe9\n");
            Ok(())
        });
        assert_eq!(written, "  | a\tb\n  | ::error::x\n  | \\x1bc\n\\xe9\\n");
        let message = plain(|page| page.message(Style::BOLD, "error", "a\nwarning: b\n   c"));
        assert_eq!(message, "error: a\n  warning: b\n     c\n");
    }

    #[test]
    fn no_line_is_a_command() {
        for (given, expected) in [
            ("::error::x", ":\\x3aerror::x"),
            (" \u{3000}::error::x", " \u{3000}:\\x3aerror::x"),
            ("a ::error::x", "a ::error::x"),
            ("a ##[error]x", "a ##\\x5berror]x"),
            ("é##VSO[task]", "é##VSO\\x5btask]"),
            ("##teamcity[x", "##teamcity\\x5bx"),
            ("a##b[0] std::move", "a##b[0] std::move"),
        ] {
            assert_eq!(plain(|page| write!(page, "{given}")), expected);
            let halves = given.split_at(given.char_indices().nth(2).unwrap().0);
            assert_eq!(plain(|page| write!(page, "{}{}", halves.0, halves.1)), expected);
        }
        let mut page = Page::of_commands();
        writeln!(page, "::notice::##[x").unwrap();
        assert_eq!(page.plain(), "::notice::##\\x5bx\n");
    }
}
