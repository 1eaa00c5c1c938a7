//! A program made of a text of ours that includes a unit of a project, with the project's compiler and flags: what a user could type.

use super::flags;
use super::object::{make, Made};
use crate::by_hand::shell_word;
use crate::compiler::{CompilerFacts, CompilerFamily};
use crate::error::HostError;
use crate::mirror::Mirror;
use crate::project::CompileCommand;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How what is undefined is made to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watched {
    /// Not at all.
    Plainly,
    /// By the sanitizers' libraries, which not every machine has.
    BySanitizers,
    /// By traps, which need no library; memory is not watched.
    ByTraps,
    /// Local variables that were never written hold a pattern.
    ByPattern,
}

/// The command that makes such a program.
#[derive(Debug, Clone)]
pub struct Including {
    compiler: PathBuf,
    flags: Vec<String>,
    libraries: Vec<&'static str>,
    directory: PathBuf,
}

impl Including {
    /// With `is_alone`, what the unit needs of others is nowhere, and who calls it traps.
    pub fn new(command: &CompileCommand, facts: &CompilerFacts, watched: Watched, is_alone: bool) -> Self {
        let mut flags = flags::for_including(&command.arguments);
        let trapping = match facts.family {
            CompilerFamily::Clang => "-fsanitize-trap=all",
            CompilerFamily::Gcc | CompilerFamily::Other => "-fsanitize-undefined-trap-on-error",
        };
        let watching: &[&str] = match watched {
            Watched::Plainly => &[],
            Watched::BySanitizers => {
                &["-g", "-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all"]
            }
            Watched::ByTraps => &["-fsanitize=undefined,float-cast-overflow", trapping],
            Watched::ByPattern => &["-ftrivial-auto-var-init=pattern"],
        };
        flags.extend(["-w"].iter().chain(watching).map(ToString::to_string));
        let mut libraries = vec!["-lm"];
        if is_alone {
            libraries.extend(["-no-pie", "-Wl,--unresolved-symbols=ignore-all"]);
        }
        Self { compiler: facts.program.clone(), flags, libraries, directory: command.directory.clone() }
    }

    /// Where it is typed.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// As a user types it. `more` and `out` are text of the shell's, the first among the flags.
    pub fn line(&self, more: &str, source: &Path, out: &str) -> String {
        let compiler = shell_word(&self.compiler.to_string_lossy());
        let flags = self.flags.iter().map(|word| shell_word(word));
        let files = [more.to_string(), format!("-o {out}"), shell_word(&source.to_string_lossy())];
        let libraries = self.libraries.iter().map(|word| shell_word(word));
        let words = std::iter::once(compiler).chain(flags).chain(files).chain(libraries);
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// Makes the program, with paths in the project leading to the mirror. `unit` is what defines which file is included.
    pub fn make(
        &self,
        mirror: &Mirror,
        unit: &str,
        source: &Path,
        out: &Path,
        stop: &dyn Fn() -> bool,
    ) -> Result<(Made, Duration), HostError> {
        let mut compiler = Command::new(&self.compiler);
        compiler.args(self.flags.iter().map(|word| mirror.here(word))).arg(mirror.here(unit));
        compiler.arg("-o").arg(out).arg(source).args(&self.libraries);
        let directory = PathBuf::from(mirror.here(&self.directory.to_string_lossy()));
        make(compiler, &directory, mirror.scratch(), stop)
    }
}
