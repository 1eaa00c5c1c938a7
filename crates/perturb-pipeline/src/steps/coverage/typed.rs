//! The command of a test as a user would type it in any folder that has a copy of the project like the work folder's.

use perturb_host::TestCase;
use std::path::Path;

/// The command from `home`: `cd build && ./test_ring --fast`. Paths below `home` are written relative to the test's
/// folder, so that the command does not depend on where `home` is.
pub(super) fn as_typed(case: &TestCase, home: &Path) -> String {
    let (folder, depth) = match case.directory.strip_prefix(home) {
        Ok(below) => (below, below.components().count()),
        Err(_) => (case.directory.as_path(), 0),
    };
    let is_below = folder.is_relative();
    let near = |text: &str| {
        let text = text.replace(&format!("{}/", case.directory.display()), "./");
        match is_below {
            true => text.replace(&format!("{}/", home.display()), &"../".repeat(depth)),
            false => text,
        }
    };
    let program = near(&case.program.to_string_lossy());
    let arguments = case.arguments.iter().map(|argument| near(argument));
    let words: Vec<String> = std::iter::once(program).chain(arguments).map(|word| quoted(&word)).collect();
    let variables: String =
        case.environment.iter().map(|(name, value)| format!("{name}={} ", quoted(&near(value)))).collect();
    let go = if folder.as_os_str().is_empty() {
        String::new()
    } else {
        format!("cd {} && ", quoted(&folder.to_string_lossy()))
    };
    format!("{go}{variables}{}", words.join(" "))
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_host::{PassRule, TestSource};

    fn case(directory: &str, program: &str, arguments: &[&str], environment: &[(&str, &str)]) -> TestCase {
        TestCase {
            name: "t".to_string(),
            program: program.into(),
            arguments: arguments.iter().map(ToString::to_string).collect(),
            directory: directory.into(),
            environment: environment.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
            passes: PassRule::default(),
            timeout: None,
            exclusive: Vec::new(),
            alone: false,
            executable: None,
            source: TestSource::CTest,
        }
    }

    #[test]
    fn a_command_can_be_typed_in_any_folder_with_a_copy() {
        for (case, expected) in [
            (case("/w/build", "/w/build/test_ring", &["--fast"], &[]), "cd build && ./test_ring --fast"),
            (case("/w/build/a/b", "/w/build/c/t", &[], &[]), "cd build/a/b && ../../../build/c/t"),
            (case("/w/tree", "/usr/bin/make", &["test"], &[]), "cd tree && /usr/bin/make test"),
            (case("/w", "/w/tree/t", &[], &[]), "./tree/t"),
            (case("/elsewhere", "/w/build/t", &[], &[]), "cd /elsewhere && /w/build/t"),
            (
                case("/w/build", "/w/build/t", &["--in=/w/tree/x", "a b"], &[("DATA", "/w/build/it's")]),
                "cd build && DATA='./it'\\''s' ./t --in=../tree/x 'a b'",
            ),
        ] {
            assert_eq!(as_typed(&case, Path::new("/w")), expected);
        }
    }
}
