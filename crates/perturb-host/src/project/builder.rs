//! What builds a project: a known build system, or a command.
//!
//! Reads build files; runs nothing.

use std::fs;
use std::path::Path;

use crate::cache_key::CacheKey;
use crate::error::HostError;
use crate::process::tools::find_program;
use crate::project::build_guess::{self, BuildPlan};
use crate::project::compile_database;
use crate::project::description::{BuildSystem, Project};
use crate::project::options::DiscoverOptions;

/// The way in which our copy is built.
#[derive(Debug, Clone)]
pub(crate) enum Builder {
    CMake,
    Meson,
    Command(BuildPlan),
}

impl Builder {
    /// Adds everything that is run.
    pub fn add_to(&self, key: &mut CacheKey) {
        match self {
            Builder::CMake => key.add("builder", "CMake"),
            Builder::Meson => key.add("builder", "Meson"),
            Builder::Command(plan) => plan.add_to(key),
        }
    }
}

/// The builder of a known project; an error if only its compile commands are known.
pub(crate) fn builder_of(project: &Project, options: &DiscoverOptions) -> Result<Builder, HostError> {
    match &project.build_system {
        BuildSystem::SingleFile => {
            let path = project.units.first().map_or(&project.root, |unit| &unit.command.file).clone();
            Err(HostError::NotRunnable { path })
        }
        BuildSystem::CMake => Ok(Builder::CMake),
        BuildSystem::Meson => Ok(Builder::Meson),
        BuildSystem::Command(_) | BuildSystem::CompileDatabase(_) => {
            if let Some(command) = given_command(options) {
                return Ok(Builder::Command(BuildPlan::given(command)));
            }
            by_build_files(&project.root).map_err(|error| match (&project.build_system, error) {
                (
                    BuildSystem::CompileDatabase(database),
                    HostError::UnknownBuild { .. } | HostError::NoSources { .. },
                ) => {
                    let hint = "give the command that builds it with `--build 'COMMAND'`".to_string();
                    HostError::NoBuild { database: database.clone(), hint }
                }
                (_, error) => error,
            })
        }
    }
}

/// Whether a folder says how it is built: by a compile database or by build files.
pub fn looks_like_project(root: &Path) -> bool {
    compile_database::find(root).is_some() || has_other_way(root)
}

/// Whether build files say it.
pub(crate) fn has_other_way(root: &Path) -> bool {
    is_top(&root.join("CMakeLists.txt")) || is_top(&root.join("meson.build")) || build_guess::guess(root).is_ok()
}

/// Both CMake and Meson want a `project(` at the top of a project; their files in subfolders have none.
fn is_top(build_file: &Path) -> bool {
    let text = fs::read(build_file).unwrap_or_default().to_ascii_lowercase();
    let calls = text.windows(7).enumerate().filter(|(_, word)| *word == b"project");
    calls.into_iter().any(|(at, _)| text[at + 7..].trim_ascii_start().first() == Some(&b'('))
}

/// The builder for the build files at the root; an error if we know none of them.
pub(crate) fn by_build_files(root: &Path) -> Result<Builder, HostError> {
    // Without the tool, another way that needs no installation is better than an error.
    let usable = |file: &str, tool: &str| {
        root.join(file).is_file() && (find_program(tool).is_some() || build_guess::guess(root).is_err())
    };
    if usable("CMakeLists.txt", "cmake") {
        Ok(Builder::CMake)
    } else if usable("meson.build", "meson") {
        Ok(Builder::Meson)
    } else {
        build_guess::guess(root).map(Builder::Command)
    }
}

/// The build command that the user gave.
pub(crate) fn given_command(options: &DiscoverOptions) -> Option<&str> {
    options.build_command.as_deref().filter(|command| !command.trim().is_empty())
}
