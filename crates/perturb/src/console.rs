//! Writes to standard error, for people: notes, warnings, errors, and a progress bar on a terminal.

mod bars;
mod run;
mod survivors;

pub use run::last_lines;
pub use survivors::Survivors;

use crate::formats::{caret, plural};
use crate::log;
use crate::page::{Page, Style};
use crate::{terminal, visible};
use anstyle::AnsiColor;
use bars::Bars;
use perturb_model::{AuditCount, Contradiction, Disagreement, Engine, Event, Mutant, Notice, Outcome, Witness};
use std::cell::RefCell;
use std::fmt::Display;

const WARNING: Style = Style::bold(AnsiColor::Yellow);
const ERROR: Style = Style::bold(AnsiColor::Red);
const NOTE: Style = Style::bold(AnsiColor::Cyan);

/// A cause, on lines below the error.
fn indented(cause: &(dyn std::error::Error + 'static)) -> String {
    format!("\n{cause}").replace('\n', "\n  ")
}

/// Renders events for people.
#[derive(Debug)]
pub struct Console {
    quiet: bool,
    bars: Bars,
    progress: RefCell<run::Progress>,
}

impl std::panic::RefUnwindSafe for Console {}

impl Console {
    pub fn new(quiet: bool) -> Self {
        Self { quiet, bars: Bars::new(quiet || log::is_on()), progress: RefCell::default() }
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
        self.clear();
        let causes: String = error.chain().skip(1).map(indented).collect();
        self.line(ERROR, "error", format!("{error}{causes}"));
    }

    fn line(&self, style: Style, word: &str, text: impl Display) {
        let mut page = Page::default();
        let _ = page.message(style, word, &text.to_string());
        self.bars.aside(|| terminal::print_error(&page));
    }

    pub fn notices(&self, notices: &[Notice]) {
        for notice in notices {
            self.note(notice);
        }
    }

    pub fn event(&self, event: &Event) {
        match event {
            Event::MutateStarted { units } => self.bars.start("parsing", "files", *units),
            Event::UnitMutated { .. } => self.bars.advance(1),
            Event::UnitSkipped { file, reason } => {
                self.warning(format_args!("{}: skipped: {reason}", visible::path(file)))
            }
            Event::ParseErrors { file, count, first } => {
                let first_file = visible::path(first.file.as_deref().unwrap_or(file));
                let (line, column, message) = (first.line, first.column, visible::line(&first.message));
                let more = if *count > 1 { format!(" (and {} more)", count - 1) } else { String::new() };
                let file = visible::path(file);
                self.warning(format_args!(
                    "{file}: analysed as far as clang understands it; first error{more}:\n  \
                     {first_file}:{line}:{column}: {message}"
                ));
            }
            Event::FlagsLeftOut { flags } => {
                self.note(format_args!("left out for parsing, clang does not know them: {}", flags.join(" ")));
            }
            Event::CompilerUnclear { compiler, reason } => self.warning(format_args!(
                "{}: its files are parsed without its own macros and include folders: {reason}; check that it works",
                visible::path(compiler)
            )),
            Event::ExpressionsTooLarge { file, functions } => self.warning(format_args!(
                "{}: expressions nested too deep or too long to be mutated whole in: {}",
                visible::path(file),
                functions.join(", ")
            )),
            Event::CommentMisread { file, line, text } => self.warning(format_args!(
                "{}:{line}: not understood: `{text}`; use `perturb: ignore[ROR] reason`, `perturb: off`, `perturb: on`",
                visible::path(file)
            )),
            Event::RegionNotClosed { file, line } => self.warning(format_args!(
                "{}:{line}: `perturb: off` without `perturb: on` after it: the rest of the file is suppressed",
                visible::path(file)
            )),
            Event::SuppressionWithoutReason { file, line } => {
                self.note(format_args!("{}:{line}: this suppression gives no reason", visible::path(file)));
            }
            Event::ReviewUnmatched { ids } => self.warning(format_args!(
                "{} decides on mutants that do not exist (any more): {}; remove these decisions",
                perturb_model::Review::FILE_NAME,
                ids.join(", ")
            )),
            Event::NotInstrumented { log, tail } => self.warning(format_args!(
                "the project cannot be built with its mutants in it, so each is built by itself; gcov then \
                 finds which tests execute it (`--coverage gcov`), or your own data do (log: {}):\n{tail}",
                visible::path(log)
            )),
            Event::MutateFinished { .. } => self.clear(),
            _ => self.run_event(event),
        }
    }

    /// Shows a mutant that no test noticed, as lines that editors understand.
    pub fn survivor(&self, mutant: &Mutant, outcome: &Outcome) {
        if self.quiet {
            return;
        }
        let mut page = Page::default();
        let _ = caret::write(mutant, outcome, &mut page);
        self.bars.aside(|| terminal::print_error(&page));
    }

    /// Shows a live mutant, with an input on which it differs from the original.
    pub fn witness(&self, mutant: &Mutant, shown: &Witness) {
        if self.quiet {
            return;
        }
        let mut page = Page::default();
        let _ = caret::write_witness(mutant, shown, &mut page);
        self.bars.aside(|| terminal::print_error(&page));
    }

    /// Warns of a mutant for which a test refutes what compiled code says.
    pub fn contradiction(&self, mutant: &Mutant, found: &Contradiction) {
        let what = match &found.says {
            Outcome::Duplicate { of, level } => {
                format!("the tests tell it apart from {of}, of which the code at {level} is the same")
            }
            says => format!("a test kills it although it is {says}"),
        };
        let why = match found.assumes {
            Some(assumption) => {
                format!("The compiler took for granted that {assumption}: in such a test it does not hold")
            }
            None => "Either something undefined happens in such a test, or this is a defect of perturb".to_string(),
        };
        self.warning(format_args!("{}: {what}. {why} (perturb show {})", visible::line(&mutant.name()), mutant.id));
    }

    /// Warns of a mutant about which two engines disagree.
    pub fn disagreement(&self, mutant: &Mutant, found: &Disagreement) {
        self.warning(format_args!(
            "{}: in the instrumented build it is {}, built by itself it is {}. It is unstable: it may read memory that \
             it never wrote, or the tests may depend on chance; otherwise this is a defect of perturb. Both logs: {}",
            visible::line(&mutant.name()),
            found.fast,
            found.rebuilt,
            visible::path(&found.log)
        ));
    }

    /// Notes how many verdicts rest on an engine and a test that the audit contradicts.
    fn finding_again(&self, engine: Engine, mutants: usize) {
        self.clear();
        let others = match mutants {
            1 => "one other verdict rests".to_string(),
            _ => format!("{mutants} other verdicts rest"),
        };
        self.note(format_args!(
            "{others} on an engine and a test that the audit contradicts: found again by the {engine} engine"
        ));
        self.bars.start_with_text("finding again", "verdicts", mutants, "");
    }

    fn audited(&self, count: &AuditCount) {
        self.clear();
        if count.in_doubt > 0 {
            self.warning(format_args!(
                "{} in doubt: resting on an engine and a test that the audit contradicts, and not found again for lack \
                 of time; the next run does",
                plural(count.in_doubt, "verdict")
            ));
        }
    }

    /// Starts the bar for comparing functions.
    pub fn comparing(&self, mutants: usize) {
        self.bars.start("comparing", "mutants", mutants);
    }

    /// Starts the bar for the search for inputs.
    pub fn testgen(&self, mutants: usize) {
        self.bars.start("looking for inputs", "mutants", mutants);
    }

    /// Starts the bar for running generated tests.
    pub fn confirming(&self, mutants: usize) {
        self.bars.clear();
        self.bars.start("confirming tests", "mutants", mutants);
    }

    pub fn compared(&self, mutants: usize) {
        self.bars.advance(mutants);
    }

    /// Removes the progress bar.
    pub fn clear(&self) {
        self.bars.clear();
    }
}
