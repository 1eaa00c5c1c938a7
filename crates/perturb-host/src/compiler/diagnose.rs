//! Asks a project's compiler for the errors in a file, by position.
//!
//! Only checks: it writes no object and no dependency file.

use std::path::{Path, PathBuf};

use crate::command_line::{absolute, without_outputs};
use crate::error::HostError;
use crate::process::tools::{self, Finished};
use crate::project::description::CompileCommand;

/// An error of a compiler.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CompileError {
    /// Absolute.
    pub file: PathBuf,
    pub line: u32,
    pub message: String,
}

/// The errors of one compilation without code generation; none if it succeeds.
pub fn compile_errors(command: &CompileCommand) -> Result<Vec<CompileError>, HostError> {
    Ok(read_errors(&compiled(command, &["-fsyntax-only"])?.stderr, &command.directory))
}

/// Whether a compiler accepts the text; the code is discarded.
pub fn compiles(command: &CompileCommand) -> Result<bool, HostError> {
    Ok(compiled(command, &["-S", "-o", "-"])?.status.success())
}

fn compiled(command: &CompileCommand, what: &[&str]) -> Result<Finished, HostError> {
    let words = without_outputs(&command.arguments);
    let mut compiler = tools::build_program(Path::new(words[0]), &command.directory);
    compiler.args(&words[1..]).args(what).current_dir(&command.directory).env("LC_ALL", "C");
    tools::run(&mut compiler)
}

/// The errors in what a compiler or a whole build has written.
pub fn read_errors(text: &str, directory: &Path) -> Vec<CompileError> {
    let mut errors: Vec<CompileError> = text.lines().filter_map(|line| read_error(line, directory)).collect();
    errors.sort();
    errors.dedup();
    errors
}

/// `file:line:column: error: message`, or `fatal error`; the column may be missing.
fn read_error(line: &str, directory: &Path) -> Option<CompileError> {
    let (place, message) = line.split_once(": error: ").or_else(|| line.split_once(": fatal error: "))?;
    let (rest, last) = place.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    let (file, line) = match rest.rsplit_once(':').map(|(file, line)| (file, line.parse())) {
        Some((file, Ok(line))) => (file, line),
        _ => (rest, last),
    };
    Some(CompileError { file: absolute(directory, Path::new(file)), line, message: message.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::prelude::*;
    use perturb_fuzz::Share;

    #[test]
    fn errors_are_told_from_notes_and_warnings() {
        let text = "In file included from b.c:1:\n/p/a.c:12:3: error: no: such thing\n/p/a.c:9: fatal error: x.h: No\n\
                    /p/a.c:3:1: warning: w\n/p/a.c:12:5: note: n\ncc1: all warnings being treated as errors\n";
        let found = read_errors(text, Path::new("/p"));
        let places: Vec<_> = found.iter().map(|error| (error.line, error.message.as_str())).collect();
        assert_eq!(places, [(9, "x.h: No"), (12, "no: such thing")]);
    }

    #[test]
    fn fuzzed_messages_of_compilers_are_read() {
        let example = "/p/a.c:12:3: error: no: such\n/p/a.c:9: fatal error: x.h: No\nb.c:1:2: warning: w\nld: x\n";
        perturb_fuzz::survives("errors of compilers", Share::All, &[example], |text| {
            let errors = read_errors(&String::from_utf8_lossy(text), Path::new("/p"));
            assert!(errors.iter().all(|error| error.file.is_absolute()));
        });
    }

    #[test]
    fn fuzzed_places_come_back_from_a_message() {
        let place = ("[a-zé _.]{1,8}", 1_u32.., prop::option::of(any::<u32>()));
        perturb_fuzz::holds("errors of compilers, round trip", Share::All, place, |(name, line, column)| {
            let column = column.map(|column| format!(":{column}")).unwrap_or_default();
            let errors =
                read_errors(&format!("dir/{name}x.c:{line}{column}: error: 'a: b' is wrong\n"), Path::new("/p"));
            let file = PathBuf::from(format!("/p/dir/{name}x.c"));
            assert_eq!(errors, [CompileError { file, line, message: "'a: b' is wrong".to_string() }]);
        });
    }
}
