//! The Test Anything Protocol: a plan, and a line for each check.

use super::{Exit, TestResult};

/// Failed if a check failed, is missing or the program ended badly; skipped if it planned nothing or skipped all.
pub(super) fn judge(exit: Exit, output: &[u8]) -> TestResult {
    let text = String::from_utf8_lossy(output);
    let mut plan = None;
    let (mut seen, mut skipped) = (0_u64, 0_u64);
    for line in text.lines() {
        let directive =
            line.split_once('#').map(|(_, word)| word.trim_start().to_ascii_lowercase()).unwrap_or_default();
        if let Some(count) = line.strip_prefix("1..").map(|rest| rest.split(['#', ' ']).next().unwrap_or_default()) {
            plan = count.parse::<u64>().ok();
        } else if line.starts_with("Bail out!") {
            return TestResult::Failed;
        } else if is_result(line, "not ok") {
            seen += 1;
            if !directive.starts_with("todo") {
                return TestResult::Failed;
            }
        } else if is_result(line, "ok") {
            seen += 1;
            skipped += u64::from(directive.starts_with("skip"));
        }
    }
    match (exit, plan) {
        (Exit::Code(0), Some(count)) if count == seen && skipped == seen => TestResult::Skipped,
        (Exit::Code(0), Some(count)) if count == seen => TestResult::Passed,
        _ => TestResult::Failed,
    }
}

fn is_result(line: &str, word: &str) -> bool {
    line.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    #[test]
    fn checks_plan_and_exit_status_all_count() {
        for (text, code, expected) in [
            ("1..2\nok 1 - a\nok 2\n", 0, TestResult::Passed),
            ("ok 1\nok\n1..2\n", 0, TestResult::Passed),
            ("1..2\nok 1\nnot ok 2 - b\n", 0, TestResult::Failed),
            ("1..1\nnot ok 1 # TODO later\n", 0, TestResult::Passed),
            ("1..2\nok 1\n", 0, TestResult::Failed),
            ("1..1\nok 1\n", 1, TestResult::Failed),
            ("ok 1\n", 0, TestResult::Failed),
            ("1..0 # SKIP no network\n", 0, TestResult::Skipped),
            ("1..1\nok 1 # skip\n", 0, TestResult::Skipped),
            ("1..1\nok 1\nBail out!\n", 0, TestResult::Failed),
            ("okay\nnot okay\n1..1\nok 1\n", 0, TestResult::Passed),
        ] {
            assert_eq!(judge(Exit::Code(code), text.as_bytes()), expected, "{text}");
        }
        assert_eq!(judge(Exit::Signal(6), b"1..1\nok 1\n"), TestResult::Failed);
    }

    #[test]
    fn fuzzed_output_never_passes_without_its_plan() {
        let examples = ["1..2\nok 1 - a\nnot ok 2 # TODO x\n", "1..0 # SKIP\n", "ok 1\nok 2 # skip\n1..2\n"];
        perturb_fuzz::survives("tap output", Share::All, &examples, |output| {
            let text = String::from_utf8_lossy(output);
            let verdict = judge(Exit::Code(0), output);
            assert!(verdict == TestResult::Failed || text.lines().any(|line| line.starts_with("1..")), "{text:?}");
            assert_eq!(judge(Exit::Code(1), output), TestResult::Failed);
        });
    }
}
