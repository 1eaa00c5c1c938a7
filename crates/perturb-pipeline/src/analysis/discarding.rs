//! Step 7 within a run: what still lives is run once more while its statements are counted, unless that is known.

use super::sampling::Field;
use super::Run;
use crate::clock::StepClock;
use crate::ledger::Entry;
use crate::steps::compile::Switchboard;
use crate::steps::coverage::CoverageSource;
use crate::steps::discard::duplicates::{self, Results};
use crate::steps::discard::{is_looked_at, look_at, Counting};
use crate::steps::execute::{Done, Work};
use crate::PipelineError;
use perturb_model::{Alike, ContentHash, Event, Looked, MutantIdx, Outcome, Recording, Step, TestIdx};
use perturb_store::{ExecutionKey, Look};
use std::collections::HashMap;

/// So many are written at a time.
const BATCH: usize = 64;

impl Run<'_> {
    /// Says of mutants that live whether they are likely equivalent, and of the others what they leave.
    pub(super) fn discard(
        &mut self,
        field: &mut Field<'_, '_, '_>,
        recordings: &[(TestIdx, Recording)],
        done: &Done,
    ) -> Result<(), PipelineError> {
        let is_counted = self.options.coverage == CoverageSource::Own;
        let Some(switchboard) = field.switchboard.filter(|_| self.options.discard.is_on && is_counted) else {
            return Ok(());
        };
        let clock = StepClock::start(Step::Discard);
        let cpu = perturb_host::cpu_with_children();
        let distance = self.options.distance;
        let threshold = self.options.discard.threshold;
        let counting = Counting { ground: field.ground, switchboard, recordings, distance, threshold };
        self.discard_equivalent(field, counting)?;
        if let Some(limit) = self.options.discard.duplicates {
            self.discard_duplicates(field, counting, done, limit)?;
        }
        let spent = perturb_host::cpu_with_children().saturating_sub(cpu);
        Ok(self.ledger.store().record_step(clock.stop(spent))?)
    }

    fn discard_equivalent(
        &mut self,
        field: &mut Field<'_, '_, '_>,
        counting: Counting<'_>,
    ) -> Result<(), PipelineError> {
        let works = counted(field, counting.switchboard, |mutant| is_looked_at(self.ledger.outcome(mutant)));
        if works.is_empty() || self.stop.is_due() {
            return Ok(());
        }
        let keys: HashMap<MutantIdx, ExecutionKey> =
            works.iter().map(|work| (work.mutant, self.key(field, work))).collect();
        let asked: Vec<_> = works.iter().map(|work| (self.mutants[work.mutant].id, keys[&work.mutant])).collect();
        let known = self.ledger.store().known_looks(&asked)?;
        let mutants = self.mutants;
        let look = |mutant: MutantIdx, looked| Look { mutant, id: mutants[mutant].id, key: keys[&mutant], looked };
        let (settled, open): (Vec<&Work>, Vec<&Work>) =
            works.into_iter().partition(|work| known.contains_key(&mutants[work.mutant].id));
        let settled = settled.iter().map(|work| look(work.mutant, known[&mutants[work.mutant].id]));
        self.take_looks(settled.collect())?;
        self.ledger.report(Event::DiscardStarted { mutants: open.len() });
        let (stop, mut looks) = (self.stop, Vec::new());
        let ended = look_at(counting, field.benches, &open, stop, |mutant, looked| {
            looks.push(look(mutant, looked));
            self.ledger.report(Event::ExecuteAdvanced { mutants: 1 });
            match looks.len() {
                BATCH => self.take_looks(std::mem::take(&mut looks)),
                _ => Ok(()),
            }
        });
        self.take_looks(looks)?;
        ended?;
        let likely = self.ledger.outcomes().iter().filter(|outcome| **outcome == Outcome::LikelyEquivalent).count();
        self.ledger.report(Event::Discarded { likely });
        Ok(())
    }

    fn discard_duplicates(
        &mut self,
        field: &mut Field<'_, '_, '_>,
        counting: Counting<'_>,
        done: &Done,
        limit: f64,
    ) -> Result<(), PipelineError> {
        let outcomes = self.ledger.outcomes().to_vec();
        let results = Results { outcomes: &outcomes, kills: &done.kills };
        let works = counted(field, counting.switchboard, |mutant| results.is_compared(mutant));
        if works.len() < 2 || self.stop.is_due() {
            return Ok(());
        }
        self.ledger.report(Event::LikelyDuplicatesStarted { mutants: works.len() });
        let (stop, ledger) = (self.stop, &mut self.ledger);
        let advance = || ledger.report(Event::ExecuteAdvanced { mutants: 1 });
        let found = duplicates::find(counting, field.benches, &works, results, limit, stop, advance)?;
        let Some(alike) = found else { return Ok(()) };
        let mutants = self.mutants;
        let rows: Vec<_> = alike.iter().map(|Alike { place, of }| (*place, mutants[*of].id)).collect();
        self.ledger.store().record_alike(&rows)?;
        self.ledger.report(Event::LikelyDuplicates { alike });
        Ok(())
    }

    fn take_looks(&mut self, looks: Vec<Look>) -> Result<(), PipelineError> {
        if looks.is_empty() {
            return Ok(());
        }
        self.ledger.store().record_looks(&looks)?;
        let likely = looks.iter().filter(|look| look.looked == Looked::LikelyEquivalent);
        let decided = likely.map(|look| (look.mutant, Outcome::LikelyEquivalent)).collect();
        Ok(self.ledger.record(&mut Entry::of(decided))?)
    }

    /// Of all that a look depends on: the tests of the mutant with theirs, and how they are compared.
    fn key(&self, field: &Field<'_, '_, '_>, work: &Work) -> ExecutionKey {
        let file = &self.mutants[work.mutant].file;
        let tests = work.switched.iter().chain(&work.rebuilt).map(|test| field.ground.keys.of(file, *test));
        let hashes: Vec<ContentHash> = tests.map(|key| key.0).collect();
        let how = format!("look {} {}", self.options.distance, self.options.discard.threshold);
        let parts = hashes.iter().map(|hash| &hash.as_bytes()[..]);
        ExecutionKey(ContentHash::of_parts(std::iter::once(how.as_bytes()).chain(parts)))
    }
}

/// Mutants whose statements can be counted, of those that are asked for.
fn counted<'f>(
    field: &Field<'f, '_, '_>,
    switchboard: &Switchboard,
    is_asked_for: impl Fn(MutantIdx) -> bool,
) -> Vec<&'f Work> {
    let is_counted = |work: &&Work| is_asked_for(work.mutant) && switchboard.switch(work.mutant).is_some();
    field.plan.works.iter().filter(is_counted).collect()
}
