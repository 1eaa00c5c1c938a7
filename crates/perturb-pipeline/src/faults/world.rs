//! A made-up project whose verdicts all follow from a seed, and the fault in one round of its analysis.

use crate::analysis::compare::unstable;
use crate::steps::compile::Switchboard;
use crate::steps::discard::equivalence;
use crate::steps::tce::{Finding, Same};
use perturb_cell::End;
use perturb_csrc::{Operator, Scope, SourceFile, SourceRange, Undefined, UndefinedPlace};
use perturb_host::{ExitRule, Interrupt, PassRule, TestCase, TestSource};
use perturb_model::{
    Clock, FileCounts, Judgement, Kill, Kind, Level, Mutant, MutantIdx, MutantSet, MutatedFile, Outcome, Proof, Reach,
    Recording, StatementCount, TestIdx, TestName, Tier, Witness,
};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};

/// The number of rounds with faults; later rounds run without any.
pub const ROUNDS_WITH_FAULTS: u64 = 3;
/// The statement counts of every test on the original.
pub const COUNTS: [u32; 4] = [1, 7, 7, 2];
const FILE: &str = "a.c";

/// A pseudo-random number that depends on `parts` alone.
pub fn drawn(parts: &[u64]) -> u64 {
    let mix = |state: u64, part: &u64| {
        let mut z = (state ^ part).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    parts.iter().fold(7, mix)
}

/// The fault of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    Undisturbed,
    /// The machine dies: nothing more is written.
    Death,
    Interrupt,
    CellLost,
    DiskFull,
    StoreFull,
}

pub const FAULTS: [Fault; 6] =
    [Fault::Undisturbed, Fault::Death, Fault::Interrupt, Fault::CellLost, Fault::DiskFull, Fault::StoreFull];

/// The steps that decide mutants, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    Execute,
    Audit,
    Tce,
    Discard,
    Equivalence,
}

pub const STAGES: [Stage; 5] = [Stage::Execute, Stage::Audit, Stage::Tce, Stage::Discard, Stage::Equivalence];

/// A project and its host in one round.
#[derive(Debug)]
pub struct World {
    pub seed: u64,
    pub round: u64,
    pub mutants: u64,
    pub tests: u64,
    pub fault: Fault,
    /// The number of the job at which the fault happens, if a job fails.
    pub at: u64,
    /// The step before which the fault happens, if no job fails.
    pub stage: Stage,
    /// The number of jobs so far. The baseline does not count: only the order of its results is disturbed.
    pub jobs: AtomicU64,
    /// The number of jobs that run at this moment.
    pub running: AtomicU64,
    /// Whether the audit is executing mutants a second time.
    pub is_auditing: AtomicBool,
    /// The pairs of mutant and test that were executed for a verdict.
    pub executed: Mutex<Vec<(MutantIdx, TestIdx)>>,
    /// The pairs that were executed to count statements.
    pub counted: Mutex<Vec<(MutantIdx, TestIdx)>>,
    pub interrupt: Interrupt,
    pub board: Switchboard,
}

impl World {
    pub fn new(seed: u64, round: u64) -> World {
        let mutants = 3 + drawn(&[seed, 1]) % 30;
        let tests = 1 + drawn(&[seed, 2]) % 5;
        let fault = match round < ROUNDS_WITH_FAULTS {
            true => FAULTS[(drawn(&[seed, round, 3]) % FAULTS.len() as u64) as usize],
            false => Fault::Undisturbed,
        };
        World {
            seed,
            round,
            mutants,
            tests,
            fault,
            at: drawn(&[seed, round, 4]) % (mutants * 2),
            stage: STAGES[(drawn(&[seed, round, 10]) % STAGES.len() as u64) as usize],
            jobs: AtomicU64::new(0),
            running: AtomicU64::new(0),
            is_auditing: AtomicBool::new(false),
            executed: Mutex::default(),
            counted: Mutex::default(),
            interrupt: Interrupt::default(),
            board: Switchboard::made_up(FILE, mutants as usize, COUNTS.len()),
        }
    }

