//! Outcomes of mutants, and how they are counted and scored.
//!
//! A mutant that crashes or hangs has an outcome; it is no error. Counting is exhaustive: a new outcome does not
//! compile until the tally and every report handle it.

mod predicates;

use crate::{Level, MutantId, TestName};
use std::fmt;

/// The outcome of one mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A test that passes on the original noticed the mutant.
    Killed {
        test: TestName,
        how: Kill,
    },
    /// Tests were run on it, and none noticed it.
    Live,
    /// No test executes the mutated statement.
    NotCovered,
    /// Tests execute it, but in none of them does its value ever differ from the original's, so that none of them can
    /// kill it. It was not executed.
    NotInfected,
    /// Proved to do the same as the original.
    Equivalent {
        by: ProvedBy,
    },
    /// Live, and no test executes any statement more or less often than on the original.
    LikelyEquivalent,
    /// Proved to do the same as another mutant.
    Duplicate {
        of: MutantId,
        /// The level of optimisation at which both have the same code.
        level: Level,
    },
    /// It does not compile, which is never a kill.
    CompileError,
    /// Engines or optimisation levels disagree about it. It is listed, and outside the score.
    Unstable {
        why: String,
    },
    Skipped(Skip),
    /// Not executed yet: the run was interrupted, or its time was up.
    Pending,
}

/// How a test noticed a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kill {
    Failed,
    Crashed {
        signal: i32,
    },
    TimedOut {
        clock: Clock,
    },
    /// The test's output differs from the expected one.
    OutputDiffers,
    /// The test reports that it cannot run, which it does not report on the original.
    Skipped,
}

/// Which time limit ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Clock {
    Cpu,
    Wall,
}

/// What proved a mutant equivalent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProvedBy {
    /// Its function compiles to the same code (trivial compiler equivalence).
    SameFunction { level: Level },
    /// The whole translation unit compiles to the same code. This finds more, and is tried only for live mutants.
    SameUnit { level: Level },
    /// The equivalence engine has tried all inputs.
    AllInputs,
    /// The equivalence engine has tried all orders of the elements, and nothing but the order counts.
    AllOrders,
    /// Clang, which is not the project's compiler, generates the same code for its function.
    SameByClang,
    /// Both functions compute the same terms.
    SameTerms,
    /// A solver shows that there is no input on which they differ.
    Solver,
    /// A solver shows the same for each path.
    Paths,
}

/// Why a mutant is not part of the analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Skip {
    Suppressed,
    OutOfScope,
    NotSampled,
}

/// The verdict of one test on one mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    Survived,
    Killed(Kill),
}

/// A way to execute mutants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Engine {
    /// One run of a test for all mutants: the process forks a copy of itself where a mutant differs.
    Split,
    /// One instrumented build contains every mutant; an environment variable turns one on.
    Switched,
    /// Each mutant is built by itself.
    Rebuild,
}

impl Outcome {
    /// The one or two words that reports and the book use.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Killed { .. } => "killed",
            Self::Live => "live",
            Self::NotCovered => "not covered",
            Self::NotInfected => "not infected",
            Self::Equivalent { .. } => "equivalent",
            Self::LikelyEquivalent => "likely equivalent",
            Self::Duplicate { .. } => "duplicate",
            Self::CompileError => "compile error",
            Self::Unstable { .. } => "unstable",
            Self::Skipped(_) => "skipped",
            Self::Pending => "pending",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        match self {
            Self::Killed { test, how } => write!(f, " by {test}: {how}"),
            Self::Equivalent { by } => write!(f, " ({by})"),
            Self::Duplicate { of, level } => write!(f, " of {of} (the same code at {level})"),
            Self::Unstable { why } => write!(f, ": {why}"),
            Self::Skipped(skip) => write!(f, " ({skip})"),
            Self::Live
            | Self::NotCovered
            | Self::NotInfected
            | Self::LikelyEquivalent
            | Self::CompileError
            | Self::Pending => Ok(()),
        }
    }
}

impl fmt::Display for Kill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed => f.write_str("the test failed"),
            Self::Crashed { signal } => match signal_name(*signal) {
                Some(name) => write!(f, "crashed with {name}"),
                None => write!(f, "crashed with signal {signal}"),
            },
            Self::TimedOut { clock: Clock::Cpu } => f.write_str("timed out (CPU time)"),
            Self::TimedOut { clock: Clock::Wall } => f.write_str("timed out (wall clock)"),
            Self::OutputDiffers => f.write_str("the output differs"),
            Self::Skipped => f.write_str("the test was skipped: it says that it cannot run"),
        }
    }
}

/// The names of those signals that end programs. Their numbers are the same on every Linux but MIPS and SPARC; other
/// signals are shown by number.
fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        2 => "SIGINT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return None,
    })
}

