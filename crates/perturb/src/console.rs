//! What people read on standard error: notes, warnings, errors, and a progress bar on a terminal.

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use perturb_host::Notice;
use perturb_pipeline::Event;
use std::cell::RefCell;
use std::fmt::Display;
use std::io::Write;

const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const NOTE: Style = AnsiColor::Cyan.on_default().bold();

/// Renders events. A new format of output touches this, never the engine.
#[derive(Debug)]
pub struct Console {
    quiet: bool,
    bar: RefCell<Option<ProgressBar>>,
}

impl std::panic::RefUnwindSafe for Console {}

impl Console {
    pub fn new(quiet: bool) -> Self {
        Self { quiet, bar: RefCell::new(None) }
    }

    pub fn note(&self, text: impl Display) {
        if !self.quiet {
            self.line(NOTE, "note", text);
        }
    }

    pub fn warning(&self, text: impl Display) {
        self.line(WARNING, "warning", text);
    }

    /// An error with its causes, each on a line of its own.
    pub fn error(&self, error: &anyhow::Error) {
        let causes: String = error.chain().skip(1).map(|cause| format!("\n  {cause}")).collect();
        self.line(ERROR, "error", format!("{error}{causes}"));
    }

    fn line(&self, style: Style, word: &str, text: impl Display) {
        let print = || {
            // A closed standard error is nobody to tell.
            let _ = writeln!(anstream::stderr(), "{style}{word}{style:#}: {text}");
        };
        match &*self.bar.borrow() {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    pub fn notices(&self, notices: &[Notice]) {
        for notice in notices {
            self.note(notice);
        }
    }

    pub fn event(&self, event: &Event) {
        match event {
            Event::MutateStarted { units } => self.start_bar(*units as u64),
            Event::UnitMutated { .. } => {
                if let Some(bar) = &*self.bar.borrow() {
                    bar.inc(1);
                }
            }
            Event::UnitSkipped { file, reason } => self.warning(format_args!("{}: skipped: {reason}", file.display())),
            Event::ParseErrors { file, count, first } => {
                let place = first.file.as_deref().unwrap_or(file).display();
                let (line, column, message) = (first.line, first.column, &first.message);
                let more = if *count > 1 { format!(" (and {} more)", count - 1) } else { String::new() };
                let file = file.display();
                self.warning(format_args!(
                    "{file}: analysed as far as clang understands it; first error{more}:\n  {place}:{line}:{column}: {message}"
                ));
            }
            Event::FlagsLeftOut { flags } => {
                self.note(format_args!("left out for parsing, clang does not know them: {}", flags.join(" ")));
            }
            Event::ExpressionsTooLarge { file, functions } => self.warning(format_args!(
                "{}: expressions nested too deep or too long to be mutated whole in: {}",
                file.display(),
                functions.join(", ")
            )),
            Event::CommentMisread { file, line, text } => self.warning(format_args!(
                "{}:{line}: not understood: `{text}`; use `perturb: ignore[ROR] reason`, `perturb: off`, `perturb: on`",
                file.display()
            )),
            Event::RegionNotClosed { file, line } => self.warning(format_args!(
                "{}:{line}: `perturb: off` without `perturb: on` after it: the rest of the file is suppressed",
                file.display()
            )),
            Event::SuppressionWithoutReason { file, line } => {
                self.note(format_args!("{}:{line}: this suppression gives no reason", file.display()));
            }
            Event::ReviewUnmatched { ids } => self.warning(format_args!(
                "the review file decides on mutants that are not there (any more): {}",
                ids.join(", ")
            )),
            Event::NotInstrumented { log, tail } => self.warning(format_args!(
                "the project cannot be built with its mutants in it, so each is built by itself (log: {}):\n{tail}",
                log.display()
            )),
            Event::MutateFinished { .. } => {
                if let Some(bar) = self.bar.borrow_mut().take() {
                    bar.finish_and_clear();
                }
            }
        }
    }

    fn start_bar(&self, units: u64) {
        let target = if self.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(units), target);
        let template = "parsing {bar:40} {pos}/{len} files, {eta} left";
        bar.set_style(ProgressStyle::with_template(template).expect("the template is well formed"));
        *self.bar.borrow_mut() = Some(bar);
    }
}
