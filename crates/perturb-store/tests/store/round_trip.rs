//! Everything that a run records is read again from the store.

use super::{begin, latest};
use crate::synthetic::{self, execution, key, FAILED};
use perturb_model::{
    Baseline, Engine, FileCounts, Kill, MutantIdx, Outcome, Reach, Recording, Skip, StatementCount, Step, StepTime,
    Suppression, TestName, Verdict,
};
use perturb_store::{
    Batch, BuildFailure, Ending, EngineAssignment, ExecutionTotals, Store, StoreError, StoreReader, StoredRun,
};
use std::time::Duration;

fn outcomes(run: &StoredRun) -> Vec<Outcome> {
    run.mutants.iter().map(|state| state.outcome.clone()).collect()
}

#[test]
fn a_run_is_read_again_as_it_was_recorded() {
    let work = tempfile::tempdir().unwrap();
    let recorded = synthetic::new_run();
    let mut writer = begin(work.path());
    let tests = [
        synthetic::test("passes", Baseline::Passed),
        synthetic::test("flaps", Baseline::Flaky { why: "failed once of two".into() }),
    ];
    writer.record_tests(&tests).unwrap();
    let step = StepTime { step: Step::Baseline, wall: Duration::from_millis(70), cpu: Duration::from_micros(5) };
    writer.record_step(step).unwrap();
    writer.record_step(StepTime { step: Step::Execute, ..step }).unwrap();
    let end = recorded.started + Duration::from_millis(1_500);
    assert!(writer.logs().is_dir());
    writer.finish(Ending::OutOfBudget, end).unwrap();

    let (_, run) = latest(work.path());
    assert_eq!((run.started, run.finished), (recorded.started, Some((end, Ending::OutOfBudget))));
    assert_eq!((run.root, run.arguments, run.seed), (recorded.root, recorded.arguments, recorded.seed));
    assert_eq!((run.manifest, run.tests.as_slice()), (recorded.manifest, &tests[..]));
    assert_eq!(run.steps, [step, StepTime { step: Step::Execute, ..step }]);
    assert_eq!(run.version, env!("CARGO_PKG_VERSION"));
}

#[test]
fn mutants_are_read_again_with_their_text_and_their_plan() {
    let work = tempfile::tempdir().unwrap();
    let mut writer = begin(work.path());
    let recorded = synthetic::mutants(4);
    writer.record_mutants(&recorded).unwrap();
    let plan = EngineAssignment { engine: Engine::Rebuild, why: "a case label must be a constant".into() };
    writer.record_plans(&[(recorded[1].id, plan.clone())]).unwrap();
    drop(writer);

    let (_, run) = latest(work.path());
    assert_eq!(run.mutants.len(), recorded.len());
    for (state, recorded) in run.mutants.iter().zip(&recorded) {
        let read = &state.mutant;
        assert_eq!(
            (read.id, read.range, read.operator, read.constant),
            (recorded.id, recorded.range, recorded.operator, recorded.constant)
        );
        assert_eq!((read.name(), &read.file.relative), (recorded.name(), &recorded.file.relative));
        assert_eq!((read.mutated_text(), &read.scope), (recorded.mutated_text(), &recorded.scope));
    }
    assert_eq!(run.mutants[1].plan.as_deref(), Some(&plan));
    assert_eq!(run.mutants[0].plan, None);
    let suppression = run.mutants[2].mutant.suppression.as_deref();
    assert_eq!(suppression.map(Suppression::reason), Some("checked by hand"));
    let skipped = Outcome::Skipped(Skip::Suppressed);
    assert_eq!(outcomes(&run), [Outcome::Pending, Outcome::Pending, skipped, Outcome::Pending]);
    assert_eq!(run.finished, None);
}

#[test]
fn verdicts_and_outcomes_are_read_again_and_the_last_outcome_counts() {
    let work = tempfile::tempdir().unwrap();
    let mut writer = begin(work.path());
    writer.record_mutants(&synthetic::mutants(4)).unwrap();
    let crash = Verdict::Killed(Kill::Crashed { signal: 11 });
    let executions = vec![execution(0, "a", Verdict::Survived), execution(0, "b", crash), execution(1, "a", FAILED)];
    let killed = Outcome::Killed { test: TestName::from("b"), how: Kill::Crashed { signal: 11 } };
    let recorded = vec![(synthetic::id(0), Outcome::Live), (synthetic::id(0), killed.clone())];
    let failure = BuildFailure { mutant: synthetic::id(3), key: key("one"), message: b"a.c:3: error: no\n".to_vec() };
    let refused = (synthetic::id(3), Outcome::CompileError);
    let recorded = [recorded, vec![refused]].concat();
    let build_failures = vec![failure];
    let batch = Batch { executions: executions.clone(), build_failures, outcomes: recorded, ..Batch::default() };
    writer.record(&batch).unwrap();
    writer.record(&Batch { outcomes: vec![(synthetic::id(1), Outcome::Live)], ..Batch::default() }).unwrap();
    writer.record(&Batch { outcomes: vec![(synthetic::id(1), Outcome::Pending)], ..Batch::default() }).unwrap();

    // Read while the run goes on.
    let (reader, run) = latest(work.path());
    let skipped = Outcome::Skipped(Skip::Suppressed);
    assert_eq!(outcomes(&run), [killed, Outcome::Pending, skipped, Outcome::CompileError]);
    let executed = reader.executed(run.id).unwrap();
    let expected = ExecutionTotals {
        tests: 2,
        wall: Duration::from_micros(2_200),
        cpu: Duration::from_micros(1_800),
        killed_by: vec![TestName::from("b")],
    };
    assert_eq!((executed.len(), &executed[&synthetic::id(0)]), (2, &expected));
    let mut read = reader.executions(synthetic::id(0)).unwrap();
    assert_eq!(read[0].output, b"a: something printed");
    read.iter_mut().for_each(|execution| execution.output.push(b'\n'));
    assert_eq!(read, executions[..2]);
    assert_eq!(reader.build_failures(run.id).unwrap()[&synthetic::id(3)], "a.c:3: error: no");
}

