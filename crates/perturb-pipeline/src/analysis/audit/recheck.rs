//! After the audit contradicts a verdict, other verdicts that rest on the same engine and test are no longer valid
//! until the next slower engine has checked them. Those for which there is no time are in doubt.
//!
//! Usually only the contradicted mutant is to blame, because of undefined behaviour: then all others are confirmed.

use super::{Audit, Engines};
use crate::steps::execute::{Executed, ExecutionContext, ExecutionResults, Results, Work};
use crate::PipelineError;
use perturb_model::{Disagreement, Engine, Event, MutantIdx, Outcome, TestIdx};
use perturb_store::Known;
use std::collections::{HashMap, HashSet};

/// The results of checking verdicts that rest on a contradicted engine and test.
#[derive(Debug, Default)]
pub(crate) struct RecheckResults {
    pub confirmed: usize,
    /// The next slower engine disagrees, and its outcome replaces the old one.
    pub changed: usize,
    pub in_doubt: usize,
    /// Verdicts that the rebuild engine contradicts.
    pub disagreements: Vec<Disagreement>,
}

/// What verdicts rest on.
struct Evidence<'g> {
    context: ExecutionContext<'g>,
    /// All verdicts, including those of this run.
    known: Known,
    /// The slower engine that has checked the verdict of a mutant and a test.
    found: HashMap<(MutantIdx, TestIdx), Engine>,
    /// Engines and tests whose verdicts were contradicted.
    doubted: HashSet<(Engine, TestIdx)>,
}

impl Evidence<'_> {
    /// The engine whose verdict is valid for a mutant and a test.
    fn engine(&self, index: MutantIdx, test: TestIdx) -> Option<Engine> {
        let mutant = &self.context.mutants[index];
        let name = &self.context.suite.tests[test].name;
        let key = self.context.keys.of(&mutant.file, test);
        let is_from = |engine: &Engine| self.known.verdict(mutant.id, name, &key, *engine).is_some();
        let found = self.found.get(&(index, test)).copied();
        // The slower engine comes first.
        found.or_else(|| [Engine::Switched, Engine::Split].into_iter().find(is_from))
    }

    fn doubt(&mut self, found: &Disagreement) {
        for outcome in [&found.fast, &found.rebuilt] {
            let Outcome::Killed { test, .. } = outcome else { continue };
            let test = self.context.suite.tests.iter().position(|of| of.name == *test).map(TestIdx::new);
            let pair = test.and_then(|test| Some((self.engine(found.mutant, test)?, test)));
            self.doubted.extend(pair);
        }
    }

    /// The tests with which to check a verdict of this engine, if it rests on a contradicted one: all tests for a kill,
    /// the killing one first; for a live mutant, those that were contradicted.
    fn suspect(&self, work: &Work, outcome: &Outcome, engine: Engine) -> Option<Work> {
        let is_of_engine = |test: TestIdx| self.engine(work.mutant, test) == Some(engine);
        let is_doubted = |test: &TestIdx| self.doubted.contains(&(engine, *test)) && is_of_engine(*test);
        let mut tests = work.switched.clone();
        match outcome {
            Outcome::Killed { test, .. } => {
                tests.sort_by_key(|&at| self.context.suite.tests[at].name != *test);
                tests.first().filter(|test| is_doubted(test))?;
            }
            Outcome::Live => tests.retain(is_doubted),
            _ => return None,
        }
        let has_tests = !tests.is_empty();
        has_tests.then(|| Work { mutant: work.mutant, switched: tests.clone(), rebuilt: tests })
    }

    fn suspects(
        &self,
        works: &[Work],
        outcomes: &[Outcome],
        settled: &HashSet<MutantIdx>,
        engine: Engine,
    ) -> Vec<Work> {
        let works = works.iter().filter(|work| !settled.contains(&work.mutant));
        works.filter_map(|work| self.suspect(work, &outcomes[work.mutant], engine)).collect()
    }
}

/// Checks verdicts after contradictions. `settled` are the mutants that the audit has already checked.
pub(super) fn recheck(
    audit: &mut Audit<'_, '_>,
    engines: &mut dyn Engines,
    (disagreements, settled): (&[Disagreement], &HashSet<MutantIdx>),
    mut done: ExecutionResults,
) -> Result<(ExecutionResults, RecheckResults), PipelineError> {
    let context = audit.context;
    let known = audit.ledger.store().known(&context.keys.all())?;
    let mut evidence = Evidence { context, known, found: HashMap::new(), doubted: HashSet::new() };
    disagreements.iter().for_each(|found| evidence.doubt(found));
    let mut rechecked = RecheckResults::default();
    for engine in [Engine::Split, Engine::Switched] {
        let suspects = evidence.suspects(audit.works, audit.ledger.outcomes(), settled, engine);
        if suspects.is_empty() {
            continue;
        }
        let slower = if engine == Engine::Split { Engine::Switched } else { Engine::Rebuild };
        audit.ledger.report(Event::FindAgainStarted { engine: slower, mutants: suspects.len() });
        let all = audit.execute(engines, &suspects, slower)?;
        rechecked.in_doubt += suspects.len() - all.len();
        for (work, executed) in &all {
            let decisive = |test: &&TestIdx| executed.kills.is_empty() || executed.kills.contains(test);
            evidence.found.extend(work.switched.iter().filter(decisive).map(|&test| ((work.mutant, test), slower)));
        }
        done = match slower {
            Engine::Rebuild => {
                let count = all.len();
                let (done, found) = audit.judge(engines, all, done)?;
                rechecked.confirmed += count - found.len();
                rechecked.disagreements.extend(found);
                done
            }
            Engine::Split | Engine::Switched => replace(audit, all, done, &mut rechecked)?,
        };
    }
    Ok((done, rechecked))
}

/// Replaces verdicts of the split-stream engine by those of the switched engine.
fn replace(
    audit: &mut Audit<'_, '_>,
    all: Vec<(Work, Executed)>,
    done: ExecutionResults,
    rechecked: &mut RecheckResults,
) -> Result<ExecutionResults, PipelineError> {
    let before: Vec<Outcome> = all.iter().map(|(work, _)| audit.ledger.outcome(work.mutant).clone()).collect();
    let mut results = Results::new(done, audit.ledger).with_findings(audit.findings.clone());
    for ((work, executed), before) in all.into_iter().zip(before) {
        let outcome = executed.outcome.clone();
        results.add_undecided(work.mutant, executed);
        match super::agree(&before, &outcome) {
            true => rechecked.confirmed += 1,
            false => rechecked.changed += 1,
        }
        if outcome != before {
            results.decide(work.mutant, outcome)?;
        }
    }
    results.finish()
}