    /// Whether the split-stream engine is used.
    pub fn splits(&self) -> bool {
        drawn(&[self.seed, 11]).is_multiple_of(2)
    }

    /// A number below `below` that depends on the seed, the purpose and the mutant.
    fn draw(&self, purpose: u64, mutant: MutantIdx, below: u64) -> u64 {
        drawn(&[self.seed, purpose, mutant.get() as u64]) % below
    }

    /// How a test ends on a mutant, in every round.
    pub fn truth(&self, mutant: MutantIdx, test: TestIdx) -> End {
        match drawn(&[self.seed, 5, mutant.get() as u64, test.get() as u64]) % 18 {
            0 => End::Exited(1),
            1 => End::Signalled(11),
            // The kernel kills a process that uses too much memory.
            2 => End::Signalled(9),
            3 => End::CpuTimeout,
            4 => End::WallTimeout,
            _ => End::Exited(0),
        }
    }

    /// The outcome if a test kills a mutant.
    fn kill(&self, mutant: MutantIdx, test: TestIdx) -> Option<Outcome> {
        let how = match self.truth(mutant, test) {
            End::Exited(0) => return None,
            End::Exited(_) => Kill::Failed,
            End::Signalled(signal) => Kill::Crashed { signal },
            End::CpuTimeout => Kill::TimedOut { clock: Clock::Cpu },
            End::WallTimeout => Kill::TimedOut { clock: Clock::Wall },
        };
        Some(Outcome::Killed { test: name(test), how })
    }

    /// The outcomes that executing a mutant may have. If the split-stream engine defers a test, a later test may be the
    /// first that kills.
    pub fn executed_outcomes(&self, mutant: MutantIdx) -> Vec<Outcome> {
        let mut kills: Vec<Outcome> =
            TestIdx::all(self.tests as usize).filter_map(|test| self.kill(mutant, test)).collect();
        if !self.splits() {
            kills.truncate(1);
        }
        if kills.is_empty() {
            kills.push(Outcome::Live);
        }
        kills
    }

    /// Whether the audit checks a mutant.
    pub fn is_audited(&self, mutant: MutantIdx) -> bool {
        self.draw(12, mutant, 4) == 0
    }

    /// The outcome of the rebuild engine. For some of the audited mutants it differs from that of the instrumented
    /// build.
    pub fn rebuilt_outcome(&self, mutant: MutantIdx) -> Outcome {
        match self.executed_outcomes(mutant).swap_remove(0) {
            outcome if !self.is_audited(mutant) || self.draw(13, mutant, 4) > 0 => outcome,
            Outcome::Live => Outcome::Killed { test: name(TestIdx::new(0)), how: Kill::Failed },
            _ => Outcome::Live,
        }
    }

    /// The findings of compiled code.
    pub fn findings(&self) -> BTreeMap<MutantIdx, Finding> {
        let found = |mutant: MutantIdx| {
            let level = Level::O2;
            let same = match self.draw(14, mutant, 6) {
                0 => Same::AsOriginal { level },
                1 if mutant.get() > 0 => Same::AsMutant {
                    mutant: MutantIdx::new(self.draw(15, mutant, mutant.get() as u64) as usize),
                    level,
                },
                _ => return None,
            };
            Some((mutant, Finding { same, by_unit: self.draw(16, mutant, 2) == 0 }))
        };
        MutantIdx::all(self.mutants as usize).filter_map(found).collect()
    }

    /// Whether the findings of compiled code are known before mutants are executed.
    pub fn has_early_findings(&self) -> bool {
        drawn(&[self.seed, 17]).is_multiple_of(2)
    }

    /// Which of these mutants have undefined behaviour.
    pub fn undefined(&self, mutants: impl Iterator<Item = MutantIdx>) -> BTreeMap<MutantIdx, UndefinedPlace> {
        let place = |mutant: MutantIdx| {
            let what = match self.draw(18, mutant, 3) {
                0 => Undefined::Unwritten,
                1 => Undefined::Shift,
                _ => return None,
            };
            Some((mutant, UndefinedPlace { what, line: 1, message: "simulated".into() }))
        };
        mutants.filter_map(place).collect()
    }

