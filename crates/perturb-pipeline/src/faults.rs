//! Runs on a host that fails: for each of many seeds a made-up project is run again and again, while tests hang, crash
//! and run out of memory, cells are lost, disks fill up, results come late and in any order, users interrupt and
//! machines die. Whatever happens, what was told is on the disk and true, nothing that is known is executed again, and
//! in the end all verdicts are those of a run that nobody disturbed.

use crate::bench::{Bench, Host};
use crate::gate::Gate;
use crate::ledger::Ledger;
use crate::steps::compile::Switchboard;
use crate::steps::coverage::{baseline, BaselineOptions, InstrumentedBench, InstrumentedFiles, Recorded, Suite};
use crate::steps::execute::{execute_instrumented, settled, Done, Found, Ground, Keys, Patience, Results, Work};
use crate::PipelineError;
use perturb_cell::{CellError, End, Ended, Job, Stopper};
use perturb_csrc::{Operator, Scope, SourceFile, SourceRange};
use perturb_host::{ExitRule, Interrupt, PassRule, Stop, TestCase, TestSource};
use perturb_model::{Clock, ContentHash, Event, Kill, Mutant, MutantIdx, MutatedFile, Outcome, TestIdx, TestName};
use perturb_rt::MUTANT_VARIABLE;
use perturb_store::{NewRun, Store, StoreReader};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

/// How many seeds; the variable asks for more.
const SEEDS: u64 = 400;
const MORE_SEEDS: &str = "PERTURB_FAULT_SEEDS";
const WORKERS: usize = 3;
/// After so many rounds nothing fails any more.
const ROUNDS_WITH_FAULTS: u64 = 3;

/// Numbers that look random and hang on nothing but what they are made from.
fn drawn(parts: &[u64]) -> u64 {
    let mix = |state: u64, part: &u64| {
        let mut z = (state ^ part).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    parts.iter().fold(7, mix)
}

/// What happens to a whole round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Undisturbed,
    /// All ends at once, and nothing more is written.
    Death,
    Interrupt,
    CellLost,
    DiskFull,
    StoreFull,
}

/// A project and its host in one round.
#[derive(Debug)]
struct World {
    seed: u64,
    round: u64,
    mutants: u64,
    tests: u64,
    fate: Fate,
    /// The job at which that happens.
    at: u64,
    /// Since mutants are executed: the baseline is not disturbed, but for its order.
    jobs: AtomicU64,
    /// Jobs that run at this moment.
    running: AtomicU64,
    /// Pairs of a mutant and a test that ran.
    ran: Mutex<Vec<(MutantIdx, TestIdx)>>,
    interrupt: Interrupt,
}

impl World {
    fn new(seed: u64, round: u64) -> World {
        let (mutants, tests) = (3 + drawn(&[seed, 1]) % 30, 1 + drawn(&[seed, 2]) % 5);
        let fates = [Fate::Undisturbed, Fate::Death, Fate::Interrupt, Fate::CellLost, Fate::DiskFull, Fate::StoreFull];
        let fate = match round < ROUNDS_WITH_FAULTS {
            true => fates[(drawn(&[seed, round, 3]) % fates.len() as u64) as usize],
            false => Fate::Undisturbed,
        };
        let at = drawn(&[seed, round, 4]) % (mutants * 2);
        let (jobs, running) = (AtomicU64::new(0), AtomicU64::new(0));
        let (ran, interrupt) = (Mutex::default(), Interrupt::default());
        World { seed, round, mutants, tests, fate, at, jobs, running, ran, interrupt }
    }

    /// How a test ends on a mutant, always.
    fn truth(&self, mutant: MutantIdx, test: TestIdx) -> End {
        match drawn(&[self.seed, 5, mutant.get() as u64, test.get() as u64]) % 12 {
            0 => End::Exited(1),
            1 => End::Signalled(11),
            // The kernel ends what takes too much memory.
            2 => End::Signalled(9),
            3 => End::CpuTimeout,
            4 => End::WallTimeout,
            _ => End::Exited(0),
        }
    }

