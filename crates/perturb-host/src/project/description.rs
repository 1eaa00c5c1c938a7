//! The result of a discovery: a project, its translation units, and notices for the user.
//!
//! Plain values; nothing here reads files or starts processes.

use perturb_model::Notice;
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::command_line::{absolute, items, Item};
use crate::project::roles::{Role, Roles};

/// How one source file is compiled.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CompileCommand {
    /// The working folder of the compiler.
    pub directory: PathBuf,
    /// The source file: absolute, without `.` and `..`.
    pub file: PathBuf,
    /// The compiler and its arguments; launchers (ccache, env) and response files are already resolved.
    pub arguments: Vec<String>,
}

impl CompileCommand {
    /// The source file as the command names it, which is what `__FILE__` is there.
    pub fn written_file(&self) -> Option<&str> {
        items(&self.arguments).into_iter().find_map(|item| match item {
            Item::Input { path, .. } if absolute(&self.directory, Path::new(path)) == self.file => Some(path),
            _ => None,
        })
    }
}

/// Where the compile commands come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuildSystem {
    SingleFile,
    CompileDatabase(PathBuf),
    CMake,
    Meson,
    /// Captured while this build command ran in our copy.
    Command(String),
}

impl fmt::Display for BuildSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildSystem::SingleFile => write!(f, "a single file"),
            BuildSystem::CompileDatabase(path) => write!(f, "compile database {}", path.display()),
            BuildSystem::CMake => write!(f, "CMake"),
            BuildSystem::Meson => write!(f, "Meson"),
            BuildSystem::Command(command) => write!(f, "build command `{command}`"),
        }
    }
}

/// One compilation: a source file may have several, with different flags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    pub command: CompileCommand,
    pub role: Role,
}

/// A project as we found it.
#[derive(Debug, Clone)]
pub struct Project {
    /// The user's tree, which we never write.
    pub root: PathBuf,
    /// Where the sources are read: `root`, or our copy of it; relative paths are the same in both.
    pub source_root: PathBuf,
    pub build_system: BuildSystem,
    /// Sorted by file, then by command.
    pub units: Vec<Unit>,
    pub roles: Roles,
    pub notices: Vec<Notice>,
}

impl Project {
    /// The path below the root, or `None` for a file from elsewhere (system headers, our build folder).
    pub fn relative<'a>(&self, file: &'a Path) -> Option<&'a Path> {
        file.strip_prefix(&self.source_root).or_else(|_| file.strip_prefix(&self.root)).ok()
    }

    /// How many files are compiled; `units` counts a file once for each of its compilations.
    pub fn files(&self) -> usize {
        self.units.iter().map(|unit| &unit.command.file).collect::<BTreeSet<_>>().len()
    }

    pub fn units_under_test(&self) -> impl Iterator<Item = &Unit> {
        self.units.iter().filter(|unit| unit.role == Role::UnderTest)
    }
}
