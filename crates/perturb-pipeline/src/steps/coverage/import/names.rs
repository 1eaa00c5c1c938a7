//! Which test a file is named after. Names of tests may have characters that names of files cannot have.
//!
//! The rule, as in the book: a file has the name of its test, in which `%2F` and the like stand for any byte. If that
//! names no test, the file has the name with `_` for every character but letters, digits, `.`, `-`, `+` and `_`, if
//! that is unique.

use perturb_model::TestIdx;
use std::collections::HashMap;

/// The names of all tests.
#[derive(Debug)]
pub(super) struct Names {
    exact: HashMap<String, TestIdx>,
    /// None where several tests have the same plain name.
    plain: HashMap<String, Option<TestIdx>>,
}

impl Names {
    pub fn new<'n>(tests: impl IntoIterator<Item = &'n str>) -> Self {
        let (mut exact, mut plain) = (HashMap::new(), HashMap::new());
        for (test, name) in TestIdx::enumerate(tests) {
            exact.insert(name.to_string(), test);
            plain.entry(plain_name(name)).and_modify(|known| *known = None).or_insert(Some(test));
        }
        Self { exact, plain }
    }

    /// The test that a file with this name (without its ending) belongs to.
    pub fn test(&self, name: &str) -> Option<TestIdx> {
        let exact = self.exact.get(name).or_else(|| self.exact.get(&decoded(name)?));
        exact.copied().or_else(|| self.plain.get(name).copied().flatten())
    }
}

fn plain_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "._-+".contains(c) { c } else { '_' }).collect()
}

/// Replaces codes like `%2F` by their bytes; None if the result is no text.
fn decoded(name: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| byte == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        let is_code = |digits: &&str| digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        match digits.filter(is_code).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(code) => {
                bytes.push(code);
                rest = &after[2..];
            }
            None => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::prelude::*;
    use perturb_fuzz::Share;

    #[test]
    fn a_file_is_named_after_its_test() {
        let names = Names::new(["ring", "suite/one", "suite/two x", "100%", "a b", "a_b", "a:b", "é", "c++"]);
        for (file, test) in [
            ("ring", Some(0)),
            ("suite%2Fone", Some(1)),
            ("suite_one", Some(1)),
            ("suite%2ftwo%20x", Some(2)),
            ("suite_two_x", Some(2)),
            ("100%", Some(3)),
            ("100%25", Some(3)),
            ("a_b", Some(5)),
            ("a%3Ab", Some(6)),
            ("é", Some(7)),
            ("%C3%A9", Some(7)),
            ("c++", Some(8)),
            ("ring2", None),
            ("", None),
        ] {
            assert_eq!(names.test(file), test.map(TestIdx::new), "{file}");
        }
    }

    #[test]
    fn a_plain_name_of_two_tests_belongs_to_neither() {
        let names = Names::new(["a/b", "a:b"]);
        assert_eq!((names.test("a_b"), names.test("a:b")), (None, Some(TestIdx::new(1))));
    }

    #[test]
    fn odd_names_are_no_reason_to_panic() {
        let names = Names::new(["%", "%%", ""]);
        for file in ["%", "%%", "%2", "%zz", "%+1", "%é", "%FF", "%2%2F", "é%"] {
            names.test(file);
        }
        let [first, second] = [0, 1].map(TestIdx::new);
        assert_eq!((names.test("%"), names.test("%%"), names.test("%FF")), (Some(first), Some(second), None));
    }

    #[test]
    fn fuzzed_names_of_files_belong_to_a_test_or_to_none() {
        let names = Names::new(["ring/push", "a b", "é", "%2F"]);
        perturb_fuzz::survives(
            "names of coverage files",
            Share::All,
            &["ring%2Fpush", "a_b", "%C3%A9", "%252F"],
            |name| {
                assert!(names.test(&String::from_utf8_lossy(name)).is_none_or(|test| test.get() < 4));
            },
        );
    }

    #[test]
    fn fuzzed_names_of_tests_are_found_by_their_encoded_form() {
        perturb_fuzz::holds("names of coverage files, round trip", Share::All, any::<String>(), |name| {
            let encoded: String = name.bytes().map(|byte| format!("%{byte:02x}")).collect();
            assert_eq!(Names::new([name.as_str()]).test(&encoded), Some(TestIdx::new(0)));
        });
    }
}