impl fmt::Display for ProvedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SameFunction { level } => write!(f, "the same code at {level}"),
            Self::SameUnit { level } => write!(f, "the same code at {level}, with all that is compiled with it"),
            Self::AllInputs => f.write_str("all inputs were tried"),
            Self::AllOrders => f.write_str("only the order of elements counts, and all orders were tried"),
            Self::SameByClang => f.write_str("clang makes the same code of both"),
            Self::SameTerms => f.write_str("both compute the same terms"),
            Self::Solver => f.write_str("a solver finds no input on which they differ"),
            Self::Paths => f.write_str("path by path, a solver finds no input on which they differ"),
        }
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Suppressed => "suppressed",
            Self::OutOfScope => "out of scope",
            Self::NotSampled => "not sampled",
        })
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Split => "split-stream",
            Self::Switched => "switched",
            Self::Rebuild => "rebuild",
        })
    }
}

/// How many mutants have each outcome.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    pub killed: Kills,
    pub live: usize,
    pub not_covered: usize,
    pub not_infected: usize,
    pub equivalent: usize,
    pub likely_equivalent: usize,
    pub duplicate: usize,
    pub compile_error: usize,
    pub unstable: usize,
    pub skipped: Skips,
    pub pending: usize,
}

/// Killed mutants by how the test noticed them.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Kills {
    pub failed: usize,
    pub crashed: usize,
    pub timed_out: usize,
    pub output_differs: usize,
    pub test_skipped: usize,
}

/// Skipped mutants by reason.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Skips {
    pub suppressed: usize,
    pub out_of_scope: usize,
    pub not_sampled: usize,
}

impl Kills {
    pub fn total(&self) -> usize {
        let Self { failed, crashed, timed_out, output_differs, test_skipped } = *self;
        failed + crashed + timed_out + output_differs + test_skipped
    }
}

impl Skips {
    pub fn total(&self) -> usize {
        let Self { suppressed, out_of_scope, not_sampled } = *self;
        suppressed + out_of_scope + not_sampled
    }
}

impl Tally {
    pub fn add(&mut self, outcome: &Outcome) {
        let count = match outcome {
            Outcome::Killed { how: Kill::Failed, .. } => &mut self.killed.failed,
            Outcome::Killed { how: Kill::Crashed { .. }, .. } => &mut self.killed.crashed,
            Outcome::Killed { how: Kill::TimedOut { .. }, .. } => &mut self.killed.timed_out,
            Outcome::Killed { how: Kill::OutputDiffers, .. } => &mut self.killed.output_differs,
            Outcome::Killed { how: Kill::Skipped, .. } => &mut self.killed.test_skipped,
            Outcome::Live => &mut self.live,
            Outcome::NotCovered => &mut self.not_covered,
            Outcome::NotInfected => &mut self.not_infected,
            Outcome::Equivalent { .. } => &mut self.equivalent,
            Outcome::LikelyEquivalent => &mut self.likely_equivalent,
            Outcome::Duplicate { .. } => &mut self.duplicate,
            Outcome::CompileError => &mut self.compile_error,
            Outcome::Unstable { .. } => &mut self.unstable,
            Outcome::Skipped(Skip::Suppressed) => &mut self.skipped.suppressed,
            Outcome::Skipped(Skip::OutOfScope) => &mut self.skipped.out_of_scope,
            Outcome::Skipped(Skip::NotSampled) => &mut self.skipped.not_sampled,
            Outcome::Pending => &mut self.pending,
        };
        *count += 1;
    }

    pub fn total(&self) -> usize {
        let Self {
            killed,
            live,
            not_covered,
            not_infected,
            equivalent,
            likely_equivalent,
            duplicate,
            compile_error,
            unstable,
            skipped,
            pending,
        } = *self;
        let in_score = killed.total() + live + not_covered + not_infected + likely_equivalent;
        in_score + equivalent + duplicate + compile_error + unstable + skipped.total() + pending
    }

    /// Live mutants of covered code, as the raw score counts them. Mutants that no test infects are included as the
    /// best evidence of a gap in the tests; likely equivalent ones are included until a person discards them.
    pub fn survivors(&self) -> usize {
        self.live + self.not_infected + self.likely_equivalent
    }

    /// The raw score of covered code, killed/(killed+live). None where no mutant is decided.
    pub fn score_of_covered(&self) -> Option<Score> {
        Score::new(self.killed.total(), self.survivors())
    }

    /// The raw score over all code: mutants that no test covers count as live.
    pub fn score_of_all(&self) -> Option<Score> {
        Score::new(self.killed.total(), self.survivors() + self.not_covered)
    }

    /// How many mutants were executed, and are killed or live.
    pub fn executed(&self) -> usize {
        self.killed.total() + self.live + self.likely_equivalent
    }

    /// The expected scores of a run that was stopped early. Outcomes that need no execution are known for all mutants,
    /// so that only the pending ones are projected, from those that were executed. None if nothing was executed or
    /// nothing is pending.
    pub fn projected(&self) -> Option<Projected> {
        if self.executed() == 0 || self.pending == 0 {
            return None;
        }
        let executable = (self.executed() + self.pending) as f64;
        let killed = executable * self.killed.total() as f64 / self.executed() as f64;
        let covered = executable + self.not_infected as f64;
        let percent = |of: f64| 100.0 * killed / of;
        Some(Projected { covered: percent(covered), all: percent(covered + self.not_covered as f64) })
    }
}

