//! A unit after preprocessing by its compiler. Writes no file.

use std::path::Path;

use crate::command_line::without_outputs;
use crate::error::HostError;
use crate::process::tools;
use crate::project::description::CompileCommand;

/// The text with all macros and includes written out, and marks that tell which file each part is from. None if the
/// compiler refuses.
pub fn preprocess(command: &CompileCommand) -> Result<Option<String>, HostError> {
    let words = without_outputs(&command.arguments);
    let mut compiler = tools::build_program(Path::new(words[0]), &command.directory);
    compiler.args(&words[1..]).args(["-E", "-w"]).current_dir(&command.directory).env("LC_ALL", "C");
    let finished = tools::run(&mut compiler)?;
    Ok(finished.status.success().then_some(finished.stdout))
}
