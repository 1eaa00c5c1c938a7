//! Tests by a command that the user gives: `{test}` in it stands for the name of one.

use std::path::{Path, PathBuf};

use super::{listing, TestCase, TestList, TestOptions, TestSource};
use crate::error::HostError;
use crate::shadow::Shadow;

const PLACE: &str = "{test}";

/// A test for each name, or one for the whole command if it has no place for a name. It runs at the top of the tree,
/// with `{build}` standing for the build folder.
pub(super) fn find(shadow: &Shadow, command: &str, options: &TestOptions) -> Result<TestList, HostError> {
    let names = if command.contains(PLACE) { names(shadow, options)? } else { vec![command.to_string()] };
    let tests = names.into_iter().map(|name| {
        let text = filled(shadow, command).replace(PLACE, &quoted(&name));
        let arguments = vec!["-c".to_string(), text];
        let (shell, directory) = (PathBuf::from("/bin/sh"), shadow.tree().to_path_buf());
        TestCase { arguments, ..TestCase::plain(name, shell, directory, TestSource::Command) }
    });
    Ok(TestList { tests: tests.collect(), notices: Vec::new() })
}

fn names(shadow: &Shadow, options: &TestOptions) -> Result<Vec<String>, HostError> {
    let mut names = options.names.clone();
    if let Some(command) = &options.list_command {
        let failed = |reason: String| HostError::ListFailed { command: command.clone(), reason };
        let answer = listing::ask(Path::new("/bin/sh"), &["-c", &filled(shadow, command)], shadow.tree(), &[])?;
        let answer = answer.ok_or_else(|| failed("no answer within a minute".to_string()))?;
        if !answer.status.success() {
            let reason = answer.stderr.lines().last().unwrap_or_default();
            return Err(failed(format!("{} {reason}", answer.status)));
        }
        names.extend(answer.stdout.lines().map(str::trim).filter(|name| !name.is_empty()).map(str::to_string));
    }
    if names.is_empty() {
        return Err(HostError::NoTestNames);
    }
    Ok(names)
}

fn filled(shadow: &Shadow, command: &str) -> String {
    command.replace("{build}", &quoted(&shadow.build_folder().to_string_lossy()))
}

/// As one word of a shell.
fn quoted(text: &str) -> String {
    shlex::try_quote(text).map_or_else(|_| text.to_string(), |quoted| quoted.into_owned())
}
