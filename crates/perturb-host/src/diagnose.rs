//! Asking a project's compiler what is wrong with a file: the errors of one compilation, by place.
//!
//! Only looks: no object and no dependency file is written.

use std::path::{Path, PathBuf};

use crate::command_line::{absolute, without_outputs};
use crate::error::HostError;
use crate::project::CompileCommand;
use crate::tools;

/// An error of a compiler.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CompileError {
    /// Absolute.
    pub file: PathBuf,
    pub line: u32,
    pub message: String,
}

/// The errors of one compilation; none if it compiles as far as the compiler can tell without making code.
pub fn compile_errors(command: &CompileCommand) -> Result<Vec<CompileError>, HostError> {
    let words = without_outputs(&command.arguments);
    let mut compiler = tools::build_program(Path::new(words[0]), &command.directory);
    compiler.args(&words[1..]).arg("-fsyntax-only").current_dir(&command.directory).env("LC_ALL", "C");
    let finished = tools::run(&mut compiler)?;
    Ok(read_errors(&finished.stderr, &command.directory))
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

    #[test]
    fn errors_are_told_from_notes_and_warnings() {
        let text = "In file included from b.c:1:\n/p/a.c:12:3: error: no: such thing\n/p/a.c:9: fatal error: x.h: No\n\
                    /p/a.c:3:1: warning: w\n/p/a.c:12:5: note: n\ncc1: all warnings being treated as errors\n";
        let found = read_errors(text, Path::new("/p"));
        let places: Vec<_> = found.iter().map(|error| (error.line, error.message.as_str())).collect();
        assert_eq!(places, [(9, "x.h: No"), (12, "no: such thing")]);
    }
}
