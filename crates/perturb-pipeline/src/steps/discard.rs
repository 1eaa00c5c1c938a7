//! MASS step 7, discard: finds the live mutants that are likely equivalent, because every test executes the same
//! statements on them as on the original, and equally often.
//!
//! A mutant may behave differently and leave no trace in the statement counts: it is only *likely* equivalent, and
//! stays in the raw score. The distance of a trace, and which mutants have the same trace, determine which mutants to
//! look at first.

pub mod equivalence;

use crate::bench::TestEnding;
use crate::steps::compile::{FunctionSwitch, Switchboard};
use crate::steps::coverage::InstrumentedBench;
use crate::steps::distance::Distance;
use crate::steps::execute::{ExecutionContext, Work};
use crate::PipelineError;
use perturb_host::{parallel_map, MayBeStop, Stop};
use perturb_model::Trace;
use perturb_model::{ContentHash, Outcome, Recording};
use perturb_model::{DiscardResult, MutantIdx, TestIdx};
use perturb_rt::{MUTANT_VARIABLE, RECORD_VARIABLE};
use std::collections::HashMap;
use std::path::Path;

/// The user's options for this step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiscardOptions {
    pub is_on: bool,
    /// The largest distance to the original's counts that does not count as a difference (T_E).
    pub threshold: f64,
}

/// How many tests are run on a mutant for which some test shows a difference. A mutant without a difference is run with
/// all tests.
const ENOUGH: usize = 8;

/// What is needed to execute mutants while their statements are counted.
#[derive(Debug, Clone, Copy)]
pub struct Counting<'c> {
    pub context: ExecutionContext<'c>,
    pub switchboard: &'c Switchboard,
    pub recordings: &'c [(TestIdx, Recording)],
    pub distance: Distance,
    pub threshold: f64,
}

/// Counts the statements of each of these mutants in the tests that infect it, and compares them with the original's.
pub fn compare_counts(
    counting: Counting<'_>,
    benches: &mut [InstrumentedBench<'_>],
    works: &[&Work],
    stop: Stop<'_>,
    mut found: impl FnMut(MutantIdx, DiscardResult) -> Result<(), PipelineError>,
) -> Result<(), PipelineError> {
    let originals = Originals::new(counting.recordings);
    let work = |bench: &mut InstrumentedBench<'_>, work: &Work| counting.compare(bench, work, &originals, stop);
    parallel_map(benches, works, stop, work, |work, result| match result {
        Some(result) => found(work.mutant, result),
        // It was time to stop.
        None => Ok(()),
    })
}

/// Whether a mutant with this outcome may be likely equivalent.
pub fn is_candidate(outcome: &Outcome) -> bool {
    *outcome == Outcome::Live
}

/// The statement counts of the original, by file and test.
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
    fn compare(
        &self,
        bench: &mut InstrumentedBench<'_>,
        work: &Work,
        originals: &Originals<'_>,
        stop: Stop<'_>,
    ) -> Result<Option<DiscardResult>, PipelineError> {
        let file = self.context.mutants[work.mutant].file.relative.as_path();
        let mut greatest = 0.0_f64;
        let mut bytes = Vec::new();
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
                return Ok(Some(DiscardResult::Unknown));
            };
            greatest = greatest.max(self.distance.normalised(&counts, original));
            bytes.extend((test.get() as u64).to_le_bytes());
            bytes.extend(counts.iter().flat_map(|count| count.to_le_bytes()));
        }
        // Tests that run only on a build of its own are not counted.
        if work.switched.is_empty() || !work.rebuilt.is_empty() && greatest <= self.threshold {
            return Ok(Some(DiscardResult::Unknown));
        }
        if greatest <= self.threshold {
            return Ok(Some(DiscardResult::LikelyEquivalent));
        }
        let hash = ContentHash::of(&bytes);
        let signature = u64::from_le_bytes(*hash.as_bytes().first_chunk().expect("a SHA-256 has 32 bytes"));
        Ok(Some(DiscardResult::Different(Trace { distance: greatest, signature })))
    }

    /// How a test ends on the mutant, and the statement counts of the mutant's file. None if the record cannot be read.
    fn counts(
        &self,
        bench: &mut InstrumentedBench<'_>,
        mutant: MutantIdx,
        test: TestIdx,
    ) -> Result<Option<(TestEnding, Vec<u64>)>, PipelineError> {
        let (_, recorded) = self.context.instrumented.expect("mutants are counted in the instrumented build");
        let is_on = |function: FunctionSwitch| !recorded.off.contains(&function);
        bench.put_record(test, &self.switchboard.blank(&is_on))?;
        let switch = self.switchboard.switch(mutant).expect("only mutants with a switch are counted");
        let record = (RECORD_VARIABLE, bench.files.record.to_string_lossy().into_owned());
        let variables = [(MUTANT_VARIABLE, self.switchboard.value(switch)), record];
        let observed = bench.bench.run(test, &variables, self.context.allowance_of_all(test))?;
        let bytes = bench.take_record(test)?;
        let counts = self.switchboard.layout().read(&bytes).ok().map(|record| self.switchboard.counts(switch, &record));
        Ok(counts.map(|counts| (observed.ending, counts)))
    }
}
