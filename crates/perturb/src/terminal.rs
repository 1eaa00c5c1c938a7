//! The only way out: nothing else writes to standard output or standard error. What people read is a [`Page`]; what
//! programs read is of the formats, which escape what others wrote.

use crate::page::{Page, Style};
use crate::visible;
use anstream::{AutoStream, ColorChoice};
use anstyle::AnsiColor;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{stderr, stdout, BufWriter, IsTerminal, Result, Stdout, Write};

/// Says once and for all whether there are colours.
pub fn set_colours(is_coloured: bool) {
    if is_coloured { ColorChoice::Always } else { ColorChoice::Never }.write_global();
}

/// To standard output, in colour where somebody sees it.
pub fn print(page: &Page) -> Result<()> {
    let is_plain = AutoStream::choice(&stdout()) == ColorChoice::Never;
    let mut out = stdout().lock();
    out.write_all(if is_plain { page.plain() } else { page.styled() }.as_bytes())?;
    out.flush()
}

/// To standard error. A closed one is nobody to tell.
pub fn print_error(page: &Page) {
    let is_plain = AutoStream::choice(&stderr()) == ColorChoice::Never;
    let _ = stderr().lock().write_all(if is_plain { page.plain() } else { page.styled() }.as_bytes());
}

/// A line of the log, to standard error.
pub fn print_log(line: &str) {
    let _ = stderr().lock().write_all(format!("{}\n", visible::line(line.trim_end_matches('\n'))).as_bytes());
}

/// For the formats that programs read.
pub fn data() -> BufWriter<Stdout> {
    BufWriter::with_capacity(1 << 16, stdout())
}

/// All that a format writes.
pub fn write_data(content: impl FnOnce(&mut BufWriter<Stdout>) -> Result<()>) -> Result<()> {
    let mut out = data();
    content(&mut out)?;
    out.flush()
}

/// Whether it is people who read standard output.
pub fn is_read_by_people() -> bool {
    stdout().is_terminal()
}

/// What clap has to say. The arguments that it quotes have no hidden characters any more (see `main`).
pub fn print_usage(error: &clap::Error) {
    let _ = error.print();
}

/// A panic is told like all else: its message may quote what others wrote.
pub fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let (mut page, backtrace) = (Page::default(), Backtrace::capture());
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