    /// What becomes of a mutant if nobody disturbs the run.
    fn outcome(&self, mutant: MutantIdx) -> Outcome {
        for test in TestIdx::all(self.tests as usize) {
            let how = match self.truth(mutant, test) {
                End::Exited(0) => continue,
                End::Exited(_) => Kill::Failed,
                End::Signalled(signal) => Kill::Crashed { signal },
                End::CpuTimeout => Kill::TimedOut { clock: Clock::Cpu },
                End::WallTimeout => Kill::TimedOut { clock: Clock::Wall },
            };
            return Outcome::Killed { test: name(test), how };
        }
        Outcome::Live
    }
}

fn name(test: TestIdx) -> TestName {
    TestName::from(format!("test_{}", test.get()))
}

/// One worker's host.
#[derive(Debug)]
struct FailingHost {
    world: Arc<World>,
    /// What was told to have taken too long although it would not have, so that it is not told twice.
    held_up: HashSet<(Option<MutantIdx>, TestIdx)>,
}

impl Host for FailingHost {
    fn run(&mut self, job: &Job<'_>) -> Result<Ended, CellError> {
        let beside = self.world.running.fetch_add(1, Ordering::SeqCst);
        assert!(beside == 0 || self.has_private_views(), "two tests run in the same folders");
        let ended = self.run_one(job);
        self.world.running.fetch_sub(1, Ordering::SeqCst);
        ended
    }

    fn has_private_views(&self) -> bool {
        self.world.seed.is_multiple_of(2)
    }

    fn stopper(&self) -> Result<Option<Stopper>, CellError> {
        Ok(None)
    }
}

impl FailingHost {
    fn run_one(&mut self, job: &Job<'_>) -> Result<Ended, CellError> {
        let world = &self.world;
        let test = TestIdx::new(job.arguments[0].to_string_lossy().parse().unwrap());
        let variable = job.environment.iter().find(|(name, _)| name == MUTANT_VARIABLE);
        let mutant = variable.and_then(|(_, value)| {
            // Key, function, point and code; the point is the mutant's own.
            value.as_ref()?.to_string_lossy().split(':').nth(2)?.parse().ok().map(MutantIdx::new)
        });
        let number = world.jobs.fetch_add(u64::from(mutant.is_some()), Ordering::SeqCst);
        if mutant.is_some() && number >= world.at {
            match world.fate {
                Fate::Death | Fate::CellLost => return Err(CellError::Lost { reason: "it fails".into() }),
                Fate::DiskFull => return Err(CellError::DiskFull { path: "/full".into() }),
                Fate::Interrupt => world.interrupt.raise(),
                Fate::Undisturbed | Fate::StoreFull => {}
            }
        }
        // Some take their time, so that results come in another order.
        let chance = drawn(&[world.seed, world.round, 6, number]);
        (0..chance % 4).for_each(|_| std::thread::yield_now());
        if chance.is_multiple_of(64) {
            std::thread::sleep(Duration::from_micros(chance % 300));
        }
        let mut how = mutant.map_or(End::Exited(0), |mutant| world.truth(mutant, test));
        if chance % 16 == 1 && self.held_up.insert((mutant, test)) {
            // Somebody else used the machine.
            how = End::WallTimeout;
        } else if let Some(mutant) = mutant {
            world.ran.lock().unwrap().push((mutant, test));
        }
        let (cpu, wall) = (Duration::from_millis(2), Duration::from_millis(3));
        // Something that no other run says, so that it takes room in the store.
        let output: Vec<u8> = (0..200).flat_map(|line| drawn(&[number, line]).to_le_bytes()).collect();
        Ok(Ended { how, output_bytes: output.len() as u64, output, cut: None, wall, cpu })
    }
}

fn cases(world: &World) -> Vec<TestCase> {
    let case = |test: u64| TestCase {
        name: name(TestIdx::new(test as usize)).to_string(),
        program: "/bin/test".into(),
        arguments: vec![test.to_string()],
        directory: "/".into(),
        environment: Vec::new(),
        passes: PassRule::ExitStatus(ExitRule::default()),
        timeout: None,
        exclusive: if drawn(&[world.seed, 8, test]).is_multiple_of(3) { vec!["port".into()] } else { Vec::new() },
        alone: drawn(&[world.seed, 9, test]).is_multiple_of(8),
        executable: None,
        source: TestSource::Command,
    };
    (0..world.tests).map(case).collect()
}

