//! Builds a program from a text of ours that includes a unit of a project, with the project's compiler and flags: the
//! commands are ones that a user could type.

use super::flags;
use super::object::{make, Made};
use crate::compiler::mirror::Mirror;
use crate::compiler::probe::{CompilerFacts, CompilerFamily};
use crate::error::HostError;
use crate::project::by_hand::shell_word;
use crate::project::description::CompileCommand;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How undefined behaviour is detected.
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

impl Watched {
    fn flags(self, facts: &CompilerFacts) -> Vec<&'static str> {
        let trapping = match facts.family {
            CompilerFamily::Clang => "-fsanitize-trap=all",
            CompilerFamily::Gcc | CompilerFamily::Other => "-fsanitize-undefined-trap-on-error",
        };
        match self {
            Self::Plainly => vec![],
            Self::BySanitizers => {
                vec!["-g", "-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all"]
            }
            Self::ByTraps => vec!["-fsanitize=undefined,float-cast-overflow", trapping],
            Self::ByPattern => vec!["-ftrivial-auto-var-init=pattern"],
        }
    }

    /// Of programs for good: as the project's, but that sanitizers do not see what any of it takes away.
    fn optimisation(self, command: &CompileCommand) -> Option<String> {
        match self {
            Self::BySanitizers => Some("-O0".to_string()),
            Self::Plainly | Self::ByTraps | Self::ByPattern => flags::optimisation(&command.arguments),
        }
    }
}

/// The command that makes such a program.
#[derive(Debug, Clone)]
pub struct Including {
    compiler: PathBuf,
    flags: Vec<String>,
    /// Objects and sources that it is linked with.
    files: Vec<PathBuf>,
    libraries: Vec<String>,
    directory: PathBuf,
}

/// Flags that drop functions without a caller, so that what those call need not be linked.
const WITHOUT_UNUSED: [&str; 2] = ["-ffunction-sections", "-fdata-sections"];

impl Including {
    /// With `is_alone`, what the unit needs of others is nowhere, and who calls it traps; of what several have, the
    /// first has it.
    pub fn new(command: &CompileCommand, facts: &CompilerFacts, watched: Watched, is_alone: bool) -> Self {
        let mut flags = flags::for_including(&command.arguments);
        flags.extend(["-w"].into_iter().chain(watched.flags(facts)).map(String::from));
        let mut libraries = vec!["-lm".to_string()];
        if is_alone {
            let loosely = ["-no-pie", "-Wl,--unresolved-symbols=ignore-all", "-Wl,--allow-multiple-definition"];
            libraries.extend(loosely.map(String::from));
        }
        let (compiler, directory) = (facts.program.clone(), command.directory.clone());
        Self { compiler, flags, files: Vec::new(), libraries, directory }
    }

    /// A program for good, optimised as the project is and made of all that it needs.
    pub fn whole(command: &CompileCommand, facts: &CompilerFacts, watched: Watched, needs: Needs) -> Self {
        let Needs { flags, files, libraries } = needs;
        let mut whole = Self::new(command, facts, watched, false);
        whole.flags.extend(watched.optimisation(command));
        whole.flags.extend(WITHOUT_UNUSED.map(String::from));
        whole.flags.extend(flags);
        whole.files = files;
        // What others need comes behind them.
        whole.libraries =
            std::iter::once("-Wl,--gc-sections".to_string()).chain(libraries).chain(whole.libraries).collect();
        whole
    }

    /// Links other files, too.
    pub fn with_files(mut self, files: Vec<PathBuf>) -> Self {
        self.files.extend(files);
        self
    }

    /// Tells the linker more.
    pub fn with_libraries(mut self, libraries: impl IntoIterator<Item = String>) -> Self {
        self.libraries.extend(libraries);
        self
    }

    pub fn compiler(&self) -> &Path {
        &self.compiler
    }

    /// Compiler flags in front of the input.
    pub fn flags(&self) -> &[String] {
        &self.flags
    }

    /// The same for wherever it is typed.
    pub fn flags_anywhere(&self) -> Vec<String> {
        flags::anywhere(&self.flags, &self.directory)
    }

    /// Linker flags behind the input.
    pub fn libraries(&self) -> &[String] {
        &self.libraries
    }

