//! Compiles code once, as assembly that can be inserted into many units. It is compiled by the unit's own compiler,
//! with every flag of the unit that decides how functions call each other.
//!
//! Refuses units that are more than their own assembly: link-time optimisation merges the code of many units, and
//! sanitizers track values through all code.

mod text;

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use super::flags;
use crate::compiler::probe::CompilerFacts;
use crate::error::HostError;
use crate::process::tools;
use crate::project::description::CompileCommand;

/// How code that is to stand in a unit is compiled. Two units for which this is the same can have the same code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GraftFlags(Vec<String>);

impl GraftFlags {
    /// None if code that was compiled elsewhere cannot stand in this unit.
    pub fn of(command: &CompileCommand, facts: &CompilerFacts) -> Option<GraftFlags> {
        let is_whole = super::writes_readable_assembly(facts) && !flags::refuses_graft(&command.arguments);
        is_whole.then(|| GraftFlags(flags::for_graft(&command.arguments, facts)))
    }

    pub fn words(&self) -> &[String] {
        &self.0
    }
}

/// A unit whose compiler is asked, and the folder for what that leaves.
#[derive(Debug)]
pub struct GraftSite<'s> {
    pub command: &'s CompileCommand,
    pub facts: &'s CompilerFacts,
    pub scratch: &'s Path,
}

impl GraftSite<'_> {
    /// Compiles C text to assembly that can stand at the top level of units with these flags. Names that it defines
    /// begin with `prefix`, or are given it. None if the compiler refuses. Tells what it took of the processors.
    pub fn compile(
        &self,
        flags: &GraftFlags,
        source: &str,
        prefix: &str,
    ) -> Result<(Option<String>, Duration), HostError> {
        let out = self.scratch.join("graft.s");
        let (is_success, cpu) = self.run(&flags.0, "c", (source, "-S", &out))?;
        if !is_success {
            return Ok((None, cpu));
        }
        let assembly = fs::read_to_string(&out).map_err(HostError::io("read", &out))?;
        Ok((Some(text::embeddable(&assembly, prefix)), cpu))
    }

    /// What of the unit's command decides whether a text compiles that includes nothing of the project.
    pub fn trial_words(&self) -> Vec<String> {
        flags::for_trial(&self.command.arguments)
    }

    /// Whether a text compiles with these words, in the unit's language, and what that took of the processors.
    pub fn compiles(&self, words: &[String], source: &str) -> Result<(bool, Duration), HostError> {
        self.run(words, self.facts.language.name(), (source, "-c", &self.scratch.join("graft.o")))
    }

    fn run(
        &self,
        words: &[String],
        language: &str,
        (source, what, out): (&str, &str, &Path),
    ) -> Result<(bool, Duration), HostError> {
        let (input, directory) = (self.scratch.join("graft.c"), &self.command.directory);
        fs::write(&input, source).map_err(HostError::io("write", &input))?;
        let _ = fs::remove_file(out);
        let mut compiler = tools::build_program(&self.facts.program, directory);
        compiler.args(words).args(["-x", language]).arg(&input).arg(what).arg("-o").arg(out);
        // The folder matters for a relative --sysroot; a database may name one that is gone.
        if directory.is_dir() {
            compiler.current_dir(directory);
        }
        compiler.env("LC_ALL", "C").env("CCACHE_DISABLE", "1");
        compiler.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let not_started =
            |error| HostError::ProgramNotStarted { program: self.facts.program.to_string_lossy().into_owned(), error };
        let (status, cpu) = compiler.spawn().and_then(|child| tools::wait(&child)).map_err(not_started)?;
        Ok((status.success() && out.exists(), cpu))
    }
}
