//! The audit: some verdicts of the fast engines are found again by the slow one, in every run. Where the two disagree
//! nobody knows what the mutant does, and it is outside the score. Other verdicts of the same engine and test do not
//! stand either until they are found again (`audit/again.rs`).

mod again;

use super::Run;
use crate::clock::StepClock;
use crate::steps::compile::Switchboard;
use crate::steps::coverage::InstrumentedBench;
use crate::steps::execute::{execute_alone, Done, EngineChoice, Executed, Ground, Plan, RebuildTool, Work};
use crate::PipelineError;
use again::{Benches, FoundAgain};
use perturb_host::{parallel_map, HostError, MayBeStop, Shadow};
use perturb_model::{AuditCount, ContentHash, Disagreement, Event, MutantIdx, Outcome, Step, Verdict};
use perturb_store::Execution;
use std::collections::HashSet;
use std::path::PathBuf;

impl Run<'_> {
    /// Executes a seeded sample of what the instrumented build decided once more, each mutant built by itself.
    pub(super) fn audit(
        &mut self,
        plain: &Shadow,
        ground: Ground<'_>,
        plan: &Plan,
        instrumented: Option<(&Switchboard, &mut [InstrumentedBench<'_>])>,
        done: Done,
    ) -> Result<Done, PipelineError> {
        let works = self.sampled(plan, ground);
        let Some((switchboard, benches)) = instrumented.filter(|_| !works.is_empty() && !self.stop.is_due()) else {
            return Ok(done);
        };
        let clock = StepClock::start(Step::Audit);
        let spent = done.cpu;
        self.ledger.report(Event::AuditStarted { mutants: works.len() });
        let mut tools = self.rebuild_tools(plain, ground.suite, works.len())?;
        let ground = Ground { kill_matrix: false, ..ground };
        let stop = self.stop;
        let work = |tool: &mut RebuildTool<'_>, work: &Work| tool.execute(ground, work, stop);
        let (mut all, items) = (Vec::new(), works.iter().collect::<Vec<_>>());
        parallel_map(&mut tools, &items, stop, work, |work, executed| {
            self.ledger.report(Event::ExecuteAdvanced { mutants: 1 });
            all.push((work.clone(), executed));
            Ok(())
        })?;
        all.sort_by_key(|(work, _)| work.mutant);
        let settled: HashSet<MutantIdx> = all.iter().map(|(work, _)| work.mutant).collect();
        let checked = all.len();
        let (mut done, mut disagreements) = self.judge(ground, switchboard, &mut benches[0], all, done)?;
        let mut again = FoundAgain::default();
        if !disagreements.is_empty() {
            let benches = Benches { switchboard, instrumented: benches, rebuild: &mut tools };
            (done, again) = self.find_again(ground, plan, benches, (&disagreements, &settled), done)?;
        }
        let FoundAgain { confirmed, changed, in_doubt, disagreements: others } = again;
        let count = AuditCount { checked, disagreed: disagreements.len() + others.len(), confirmed, changed, in_doubt };
        disagreements.extend(others);
        self.in_doubt = in_doubt;
        self.ledger.store().record_audit(count)?;
        self.ledger.report(Event::Audited { count, disagreements });
        self.ledger.store().record_step(clock.stop(done.cpu - spent))?;
        Ok(done)
    }

    /// Compares what the rebuild engine says with what the instrumented build said. Where they disagree, the mutant is
    /// unstable.
    fn judge(
        &mut self,
        ground: Ground<'_>,
        switchboard: &Switchboard,
        bench: &mut InstrumentedBench<'_>,
        all: Vec<(Work, Executed)>,
        done: Done,
    ) -> Result<(Done, Vec<Disagreement>), PipelineError> {
        let (mut disagreements, mut executed) = (Vec::new(), Vec::new());
        for (work, rebuilt) in all {
            let fast = self.ledger.outcomes()[work.mutant].clone();
            let outcome = rebuilt.outcome.clone();
            if !agree(&fast, &outcome) {
                // Once more by the fast engine, for its side of the story.
                let again = match execute_alone(ground, switchboard, bench, &work) {
                    // The contradiction is told all the same.
                    Err(error) if error.is_stop() => Vec::new(),
                    again => again?.executions,
                };
                let log = self.log_of_both(work.mutant, &again, &rebuilt.executions)?;
                disagreements.push(Disagreement { mutant: work.mutant, fast, rebuilt: outcome, log });
            }
            executed.push((work.mutant, rebuilt));
        }
        let mut results = self.results(done);
        executed.into_iter().for_each(|(mutant, executed)| results.keep(mutant, executed));
        for Disagreement { mutant, fast, rebuilt, .. } in &disagreements {
            let why = format!("in the instrumented build it is {fast}; built by itself it is {rebuilt}");
            results.decide(*mutant, Outcome::Unstable { why })?;
        }
        Ok((results.finish()?, disagreements))
    }

    /// Which verdicts are looked at, with the tests that gave them: the one that kills first.
    fn sampled(&self, plan: &Plan, ground: Ground<'_>) -> Vec<Work> {
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
            if let Outcome::Killed { test, .. } = &self.ledger.outcomes()[work.mutant] {
                // Those that did not kill it come after: they must not either, or it is killed all the same.
                tests.sort_by_key(|&at| ground.suite.tests[at].name != *test);
            }
            Work { mutant: work.mutant, switched: work.switched.clone(), rebuilt: tests }
        };
        works.into_iter().map(with_tests).collect()
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
        let log = folder.join(format!("{}.txt", self.mutants[mutant].id));
        std::fs::write(&log, text).map_err(HostError::io("write", &log))?;
        Ok(log)
    }
}

/// Whether both say that the tests notice it, or both that they do not. In which way they notice it may differ.
fn agree(fast: &Outcome, rebuilt: &Outcome) -> bool {
    fast.is_killed() == rebuilt.is_killed() && rebuilt.is_decided_by_tests()
}
