//! Asks programs of the project which tests they have.
//!
//! Only this module executes a program of the project to find its tests. It is the unchanged program, built from the
//! user's own text.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::error::HostError;
use crate::process::tools::{self, Finished};

/// The output of a program; `None` if it takes too long.
pub(super) fn ask(
    program: &Path,
    arguments: &[&str],
    directory: &Path,
    environment: &[(String, String)],
) -> Result<Option<Finished>, HostError> {
    const PATIENCE: Duration = Duration::from_secs(60);
    let mut command = Command::new(program);
    command.args(arguments).current_dir(directory).env("LC_ALL", "C");
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    tools::run_limited(&command, PATIENCE)
}
