//! What becomes of mutants, from the workers to the store and then to the user: what is told is on the disk.

use super::Executed;
use crate::mutant::Mutant;
use crate::outcome::Outcome;
use crate::store::{Batch, RunWriter};
use crate::{Event, PipelineError};
use std::time::{Duration, Instant};

/// Writes often enough that nobody waits for a result, and seldom enough that the disk does not slow the workers.
const LONGEST_WAIT: Duration = Duration::from_millis(100);
const LARGEST_BATCH: usize = 256;

pub struct Results<'r> {
    mutants: &'r [Mutant],
    writer: &'r mut RunWriter,
    events: &'r mut dyn FnMut(Event),
    batch: Batch,
    waiting: Vec<(usize, Outcome)>,
    /// Mutants that were executed and not told of.
    executed: usize,
    flushed: Instant,
    /// All outcomes so far, by place.
    pub outcomes: Vec<Outcome>,
    pub executions: usize,
    pub reused: usize,
    pub cpu: Duration,
}

impl std::fmt::Debug for Results<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Results").field("batch", &self.batch).finish_non_exhaustive()
    }
}

impl<'r> Results<'r> {
    pub fn new(
        mutants: &'r [Mutant],
        outcomes: Vec<Outcome>,
        writer: &'r mut RunWriter,
        events: &'r mut dyn FnMut(Event),
    ) -> Self {
        Self {
            mutants,
            writer,
            events,
            batch: Batch::default(),
            waiting: Vec::new(),
            executed: 0,
            flushed: Instant::now(),
            outcomes,
            executions: 0,
            reused: 0,
            cpu: Duration::ZERO,
        }
    }

    pub(super) fn tell(&mut self, event: Event) {
        (self.events)(event);
    }

    /// Takes what an engine found out about one mutant. Pending is one that another engine has to decide.
    pub fn add(&mut self, place: usize, executed: Executed) -> Result<(), PipelineError> {
        self.executions += executed.executions.len();
        self.reused += executed.reused;
        self.cpu += executed.build_cpu + executed.executions.iter().map(|execution| execution.cpu).sum::<Duration>();
        self.batch.executions.extend(executed.executions);
        self.batch.build_failures.extend(executed.build_failure);
        self.executed += 1;
        match executed.outcome {
            Outcome::Pending => self.flush_in_time(),
            outcome => self.decide(place, outcome),
        }
    }

    /// What becomes of a mutant, found out without executing it.
    pub fn decide(&mut self, place: usize, outcome: Outcome) -> Result<(), PipelineError> {
        self.batch.outcomes.push((self.mutants[place].id, outcome.clone()));
        self.waiting.push((place, outcome));
        self.flush_in_time()
    }

    fn flush_in_time(&mut self) -> Result<(), PipelineError> {
        if self.waiting.len().max(self.executed) >= LARGEST_BATCH || self.flushed.elapsed() >= LONGEST_WAIT {
            self.flush()?;
        }
        Ok(())
    }

    pub fn flush(&mut self) -> Result<(), PipelineError> {
        if !self.waiting.is_empty() || self.executed > 0 {
            self.writer.record(&std::mem::take(&mut self.batch))?;
            for (place, outcome) in self.waiting.drain(..) {
                self.outcomes[place] = outcome.clone();
                (self.events)(Event::MutantDecided { place, outcome });
            }
            (self.events)(Event::ExecuteAdvanced { mutants: std::mem::take(&mut self.executed) });
        }
        self.flushed = Instant::now();
        Ok(())
    }
}