impl<'o> FromIterator<&'o Outcome> for Tally {
    fn from_iter<I: IntoIterator<Item = &'o Outcome>>(outcomes: I) -> Self {
        let mut tally = Self::default();
        outcomes.into_iter().for_each(|outcome| tally.add(outcome));
        tally
    }
}

/// Expected scores, in percent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Projected {
    pub covered: f64,
    pub all: f64,
}

/// The share of killed mutants among killed and live ones, of which there is at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Score {
    killed: usize,
    of: usize,
}

impl Score {
    fn new(killed: usize, live: usize) -> Option<Self> {
        let of = killed + live;
        (of > 0).then_some(Self { killed, of })
    }

    pub fn killed(self) -> usize {
        self.killed
    }

    /// How many mutants were decided: killed and live.
    pub fn of(self) -> usize {
        self.of
    }

    pub fn percent(self) -> f64 {
        100.0 * self.killed as f64 / self.of as f64
    }
}

/// `60.0 %`. Rounded down: a suite that leaves one mutant alive never shows 100 %, nor passes a threshold by rounding.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = self.killed as u128 * 1000 / self.of as u128;
        f.pad(&format!("{}.{} %", tenths / 10, tenths % 10))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of every outcome.
    pub(super) fn every() -> Vec<Outcome> {
        let kill = |how| Outcome::Killed { test: TestName::from("t"), how };
        vec![
            kill(Kill::Failed),
            kill(Kill::Crashed { signal: 11 }),
            kill(Kill::TimedOut { clock: Clock::Cpu }),
            kill(Kill::OutputDiffers),
            Outcome::Live,
            Outcome::NotCovered,
            Outcome::NotInfected,
            Outcome::Equivalent { by: ProvedBy::SameFunction { level: Level::O2 } },
            Outcome::LikelyEquivalent,
            Outcome::Duplicate { of: MutantId::from_bits(1), level: Level::O1 },
            Outcome::CompileError,
            Outcome::Unstable { why: "w".into() },
            Outcome::Skipped(Skip::Suppressed),
            Outcome::Skipped(Skip::OutOfScope),
            Outcome::Skipped(Skip::NotSampled),
            Outcome::Pending,
            kill(Kill::Skipped),
        ]
    }

    #[test]
    fn every_outcome_is_counted_once() {
        let all = every();
        let tally: Tally = all.iter().collect();
        assert_eq!(tally.total(), all.len());
        assert_eq!((tally.killed.total(), tally.skipped.total(), tally.survivors()), (5, 3, 3));
    }

    #[test]
    fn the_score_counts_what_is_not_infected_as_live_and_what_is_not_covered_only_over_all_code() {
        let tally: Tally = every().iter().collect();
        let (covered, all) = (tally.score_of_covered().unwrap(), tally.score_of_all().unwrap());
        assert_eq!((covered.killed(), covered.of(), all.of()), (5, 8, 9));
        assert_eq!(all.percent(), 100.0 * 5.0 / 9.0);
    }

    #[test]
    fn what_was_executed_stands_for_what_is_pending_when_a_run_ends_early() {
        let kills = Kills { failed: 30, ..Kills::default() };
        let early =
            Tally { killed: kills, live: 10, pending: 160, not_infected: 50, not_covered: 250, ..Tally::default() };
        assert_eq!(early.projected(), Some(Projected { covered: 60.0, all: 30.0 }));
        assert_eq!(Tally { pending: 0, ..early }.projected(), None, "nothing is left to project");
        assert_eq!(Tally { pending: 9, not_covered: 1, ..Tally::default() }.projected(), None);
    }

    #[test]
    fn no_mutants_have_no_score() {
        assert_eq!(Tally::default().score_of_covered(), None);
        let only_pending = Tally { pending: 5, equivalent: 2, ..Tally::default() };
        assert_eq!(only_pending.score_of_all(), None);
        let uncovered = Tally { not_covered: 1, ..Tally::default() };
        assert_eq!((uncovered.score_of_covered(), uncovered.score_of_all().unwrap().percent()), (None, 0.0));
    }

    #[test]
    fn a_score_is_never_rounded_up() {
        let shown = |killed, live| Score::new(killed, live).unwrap().to_string();
        assert_eq!([shown(9999, 1), shown(3, 0), shown(2, 1), shown(0, 3)], ["99.9 %", "100.0 %", "66.6 %", "0.0 %"]);
    }

    #[test]
    fn outcomes_read_as_sentences() {
        let shown: Vec<_> = every().iter().map(ToString::to_string).collect();
        assert_eq!(shown[1], "killed by t: crashed with SIGSEGV");
        assert_eq!(shown[9], "duplicate of 0000000000000001 (the same code at -O1)");
        assert_eq!(shown[12], "skipped (suppressed)");
        assert_eq!(Kill::Crashed { signal: 31 }.to_string(), "crashed with signal 31");
    }
}
