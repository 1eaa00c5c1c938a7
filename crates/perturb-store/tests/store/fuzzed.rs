//! Changed stores: they are refused, or all that is read from them was recorded.

use super::begin;
use crate::synthetic::{self, execution, key, FAILED};
use perturb_fuzz::Share;
use perturb_model::{
    Baseline, Engine, FileCounts, Kill, MutantIdx, Outcome, Reach, Recording, StatementCount, TestName, Verdict,
};
use perturb_store::{Batch, BuildFailure, Store, StoreError, StoreReader};
use std::fs;
use std::path::Path;

/// A store with some of every kind of data.
fn written(work: &Path) -> Vec<u8> {
    let mut writer = begin(work);
    writer.record_mutants(&synthetic::mutants(12)).unwrap();
    writer.record_tests(&["a", "b"].map(|name| synthetic::test(name, Baseline::Passed))).unwrap();
    let counts = [(3, 0), (4, 17)].map(|(line, count)| StatementCount { line, count }).to_vec();
    let set = |indices: std::ops::Range<usize>| indices.map(MutantIdx::new).collect();
    let reach = |test: &str| Reach { test: TestName::from(test), reached: set(0..9), infected: set(2..5) };
    let statements = vec![FileCounts { file: "src/clamp.c".into(), counts }];
    let recordings = ["a", "b"].map(|test| Recording { reach: reach(test), statements: statements.clone() });
    writer.record_recordings(&recordings).unwrap();
    let crash = Kill::Crashed { signal: 11 };
    let executions = vec![
        execution(0, "a", Verdict::Survived),
        execution(0, "b", Verdict::Killed(crash)),
        execution(1, "a", FAILED),
        execution(4, "a", Verdict::Survived),
    ];
    let build_failures = vec![BuildFailure { mutant: synthetic::id(3), key: key("one"), message: b"no".to_vec() }];
    let outcomes = vec![
        (synthetic::id(0), Outcome::Killed { test: TestName::from("b"), how: crash }),
        (synthetic::id(1), Outcome::Killed { test: TestName::from("a"), how: Kill::Failed }),
        (synthetic::id(3), Outcome::CompileError),
        (synthetic::id(4), Outcome::Live),
        (synthetic::id(5), Outcome::NotCovered),
    ];
    writer.record(&Batch { executions, build_failures, outcomes, ..Batch::default() }).unwrap();
    drop(writer);
    fs::read(work.join(Store::FILE_NAME)).unwrap()
}

/// Reads everything, then returns the outcomes.
fn outcomes(work: &Path) -> Result<Vec<(String, Outcome)>, StoreError> {
    let reader = StoreReader::open(work)?;
    let Some(id) = reader.latest()? else { return Ok(Vec::new()) };
    let run = reader.run(id)?;
    reader.reach(&run)?;
    reader.executed(id)?;
    reader.build_failures(id)?;
    for test in &run.tests {
        reader.statements(id, &test.name)?;
    }
    for state in &run.mutants {
        reader.executions(state.mutant.id)?;
        reader.last_of(state.mutant.id)?;
    }
    Ok(run.mutants.iter().map(|state| (state.mutant.id.to_string(), state.outcome.clone())).collect())
}

/// The verdicts that the next run would use again.
fn known(work: &Path) -> Result<Vec<Option<Verdict>>, StoreError> {
    let mut writer = Store::open(work)?.begin(&synthetic::new_run())?;
    let known = writer.known(&[key("one")])?;
    let verdict = |(mutant, test): (usize, &str)| {
        known.verdict(synthetic::id(mutant), &TestName::from(test), &key("one"), Engine::Switched)
    };
    Ok([(0, "a"), (0, "b"), (1, "a"), (4, "a")].map(verdict).to_vec())
}

#[test]
fn fuzzed_stores_are_read_or_refused() {
    let first = tempfile::tempdir().unwrap();
    let whole = written(first.path());
    let work = tempfile::tempdir().unwrap();
    perturb_fuzz::survives("store", Share::OneIn(50), &[whole], |bytes| {
        for end in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(work.path().join(format!("{}{end}", Store::FILE_NAME)));
        }
        fs::write(work.path().join(Store::FILE_NAME), bytes).unwrap();
        let _ = outcomes(work.path());
        let _ = known(work.path());
    });
}