    /// How often a test executes each statement on a live mutant.
    pub fn counts(&self, mutant: MutantIdx, test: TestIdx) -> [u32; 4] {
        let mut counts = COUNTS;
        if self.draw(19, mutant, 2) == 0 {
            counts[mutant.get() % COUNTS.len()] += 1 + test.get() as u32;
        }
        counts
    }

    /// The judgement of comparing functions.
    pub fn judgement(&self, mutant: MutantIdx) -> Judgement {
        let proved = |bound| Judgement::Equivalent(Proof { by: Tier::Proof, bound, assumptions: Vec::new() });
        let different = |kind| {
            Judgement::Different(Witness { kind, by: Tier::Native, input: vec!["x = 1".into()], changes: Vec::new() })
        };
        match self.draw(20, mutant, 5) {
            0 => proved(None),
            1 => proved(Some("it is simulated".to_string())),
            2 => different(Kind::Output),
            3 => different(Kind::Undefined),
            _ => Judgement::Unknown { why: "it is simulated".to_string() },
        }
    }

    /// All outcomes that may be reported for a mutant during its analysis.
    pub fn outcomes(&self, mutants: &[Mutant], mutant: MutantIdx) -> Vec<Outcome> {
        let mut all = self.executed_outcomes(mutant);
        let was_killed = all[0].is_killed();
        let rebuilt = self.rebuilt_outcome(mutant);
        if self.is_audited(mutant) && rebuilt.is_killed() != was_killed {
            let unstable = |executed: &Outcome| Outcome::Unstable {
                why: format!("in the instrumented build it is {executed}; built by itself it is {rebuilt}"),
            };
            all.extend(all.iter().map(unstable).collect::<Vec<_>>());
        }
        all.extend(self.findings().get(&mutant).map(|found| found.outcome(mutants)));
        let unwritten = self.undefined([mutant].into_iter()).remove(&mutant);
        all.extend(
            unwritten.filter(|found| found.what == Undefined::Unwritten).map(|found| unstable(&found, Level::O2)),
        );
        if !was_killed {
            all.push(Outcome::LikelyEquivalent);
            all.extend(equivalence::outcome(&Outcome::LikelyEquivalent, &self.judgement(mutant)));
            all.extend(equivalence::outcome(&Outcome::Live, &self.judgement(mutant)));
        }
        all
    }

    pub fn mutant_list(&self) -> Vec<Mutant> {
        let text = "int f(int x) { return x; }\n";
        let source = SourceFile::new(FILE, text.as_bytes().to_vec());
        let file = Arc::new(MutatedFile { relative: FILE.into(), source });
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
        (0..self.mutants).map(mutant).collect()
    }

    pub fn cases(&self) -> Vec<TestCase> {
        let case = |test: u64| TestCase {
            name: name(TestIdx::new(test as usize)).to_string(),
            program: "/bin/test".into(),
            arguments: vec![test.to_string()],
            directory: "/".into(),
            environment: Vec::new(),
            passes: PassRule::ExitStatus(ExitRule::default()),
            timeout: None,
            exclusive: if drawn(&[self.seed, 8, test]).is_multiple_of(3) { vec!["port".into()] } else { Vec::new() },
            alone: drawn(&[self.seed, 9, test]).is_multiple_of(8),
            executable: None,
            source: TestSource::Command,
        };
        (0..self.tests).map(case).collect()
    }

    /// The recordings of the tests on the original.
    pub fn recordings(&self) -> Vec<(TestIdx, Recording)> {
        let all: MutantSet = MutantIdx::all(self.mutants as usize).collect();
        let statement = |count: &u32| StatementCount { line: 1, count: u64::from(*count) };
        let recording = |test: TestIdx| {
            let counts = FileCounts { file: FILE.into(), counts: COUNTS.iter().map(statement).collect() };
            let reach = Reach { test: name(test), reached: all.clone(), infected: all.clone() };
            (test, Recording { reach, statements: vec![counts] })
        };
        TestIdx::all(self.tests as usize).map(recording).collect()
    }
}

pub fn name(test: TestIdx) -> TestName {
    TestName::from(format!("test_{}", test.get()))
}
