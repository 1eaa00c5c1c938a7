//! The host of one worker: it runs the tests of a made-up project as its programs would, and fails when the world says
//! so.

use super::world::{drawn, Fault, World};
use crate::bench::Host;
use perturb_cell::{CellError, End, Ended, Job, Stopper};
use perturb_model::{MutantIdx, TestIdx};
use perturb_rt::{CopyEnd, CopyResult, Held, MUTANT_VARIABLE, RECORD_VARIABLE, SPLIT_VARIABLE};
use std::collections::HashSet;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug)]
pub struct FailingHost {
    world: Arc<World>,
    /// Runs for which the host has already reported a false time-out, so that it reports each only once.
    delayed: HashSet<(Option<MutantIdx>, TestIdx)>,
    /// The record, the sheet, and the file of lost programs.
    exchange: Vec<File>,
}

/// Why a job is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Baseline,
    /// One run of a test for many mutants.
    Split,
    Switched {
        mutant: MutantIdx,
    },
    Counting {
        mutant: MutantIdx,
    },
}

impl Purpose {
    fn of(job: &Job<'_>) -> Self {
        let value = |name: &str| {
            let variable = job.environment.iter().find(|(variable, _)| variable == name);
            variable.and_then(|(_, value)| Some(value.as_ref()?.to_string_lossy().into_owned()))
        };
        // The value has key, function, point and code; each mutant has a point of its own.
        let mutant = value(MUTANT_VARIABLE).and_then(|value| value.split(':').nth(2)?.parse().ok().map(MutantIdx::new));
        match mutant {
            Some(mutant) if value(RECORD_VARIABLE).is_some() => Self::Counting { mutant },
            Some(mutant) => Self::Switched { mutant },
            None if value(SPLIT_VARIABLE).is_some() => Self::Split,
            None => Self::Baseline,
        }
    }

    fn mutant(self) -> Option<MutantIdx> {
        match self {
            Self::Switched { mutant } | Self::Counting { mutant } => Some(mutant),
            Self::Baseline | Self::Split => None,
        }
    }
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

    fn exchange(&self) -> &[File] {
        &self.exchange
    }
}

impl FailingHost {
    pub fn new(world: &Arc<World>) -> Self {
        let exchange = (0..3).map(|_| tempfile::tempfile().unwrap()).collect();
        Self { world: world.clone(), delayed: HashSet::new(), exchange }
    }

    fn run_one(&mut self, job: &Job<'_>) -> Result<Ended, CellError> {
        let world = self.world.clone();
        let test = TestIdx::new(job.arguments[0].to_string_lossy().parse().unwrap());
        let purpose = Purpose::of(job);
        let number = world.jobs.fetch_add(u64::from(purpose != Purpose::Baseline), Ordering::SeqCst);
        if purpose != Purpose::Baseline && number >= world.at {
            match world.fault {
                Fault::Death | Fault::CellLost => return Err(CellError::Lost { reason: "it fails".into() }),
                Fault::DiskFull => return Err(CellError::DiskFull { path: "/full".into() }),
                Fault::Interrupt => world.interrupt.raise(),
                Fault::Undisturbed | Fault::StoreFull => {}
            }
        }
        // Some jobs are slower, so that results arrive in another order.
        let chance = drawn(&[world.seed, world.round, 6, number]);
        (0..chance % 4).for_each(|_| std::thread::yield_now());
        if chance.is_multiple_of(64) {
            std::thread::sleep(Duration::from_micros(chance % 300));
        }
        let mut how = purpose.mutant().map_or(End::Exited(0), |mutant| world.truth(mutant, test));
        if chance % 16 == 1 && self.delayed.insert((purpose.mutant(), test)) {
            // Another process used the machine.
            how = End::WallTimeout;
        } else {
            self.play(purpose, test, chance);
        }
        let (cpu, wall) = (Duration::from_millis(2), Duration::from_millis(3));
        // An output that no other run has, so that it takes room in the store.
        let output: Vec<u8> = (0..200).flat_map(|line| drawn(&[number, line]).to_le_bytes()).collect();
        Ok(Ended { how, output_bytes: output.len() as u64, output, cut: None, wall, cpu })
    }

    /// Changes the files of the bench as the program under test would.
    fn play(&self, purpose: Purpose, test: TestIdx, chance: u64) {
        let world = &self.world;
        match purpose {
            Purpose::Baseline => {}
            Purpose::Switched { mutant } => {
                if !world.is_auditing.load(Ordering::SeqCst) {
                    world.executed.lock().unwrap().push((mutant, test));
                }
            }
            Purpose::Counting { mutant } => {
                world.counted.lock().unwrap().push((mutant, test));
                let layout = world.board.layout();
                rewrite(&self.exchange[0], |bytes| layout.write_counts(bytes, 1, &world.counts(mutant, test)));
            }
            // Sometimes the program that the test starts cannot split.
            Purpose::Split if chance % 16 == 2 => {}
            Purpose::Split => rewrite(&self.exchange[1], |bytes| self.play_split(bytes, test)),
        }
    }

    fn play_split(&self, bytes: &mut [u8], test: TestIdx) {
        let world = &self.world;
        let layout = self.world.board.sheet();
        layout.claim(bytes);
        for (key, mutant) in layout.living(bytes) {
            let index = MutantIdx::new(mutant as usize);
            world.executed.lock().unwrap().push((index, test));
            let ended_with = |status| (CopyEnd::Ended { status }, None);
            let (end, held) = match (drawn(&[world.seed, 21, u64::from(mutant), test.get() as u64]) % 8, {
                world.truth(index, test)
            }) {
                (0, _) => (CopyEnd::NoneMade, None),
                (1, _) => deferred_by(Held::Threads),
                (_, End::Exited(code)) => ended_with(code << 8),
                (_, End::Signalled(signal)) => ended_with(signal),
                (_, End::CpuTimeout) => (CopyEnd::OutOfCpu, None),
                (_, End::WallTimeout) => deferred_by(Held::OutOfTime),
            };
            layout.write_result(bytes, (key, mutant), CopyResult { end, held, cpu: Duration::from_millis(1) });
        }
    }
}

fn deferred_by(held: Held) -> (CopyEnd, Option<Held>) {
    (CopyEnd::Ended { status: 0 }, Some(held))
}

/// Changes the content of a file, and keeps its length.
fn rewrite(file: &File, change: impl FnOnce(&mut [u8])) {
    let mut bytes = vec![0; file.metadata().unwrap().len() as usize];
    file.read_exact_at(&mut bytes, 0).unwrap();
    change(&mut bytes);
    file.write_all_at(&bytes, 0).unwrap();
}
