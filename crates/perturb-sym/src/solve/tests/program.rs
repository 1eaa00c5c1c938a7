//! A solver that is installed here, run for a test.

use std::io::Write as _;
use std::process::{Command, Stdio};

use super::super::{Dialect, Program, SmtLib};

#[derive(Debug)]
pub struct Installed(Dialect);

impl Program for Installed {
    fn run(&mut self, script: &str) -> Option<String> {
        let mut command = Command::new(self.0.program());
        command.args(self.0.arguments()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().ok()?;
        child.stdin.take()?.write_all(script.as_bytes()).ok()?;
        let output = child.wait_with_output().ok()?;
        String::from_utf8(output.stdout).ok()
    }
}

/// A solver, if it is installed.
pub fn installed(dialect: Dialect) -> Option<SmtLib<Installed>> {
    let mut program = Installed(dialect);
    let is_there = program.run("(check-sat)\n(exit)\n").is_some_and(|answer| answer.trim() == "sat");
    is_there.then(|| SmtLib::new(dialect, program))
}
