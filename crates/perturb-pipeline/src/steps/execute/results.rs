//! What becomes of mutants that are executed, from the workers to the ledger, some at a time.

use super::{Executed, Found};
use crate::ledger::{Entry, Ledger};
use crate::steps::tce::Findings;
use crate::PipelineError;
use perturb_model::{Engine, Event, MutantIdx, Outcome, PairCount, TestIdx};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Writes often enough that nobody waits for a result, and seldom enough that the disk does not slow the workers.
const LONGEST_WAIT: Duration = Duration::from_millis(100);
const LARGEST_BATCH: usize = 256;

pub struct Results<'l, 'r> {
    ledger: &'l mut Ledger<'r>,
    /// What is not in the ledger yet.
    entry: Entry,
    /// Mutants that engines are done with, and nobody was told.
    executed: usize,
    flushed: Instant,
    done: Done,
    /// What compiled code says of mutants, as far as that is known.
    findings: Option<Arc<Findings>>,
}

/// What the engines have done so far.
#[derive(Debug, Default)]
pub struct Done {
    /// What one engine has found out about mutants that another one has to decide.
    pub held: HashMap<MutantIdx, Outcome>,
    /// The tests that kill a mutant, as far as they were run.
    pub kills: HashMap<MutantIdx, Vec<TestIdx>>,
    pub executions: usize,
    pub reused: usize,
    pub cpu: Duration,
    /// Pairs of a mutant and a test by the engine that executed them.
    pub pairs: BTreeMap<Engine, usize>,
    /// Why pairs were not executed by the fastest engine, and how many.
    pub held_back: BTreeMap<&'static str, usize>,
}

impl Done {
    pub fn pair_counts(&self) -> Vec<PairCount> {
        let executed = self.pairs.iter().map(|(&engine, &pairs)| PairCount { engine, why: String::new(), pairs });
        let held = self.held_back.iter();
        let held = held.map(|(why, &pairs)| PairCount { engine: Engine::Split, why: why.to_string(), pairs });
        executed.chain(held).collect()
    }
}

impl std::fmt::Debug for Results<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Results").field("entry", &self.entry).finish_non_exhaustive()
    }
}

impl<'l, 'r> Results<'l, 'r> {
    pub fn new(done: Done, ledger: &'l mut Ledger<'r>) -> Self {
        Self { ledger, entry: Entry::default(), executed: 0, flushed: Instant::now(), done, findings: None }
    }

    /// From now on, what lives and is known to be equivalent is told as that at once.
    pub fn with_findings(mut self, findings: Option<Arc<Findings>>) -> Self {
        self.findings = findings;
        self
    }

    /// Tells that an engine begins with so many mutants.
    pub(super) fn begin(&mut self, engine: Engine, mutants: usize) {
        self.ledger.report(Event::EngineStarted { engine, mutants });
    }

    /// Takes what an engine found out about one mutant.
    pub fn add(&mut self, mutant: MutantIdx, executed: Executed) -> Result<(), PipelineError> {
        let outcome = self.take(mutant, executed);
        let outcome = match self.done.held.remove(&mutant) {
            Some(killed @ Outcome::Killed { .. }) => killed,
            _ => outcome,
        };
        self.decide(mutant, outcome)
    }

    /// Takes what an engine found out about a mutant that another one has to decide: nobody is told of it yet.
    pub fn hold(&mut self, mutant: MutantIdx, executed: Executed) {
        let outcome = self.take(mutant, executed);
        self.done.held.insert(mutant, outcome);
    }

    /// Takes what was found out about a mutant that is not decided.
    pub(crate) fn keep(&mut self, mutant: MutantIdx, executed: Executed) {
        self.take(mutant, executed);
        self.executed -= 1;
    }

    /// Takes what runs for many mutants took, and why some pairs were left to another engine.
    pub(super) fn split(&mut self, found: &Found) -> Result<(), PipelineError> {
        self.done.cpu += found.cpu;
        for (why, count) in &found.held {
            *self.done.held_back.entry(why).or_default() += count;
        }
        self.flush()
    }

    fn take(&mut self, mutant: MutantIdx, executed: Executed) -> Outcome {
        if !executed.kills.is_empty() {
            self.done.kills.entry(mutant).or_default().extend(executed.kills);
        }
        self.done.executions += executed.executions.len();
        for execution in &executed.executions {
            *self.done.pairs.entry(execution.engine).or_default() += 1;
        }
        self.done.reused += executed.reused;
        self.executed += 1;
        self.done.cpu += executed.build_cpu;
        // A copy may have stood for many mutants: what those runs took is told by itself.
        let alone = executed.executions.iter().filter(|execution| execution.engine != Engine::Split);
        self.done.cpu += alone.map(|execution| execution.cpu).sum::<Duration>();
        self.entry.evidence.executions.extend(executed.executions);
        self.entry.evidence.build_failures.extend(executed.build_failure);
        executed.outcome
    }

    /// What becomes of a mutant, found out without executing it.
    pub fn decide(&mut self, mutant: MutantIdx, outcome: Outcome) -> Result<(), PipelineError> {
        let outcome = match self.findings.as_ref().and_then(|findings| findings.get(mutant)) {
            Some(found) if found.replaces(&outcome) => found.outcome(self.ledger.mutants()),
            _ => outcome,
        };
        self.entry.decided.push((mutant, outcome));
        if self.entry.decided.len() >= LARGEST_BATCH || self.flushed.elapsed() >= LONGEST_WAIT {
            self.flush()?;
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<Done, PipelineError> {
        self.flush()?;
        Ok(self.done)
    }

    fn flush(&mut self) -> Result<(), PipelineError> {
        if !self.entry.decided.is_empty() || !self.entry.evidence.executions.is_empty() {
            self.ledger.record(&mut self.entry)?;
            self.ledger.report(Event::ExecuteAdvanced { mutants: std::mem::take(&mut self.executed) });
        }
        self.flushed = Instant::now();
        Ok(())
    }
}
