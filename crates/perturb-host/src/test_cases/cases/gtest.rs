//! GoogleTest programs: `--gtest_list_tests` names their cases, `--gtest_filter` runs one.

use super::{has_word, Case};
use crate::error::HostError;
use crate::test_cases::{listing, TestCase};

/// Whether the program links GoogleTest, statically or as a shared library.
pub(super) fn is_in(bytes: &[u8]) -> bool {
    has_word(bytes, &["gtest_list_tests", "libgtest.so", "libgmock.so"])
}

/// The cases that are not disabled; `None` for a program that does not answer as GoogleTest does.
pub(super) fn list(test: &TestCase) -> Result<Option<Vec<Case>>, HostError> {
    let answer = listing::ask(&test.program, &["--gtest_list_tests"], &test.directory, &test.environment)?;
    Ok(answer.filter(|answer| answer.status.success()).map(|answer| parse(&answer.stdout)))
}

/// Each suite is on a line that ends with a dot, its cases are indented below; comments show types and values of
/// parameters.
fn parse(text: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut suite = None;
    for line in text.lines() {
        let name = line.split("  # ").next().unwrap_or_default().trim_end();
        match (name.strip_prefix("  "), suite) {
            (Some(case), Some(suite)) if !case.starts_with(' ') => {
                if !is_disabled(suite) && !is_disabled(case) {
                    let name = format!("{suite}.{case}");
                    cases.push(Case { arguments: vec![format!("--gtest_filter={}", filter(&name))], name });
                }
            }
            // Some programs say something of their own first.
            _ => suite = name.strip_suffix('.').filter(|suite| !suite.contains(' ') && !suite.is_empty()),
        }
    }
    cases
}

/// GoogleTest's own rule: `DISABLED_*` and `*/DISABLED_*`.
fn is_disabled(name: &str) -> bool {
    name.starts_with("DISABLED_") || name.contains("/DISABLED_")
}

/// A colon and a dash have a meaning in a filter; `?` matches any one character.
fn filter(name: &str) -> String {
    name.replace([':', '-'], "?")
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::prelude::*;
    use perturb_fuzz::Share;

    #[test]
    fn suites_types_and_parameters_are_read_and_disabled_ones_left_out() {
        let text = "Running main() from gtest_main.cc\nPid.\n  Clamps\n  DISABLED_Slow\nDISABLED_Old.\n  X\n\
                    Typed/0.  # TypeParam = int\n  Works\nAll/Ring.\n  Push/0  # GetParam() = 1\n  Push/a_b\n\
                    Odd/<std::vector>.\n  Is-it\nAll/DISABLED_Ring.\n  Push/0\n";
        let names: Vec<_> = parse(text).into_iter().map(|case| (case.name, case.arguments[0].clone())).collect();
        let expected = [
            ("Pid.Clamps", "--gtest_filter=Pid.Clamps"),
            ("Typed/0.Works", "--gtest_filter=Typed/0.Works"),
            ("All/Ring.Push/0", "--gtest_filter=All/Ring.Push/0"),
            ("All/Ring.Push/a_b", "--gtest_filter=All/Ring.Push/a_b"),
            ("Odd/<std::vector>.Is-it", "--gtest_filter=Odd/<std??vector>.Is?it"),
        ];
        assert_eq!(names, expected.map(|(name, filter)| (name.to_string(), filter.to_string())));
        assert!(parse("All tests passed.\n12 checks\n  ok\n").is_empty());
    }

    #[test]
    fn fuzzed_listings_are_read() {
        let example =
            "Pid.\n  Clamps\n  DISABLED_Slow\nTyped/0.  # TypeParam = int\n  Works\nAll/Ring.\n  Push/0  # 1\n";
        perturb_fuzz::survives("googletest listing", Share::All, &[example], |text| {
            for case in parse(&String::from_utf8_lossy(text)) {
                assert!(case.name.contains('.') && case.arguments[0].starts_with("--gtest_filter="));
                assert!(!case.arguments[0]["--gtest_filter=".len()..].contains([':', '-']));
            }
        });
    }

    #[test]
    fn fuzzed_suites_come_back_from_their_listing() {
        let name = || perturb_fuzz::text_of(&["Ring", "push", "_", "/0", "<int>", "::", "-", "é"]);
        let name =
            move || name().prop_map(|text| text.replace(|c: char| c.is_whitespace() || c == '#' || c == '.', "n"));
        let suites = prop::collection::vec((name(), prop::collection::vec(name(), 0..4)), 0..5);
        perturb_fuzz::holds("googletest listing, round trip", Share::All, suites, |suites| {
            let (mut text, mut expected) = (String::new(), Vec::new());
            for (suite, cases) in suites.iter().filter(|(suite, _)| !suite.is_empty()) {
                text += &format!("{suite}.  # TypeParam = int\n");
                for case in cases.iter().filter(|case| !case.is_empty()) {
                    text += &format!("  {case}  # GetParam() = 1\n");
                    expected.push(format!("{suite}.{case}"));
                }
            }
            let names: Vec<String> = parse(&text).into_iter().map(|case| case.name).collect();
            assert_eq!(names, expected);
        });
    }
}