    /// The folder in which the command is typed.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// As a user types it. `more`, `objects` and `out` are text of the shell's, the first among the flags.
    pub fn line(&self, more: &str, source: &Path, objects: &[String], out: &str) -> String {
        let compiler = shell_word(&self.compiler.to_string_lossy());
        let flags = self.flags.iter().map(|word| shell_word(word));
        let files = [more.to_string(), format!("-o {out}"), shell_word(&source.to_string_lossy())];
        let libraries = self.libraries.iter().map(|word| shell_word(word));
        let words = std::iter::once(compiler).chain(flags).chain(files).chain(objects.iter().cloned()).chain(libraries);
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// Makes the program, with paths in the project leading to the mirror. `unit` is what defines which file is
    /// included, if anything does.
    pub fn make(
        &self,
        mirror: &Mirror,
        unit: Option<&str>,
        source: &Path,
        out: &Path,
        stop: &dyn Fn() -> bool,
    ) -> Result<(Made, Duration), HostError> {
        let mut compiler = Command::new(&self.compiler);
        compiler.args(self.flags.iter().map(|word| mirror.here(word))).args(unit.map(|unit| mirror.here(unit)));
        compiler.arg("-o").arg(out).arg(source).args(&self.files).args(&self.libraries);
        let directory = PathBuf::from(mirror.here(&self.directory.to_string_lossy()));
        make(compiler, &directory, mirror.scratch(), stop)
    }
}

/// What a unit needs to be linked into a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// Flags for the compiler, besides those of the unit.
    pub flags: Vec<String>,
    /// Objects and sources that it is linked with.
    pub files: Vec<PathBuf>,
    pub libraries: Vec<String>,
}

/// The command that compiles another unit of the project to an object for such a program.
#[derive(Debug, Clone)]
pub struct Beside {
    compiler: PathBuf,
    flags: Vec<String>,
    file: PathBuf,
    directory: PathBuf,
}

impl Beside {
    pub fn new(command: &CompileCommand, facts: &CompilerFacts, watched: Watched) -> Self {
        let mut flags = flags::for_including(&command.arguments);
        // The program has a `main` of its own.
        let own = ["-w", "-Dmain=perturb_main_of_unit", "-c"];
        flags.extend(own.into_iter().chain(watched.flags(facts)).map(String::from));
        let CompileCommand { file, directory, .. } = command.clone();
        Self { compiler: facts.program.clone(), flags, file, directory }
    }

    /// For a program for good, as [`Including::whole`] is.
    pub fn whole(command: &CompileCommand, facts: &CompilerFacts, watched: Watched) -> Self {
        let mut whole = Self::new(command, facts, watched);
        whole.flags.extend(watched.optimisation(command));
        whole.flags.extend(WITHOUT_UNUSED.map(String::from));
        whole
    }

    /// As a user types it, anywhere. `out` is text of the shell's.
    pub fn line(&self, out: &str) -> String {
        let word = |path: &Path| shell_word(&path.to_string_lossy());
        let flags: Vec<String> = self.flags.iter().map(|word| shell_word(word)).collect();
        let (compiler, directory, file) = (word(&self.compiler), word(&self.directory), word(&self.file));
        format!("(cd {directory} && {compiler} {} -o {out} {file})", flags.join(" "))
    }

    /// Makes the object, with paths in the project leading to the mirror.
    pub fn make(&self, mirror: &Mirror, out: &Path, stop: &dyn Fn() -> bool) -> Result<(Made, Duration), HostError> {
        let mut compiler = Command::new(&self.compiler);
        compiler.args(self.flags.iter().map(|word| mirror.here(word))).arg("-o").arg(out);
        compiler.arg(mirror.here(&self.file.to_string_lossy()));
        let directory = PathBuf::from(mirror.here(&self.directory.to_string_lossy()));
        make(compiler, &directory, mirror.scratch(), stop)
    }
}

/// Compiles a text of ours by itself to an object.
pub fn compile_text(
    compiler: &Path,
    flags: &[String],
    source: &Path,
    out: &Path,
    stop: &dyn Fn() -> bool,
) -> Result<(Made, Duration), HostError> {
    let folder = source.parent().unwrap_or(Path::new("/"));
    let mut command = Command::new(compiler);
    command.args(flags).args(["-w", "-c", "-o"]).arg(out).arg(source);
    make(command, folder, folder, stop)
}