fn mutants(world: &World) -> Vec<Mutant> {
    let text = "int f(int x) { return x; }\n";
    let source = SourceFile::new("a.c", text.as_bytes().to_vec());
    let file = Arc::new(MutatedFile { relative: "a.c".into(), source });
    let scope = Arc::new(Scope { name: "f".into(), parameters: String::new(), is_function: true });
    let mutant = |number: u64| Mutant {
        id: format!("{:016x}", drawn(&[10, number])).parse().unwrap(),
        file: file.clone(),
        range: SourceRange::new(22, 23),
        operator: Operator::Ror,
        replacement: format!("{number}").into_bytes().into(),
        scope: scope.clone(),
        constant: None,
        suppression: None,
    };
    (0..world.mutants).map(mutant).collect()
}

/// What a round came to.
struct Round {
    told: BTreeMap<MutantIdx, Outcome>,
    result: Result<(), PipelineError>,
}

/// Opens the store and goes as far as the world allows.
fn run_round(world: &Arc<World>, work: &Path) -> Round {
    let mut told = BTreeMap::new();
    let result = try_round(world, work, &mut |event| {
        if let Event::MutantDecided { mutant, outcome } = event {
            told.insert(mutant, outcome);
        }
    });
    Round { told, result }
}

fn try_round(world: &Arc<World>, work: &Path, events: &mut dyn FnMut(Event)) -> Result<(), PipelineError> {
    let (mutants, cases, gate) = (mutants(world), cases(world), Gate::default());
    let (arguments, manifest) = (Vec::new(), serde_json::Value::Null);
    let new = NewRun { started: SystemTime::now(), root: "/project".into(), arguments, seed: world.seed, manifest };
    let mut ledger = Ledger::new(&mutants, Store::open(work)?.begin(&new)?, events);
    ledger.store().record_mutants(&mutants)?;
    let host = || FailingHost { world: world.clone(), held_up: HashSet::new() };
    let mut benches: Vec<Bench<'_>> = (0..WORKERS).map(|_| Bench::on(Box::new(host()), &cases, &gate)).collect();
    let stop = Stop { interrupt: &world.interrupt, deadline: None };
    let suite = suite(&cases, &mut benches, stop)?;
    ledger.store().record_tests(&suite.tests)?;
    if world.fate == Fate::StoreFull {
        ledger.store().fill_up()?;
    }
    let keys = Keys::new(&mutants, &suite, &[], "");
    let known = ledger.store().known(&keys.all())?;
    let board = Switchboard::made_up(mutants.len());
    let recorded = Recorded {
        off: Default::default(),
        recordings: Vec::new(),
        cpu: vec![Duration::from_millis(2); cases.len()],
        shares: HashMap::new(),
        not_instrumented: HashSet::new(),
    };
    let order: Vec<TestIdx> = TestIdx::all(cases.len()).collect();
    let patience = Patience { factor: None, least: Duration::from_millis(10), is_bounded: true };
    let ground = Ground {
        mutants: &mutants,
        suite: &suite,
        keys: &keys,
        known: &known,
        found: &Found::default(),
        test_order: &order,
        patience,
        instrumented: Some((&board, &recorded)),
        kill_matrix: false,
    };
    let work = |mutant| Work { mutant, switched: order.clone(), rebuilt: Vec::new() };
    let works: Vec<Work> = MutantIdx::all(mutants.len()).map(work).collect();
    let mut results = Results::new(Done::default(), &mut ledger);
    let mut open = Vec::new();
    for work in &works {
        match settled(ground, work)? {
            Some(executed) => results.add(work.mutant, executed)?,
            None => open.push(work),
        }
    }
    let nowhere = || Path::new("/nowhere").to_path_buf();
    let files =
        InstrumentedFiles { record: nowhere(), record_bytes: 0, sheet: nowhere(), sheet_bytes: 0, lost: nowhere() };
    let joined = benches.into_iter().map(|bench| InstrumentedBench { bench, files: files.clone() });
    let mut benches: Vec<InstrumentedBench<'_>> = joined.collect();
    let ended = execute_instrumented(ground, &board, &mut benches, &open, false, stop, &mut results);
    if world.fate == Fate::Death && ended.is_err() {
        // The dead write nothing.
        return ended;
    }
    results.finish()?;
    ended
}

