//! The ledger of a run: the one place where outcomes are decided. An outcome is recorded in the store, then set, then
//! reported. So everything that a user sees is on the disk, and nothing is reported that could not be written.

use perturb_model::{Event, Mutant, MutantIdx, Outcome, Skip};
use perturb_store::{Batch, RunWriter, StoreError};
use std::path::Path;

/// Outcomes, and the verdicts that they rest on. The store records all of it or nothing.
#[derive(Debug, Default)]
pub struct Entry {
    /// In the order in which they are reported.
    pub decided: Vec<(MutantIdx, Outcome)>,
    /// The verdicts. The ledger adds the outcomes of `decided` to it.
    pub evidence: Batch,
}

impl Entry {
    pub fn of(decided: Vec<(MutantIdx, Outcome)>) -> Self {
        Self { decided, evidence: Batch::default() }
    }
}

pub struct Ledger<'r> {
    mutants: &'r [Mutant],
    /// The outcomes in the store, by the index of the mutant.
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
    /// The ledger of a new run: suppressed mutants are skipped, all others are pending.
    pub fn new(mutants: &'r [Mutant], store: RunWriter, events: &'r mut dyn FnMut(Event)) -> Self {
        let undecided = |mutant: &Mutant| match mutant.suppression {
            Some(_) => Outcome::Skipped(Skip::Suppressed),
            None => Outcome::Pending,
        };
        Self { mutants, outcomes: mutants.iter().map(undecided).collect(), store, events }
    }

    /// Decides mutants. If the store cannot write the entry, it stays as it is, undecided and unreported: the next
    /// attempt may succeed.
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

    /// The store, for everything else that a run records.
    pub fn store(&mut self) -> &mut RunWriter {
        &mut self.store
    }

    /// The folder for the logs of the run.
    pub fn logs(&self) -> &Path {
        self.store.logs()
    }

    /// Reports any event but an outcome, which [`Ledger::record`] reports.
    pub fn report(&mut self, event: Event) {
        (self.events)(event);
    }

    /// The receiver of events, for steps that report progress and decide nothing.
    pub fn events(&mut self) -> &mut dyn FnMut(Event) {
        self.events
    }

    /// Ends the ledger: returns the outcomes, and the store to be closed.
    pub fn close(self) -> (Vec<Outcome>, RunWriter) {
        (self.outcomes, self.store)
    }
}
