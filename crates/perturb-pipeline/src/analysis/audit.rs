//! The audit: in every run, the rebuild engine checks some verdicts of the faster engines. Where the two disagree, it
//! is not known what the mutant does, and it is outside the score. Other verdicts that rest on the same engine and test
//! are checked too before they are valid (`audit/recheck.rs`).

mod engines;
pub(crate) mod recheck;

pub(crate) use engines::Engines;

use super::Run;
use crate::clock::StepClock;
use crate::ledger::Ledger;
use crate::steps::compile::Switchboard;
use crate::steps::coverage::InstrumentedBench;
use crate::steps::execute::{EngineChoice, Executed, ExecutionContext, ExecutionResults, Plan, Results, Work};
use crate::steps::tce::Findings;
use crate::PipelineError;
use engines::Benches;
use perturb_host::{HostError, MayBeStop, Shadow};
use perturb_model::{AuditCount, ContentHash, Disagreement, Engine, Event, MutantIdx, Outcome, Step, Verdict};
use perturb_store::Execution;
use recheck::{recheck, RecheckResults};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

/// The inputs of the audit.
pub(crate) struct Audit<'a, 'r> {
    pub ledger: &'a mut Ledger<'r>,
    pub context: ExecutionContext<'a>,
    /// All mutants that were executed.
    pub works: &'a [Work],
    /// The findings of comparing compiled code, if there are any.
    pub findings: Option<Arc<Findings>>,
}

