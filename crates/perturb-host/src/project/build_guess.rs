//! Guesses the build command of a project whose files do not state it in a form that we can read.
//!
//! Guesses only where the files at the root leave no doubt; otherwise it returns a hint instead of a command.

use std::fs;
use std::path::Path;

use crate::cache_key::CacheKey;
use crate::command_line::language_of;
use crate::error::HostError;

/// How a project is built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BuildPlan {
    /// `make`, after a configure script where there is one.
    Make { configure: bool, check: CheckRule },
    /// A command of the user's, or one that knows by itself how many jobs to use; and what of it builds once more what
    /// it has built before.
    Command { whole: String, again: String },
}

/// What `make check` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckRule {
    None,
    /// automake's: it may build further tests, and does not have to run them.
    Automake,
    /// Somebody's own: it may build further tests, and runs them.
    Written,
}

impl BuildPlan {
    /// The plan of a given command.
    pub fn given(command: &str) -> BuildPlan {
        BuildPlan::Command { whole: command.to_string(), again: without_setup(command) }
    }

    /// Adds what is run, whatever the number of jobs.
    pub fn add_to(&self, key: &mut CacheKey) {
        match self {
            BuildPlan::Make { configure, check } => {
                key.add("builder", if *configure { "configure and make" } else { "make" });
                let check = match check {
                    CheckRule::None => "none",
                    CheckRule::Automake => "automake",
                    CheckRule::Written => "written",
                };
                key.add("check", check);
            }
            BuildPlan::Command { whole, again } => {
                key.add("builder", "command");
                key.add("whole", whole);
                key.add("again", again);
            }
        }
    }

    /// All of it, from the start.
    pub fn command(&self, jobs: usize) -> String {
        match self {
            BuildPlan::Make { configure: true, .. } => format!("sh ./configure && make -j{jobs}"),
            BuildPlan::Make { configure: false, .. } => self.again(jobs),
            BuildPlan::Command { whole, .. } => whole.clone(),
        }
    }

    /// The command after a change of program text alone.
    pub fn again(&self, jobs: usize) -> String {
        match self {
            BuildPlan::Make { .. } => format!("make -j{jobs}"),
            BuildPlan::Command { again, .. } => again.clone(),
        }
    }

    /// The command after a successful build: it builds the tests too. With an empty list of tests, automake's `check`
    /// builds them and runs none.
    pub fn then(&self, jobs: usize) -> Option<String> {
        matches!(self, BuildPlan::Make { check: CheckRule::Automake, .. })
            .then(|| format!("make -j{jobs} check TESTS="))
    }

    /// A dry run of `make check`, which shows the tests that are built before they run. Tests run only in cells.
    pub fn dry_check(&self) -> Option<&'static str> {
        matches!(self, BuildPlan::Make { check: CheckRule::Written, .. }).then_some("make -n -w check")
    }
}

/// `mkdir -p b && cd b && cmake .. && make` without `cmake ..`: what only prepares a build costs more than many a
/// build. A command of any other shape stays as it is.
fn without_setup(command: &str) -> String {
    let parts: Vec<&str> = command.split("&&").map(str::trim).collect();
    let is_simple =
        |part: &&str| !part.is_empty() && !part.contains([';', '|', '&', '\n', '`', '(', '{', '\'', '"', '<']);
    if !parts.iter().all(is_simple) {
        return command.to_string();
    }
    let kept: Vec<&str> = parts.iter().copied().filter(|part| !is_setup(part)).collect();
    let builds = kept.iter().any(|part| !["cd", "mkdir"].contains(&part.split(' ').next().unwrap_or_default()));
    if builds {
        kept.join(" && ")
    } else {
        command.to_string()
    }
}

