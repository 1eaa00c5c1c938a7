//! All that can be wrong with what perturb is given, or with the machine it runs on, in one table: each row spoils a
//! small good project in one way, and says with which exit code the program ends and what it tells its user.
//!
//! Of every row it is also checked that the user's tree is what it was, that nothing broke down, and that the program
//! ended in time (see `scene`). A row that this machine does not allow says so on standard error.

mod asked;
mod built;
mod compiled;
mod configured;
mod machine;
mod stored;
mod tested;

use std::collections::BTreeSet;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

use crate::run::subject;
use crate::scene::{has, Ran, Scene, FINE};

/// Fewer rows would mean that some are no longer read.
const AT_LEAST: usize = 60;

/// One thing that can be wrong.
pub struct Row {
    pub name: &'static str,
    pub project: Project,
    pub spoil: fn(&Scene),
    /// Behind the program's name; `OUT` stands for a folder beside the project.
    pub command: &'static [&'static str],
    pub machine: Machine,
    pub code: i32,
    /// What happened, where, and what to do.
    pub told: &'static [&'static str],
}

/// What is good before it is spoiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Project {
    /// A folder with nothing in it.
    Empty,
    /// One source and a compile database.
    Compiled,
    /// Two sources, two tests and a makefile.
    Make,
    /// One source, one test.
    CMake,
}

/// How the program is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Machine {
    Plain,
    /// With a variable of the environment.
    Variable(&'static str, &'static str),
    /// By a shell, with the program and its arguments as `"$@"`.
    Shell(&'static str),
    /// The same, by a user who may not do everything.
    Unprivileged(&'static str),
    /// By a shell that may mount file systems; `OUT` is where.
    Mounting(&'static str),
}

/// What most rows have.
pub const GOOD: Row = Row {
    name: "",
    project: Project::Compiled,
    spoil: |_| {},
    command: &["mutants"],
    machine: Machine::Plain,
    code: FINE,
    told: &[],
};

const SUM: &str = "int sum(int a, int b)\n{\n    return a + b;\n}\n";
const TEST: &str = "int sum(int a, int b);\nint main(void)\n{\n    return sum(1, 2) == 3 ? 0 : 1;\n}\n";
const CMAKE: &str = "cmake_minimum_required(VERSION 3.13)\nproject(p C)\nenable_testing()\nadd_library(sum sum.c)\n\
                     add_executable(t tests/t.c)\ntarget_link_libraries(t sum)\nadd_test(NAME t COMMAND t)\n";

impl Project {
    /// `None` where a tool is missing.
    fn scene(self) -> Option<Scene> {
        match self {
            Project::Empty => Some(Scene::new(&[])),
            Project::Compiled => Some(Scene::compiled(&[("a.c", SUM)])),
            Project::Make => subject::subject(),
            Project::CMake => {
                has("cmake").then(|| Scene::new(&[("CMakeLists.txt", CMAKE), ("sum.c", SUM), ("tests/t.c", TEST)]))
            }
        }
    }
}

impl Row {
    fn check(&self) {
        let Some(scene) = self.project.scene() else { return };
        std::fs::create_dir(scene.outside("out")).unwrap();
        (self.spoil)(&scene);
        let Some(command) = self.start(&scene) else { return };
        let ran = scene.finish(command);
        self.judge(&ran);
    }

    /// `None` where the machine does not allow it.
    fn start(&self, scene: &Scene) -> Option<Command> {
        let out = scene.outside("out");
        let words: Vec<String> =
            self.command.iter().map(|word| word.replace("OUT", out.to_str().expect("a plain path"))).collect();
        let plain = scene.command(&words);
        match self.machine {
            Machine::Plain => Some(plain),
            Machine::Variable(name, value) => {
                let mut command = plain;
                command.env(name, value);
                Some(command)
            }
            Machine::Shell(script) => Some(machine::by_shell(&plain, script)),
            Machine::Unprivileged(_) if machine::may_do_all(scene) => {
                eprintln!("skipped: {}: nothing is forbidden to this user", self.name);
                None
            }
            Machine::Unprivileged(script) => Some(machine::by_shell(&plain, script)),
            Machine::Mounting(script) => machine::with_own_mounts(&plain, script, Path::new(&out)),
        }
    }

    fn judge(&self, ran: &Ran) {
        let said = &ran.stderr;
        assert_eq!(ran.code, self.code, "exit code; it said:\n{said}\n{:.500}", ran.stdout);
        for part in self.told {
            assert!(said.contains(part), "`{part}` is not told:\n{said}");
        }
        assert!(self.code == FINE || said.contains("error: "), "no error is told:\n{said}");
        // What only a programmer can read is no message.
        for debris in ["Os { ", "Error {", "Some(", "Err(", "unwrap", "RUST_BACKTRACE"] {
            assert!(!said.contains(debris), "`{debris}` is told:\n{said}");
        }
    }
}

fn rows() -> Vec<Row> {
    [asked::ROWS, configured::ROWS, compiled::ROWS, built::ROWS, tested::ROWS, stored::ROWS, machine::ROWS]
        .into_iter()
        .flatten()
        .copied()
        .collect()
}

impl Clone for Row {
    fn clone(&self) -> Row {
        *self
    }
}

impl Copy for Row {}

#[test]
fn every_bad_input_and_circumstance_is_told_with_its_exit_code_and_harms_nothing() {
    let rows = rows();
    let names: BTreeSet<&str> = rows.iter().map(|row| row.name).collect();
    assert!(names.len() == rows.len() && rows.len() >= AT_LEAST, "{} rows, {} names", rows.len(), names.len());
    let only = std::env::var("PERTURB_ROW").ok();
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let worker = || {
        while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
            if only.as_deref().is_some_and(|only| !row.name.contains(only)) {
                continue;
            }
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| row.check())) {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
                wrong.lock().unwrap().push(format!("{}: {}", row.name, text.unwrap_or_default()));
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(worker))));
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {} rows:\n\n{}", wrong.len(), rows.len(), wrong.join("\n\n"));
}