fn suite(cases: &[TestCase], benches: &mut [Bench<'_>], stop: Stop<'_>) -> Result<Suite, PipelineError> {
    let options = BaselineOptions {
        timeout: Duration::from_secs(1),
        inputs: ContentHash::of(b""),
        programs: &[],
        home: Path::new("/nowhere"),
    };
    baseline(cases.to_vec(), benches, &options, stop, &mut |_| {})
}

/// What the store knows of the pairs that an undisturbed run needs.
fn stored(work: &Path) -> BTreeMap<String, Outcome> {
    let reader = StoreReader::open(work).unwrap();
    let run = reader.run(reader.latest().unwrap().unwrap()).unwrap();
    run.mutants.iter().map(|state| (state.mutant.id.to_string(), state.outcome.clone())).collect()
}

/// Answers with the fates that made a round fail.
fn check_seed(seed: u64, folder: &Path) -> HashSet<String> {
    let mut failed = HashSet::new();
    let work = folder.join(seed.to_string());
    let mut safe: BTreeSet<MutantIdx> = BTreeSet::new();
    for round in 0.. {
        assert!(round <= ROUNDS_WITH_FAULTS, "seed {seed}: it does not come to its end");
        let world = Arc::new(World::new(seed, round));
        let Round { told, result } = run_round(&world, &work);
        let context = format!("seed {seed}, round {round}, {:?} at job {}: {result:?}", world.fate, world.at);
        let (ids, stored) = (mutants(&world), stored(&work));
        for (&mutant, outcome) in &told {
            assert_eq!(*outcome, world.outcome(mutant), "{context}: what is told is true");
            assert_eq!(stored[&ids[mutant].id.to_string()], *outcome, "{context}: what is told is stored");
        }
        for (index, mutant) in MutantIdx::enumerate(&ids) {
            let outcome = &stored[&mutant.id.to_string()];
            assert!(*outcome == Outcome::Pending || *outcome == world.outcome(index), "{context}: {outcome}");
        }
        let again: Vec<_> =
            world.ran.lock().unwrap().iter().filter(|(mutant, _)| safe.contains(mutant)).copied().collect();
        assert!(again.is_empty(), "{context}: what is known is executed again: {again:?}");
        safe.extend(told.keys());
        match (world.fate, &result) {
            (Fate::Undisturbed | Fate::Interrupt, result) => assert!(result.is_ok(), "{context}"),
            // Too late to matter, or told.
            (Fate::Death | Fate::CellLost | Fate::DiskFull, Err(PipelineError::Host(_)))
            | (Fate::StoreFull, Err(PipelineError::Store(_)))
            | (_, Ok(())) => {}
            _ => panic!("{context}: not what happened"),
        }
        if result.is_err() || told.len() < ids.len() {
            failed.insert(format!("{:?}", world.fate));
        }
        if world.fate == Fate::Undisturbed {
            assert_eq!(told.len(), ids.len(), "{context}: all is decided");
            return failed;
        }
    }
    failed
}

#[test]
fn whatever_fails_nothing_that_was_told_is_lost_or_wrong() {
    let seeds = std::env::var(MORE_SEEDS).ok().and_then(|text| text.parse().ok()).unwrap_or(SEEDS);
    // In memory: that commits are synced is tested elsewhere, and would take most of the time.
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
    let (next, failed) = (AtomicU64::new(0), Mutex::new(HashSet::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| loop {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if seed >= seeds {
                    break;
                }
                failed.lock().unwrap().extend(check_seed(seed, folder.path()));
                std::fs::remove_dir_all(folder.path().join(seed.to_string())).unwrap();
            });
        }
    });
    assert_eq!(failed.into_inner().unwrap().len(), 5, "every fate but one makes rounds fail");
}

#[test]
fn all_kinds_of_fates_and_ends_are_drawn() {
    let worlds: Vec<World> = (0..200).map(|seed| World::new(seed, 0)).collect();
    let fates: HashSet<String> = worlds.iter().map(|world| format!("{:?}", world.fate)).collect();
    assert_eq!(fates.len(), 6);
    let outcome = |world: &World| match world.outcome(MutantIdx::new(0)) {
        Outcome::Killed { how, .. } => format!("{how:?}"),
        outcome => outcome.to_string(),
    };
    assert_eq!(worlds.iter().map(outcome).collect::<HashSet<_>>().len(), 6);
}
