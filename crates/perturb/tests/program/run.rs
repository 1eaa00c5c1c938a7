//! `perturb run` as a user runs it: real projects in temporary folders, their own compilers, builds and tests.
//!
//! Every run is checked to leave the project as it was (see `scene`).

mod again;
pub mod attacks;
mod audit;
mod barrier;
mod builds;
mod changing;
mod console;
mod damage;
pub mod differential;
mod discarding;
mod endings;
mod equivalence;
mod fallbacks;
mod generated;
mod kill_and_resume;
mod killing;
mod kills;
mod moved;
mod refusals;
pub mod running;
mod runtime;
mod sampling;
mod sandbox;
pub mod subject;
mod tce;
mod worth;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::scene::{text, Ran, Scene, FINE};

/// What a run told a program that follows it.
pub struct Told {
    pub ran: Ran,
    pub events: Vec<Value>,
}

/// Runs `perturb run ARGUMENTS` to its end, whatever that is. Code and functions are only compared, and what lives only
/// counted, where a test asks for it: the others are about what the tests say.
#[track_caller]
pub fn told(scene: &Scene, arguments: &[&str]) -> Told {
    let tce: &[&str] = if arguments.contains(&"--tce") { &[] } else { &["--tce", "off"] };
    let discard: &[&str] = if arguments.contains(&"--discard") { &[] } else { &["--discard", "off"] };
    let equivalence: &[&str] = if arguments.contains(&"--equivalence") { &[] } else { &["--equivalence", "off"] };
    let all = [&["run", "--events", "json", "--quiet"], tce, discard, equivalence, arguments].concat();
    Told::of(scene.run(&all))
}

/// As [`told`], of a run that must end well.
#[track_caller]
pub fn fine(scene: &Scene, arguments: &[&str]) -> Told {
    let told = told(scene, arguments);
    assert_eq!(told.ran.code, FINE, "exit code; stderr:\n{}", told.ran.stderr);
    told
}

impl Told {
    #[track_caller]
    pub fn of(ran: Ran) -> Told {
        let event = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let events = ran.stdout.lines().map(event).collect();
        Told { ran, events }
    }

    /// All events of one kind.
    pub fn all(&self, event: &str) -> Vec<&Value> {
        self.events.iter().filter(|value| text(value, "event") == event).collect()
    }

    /// The only event of its kind.
    #[track_caller]
    pub fn one(&self, event: &str) -> &Value {
        let found = self.all(event);
        assert_eq!(found.len(), 1, "`{event}` is told once: {:?}\n{}", self.events, self.ran.stderr);
        found[0]
    }

    /// What became of each mutant in the end, by id.
    pub fn mutants(&self) -> BTreeMap<&str, &Value> {
        self.all("mutant").into_iter().map(|value| (text(value, "id"), value)).collect()
    }

    /// The word for what became of each mutant, by id.
    pub fn outcomes(&self) -> BTreeMap<&str, &str> {
        self.mutants().into_iter().map(|(id, value)| (id, text(value, "outcome"))).collect()
    }

    /// How many mutants came to this.
    pub fn count(&self, outcome: &str) -> usize {
        self.outcomes().values().filter(|word| **word == outcome).count()
    }

    /// Runs of tests that were needed, and verdicts that were known.
    #[track_caller]
    pub fn work(&self) -> (u64, u64) {
        let end = self.one("execute finished");
        (end["executions"].as_u64().unwrap(), end["reused"].as_u64().unwrap())
    }
}
