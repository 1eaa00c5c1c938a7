//! Nothing else writes to standard output or standard error. Text for people is a [`Page`]; data for programs comes
//! from the formats, which escape the text of others.

use crate::page::{Page, Style};
use crate::visible;
use anstream::{AutoStream, ColorChoice};
use anstyle::AnsiColor;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{stderr, stdout, BufWriter, IsTerminal, Result, Stdout, Write};

/// Decides for the whole program whether there are colours.
pub fn set_colours(is_coloured: bool) {
    if is_coloured { ColorChoice::Always } else { ColorChoice::Never }.write_global();
}

/// Prints to standard output, in colour on a terminal.
pub fn print(page: &Page) -> Result<()> {
    let is_plain = AutoStream::choice(&stdout()) == ColorChoice::Never;
    let mut out = stdout().lock();
    out.write_all(if is_plain { page.plain() } else { page.styled() }.as_bytes())?;
    out.flush()
}

/// Prints to standard error. Ignores errors, for which there is no place to report them.
pub fn print_error(page: &Page) {
    let is_plain = AutoStream::choice(&stderr()) == ColorChoice::Never;
    let _ = stderr().lock().write_all(if is_plain { page.plain() } else { page.styled() }.as_bytes());
}

/// A line of the log, to standard error.
pub fn print_log(line: &str) {
    let _ = stderr().lock().write_all(format!("{}\n", visible::line(line.trim_end_matches('\n'))).as_bytes());
}

/// Standard output for the formats that programs read.
pub fn data() -> BufWriter<Stdout> {
    BufWriter::with_capacity(1 << 16, stdout())
}

/// Writes the output of a format.
pub fn write_data(content: impl FnOnce(&mut BufWriter<Stdout>) -> Result<()>) -> Result<()> {
    let mut out = data();
    content(&mut out)?;
    out.flush()
}

/// Whether standard output is a terminal, so that people read it.
pub fn is_read_by_people() -> bool {
    stdout().is_terminal()
}

/// Prints a message of clap. `main` has escaped the arguments that it quotes.
pub fn print_usage(error: &clap::Error) {
    let _ = error.print();
}

/// Makes panics print to a page, because their messages may quote text of others.
pub fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let mut page = Page::default();
        let backtrace = Backtrace::capture();
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("unnamed");
        let mut text = format!("thread '{name}' {panic}");
        if backtrace.status() == BacktraceStatus::Captured {
            text.push_str(&format!("\n{backtrace}"));
        }
        let _ = page.message(Style::bold(AnsiColor::Red), "defect of perturb", &text);
        print_error(&page);
    }));
}