/// Whether a command prepares a build in a way that lasts.
fn is_setup(command: &str) -> bool {
    let mut words = command.split_whitespace().skip_while(|word| matches!(*word, "sh" | "bash") || word.contains('='));
    let program = words.next().and_then(|word| word.rsplit('/').next()).unwrap_or_default();
    match program {
        "configure" | "Configure" | "config" | "autoreconf" | "autogen.sh" | "bootstrap" | "bootstrap.sh"
        | "buildconf" | "aclocal" | "autoconf" | "autoheader" | "automake" | "libtoolize" | "qmake" => true,
        "cmake" => !words.any(|word| word == "--build" || word == "-E" || word == "-P"),
        "meson" => words.next() == Some("setup"),
        _ => false,
    }
}

/// The build command for the files at the root.
pub(crate) fn guess(root: &Path) -> Result<BuildPlan, HostError> {
    let has = |name: &str| root.join(name).is_file();
    let check = |makefile: &str| check_rule(&root.join(makefile));
    if has("configure") && has("Makefile.in") {
        return Ok(BuildPlan::Make { configure: true, check: check("Makefile.in")? });
    }
    if let Some(makefile) = ["GNUmakefile", "makefile", "Makefile"].into_iter().find(|name| has(name)) {
        return Ok(BuildPlan::Make { configure: false, check: check(makefile)? });
    }
    if has("wscript") && has("waf") {
        let [whole, again] = ["python3 ./waf configure build", "python3 ./waf build"].map(str::to_string);
        return Ok(BuildPlan::Command { whole, again });
    }
    if first_source(root).is_none() {
        return Err(HostError::NoSources { root: root.to_path_buf() });
    }
    Err(HostError::UnknownBuild { root: root.to_path_buf(), hint: hint(root) })
}

/// The alternative for a project with a database.
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

fn check_rule(makefile: &Path) -> Result<CheckRule, HostError> {
    let text = fs::read(makefile).map_err(HostError::io("read", makefile))?;
    let text = String::from_utf8_lossy(&text);
    let is_rule =
        |line: &str, name: &str| line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(':'));
    let has_rule = |name: &str| text.lines().any(|line| is_rule(line, name));
    Ok(match (has_rule("check"), has_rule("check-am")) {
        (false, _) => CheckRule::None,
        (true, true) => CheckRule::Automake,
        (true, false) => CheckRule::Written,
    })
}

/// A C or C++ file of the project: without one the folder holds no sources, which is another error.
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
        let automake = "check-am: all-am\ncheck: check-am\n";
        let plan = guessed(&[("configure", ""), ("Makefile.in", automake), ("Makefile", "")]).unwrap();
        assert_eq!(plan.command(3), "sh ./configure && make -j3");
        assert_eq!(
            (plan.again(3), plan.then(3).unwrap()),
            ("make -j3".to_string(), "make -j3 check TESTS=".to_string())
        );
        for (makefile, dry) in [("check_all:\n\ttrue\n", None), ("check: all\n\t./test\n", Some("make -n -w check"))] {
            let plan = guessed(&[("Makefile", makefile)]).unwrap();
            assert_eq!((plan.command(2).as_str(), plan.then(2), plan.dry_check()), ("make -j2", None, dry));
        }
        assert_eq!(guessed(&[("wscript", ""), ("waf", "")]).unwrap().command(1), "python3 ./waf configure build");
    }

    #[test]
    fn what_prepares_a_given_build_is_not_repeated() {
        for (command, again) in [
            ("autoreconf -i && ./configure --x && make -j2", "make -j2"),
            ("CC=gcc sh ./configure && make", "make"),
            ("mkdir -p b && cd b && cmake .. && make", "mkdir -p b && cd b && make"),
            ("cmake -B b && cmake --build b", "cmake --build b"),
            ("meson setup b && meson compile -C b", "meson compile -C b"),
            ("make clean && make", "make clean && make"),
            ("./configure", "./configure"),
            ("./configure; make", "./configure; make"),
            ("./configure 'a && b' && make", "./configure 'a && b' && make"),
        ] {
            assert_eq!(BuildPlan::given(command).again(1), again, "{command}");
        }
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
