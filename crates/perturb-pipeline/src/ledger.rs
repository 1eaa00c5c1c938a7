//! The ledger of a run: the one place where a verdict is decided. It is recorded in the store, then it stands, then it
//! is reported. So whatever a user was told is on the disk, and what could not be written was never said.

use perturb_model::{Event, Mutant, MutantIdx, Outcome, Skip};
use perturb_store::{Batch, RunWriter, StoreError};
use std::path::Path;

/// Verdicts, and what they rest on. The store takes all of it, or nothing.
#[derive(Debug, Default)]
pub struct Entry {
    /// In the order in which they are reported.
    pub decided: Vec<(MutantIdx, Outcome)>,
    /// Its outcomes are those of `decided`; the ledger fills them in.
    pub evidence: Batch,
}

impl Entry {
    pub fn of(decided: Vec<(MutantIdx, Outcome)>) -> Self {
        Self { decided, evidence: Batch::default() }
    }
}

pub struct Ledger<'r> {
    mutants: &'r [Mutant],
    /// By the index of the mutant: what the store holds.
    outcomes: Vec<Outcome>,
    store: RunWriter,
    events: &'r mut dyn FnMut(Event),
}

impl std::fmt::Debug for Ledger<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ledger").field("store", &self.store).finish_non_exhaustive()
    }
}

impl<'r> Ledger<'r> {
    /// Of a run that has decided nothing yet: suppressed mutants are skipped, all others are pending.
    pub fn new(mutants: &'r [Mutant], store: RunWriter, events: &'r mut dyn FnMut(Event)) -> Self {
        let undecided = |mutant: &Mutant| match mutant.suppression {
            Some(_) => Outcome::Skipped(Skip::Suppressed),
            None => Outcome::Pending,
        };
        Self { mutants, outcomes: mutants.iter().map(undecided).collect(), store, events }
    }

    /// Decides mutants. What cannot be written stays in the entry, undecided and unreported: there may be room at the
    /// next attempt.
    pub fn record(&mut self, entry: &mut Entry) -> Result<(), StoreError> {
        let with_id = |(index, outcome): &(MutantIdx, Outcome)| (self.mutants[*index].id, outcome.clone());
        entry.evidence.outcomes = entry.decided.iter().map(with_id).collect();
        self.store.record(&entry.evidence)?;
        let Entry { decided, .. } = std::mem::take(entry);
        for (index, outcome) in decided {
            self.outcomes[index] = outcome.clone();
            (self.events)(Event::MutantDecided { mutant: index, outcome });
        }
        Ok(())
    }

    pub fn mutants(&self) -> &'r [Mutant] {
        self.mutants
    }

    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    pub fn outcome(&self, mutant: MutantIdx) -> &Outcome {
        &self.outcomes[mutant]
    }

    /// For all that is recorded of a run besides its verdicts.
    pub fn store(&mut self) -> &mut RunWriter {
        &mut self.store
    }

    /// The folder for the logs of the run.
    pub fn logs(&self) -> &Path {
        self.store.logs()
    }

    /// Reports anything but a verdict, which [`Ledger::record`] does.
    pub fn report(&mut self, event: Event) {
        (self.events)(event);
    }

    /// For steps that report events, but decide nothing.
    pub fn events(&mut self) -> &mut dyn FnMut(Event) {
        self.events
    }

    /// What stands in the end, and the store, to be closed.
    pub fn close(self) -> (Vec<Outcome>, RunWriter) {
        (self.outcomes, self.store)
    }
}
