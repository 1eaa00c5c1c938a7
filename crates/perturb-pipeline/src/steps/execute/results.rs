//! Collects the results of workers and passes them to the ledger in batches.

use super::{Executed, SplitResults};
use crate::ledger::{Entry, Ledger};
use crate::steps::tce::Findings;
use crate::PipelineError;
use perturb_model::{Engine, Event, MutantIdx, Outcome, PairCount, TestIdx};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Batches are written often enough that users see results soon, and rarely enough that the disk does not slow workers.
const LONGEST_WAIT: Duration = Duration::from_millis(100);
const LARGEST_BATCH: usize = 256;

pub struct Results<'l, 'r> {
    ledger: &'l mut Ledger<'r>,
    /// Results that are not in the ledger yet.
    entry: Entry,
    /// Executed mutants that have not been reported yet.
    executed: usize,
    flushed: Instant,
    done: ExecutionResults,
    /// The findings of compiled code, if there are any.
    findings: Option<Arc<Findings>>,
}

/// The results of the engines so far.
#[derive(Debug, Default)]
pub struct ExecutionResults {
    /// Outcomes of one engine for mutants that another engine has to decide.
    pub deferred: HashMap<MutantIdx, Outcome>,
    /// The tests that kill a mutant, among those that were run.
    pub kills: HashMap<MutantIdx, Vec<TestIdx>>,
    pub executions: usize,
    pub reused: usize,
    pub cpu: Duration,
    /// How many pairs of mutant and test each engine executed.
    pub pairs: BTreeMap<Engine, usize>,
    /// Why pairs were deferred to a slower engine, and how many.
    pub deferred_pairs: BTreeMap<&'static str, usize>,
}

impl ExecutionResults {
    pub fn pair_counts(&self) -> Vec<PairCount> {
        let executed = self.pairs.iter().map(|(&engine, &pairs)| PairCount { engine, why: String::new(), pairs });
        let deferred = self.deferred_pairs.iter();
        let deferred = deferred.map(|(why, &pairs)| PairCount { engine: Engine::Split, why: why.to_string(), pairs });
        executed.chain(deferred).collect()
    }
}

impl std::fmt::Debug for Results<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Results").field("entry", &self.entry).finish_non_exhaustive()
    }
}

impl<'l, 'r> Results<'l, 'r> {
    pub fn new(done: ExecutionResults, ledger: &'l mut Ledger<'r>) -> Self {
        Self { ledger, entry: Entry::default(), executed: 0, flushed: Instant::now(), done, findings: None }
    }

    /// From now on, live mutants that are found equivalent are decided as equivalent.
    pub fn with_findings(mut self, findings: Option<Arc<Findings>>) -> Self {
        self.findings = findings;
        self
    }

    /// Reports that an engine starts with this many mutants.
    pub(super) fn begin(&mut self, engine: Engine, mutants: usize) {
        self.ledger.report(Event::EngineStarted { engine, mutants });
    }

    /// Adds the result of a mutant and decides it.
    pub fn add(&mut self, mutant: MutantIdx, executed: Executed) -> Result<(), PipelineError> {
        let outcome = self.collect(mutant, executed);
        let outcome = match self.done.deferred.remove(&mutant) {
            Some(killed @ Outcome::Killed { .. }) => killed,
            _ => outcome,
        };
        self.decide(mutant, outcome)
    }

    /// Adds the result of a mutant that another engine has to decide. Nothing is reported yet.
    pub fn defer(&mut self, mutant: MutantIdx, executed: Executed) {
        let outcome = self.collect(mutant, executed);
        self.done.deferred.insert(mutant, outcome);
    }

    /// Adds the executions of a mutant without deciding it.
    pub(crate) fn add_undecided(&mut self, mutant: MutantIdx, executed: Executed) {
        self.collect(mutant, executed);
        self.executed -= 1;
    }

    /// Adds the processor time of runs for many mutants, and the pairs that were deferred.
    pub(super) fn add_split(&mut self, found: &SplitResults) -> Result<(), PipelineError> {
        self.done.cpu += found.cpu;
        for (why, count) in &found.deferred {
            *self.done.deferred_pairs.entry(why).or_default() += count;
        }
        self.flush()
    }

    fn collect(&mut self, mutant: MutantIdx, executed: Executed) -> Outcome {
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
        // The time of copies is added with the runs that they belong to.
        let alone = executed.executions.iter().filter(|execution| execution.engine != Engine::Split);
        self.done.cpu += alone.map(|execution| execution.cpu).sum::<Duration>();
        self.entry.evidence.executions.extend(executed.executions);
        self.entry.evidence.build_failures.extend(executed.build_failure);
        executed.outcome
    }

    /// Decides a mutant.
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

    pub fn finish(mut self) -> Result<ExecutionResults, PipelineError> {
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
