//! MASS step 7 within a run: live mutants are executed once more to count their statements, unless the result is
//! stored.

use super::sampling::ExecutionResources;
use super::Run;
use crate::clock::StepClock;
use crate::ledger::{Entry, Ledger};
use crate::steps::coverage::{CoverageSource, InstrumentedBench};
use crate::steps::discard::{compare_counts, is_candidate, Counting};
use crate::steps::execute::Work;
use crate::PipelineError;
use perturb_host::Stop;
use perturb_model::{ContentHash, DiscardResult, Event, MutantIdx, Outcome, Recording, Step, TestIdx};
use perturb_store::{DiscardRecord, ExecutionKey};
use std::collections::HashMap;

/// How many results are written at a time.
const BATCH: usize = 64;

impl Run<'_> {
    /// Decides which live mutants are likely equivalent.
    pub(super) fn discard(
        &mut self,
        resources: &mut ExecutionResources<'_, '_, '_>,
        recordings: &[(TestIdx, Recording)],
    ) -> Result<(), PipelineError> {
        let is_counted = self.options.coverage == CoverageSource::Own;
        let Some(switchboard) = resources.switchboard.filter(|_| self.options.discard.is_on && is_counted) else {
            return Ok(());
        };
        let clock = StepClock::start(Step::Discard);
        let cpu = perturb_host::cpu_with_children();
        let distance = self.options.distance;
        let threshold = self.options.discard.threshold;
        let counting = Counting { context: resources.context, switchboard, recordings, distance, threshold };
        discard(&mut self.ledger, counting, &resources.plan.works, resources.benches, self.stop)?;
        let spent = perturb_host::cpu_with_children().saturating_sub(cpu);
        Ok(self.ledger.store().record_step(clock.stop(spent))?)
    }
}

/// Executes live mutants once more to count their statements, except where an earlier run has done so.
pub(crate) fn discard(
    ledger: &mut Ledger<'_>,
    counting: Counting<'_>,
    works: &[Work],
    benches: &mut [InstrumentedBench<'_>],
    stop: Stop<'_>,
) -> Result<(), PipelineError> {
    let is_counted =
        |work: &&Work| is_candidate(ledger.outcome(work.mutant)) && counting.switchboard.switch(work.mutant).is_some();
    let works: Vec<&Work> = works.iter().filter(is_counted).collect();
    if works.is_empty() || stop.is_due() {
        return Ok(());
    }
    let mutants = ledger.mutants();
    let keys: HashMap<MutantIdx, ExecutionKey> = works.iter().map(|work| (work.mutant, key(counting, work))).collect();
    let asked: Vec<_> = works.iter().map(|work| (mutants[work.mutant].id, keys[&work.mutant])).collect();
    let known = ledger.store().known_discards(&asked)?;
    let record =
        |mutant: MutantIdx, result| DiscardRecord { mutant, id: mutants[mutant].id, key: keys[&mutant], result };
    let (settled, open): (Vec<&Work>, Vec<&Work>) =
        works.into_iter().partition(|work| known.contains_key(&mutants[work.mutant].id));
    let settled = settled.iter().map(|work| record(work.mutant, known[&mutants[work.mutant].id]));
    tracing::debug!(known = settled.len(), open = open.len(), "counts of earlier runs");
    record_discards(ledger, settled.collect())?;
    ledger.report(Event::DiscardStarted { mutants: open.len() });
    let mut discards = Vec::new();
    let ended = compare_counts(counting, benches, &open, stop, |mutant, result| {
        discards.push(record(mutant, result));
        ledger.report(Event::ExecuteAdvanced { mutants: 1 });
        match discards.len() {
            BATCH => record_discards(ledger, std::mem::take(&mut discards)),
            _ => Ok(()),
        }
    });
    record_discards(ledger, discards)?;
    ended?;
    let likely = ledger.outcomes().iter().filter(|outcome| **outcome == Outcome::LikelyEquivalent).count();
    ledger.report(Event::Discarded { likely });
    Ok(())
}

fn record_discards(ledger: &mut Ledger<'_>, discards: Vec<DiscardRecord>) -> Result<(), PipelineError> {
    if discards.is_empty() {
        return Ok(());
    }
    ledger.store().record_discards(&discards)?;
    let likely = discards.iter().filter(|discard| discard.result == DiscardResult::LikelyEquivalent);
    let decided = likely.map(|discard| (discard.mutant, Outcome::LikelyEquivalent)).collect();
    Ok(ledger.record(&mut Entry::of(decided))?)
}

/// The hash of everything that the result depends on: the keys of the mutant's tests, and how runs are compared.
fn key(counting: Counting<'_>, work: &Work) -> ExecutionKey {
    let context = counting.context;
    let file = &context.mutants[work.mutant].file;
    let tests = work.switched.iter().chain(&work.rebuilt).map(|test| context.keys.of(file, *test));
    let hashes: Vec<ContentHash> = tests.map(|key| key.0).collect();
    let how = format!("look {} {}", counting.distance, counting.threshold);
    let parts = hashes.iter().map(|hash| &hash.as_bytes()[..]);
    ExecutionKey(ContentHash::of_parts(std::iter::once(how.as_bytes()).chain(parts)))
}
