//! Coverage that others count: gcov, once for each test, and data that a user's script has collected. Whoever counts,
//! the same tests are run on the same mutants.

mod gcov;
mod imported;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use perturb_model::{MutantIdx, Outcome};
use perturb_store::{StoreReader, StoredRun};
use serde_json::Value;

use crate::scene::{Ran, Scene, FINE};

/// A library with a loop whose head has nothing to compute, and a makefile for tests that each are one program.
pub const LIBRARY: &str = "int first(int x) { return x + 1; }
int second(int x) { return x + 2; }
int third(int x)
{
    while (1) {
        int y = x;
        if (y > 2)
            return y;
        x++;
    }
}
";
const MAKEFILE: &str = "CFLAGS = -O2\nSOURCES = $(wildcard tests/*.c)\nall: $(SOURCES:%.c=%)\n\
                        lib.o: src/lib.c\n\t$(CC) $(CFLAGS) -c -o $@ $<\n\
                        tests/%: tests/%.c lib.o\n\t$(CC) $(CFLAGS) -o $@ $< lib.o\n";

/// A project with one program for each test, by the statements of its `main`.
pub fn project(tests: &[(&str, &str)]) -> Scene {
    let scene = Scene::new(&[("src/lib.c", LIBRARY), ("Makefile", MAKEFILE)]);
    tests.iter().for_each(|(name, statements)| scene.write(&format!("tests/{name}.c"), program(statements)));
    scene
}

pub fn program(statements: &str) -> String {
    let headers =
        ["stdlib.h", "string.h", "sys/wait.h", "unistd.h"].map(|name| format!("#include <{name}>\n")).concat();
    let functions = "int first(int); int second(int); int third(int);\n";
    format!(
        "{headers}{functions}int main(int argc, char **argv)\n{{\n    (void)argc, (void)argv;\n    {statements}\n}}\n"
    )
}

/// What a run has found out about coverage.
pub struct Covered {
    pub ran: Ran,
    pub run: StoredRun,
    reader: StoreReader,
}

impl Covered {
    /// `perturb run ARGUMENTS`, with the programs in `tests` as tests.
    #[track_caller]
    pub fn of_project(scene: &Scene, tests: &[&str], arguments: &[&str]) -> Covered {
        let named: Vec<String> =
            tests.iter().flat_map(|test| ["--test".to_string(), format!("tests/{test}")]).collect();
        let named: Vec<&str> = named.iter().map(String::as_str).collect();
        let command = [
            "run",
            "--events",
            "json",
            "--tce",
            "off",
            "--discard",
            "off",
            "--equivalence",
            "off",
            "--test-command",
            "./{test}",
        ];
        Covered::of(scene, &[&command, &named[..], arguments].concat())
    }

    #[track_caller]
    pub fn of(scene: &Scene, arguments: &[&str]) -> Covered {
        let ran = scene.run(arguments).expect(FINE);
        let reader = StoreReader::open(&scene.outside("work")).unwrap();
        let run = reader.run(reader.latest().unwrap().unwrap()).unwrap();
        Covered { ran, run, reader }
    }

    /// The functions with mutants that a test reaches; None for a test of which that is not known.
    pub fn functions(&self, test: &str) -> Option<BTreeSet<String>> {
        let reach = self.reader.reach(&self.run).unwrap();
        let of_test = reach.iter().find(|reach| reach.test.as_str() == test)?;
        assert_eq!(of_test.reached, of_test.infected, "whether it makes a difference is not known");
        let function = |mutant: MutantIdx| self.run.mutants[mutant].mutant.function().unwrap_or_default().to_string();
        Some(of_test.reached.iter().map(function).collect())
    }

    /// How often each test executes each line, as far as that is known.
    pub fn lines(&self) -> BTreeMap<(String, PathBuf, u32), u64> {
        let mut lines = BTreeMap::new();
        for test in &self.run.tests {
            for file in self.reader.statements(self.run.id, &test.name).unwrap() {
                for statement in file.counts {
                    *lines.entry((test.name.to_string(), file.file.clone(), statement.line)).or_default() +=
                        statement.count;
                }
            }
        }
        lines
    }

    /// What became of each mutant. Who does not know what is infected executes it, and finds it alive.
    pub fn verdicts(&self) -> BTreeMap<String, String> {
        let verdict = |outcome: &Outcome| match outcome {
            Outcome::NotInfected => Outcome::Live.to_string(),
            other => other.to_string(),
        };
        let states = self.run.mutants.iter();
        states.map(|state| (state.mutant.id.to_string(), verdict(&state.outcome))).collect()
    }

    /// The events of one kind.
    pub fn events(&self, kind: &str) -> Vec<Value> {
        let events = self.ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        events.filter(|event| event["event"] == kind).collect()
    }

    /// The tests of which it is said that their coverage is unknown, and why.
    pub fn unknown(&self) -> BTreeMap<String, String> {
        let mut unknown = BTreeMap::new();
        for event in self.events("coverage unknown") {
            for test in event["tests"].as_array().unwrap() {
                unknown.insert(test.as_str().unwrap().to_string(), event["why"].as_str().unwrap().to_string());
            }
        }
        unknown
    }
}

pub fn set(names: &[&str]) -> Option<BTreeSet<String>> {
    Some(names.iter().map(|name| name.to_string()).collect())
}