#[test]
fn a_mutant_is_found_in_the_last_run_that_decided_on_it() {
    let work = tempfile::tempdir().unwrap();
    let of = |number| StoreReader::open(work.path()).unwrap().last_of(synthetic::id(number)).unwrap();
    let run = |outcomes: Vec<(usize, Outcome)>| {
        let mut writer = begin(work.path());
        writer.record_mutants(&synthetic::mutants(3)).unwrap();
        let outcomes = outcomes.into_iter().map(|(number, outcome)| (synthetic::id(number), outcome)).collect();
        writer.record(&Batch { outcomes, ..Batch::default() }).unwrap();
        drop(writer);
        latest(work.path()).1.id
    };
    let first = run(vec![(0, Outcome::Live), (1, Outcome::Live)]);
    let second = run(vec![(0, Outcome::NotCovered), (1, Outcome::Skipped(Skip::OutOfScope))]);
    assert_eq!((of(0), of(1)), (Some(second), Some(first)));
    assert_eq!(of(2), Some(second), "no run decided it: the last run that listed it");
    assert_eq!(of(9), None);
}

#[test]
fn recordings_are_read_again() {
    let work = tempfile::tempdir().unwrap();
    let mut writer = begin(work.path());
    writer.record_mutants(&synthetic::mutants(200)).unwrap();
    writer.record_tests(&["b", "a"].map(|name| synthetic::test(name, Baseline::Passed))).unwrap();
    let counts = [(3, 0), (4, 17)].map(|(line, count)| StatementCount { line, count }).to_vec();
    let statements = vec![FileCounts { file: "src/clamp.c".into(), counts }];
    let reach = |test: &str, indices: std::ops::Range<usize>| Reach {
        test: TestName::from(test),
        reached: indices.clone().map(MutantIdx::new).collect(),
        infected: indices.step_by(3).map(MutantIdx::new).collect(),
    };
    let recordings = [("a", 0..0), ("b", 10..200)]
        .map(|(test, indices)| Recording { reach: reach(test, indices), statements: statements.clone() });
    writer.record_recordings(&recordings).unwrap();

    let (reader, run) = latest(work.path());
    assert_eq!(reader.reach(&run).unwrap(), [recordings[1].reach.clone(), recordings[0].reach.clone()]);
    assert_eq!(reader.statements(run.id, &TestName::from("a")).unwrap(), statements);
    assert_eq!(reader.statements(run.id, &TestName::from("c")).unwrap(), []);
}

#[test]
fn a_verdict_is_known_to_the_next_run_under_the_same_key_and_engine_only() {
    let work = tempfile::tempdir().unwrap();
    let mut writer = begin(work.path());
    writer.record_mutants(&synthetic::mutants(2)).unwrap();
    let failure = BuildFailure { mutant: synthetic::id(1), key: key("one"), message: Vec::new() };
    let executions = vec![execution(0, "a", FAILED)];
    writer.record(&Batch { executions, build_failures: vec![failure], ..Batch::default() }).unwrap();
    drop(writer);

    let mut writer = begin(work.path());
    let known = writer.known(&[key("one"), key("two")]).unwrap();
    let first = synthetic::id(0);
    let a = TestName::from("a");
    assert_eq!(known.verdict(first, &a, &key("one"), Engine::Switched), Some(FAILED));
    assert_eq!(known.verdict(first, &a, &key("two"), Engine::Switched), None);
    assert_eq!(known.verdict(first, &a, &key("one"), Engine::Rebuild), None);
    assert_eq!(known.verdict(first, &TestName::from("b"), &key("one"), Engine::Switched), None);
    assert_eq!(known.verdict(synthetic::id(1), &a, &key("one"), Engine::Switched), None);
    assert!(known.build_failed(synthetic::id(1), &key("one")) && !known.build_failed(first, &key("one")));
    assert_eq!(known.len(), 1);
    let other = writer.known(&[key("two")]).unwrap();
    assert_eq!(other.verdict(first, &a, &key("one"), Engine::Switched), None);
    assert!(other.is_empty());
}

#[test]
fn the_last_run_with_mutants_is_the_one_to_report() {
    let work = tempfile::tempdir().unwrap();
    assert!(matches!(StoreReader::open(work.path()), Err(StoreError::Missing { .. })));
    drop(Store::open(work.path()).unwrap());
    assert_eq!(StoreReader::open(work.path()).unwrap().latest().unwrap(), None);
    let mut first = begin(work.path());
    let id = first.id();
    first.record_mutants(&synthetic::mutants(1)).unwrap();
    drop(first);
    let second = begin(work.path());
    assert_ne!(second.id(), id);
    assert_eq!(latest(work.path()).1.id, id);
}