impl Run<'_> {
    /// Checks a seeded sample of the verdicts of the instrumented build: each mutant is built by itself and executed
    /// again.
    pub(super) fn audit(
        &mut self,
        plain: &Shadow,
        context: ExecutionContext<'_>,
        plan: &Plan,
        instrumented: Option<(&Switchboard, &mut [InstrumentedBench<'_>])>,
        done: ExecutionResults,
    ) -> Result<ExecutionResults, PipelineError> {
        let sample = self.sampled(plan, context);
        let Some((switchboard, instrumented)) = instrumented.filter(|_| !sample.is_empty() && !self.stop.is_due())
        else {
            return Ok(done);
        };
        let clock = StepClock::start(Step::Audit);
        let spent = done.cpu;
        self.ledger.report(Event::AuditStarted { mutants: sample.len() });
        let mut rebuild = self.rebuild_tools(plain, context.suite, sample.len())?;
        let context = ExecutionContext { kill_matrix: false, ..context };
        let findings = self.tce.as_ref().map(|tce| tce.findings().clone());
        let mut engines = Benches { context, switchboard, instrumented, rebuild: &mut rebuild, stop: self.stop };
        let audit = Audit { ledger: &mut self.ledger, context, works: &plan.works, findings };
        let (done, count) = audit.run(&sample, &mut engines, done)?;
        self.in_doubt = count.in_doubt;
        self.ledger.store().record_step(clock.stop(done.cpu - spent))?;
        Ok(done)
    }

    /// The sample, with the tests that gave the verdicts: a killing test first.
    fn sampled(&self, plan: &Plan, context: ExecutionContext<'_>) -> Vec<Work> {
        if self.options.engine != EngineChoice::Fastest {
            return Vec::new();
        }
        let seed = self.options.seed.to_le_bytes();
        let draw =
            |work: &&Work| ContentHash::of_parts([&seed[..], &self.mutants[work.mutant].id.bits().to_le_bytes()]);
        let is_decided =
            |work: &&Work| self.ledger.outcome(work.mutant).is_decided_by_tests() && work.rebuilt.is_empty();
        let mut works: Vec<&Work> = plan.works.iter().filter(is_decided).collect();
        works.sort_by_cached_key(draw);
        works.truncate(self.options.audit);
        let with_tests = |work: &Work| {
            let mut tests = work.switched.clone();
            if let Outcome::Killed { test, .. } = self.ledger.outcome(work.mutant) {
                // The other tests follow, because one of them may kill it in the rebuild.
                tests.sort_by_key(|&at| context.suite.tests[at].name != *test);
            }
            Work { mutant: work.mutant, switched: work.switched.clone(), rebuilt: tests }
        };
        works.into_iter().map(with_tests).collect()
    }
}

impl Audit<'_, '_> {
    /// Has the rebuild engine check the verdicts of `sample`, and records the results.
    pub(crate) fn run(
        mut self,
        sample: &[Work],
        engines: &mut dyn Engines,
        done: ExecutionResults,
    ) -> Result<(ExecutionResults, AuditCount), PipelineError> {
        let all = self.execute(engines, sample, Engine::Rebuild)?;
        let settled: HashSet<MutantIdx> = all.iter().map(|(work, _)| work.mutant).collect();
        let checked = all.len();
        let (mut done, mut disagreements) = self.judge(engines, all, done)?;
        let mut rechecked = RecheckResults::default();
        if !disagreements.is_empty() {
            (done, rechecked) = recheck(&mut self, engines, (&disagreements, &settled), done)?;
        }
        let RecheckResults { confirmed, changed, in_doubt, disagreements: others } = rechecked;
        let count = AuditCount { checked, disagreed: disagreements.len() + others.len(), confirmed, changed, in_doubt };
        disagreements.extend(others);
        self.ledger.store().record_audit(count)?;
        self.ledger.report(Event::Audited { count, disagreements });
        Ok((done, count))
    }

    fn execute(
        &mut self,
        engines: &mut dyn Engines,
        works: &[Work],
        engine: Engine,
    ) -> Result<Vec<(Work, Executed)>, PipelineError> {
        let ledger = &mut *self.ledger;
        let mut all = engines.execute(works, engine, &mut || ledger.report(Event::ExecuteAdvanced { mutants: 1 }))?;
        all.sort_by_key(|(work, _)| work.mutant);
        Ok(all)
    }

    /// Compares the outcomes of the rebuild engine with those of the instrumented build. A mutant for which they
    /// disagree is unstable.
    fn judge(
        &mut self,
        engines: &mut dyn Engines,
        all: Vec<(Work, Executed)>,
        done: ExecutionResults,
    ) -> Result<(ExecutionResults, Vec<Disagreement>), PipelineError> {
        let mut disagreements = Vec::new();
        let mut executed = Vec::new();
        for (work, rebuilt) in all {
            let fast = self.ledger.outcome(work.mutant).clone();
            let outcome = rebuilt.outcome.clone();
            if !agree(&fast, &outcome) {
                // Executes it again with the fast engine, for the log.
                let again = match engines.execute(std::slice::from_ref(&work), Engine::Switched, &mut || ()) {
                    // The contradiction is reported all the same.
                    Err(error) if error.is_stop() => Vec::new(),
                    again => again?.into_iter().flat_map(|(_, again)| again.executions).collect(),
                };
                let log = self.log_of_both(work.mutant, &again, &rebuilt.executions)?;
                disagreements.push(Disagreement { mutant: work.mutant, fast, rebuilt: outcome, log });
            }
            executed.push((work.mutant, rebuilt));
        }
        let mut results = Results::new(done, self.ledger).with_findings(self.findings.clone());
        executed.into_iter().for_each(|(mutant, executed)| results.add_undecided(mutant, executed));
        for Disagreement { mutant, fast, rebuilt, .. } in &disagreements {
            let why = format!("in the instrumented build it is {fast}; built by itself it is {rebuilt}");
            results.decide(*mutant, Outcome::Unstable { why })?;
        }
        Ok((results.finish()?, disagreements))
    }

    fn log_of_both(
        &self,
        mutant: MutantIdx,
        fast: &[Execution],
        rebuilt: &[Execution],
    ) -> Result<PathBuf, PipelineError> {
        let folder = self.ledger.logs().join("audit");
        std::fs::create_dir_all(&folder).map_err(HostError::io("create", &folder))?;
        let mut text = Vec::new();
        for (title, executions) in [("in the instrumented build", fast), ("built by itself", rebuilt)] {
            text.extend(format!("# {title}\n").into_bytes());
            for Execution { test, verdict, output, .. } in executions {
                let verdict = match verdict {
                    Verdict::Survived => "does not notice it".to_string(),
                    Verdict::Killed(how) => how.to_string(),
                };
                text.extend(format!("## {test}: {verdict}\n").into_bytes());
                text.extend(output);
                text.push(b'\n');
            }
        }
        let log = folder.join(format!("{}.txt", self.ledger.mutants()[mutant].id));
        std::fs::write(&log, text).map_err(HostError::io("write", &log))?;
        Ok(log)
    }
}

/// Whether both outcomes are kills, or both are not. The ways in which tests notice the mutant may differ.
fn agree(fast: &Outcome, rebuilt: &Outcome) -> bool {
    fast.is_killed() == rebuilt.is_killed() && rebuilt.is_decided_by_tests()
}
