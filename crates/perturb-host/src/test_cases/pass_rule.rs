//! Decides whether a test has passed: by its exit status, its output, or both, like the project's test runner.
//!
//! Pure functions. A crash counts as a failure here; the caller has the signal.

mod tap;

use crate::test_cases::cmake_regex::Pattern;

/// How a test's process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    Signal(i32),
}

/// The verdict of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TestResult {
    Passed,
    Failed,
    /// The test says that it could not be run here.
    Skipped,
    /// It failed because of what it wrote, whatever its exit status.
    OutputDiffers,
}

/// The rule of one test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PassRule {
    ExitStatus(ExitRule),
    /// ctest's regular expressions on all that it writes, together with the exit status.
    Output(OutputRule),
    /// The Test Anything Protocol on standard output.
    Tap {
        will_fail: bool,
    },
}

/// Status 0 passes, all else fails, with these exceptions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExitRule {
    /// Passing and failing change places.
    pub will_fail: bool,
    /// To end by a signal is to fail as well, where that is expected; otherwise no expectation covers it.
    pub may_crash: bool,
    pub skip_code: Option<i32>,
    /// A failure even where one is expected.
    pub error_code: Option<i32>,
}

/// Patterns that ctest looks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutputRule {
    /// One of them has to be there; the exit status is then of no account.
    pub pass: Vec<Pattern>,
    pub fail: Vec<Pattern>,
    pub skip: Vec<Pattern>,
    pub exit: ExitRule,
}

impl Default for PassRule {
    fn default() -> PassRule {
        PassRule::ExitStatus(ExitRule::default())
    }
}

impl PassRule {
    /// Judges a run that ended by itself. `output` is all that it wrote, standard output and error together.
    pub fn judge(&self, exit: Exit, output: &[u8]) -> TestResult {
        match self {
            PassRule::ExitStatus(rule) => rule.judge(exit),
            PassRule::Output(rule) => rule.judge(exit, output),
            PassRule::Tap { will_fail } => match (tap::judge(exit, output), will_fail) {
                (TestResult::Passed, true) => TestResult::Failed,
                (TestResult::Failed, true) => TestResult::Passed,
                (verdict, _) => verdict,
            },
        }
    }

    /// Whether a test with this rule can say that it cannot run here.
    pub fn can_skip(&self) -> bool {
        match self {
            PassRule::ExitStatus(rule) => rule.skip_code.is_some(),
            PassRule::Output(rule) => !rule.skip.is_empty() || rule.exit.skip_code.is_some(),
            PassRule::Tap { .. } => true,
        }
    }

    /// Whether a program that is run for one of its cases can be judged in the same way.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self, PassRule::ExitStatus(rule) if !rule.will_fail)
    }
}

impl ExitRule {
    fn judge(&self, exit: Exit) -> TestResult {
        let passes = match exit {
            Exit::Signal(_) if !self.may_crash => return TestResult::Failed,
            Exit::Signal(_) => false,
            Exit::Code(code) if self.skip_code == Some(code) => return TestResult::Skipped,
            Exit::Code(code) if self.error_code == Some(code) => return TestResult::Failed,
            Exit::Code(code) => code == 0,
        };
        verdict(passes != self.will_fail)
    }
}

impl OutputRule {
    /// The order of ctest: a crash fails whatever was written, then skipping, then the patterns.
    fn judge(&self, exit: Exit, output: &[u8]) -> TestResult {
        let Exit::Code(code) = exit else { return TestResult::Failed };
        let found = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.is_in(output));
        if found(&self.skip) || self.exit.skip_code == Some(code) {
            return TestResult::Skipped;
        }
        let output_fits = (self.pass.is_empty() || found(&self.pass)) && !found(&self.fail);
        let passes = output_fits && (code == 0 || !self.pass.is_empty());
        match verdict(passes != self.exit.will_fail) {
            TestResult::Failed if !output_fits => TestResult::OutputDiffers,
            verdict => verdict,
        }
    }
}

fn verdict(passed: bool) -> TestResult {
    if passed {
        TestResult::Passed
    } else {
        TestResult::Failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TestResult::{Failed, OutputDiffers, Passed, Skipped};

    #[test]
    fn an_exit_status_is_judged_with_its_exceptions() {
        let plain = ExitRule::default();
        let inverted = ExitRule { will_fail: true, skip_code: Some(77), error_code: Some(99), may_crash: false };
        let crashing = ExitRule { may_crash: true, ..inverted.clone() };
        for (exit, expected) in [
            (Exit::Code(0), [Passed, Failed, Failed]),
            (Exit::Code(1), [Failed, Passed, Passed]),
            (Exit::Code(77), [Failed, Skipped, Skipped]),
            (Exit::Code(99), [Failed, Failed, Failed]),
            (Exit::Signal(11), [Failed, Failed, Passed]),
        ] {
            let found = [&plain, &inverted, &crashing].map(|rule| PassRule::ExitStatus(rule.clone()).judge(exit, b""));
            assert_eq!(found, expected, "{exit:?}");
        }
    }

    #[test]
    fn patterns_are_judged_as_ctest_does() {
        let patterns = |texts: &[&str]| texts.iter().map(|text| Pattern::read(text).unwrap()).collect::<Vec<_>>();
        let rule = |pass: &[&str], fail: &[&str], will_fail| {
            PassRule::Output(OutputRule {
                pass: patterns(pass),
                fail: patterns(fail),
                skip: patterns(&["SKIP"]),
                exit: ExitRule { will_fail, ..ExitRule::default() },
            })
        };
        for (rule, code, output, expected) in [
            (rule(&["ok", "fine"], &[], false), 3, "all fine", Passed),
            (rule(&["ok"], &[], false), 0, "bad", OutputDiffers),
            (rule(&["ok"], &["bad"], false), 0, "ok bad", OutputDiffers),
            (rule(&[], &["bad"], false), 0, "good", Passed),
            (rule(&[], &["bad"], false), 1, "good", Failed),
            (rule(&["ok"], &[], true), 0, "bad", Passed),
            (rule(&["ok"], &[], true), 0, "ok", Failed),
            (rule(&["ok"], &[], false), 0, "SKIP", Skipped),
        ] {
            assert_eq!(rule.judge(Exit::Code(code), output.as_bytes()), expected, "{rule:?} {output}");
            assert_eq!(rule.judge(Exit::Signal(6), output.as_bytes()), Failed);
        }
    }
}
