//! What people read on standard error: notes, warnings, errors, and a progress bar on a terminal.

use crate::formats::{report, time};
use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use perturb_host::Notice;
use perturb_pipeline::{Event, Mutant, Outcome};
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
            Event::MutateStarted { units } => self.start_bar("parsing", "files", *units),
            Event::UnitMutated { .. } | Event::BaselineAdvanced | Event::RecordAdvanced => self.advance(),
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
                "the project cannot be built with its mutants in it, so each is built by itself, and gcov tells which tests \
                 execute it, as with `--coverage gcov` (log: {}):\n{tail}",
                log.display()
            )),
            Event::MutateFinished { .. } => self.clear(),
            _ => self.run_event(event),
        }
    }

    /// What happens in a run, after its mutants are known.
    fn run_event(&self, event: &Event) {
        match event {
            Event::BuildStarted { what } => self.start_spinner(format!("building {what}")),
            Event::BuildFinished { what, wall } => {
                self.clear();
                self.note(format_args!("built {what} in {}", time::duration(*wall)));
            }
            Event::Sandboxed { layers, missing } => {
                self.note(format_args!("tests run in a sandbox: {layers}"));
                if !missing.is_empty() {
                    self.warning(format_args!("the sandbox lacks: {}", missing.join("; ")));
                }
            }
            Event::BaselineStarted { runs } => self.start_bar("baseline", "runs of tests", *runs),
            Event::TestLeftOut { test, why, output } => self.warning(format_args!(
                "{test} is left out: on the original it {why}{}",
                last_lines(output)
            )),
            Event::BaselineFinished { passed } => {
                self.clear();
                self.note(format_args!("{passed} tests pass on the original, twice"));
            }
            Event::Instrumented { switched, rebuilt } => self.note(format_args!(
                "{switched} mutants are in one build; {rebuilt} have to be built by themselves"
            )),
            Event::RecordStarted { tests } => self.start_bar("recording", "tests", *tests),
            Event::FunctionLeftOut { function, test } => self.warning(format_args!(
                "{test} does not pass with this function instrumented, so its mutants are built by themselves: {function}"
            )),
            Event::TestNotInstrumented { test } => self.warning(format_args!(
                "{test} does not pass on the instrumented program, or starts it without its environment: it is run on builds \
                 of single mutants only"
            )),
            Event::RecordFinished => self.clear(),
            Event::ExecuteFinished { executions, reused } => {
                self.clear();
                self.note(format_args!("{executions} runs of tests; {reused} verdicts were known from earlier runs"));
            }
            Event::ExecuteStarted { mutants, runs } => {
                self.note(format_args!("{mutants} mutants to execute, with at most {runs} runs of tests"));
                self.start_bar("executing", "mutants", *mutants);
            }
            Event::MutantDecided { .. } => self.advance(),
            _ => self.coverage_event(event),
        }
    }

    /// What is to be said about coverage that others have counted.
    fn coverage_event(&self, event: &Event) {
        match event {
            Event::CoverageUnknown { tests, why } => self.warning(format_args!(
                "it is not known what {} execute{}, so that every mutant is executed with {}: {why}",
                some(tests),
                if tests.len() == 1 { "s" } else { "" },
                if tests.len() == 1 { "it" } else { "them" },
            )),
            Event::CoverageUnmatched { names } => {
                self.warning(format_args!("these coverage data fit no test: {}", some(names)));
            }
            Event::CoverageStale { file, is_used: true } => self.warning(format_args!(
                "{} has changed after the coverage data were collected: if its lines are not what they were, collect them anew",
                file.display()
            )),
            Event::CoverageStale { file, is_used: false } => self.warning(format_args!(
                "{}: the coverage data know lines that it does not have, so that nothing of them is used for it",
                file.display()
            )),
            Event::GcovUnusable { reason } => {
                self.clear();
                self.warning(format_args!("without gcov, every mutant is executed with every test: {reason}"));
            }
            _ => {}
        }
    }

    /// A mutant that no test noticed, as a line that editors understand.
    pub fn survivor(&self, mutant: &Mutant, outcome: &Outcome) {
        if self.quiet || !matches!(outcome, Outcome::Live | Outcome::Unstable { .. }) {
            return;
        }
        let print = || {
            let _ = writeln!(anstream::stderr(), "{}", report::line(mutant, outcome));
        };
        match &*self.bar.borrow() {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    fn advance(&self) {
        if let Some(bar) = &*self.bar.borrow() {
            bar.inc(1);
        }
    }

    /// Takes a progress bar away.
    pub fn clear(&self) {
        if let Some(bar) = self.bar.borrow_mut().take() {
            bar.finish_and_clear();
        }
    }

    fn start_bar(&self, what: &str, items: &str, count: usize) {
        let bar = ProgressBar::with_draw_target(Some(count as u64), self.target());
        let template = format!("{what} {{bar:40}} {{pos}}/{{len}} {items}, {{eta}} left");
        bar.set_style(ProgressStyle::with_template(&template).expect("the template is well formed"));
        *self.bar.borrow_mut() = Some(bar);
    }

    fn start_spinner(&self, what: String) {
        let bar = ProgressBar::with_draw_target(None, self.target());
        let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}").expect("the template is well formed");
        bar.set_style(style);
        bar.set_message(what);
        bar.enable_steady_tick(std::time::Duration::from_millis(200));
        *self.bar.borrow_mut() = Some(bar);
    }

    fn target(&self) -> ProgressDrawTarget {
        if self.quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        }
    }
}

/// The first few of a list, and how many more there are.
fn some(names: &[impl Display]) -> String {
    const FEW: usize = 5;
    let first: Vec<String> = names.iter().take(FEW).map(ToString::to_string).collect();
    match names.len().checked_sub(FEW) {
        None | Some(0) => first.join(", "),
        Some(more) => format!("{} and {more} more", first.join(", ")),
    }
}

/// The end of what a test wrote, indented.
fn last_lines(output: &[u8]) -> String {
    const LINES: usize = 8;
    let text = String::from_utf8_lossy(output);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(LINES)..];
    last.iter().map(|line| format!("\n  {line}")).collect()
}
