//! Guessing the command that builds a project which says nothing about itself in a way we can read.
//!
//! Guesses only what the files at the root leave no doubt about; otherwise it answers with a hint, not with a command.

use std::fs;
use std::path::Path;

use crate::command_line::language_of;
use crate::error::HostError;
use crate::tools::jobs;

/// How a project is built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BuildPlan {
    /// Needed once, before the first build.
    pub setup: Option<String>,
    pub build: BuildCommand,
    /// `make check` may build further tests.
    pub has_check: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BuildCommand {
    Make,
    /// A command of the user's, or one that knows by itself how many jobs to use.
    Text(String),
}

impl BuildPlan {
    /// The plan of a command that somebody gave us.
    pub fn given(command: &str) -> BuildPlan {
        BuildPlan { setup: None, build: BuildCommand::Text(command.to_string()), has_check: false }
    }

    /// All of it in one command.
    pub fn command(&self) -> String {
        let build = self.build_command(jobs());
        self.setup.as_ref().map_or(build.clone(), |setup| format!("{setup} && {build}"))
    }

    pub fn build_command(&self, jobs: usize) -> String {
        match &self.build {
            BuildCommand::Make => format!("make -j{jobs}"),
            BuildCommand::Text(text) => text.clone(),
        }
    }

    /// What to try after the build went well: builds the tests too. With an empty list of tests, automake's `check`
    /// builds them and runs none.
    pub fn then(&self) -> Option<String> {
        self.has_check.then(|| format!("make -j{} check TESTS=", jobs()))
    }
}

/// The build command for the files at the root.
pub(crate) fn guess(root: &Path) -> Result<BuildPlan, HostError> {
    let has = |name: &str| root.join(name).is_file();
    let make = |setup: Option<&str>, makefile: &str| BuildPlan {
        setup: setup.map(str::to_string),
        build: BuildCommand::Make,
        has_check: has_check_target(&root.join(makefile)),
    };
    if has("configure") && has("Makefile.in") {
        return Ok(make(Some("sh ./configure"), "Makefile.in"));
    }
    if let Some(makefile) = ["GNUmakefile", "makefile", "Makefile"].into_iter().find(|name| has(name)) {
        return Ok(make(None, makefile));
    }
    if has("wscript") && has("waf") {
        return Ok(BuildPlan::given("python3 ./waf configure build"));
    }
    if first_source(root).is_none() {
        return Err(HostError::NoSources { root: root.to_path_buf() });
    }
    Err(HostError::UnknownBuild { root: root.to_path_buf(), hint: hint(root) })
}

/// The other way out, for those who have a database.
const OR_DATABASE: &str = ", or its compile_commands.json with `--compile-commands FILE`";

fn hint(root: &Path) -> String {
    let has = |name: &str| root.join(name).is_file();
    if let Some(script) = ["autogen.sh", "bootstrap"].into_iter().find(|name| has(name)) {
        return format!(
            "it has {script} but no configure script; try `--build 'sh ./{script} && ./configure && make'`{OR_DATABASE}"
        );
    }
    if has("configure.ac") || has("configure.in") {
        return format!(
            "it has no configure script yet; try `--build 'autoreconf -i && ./configure && make'`{OR_DATABASE}"
        );
    }
    if let Some(script) = ["build.sh", "compile.sh", "make.sh"].into_iter().find(|name| has(name)) {
        return format!("if {script} builds it, give `--build 'sh ./{script}'`{OR_DATABASE}");
    }
    if has("wscript") {
        return format!("try `--build 'waf configure build'`{OR_DATABASE}");
    }
    format!("give the command that builds it with `--build 'COMMAND'`{OR_DATABASE}, or a single C or C++ file")
}

fn has_check_target(makefile: &Path) -> bool {
    let text = fs::read(makefile).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    text.lines().any(|line| line.strip_prefix("check").is_some_and(|rest| rest.trim_start().starts_with(':')))
}

/// Some C or C++ file of the project, to tell an empty folder from one we cannot build.
fn first_source(root: &Path) -> Option<std::path::PathBuf> {
    ignore::WalkBuilder::new(root)
        .build()
        .flatten()
        .map(ignore::DirEntry::into_path)
        .find(|path| path.is_file() && language_of(path).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guessed(files: &[(&str, &str)]) -> Result<BuildPlan, HostError> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        guess(folder.path())
    }

    #[test]
    fn the_files_at_the_root_name_the_command() {
        let plan = guessed(&[("configure", ""), ("Makefile.in", "check: all\n"), ("Makefile", "")]).unwrap();
        assert!(plan.command().starts_with("sh ./configure && make -j"), "{plan:?}");
        assert!(plan.then().unwrap().ends_with("check TESTS="), "{plan:?}");
        let plan = guessed(&[("Makefile", "check_all:\n\ttrue\n")]).unwrap();
        assert!(plan.command().starts_with("make -j") && plan.then().is_none());
        assert_eq!(guessed(&[("wscript", ""), ("waf", "")]).unwrap().command(), "python3 ./waf configure build");
    }

    #[test]
    fn what_cannot_be_guessed_gets_a_hint() {
        for (files, expected) in [
            (vec![("autogen.sh", ""), ("a.c", "")], "sh ./autogen.sh && ./configure && make"),
            (vec![("configure.ac", ""), ("a.c", "")], "autoreconf -i"),
            (vec![("build.sh", ""), ("a.c", "")], "`--build 'sh ./build.sh'`"),
            (
                vec![("a.cpp", "")],
                "builds it with `--build 'COMMAND'`, or its compile_commands.json with `--compile-commands FILE`",
            ),
            (vec![("readme.txt", "")], "no C or C++ source file"),
        ] {
            let error = guessed(&files).unwrap_err().to_string();
            assert!(error.contains(expected), "{files:?}: {error}");
        }
    }
}
