//! Golden files: what a test found once and somebody read, kept as it was. `scripts/bless` writes all of them anew: it
//! runs every test that has `golden` in its name, so a test that compares with a golden file has to be called so.

/// Whether golden files are to be written instead of compared. Asked in the thread of the test.
#[track_caller]
pub fn is_blessing() -> bool {
    // A single test may run in the main thread, without its name.
    let test = std::thread::current().name().unwrap_or("main").to_string();
    assert!(test == "main" || test.contains("golden"), "`scripts/bless` misses {test}: put `golden` into its name");
    std::env::var_os("PERTURB_BLESS").is_some_and(|value| value == "1")
}

/// What to do about a golden file that is not as it was.
pub const HINT: &str = "If this is meant, write all golden files anew by `scripts/bless` and read the difference.";

#[cfg(test)]
mod tests {
    use super::is_blessing;

    #[test]
    fn a_test_that_blessing_would_miss_is_told_so() {
        let ask = |name: &str| std::thread::Builder::new().name(name.into()).spawn(is_blessing).unwrap().join();
        assert!(ask("report::lists_are_as_ever").is_err());
        assert!(ask("report::lists_are_as_their_golden_file_says").is_ok());
    }
}
