//! Step 7, discard: which of the mutants that live are likely equivalent, because no test executes other statements on
//! them, or the same ones another number of times, than on the original.
//!
//! A mutant may well do something else and leave no trace in what is executed: it is *likely* equivalent, and stays in
//! the raw score. How far a run is from the original's, and which mutants leave the same trace, says which to look at
//! first.

pub mod equivalence;

use crate::bench::TestEnding;
use crate::steps::compile::{FunctionSwitch, Switchboard};
use crate::steps::coverage::InstrumentedBench;
use crate::steps::distance::Distance;
use crate::steps::execute::{Ground, Work};
use crate::PipelineError;
use perturb_host::{parallel_map, MayBeStop, Stop};
use perturb_model::Trace;
use perturb_model::{ContentHash, Outcome, Recording};
use perturb_model::{Looked, MutantIdx, TestIdx};
use perturb_rt::{MUTANT_VARIABLE, RECORD_VARIABLE};
use std::collections::HashMap;
use std::path::Path;

/// What the user asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiscardOptions {
    pub is_on: bool,
    /// A run that is no farther from the original's does not show a difference (T_E).
    pub threshold: f64,
}

/// A mutant of which some tests show a difference is looked at with no more than so many. One of which none does is
/// with all.
const ENOUGH: usize = 8;

/// What is needed to run mutants while their statements are counted.
#[derive(Debug, Clone, Copy)]
pub struct Counting<'c> {
    pub ground: Ground<'c>,
    pub switchboard: &'c Switchboard,
    pub recordings: &'c [(TestIdx, Recording)],
    pub distance: Distance,
    pub threshold: f64,
}

/// Counts the statements of each of these mutants in the tests that infect it.
pub fn look_at(
    counting: Counting<'_>,
    benches: &mut [InstrumentedBench<'_>],
    works: &[&Work],
    stop: Stop<'_>,
    mut found: impl FnMut(MutantIdx, Looked) -> Result<(), PipelineError>,
) -> Result<(), PipelineError> {
    let originals = Originals::new(counting.recordings);
    let work = |bench: &mut InstrumentedBench<'_>, work: &Work| counting.one(bench, work, &originals, stop);
    parallel_map(benches, works, stop, work, |work, looked| match looked {
        Some(looked) => found(work.mutant, looked),
        // It was time to stop.
        None => Ok(()),
    })
}

/// Whether a mutant is looked at.
pub fn is_looked_at(outcome: &Outcome) -> bool {
    *outcome == Outcome::Live
}

/// The counts of the original, by file and test.
struct Originals<'c>(HashMap<&'c Path, HashMap<TestIdx, Vec<u64>>>);

impl<'c> Originals<'c> {
    fn new(recordings: &'c [(TestIdx, Recording)]) -> Self {
        let mut files: HashMap<&Path, HashMap<TestIdx, Vec<u64>>> = HashMap::new();
        for (test, recording) in recordings {
            for file in &recording.statements {
                let counts = file.counts.iter().map(|count| count.count).collect();
                files.entry(&file.file).or_default().insert(*test, counts);
            }
        }
        Self(files)
    }

    fn of(&self, file: &Path, test: TestIdx) -> Option<&[u64]> {
        self.0.get(file)?.get(&test).map(Vec::as_slice)
    }
}

impl Counting<'_> {
    fn one(
        &self,
        bench: &mut InstrumentedBench<'_>,
        work: &Work,
        originals: &Originals<'_>,
        stop: Stop<'_>,
    ) -> Result<Option<Looked>, PipelineError> {
        let file = self.ground.mutants[work.mutant].file.relative.as_path();
        let (mut greatest, mut bytes) = (0.0_f64, Vec::new());
        for (at, &test) in work.switched.iter().enumerate() {
            if greatest > self.threshold && at >= ENOUGH {
                break;
            }
            if stop.is_due() {
                return Ok(None);
            }
            let counts = match self.counts(bench, work.mutant, test) {
                Err(error) if error.is_stop() => return Ok(None),
                counts => counts?,
            };
            let (Some((TestEnding::Passed, counts)), Some(original)) = (counts, originals.of(file, test)) else {
                return Ok(Some(Looked::Unknown));
            };
            greatest = greatest.max(self.distance.normalised(&counts, original));
            bytes.extend((test.get() as u64).to_le_bytes());
            bytes.extend(counts.iter().flat_map(|count| count.to_le_bytes()));
        }
        // What is only run on a build of its own is not counted.
        if work.switched.is_empty() || !work.rebuilt.is_empty() && greatest <= self.threshold {
            return Ok(Some(Looked::Unknown));
        }
        if greatest <= self.threshold {
            return Ok(Some(Looked::LikelyEquivalent));
        }
        let hash = ContentHash::of(&bytes);
        let signature = u64::from_le_bytes(*hash.as_bytes().first_chunk().expect("a SHA-256 has 32 bytes"));
        Ok(Some(Looked::Different(Trace { distance: greatest, signature })))
    }

    /// How a test ends on the mutant, and how often it executes each statement of its file. None if that cannot be
    /// read.
    fn counts(
        &self,
        bench: &mut InstrumentedBench<'_>,
        mutant: MutantIdx,
        test: TestIdx,
    ) -> Result<Option<(TestEnding, Vec<u64>)>, PipelineError> {
        let (_, recorded) = self.ground.instrumented.expect("what is counted is instrumented");
        let is_on = |function: FunctionSwitch| !recorded.off.contains(&function);
        bench.put_record(test, &self.switchboard.blank(&is_on))?;
        let switch = self.switchboard.switch(mutant).expect("only what has a switch is looked at");
        let record = (RECORD_VARIABLE, bench.files.record.to_string_lossy().into_owned());
        let variables = [(MUTANT_VARIABLE, self.switchboard.value(switch)), record];
        let observed = bench.bench.run(test, &variables, self.ground.allowance_of_all(test))?;
        let bytes = bench.take_record(test)?;
        let counts = self.switchboard.layout().read(&bytes).ok().map(|record| self.switchboard.counts(switch, &record));
        Ok(counts.map(|counts| (observed.ending, counts)))
    }
}
