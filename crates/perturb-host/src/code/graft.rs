//! Code that is compiled once and then stands, as assembly, in many units: compiled by the unit's own compiler, with all of
//! its command that decides how functions call each other.
//!
//! Refuses where a unit is more than its own assembly: with link-time optimisation the texts of many units become one, and
//! sanitizers follow values through all code there is.

mod text;

use std::fs;
use std::path::Path;

use super::flags;
use crate::compiler::CompilerFacts;
use crate::error::HostError;
use crate::project::CompileCommand;
use crate::tools;

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

/// Compiles C text to assembly that can stand at the top level of units with these flags. Names that it defines begin with
/// `prefix`, or are given it. None if the compiler refuses.
pub fn compile_graft(
    command: &CompileCommand,
    facts: &CompilerFacts,
    flags: &GraftFlags,
    (source, prefix): (&str, &str),
    scratch: &Path,
) -> Result<Option<String>, HostError> {
    let (input, out) = (scratch.join("graft.c"), scratch.join("graft.s"));
    fs::write(&input, source).map_err(HostError::io("write", &input))?;
    if !runs(command, facts, &flags.0, "c", (&input, "-S", &out))? {
        return Ok(None);
    }
    let assembly = fs::read_to_string(&out).map_err(HostError::io("read", &out))?;
    Ok(Some(text::embeddable(&assembly, prefix)))
}

/// What of a unit's command decides whether a text compiles that includes nothing of the project.
pub fn trial_words(command: &CompileCommand) -> Vec<String> {
    flags::for_trial(&command.arguments)
}

/// Whether a text compiles with these words of a unit, in its language.
pub fn compiles(
    command: &CompileCommand,
    facts: &CompilerFacts,
    words: &[String],
    source: &str,
    scratch: &Path,
) -> Result<bool, HostError> {
    let (input, out) = (scratch.join("trial.c"), scratch.join("trial.o"));
    fs::write(&input, source).map_err(HostError::io("write", &input))?;
    runs(command, facts, words, facts.language.name(), (&input, "-c", &out))
}

fn runs(
    command: &CompileCommand,
    facts: &CompilerFacts,
    words: &[String],
    language: &str,
    (input, what, out): (&Path, &str, &Path),
) -> Result<bool, HostError> {
    let _ = fs::remove_file(out);
    let mut compiler = tools::build_program(&facts.program, &command.directory);
    compiler.args(words).args(["-x", language]).arg(input).arg(what).arg("-o").arg(out);
    // The folder matters for a relative --sysroot; a database may name one that is gone.
    if command.directory.is_dir() {
        compiler.current_dir(&command.directory);
    }
    compiler.env("LC_ALL", "C").env("CCACHE_DISABLE", "1");
    Ok(tools::run(&mut compiler)?.status.success() && out.exists())
}
