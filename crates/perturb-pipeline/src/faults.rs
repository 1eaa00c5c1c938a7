//! Runs on a host that fails. For each of many seeds, a made-up project is analysed again and again, while tests hang,
//! crash and run out of memory, cells are lost, disks fill up, results arrive late and in any order, users interrupt
//! and machines die, before any step that decides verdicts. In every case: what was reported is on the disk and true,
//! no known verdict is executed again, and in the end all verdicts are those of a run without faults.

mod host;
mod round;
mod world;

use crate::PipelineError;
use perturb_model::{MutantIdx, Outcome, TestIdx};
use perturb_store::StoreReader;
use round::{run_round, Round};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use world::{Fault, Stage, World, FAULTS, ROUNDS_WITH_FAULTS, STAGES};

/// The number of seeds; the variable sets another.
const SEEDS: u64 = 150;
const MORE_SEEDS: &str = "PERTURB_FAULT_SEEDS";
const WORKERS: usize = 3;

/// The outcomes in the store, by mutant.
fn stored(world: &World, work: &Path) -> Vec<Outcome> {
    let reader = StoreReader::open(work).unwrap();
    let run = reader.run(reader.latest().unwrap().unwrap()).unwrap();
    let by_id: HashMap<String, Outcome> =
        run.mutants.into_iter().map(|state| (state.mutant.id.to_string(), state.outcome)).collect();
    world.mutant_list().iter().map(|mutant| by_id[&mutant.id.to_string()].clone()).collect()
}

/// Mutants that no later round may execute, count or compare again.
#[derive(Default)]
struct Known {
    executed: BTreeSet<MutantIdx>,
    counted: BTreeSet<MutantIdx>,
    compared: BTreeSet<MutantIdx>,
}

impl Known {
    fn check(&self, world: &World, round: &Round, context: &str) {
        let again =
            |pairs: &Mutex<Vec<(MutantIdx, TestIdx)>>, known: &BTreeSet<MutantIdx>| -> Vec<(MutantIdx, TestIdx)> {
                pairs.lock().unwrap().iter().filter(|(mutant, _)| known.contains(mutant)).copied().collect()
            };
        assert_eq!(again(&world.executed, &self.executed), [], "{context}: what is known is executed again");
        assert_eq!(again(&world.counted, &self.counted), [], "{context}: what is known is counted again");
        let again: Vec<_> = round.compared.iter().filter(|mutant| self.compared.contains(mutant)).collect();
        assert!(again.is_empty(), "{context}: what is known is compared again: {again:?}");
    }

    fn extend(&mut self, round: &Round) {
        self.executed.extend(&round.executed);
        let likely = round.reported.iter().filter(|(_, outcome)| **outcome == Outcome::LikelyEquivalent);
        self.counted.extend(likely.map(|(mutant, _)| *mutant));
        if round.result.is_ok() {
            self.compared.extend(&round.compared);
        }
    }
}

/// The outcomes of a run without faults.
fn undisturbed(seed: u64, work: &Path) -> Vec<Outcome> {
    let world = Arc::new(World::new(seed, ROUNDS_WITH_FAULTS));
    run_round(&world, work).result.unwrap();
    stored(&world, work)
}

/// Runs the rounds of one seed. Returns the faults that made a round fail, each with the step at which it happened.
fn check_seed(seed: u64, folder: &Path) -> HashSet<(Fault, Stage)> {
    let mut failed = HashSet::new();
    let mut known = Known::default();
    let work = folder.join("disturbed");
    for number in 0..=ROUNDS_WITH_FAULTS {
        let world = Arc::new(World::new(seed, number));
        let round = run_round(&world, &work);
        let fault = world.fault;
        let at = world.at;
        let stage = world.stage;
        let context = format!("seed {seed}, round {number}, {fault:?} at job {at} or {stage:?}: {:?}", round.result);
        assert_eq!(round.impossible, [], "{context}: what is reported can be true");
        let stored = stored(&world, &work);
        for (mutant, outcome) in MutantIdx::enumerate(&stored) {
            let reported = round.reported.get(&mutant).unwrap_or(&Outcome::Pending);
            // An outcome is stored exactly if it is reported, unless the round fails between the two.
            assert_eq!(reported, outcome, "{context}: what is reported of {mutant:?} is stored, and the reverse");
        }
        known.check(&world, &round, &context);
        known.extend(&round);
        match (fault, &round.result) {
            (Fault::Undisturbed | Fault::Interrupt, result) => assert!(result.is_ok(), "{context}"),
            // The fault came too late to matter, or the error reports it.
            (Fault::Death | Fault::CellLost | Fault::DiskFull, Err(PipelineError::Host(_)))
            | (Fault::StoreFull, Err(PipelineError::Store(_)))
            | (_, Ok(())) => {}
            _ => panic!("{context}: not what happened"),
        }
        if round.result.is_err() || stored.contains(&Outcome::Pending) {
            failed.insert((fault, stage));
        }
        if number == ROUNDS_WITH_FAULTS {
            let expected = undisturbed(seed, &folder.join("undisturbed"));
            for (mutant, (outcome, expected)) in MutantIdx::enumerate(stored.iter().zip(&expected)) {
                // Several tests may kill it, and with copies the first of them may differ.
                let is_same = if world.splits() { outcome.word() == expected.word() } else { outcome == expected };
                assert!(is_same, "{context}: {mutant:?} is {outcome} in the end, and {expected} if nothing fails");
            }
            assert!(!stored.contains(&Outcome::Pending), "{context}: all is decided");
        }
    }
    failed
}

#[test]
fn whatever_fails_nothing_that_was_reported_is_lost_or_wrong() {
    let seeds = std::env::var(MORE_SEEDS).ok().and_then(|text| text.parse().ok()).unwrap_or(SEEDS);
    // In memory: another test checks that commits are synced, which would take most of the time here.
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
    let next = AtomicU64::new(0);
    let failed = Mutex::new(HashSet::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| loop {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if seed >= seeds {
                    break;
                }
                let own = folder.path().join(seed.to_string());
                failed.lock().unwrap().extend(check_seed(seed, &own));
                std::fs::remove_dir_all(own).unwrap();
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    for fault in FAULTS.into_iter().filter(|fault| *fault != Fault::Undisturbed) {
        assert!(failed.iter().any(|(failed, _)| *failed == fault), "{fault:?} never makes a round fail");
    }
    for stage in STAGES {
        assert!(failed.contains(&(Fault::StoreFull, stage)), "a full disk before {stage:?} never matters");
    }
}

#[test]
fn all_kinds_of_faults_and_outcomes_are_drawn() {
    let worlds: Vec<World> = (0..200).map(|seed| World::new(seed, 0)).collect();
    let faults: HashSet<Fault> = worlds.iter().map(|world| world.fault).collect();
    assert_eq!(faults.len(), FAULTS.len());
    let words: BTreeMap<String, usize> = worlds
        .iter()
        .flat_map(|world| world.outcomes(&world.mutant_list(), MutantIdx::new(1)))
        .fold(BTreeMap::new(), |mut words, outcome| {
            *words.entry(outcome.word().to_string()).or_default() += 1;
            words
        });
    let expected = ["duplicate", "equivalent", "killed", "likely equivalent", "live", "unstable"];
    assert_eq!(words.keys().collect::<Vec<_>>(), expected);
}
