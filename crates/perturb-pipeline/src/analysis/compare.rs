//! MASS step 4 within a run: it starts early, saves builds of mutants, and is compared with the verdicts of tests
//! at the end.

use super::Run;
use crate::clock::StepClock;
use crate::ledger::{Entry, Ledger};
use crate::steps::execute::{ExecutionResults, Work};
use crate::steps::tce::{judge, newly_undefined, Finding, Same, Tce, TceSubject, TceWhen, WeighedFindings};
use crate::PipelineError;
use perturb_csrc::{Undefined, UndefinedPlace};
use perturb_host::Shadow;
use perturb_model::{Assumption, Contradiction, Event, Level, Mutant, MutantIdx, Outcome, ProvedBy, Step, Tally};
use perturb_store::{Batch, StoreError};
use std::collections::BTreeMap;
use std::time::Duration;

impl<'r> Run<'r> {
    /// Starts to compare compiled code, unless the run ends before the results are needed.
    pub(super) fn start_comparing(&mut self, plain: &Shadow) -> Result<(), PipelineError> {
        let options = &self.options.tce;
        let mutated = self.mutated;
        let is_of_use = matches!(self.options.until, None | Some(Step::Tce));
        if options.when == TceWhen::Never || !is_of_use {
            return Ok(());
        }
        let subject = TceSubject {
            mutants: mutated.mutants.clone().into(),
            copyable: mutated.copyable.clone(),
            units: plain.commands(self.project),
            tree: plain.tree().to_path_buf(),
            home: self.options.work.join("tce"),
            jobs: self.options.jobs,
            options: options.clone(),
        };
        match Tce::start(subject, self.ledger.store().code_cache()?) {
            Ok(tce) => self.tce = Some(tce),
            failed => self.go_on_without(failed.map(drop))?,
        }
        Ok(())
    }

    /// Waits until all functions have been compared, or until it is time to stop.
    pub(super) fn wait_for_functions(&mut self) -> Result<(), PipelineError> {
        let stop = self.stop;
        let ledger = &mut self.ledger;
        let Some(tce) = &mut self.tce else { return Ok(()) };
        let report = &mut |done, total| ledger.report(Event::Comparing { units: false, done, total });
        let ended = tce.wait(&|| stop.is_due(), report);
        self.go_on_without(ended)
    }

    /// Reports an error outside of perturb, and continues with the findings so far.
    fn go_on_without(&mut self, ended: Result<(), PipelineError>) -> Result<(), PipelineError> {
        match ended {
            Err(PipelineError::Host(error)) => {
                self.ledger.report(Event::CompareFailed { reason: error.to_string() });
                Ok(())
            }
            ended => ended,
        }
    }

    /// Divides mutants that would have to be built by themselves. Equivalent ones are decided at once. Duplicates are
    /// postponed, because they need a build only if the other mutant is not decided. All others have to be built.
    pub(super) fn select_for_build<'w>(
        &mut self,
        works: Vec<&'w Work>,
        done: ExecutionResults,
    ) -> Result<(Vec<&'w Work>, Vec<&'w Work>, ExecutionResults), PipelineError> {
        if self.tce.is_none() || works.is_empty() {
            return Ok((works, Vec::new(), done));
        }
        // The findings so far; the run does not wait for more.
        let found = self.tce.as_ref().map(|tce| tce.findings().all()).unwrap_or_default();
        let mutants = self.mutants;
        let mut selected = Vec::new();
        let mut postponed = Vec::new();
        let mut results = self.results(done);
        for work in works {
            match found.get(&work.mutant) {
                Some(found) if matches!(found.same, Same::AsOriginal { .. }) => {
                    results.decide(work.mutant, found.outcome(mutants))?;
                }
                Some(_) => postponed.push(work),
                None => selected.push(work),
            }
        }
        Ok((selected, postponed, results.finish()?))
    }

    /// The postponed mutants whose duplicate has no outcome in the score.
    pub(super) fn still_open<'w>(&self, postponed: &mut Vec<&'w Work>) -> Vec<&'w Work> {
        let found = self.tce.as_ref().map(|tce| tce.findings().all()).unwrap_or_default();
        let is_open = |work: &&Work| match found.get(&work.mutant).map(|found| found.same) {
            Some(Same::AsMutant { mutant, .. }) => !self.ledger.outcome(mutant).is_scored(),
            _ => true,
        };
        std::mem::take(postponed).into_iter().filter(is_open).collect()
    }

    /// Compares functions without executing any mutant.
    pub(super) fn only_compare(&mut self) -> Result<(), PipelineError> {
        let clock = StepClock::start(Step::Tce);
        self.wait_for_functions()?;
        self.apply_findings()?;
        self.report_compared(Vec::new());
        let took = self.tce.take().map_or(Duration::ZERO, |tce| tce.cpu());
        Ok(self.ledger.store().record_step(clock.stop(took))?)
    }

    /// Waits for the comparison of functions, compares the whole units of live mutants, and decides by the findings.
    pub(super) fn finish_comparing(&mut self) -> Result<(), PipelineError> {
        if self.tce.is_none() {
            return Ok(());
        }
        let clock = StepClock::start(Step::Tce);
        self.wait_for_functions()?;
        self.apply_findings()?;
        let took = self.tce.as_ref().map_or(Duration::ZERO, Tce::cpu);
        self.ledger.store().record_step(clock.stop(took))?;
        let clock = StepClock::start(Step::TceLive);
        self.compare_survivors()?;
        let contradicted = self.apply_findings()?;
        let contradicted = self.explain(contradicted)?;
        self.report_compared(contradicted);
        self.holders = self.tce.as_ref().and_then(Tce::holders);
        let all = self.tce.take().map_or(Duration::ZERO, |tce| tce.cpu());
        Ok(self.ledger.store().record_step(clock.stop(all.saturating_sub(took)))?)
    }

    fn report_compared(&mut self, contradicted: Contradictions) {
        let outcomes = self.ledger.outcomes();
        let is_late = |outcome: &&Outcome| matches!(outcome, Outcome::Equivalent { by: ProvedBy::SameUnit { .. } });
        let by_unit = outcomes.iter().filter(is_late).count();
        let Tally { equivalent, duplicate, .. } = outcomes.iter().collect();
        self.ledger.report(Event::Compared { equivalent, by_unit, duplicate, contradicted });
    }

    /// Decides contradicted mutants where their text explains the contradiction: a mutant that reads uninitialised
    /// memory is unstable. For the others, finds out what the compiler assumed.
    fn explain(&mut self, mut contradicted: Contradictions) -> Result<Contradictions, PipelineError> {
        let found = self.tce.as_ref().map(|tce| tce.findings().all()).unwrap_or_default();
        let levels = levels_of(&self.ledger, &contradicted, &found);
        let mutants = levels.keys().copied().collect();
        let undefined = newly_undefined(self.project, self.libclang, self.mutants, &mutants);
        // Records this before anything that can fail.
        decide_unwritten(&mut self.ledger, &levels, &undefined)?;
        for (mutant, one) in &mut contradicted {
            let other = match found.get(mutant).map(|found| found.same) {
                Some(Same::AsMutant { mutant, .. }) => Some(mutant),
                _ => None,
            };
            let mut both = [Some(*mutant), other].into_iter().flatten();
            one.assumes = both.find_map(|mutant| assumed(undefined.get(&mutant)?.what));
        }
        self.assume(&mut contradicted)?;
        self.ledger.record(&mut entry_of(self.mutants, &contradicted))?;
        Ok(contradicted)
    }

    /// Finds out what the compiler assumed, where the text does not show it.
    fn assume(&mut self, contradicted: &mut Contradictions) -> Result<(), PipelineError> {
        let Some(tce) = &self.tce else { return Ok(()) };
        let found = tce.findings().all();
        let is_open = |(mutant, one): &&(MutantIdx, Contradiction)| {
            one.assumes.is_none() && !self.ledger.outcome(*mutant).is_unstable()
        };
        let open = contradicted.iter().filter(is_open);
        let open = open.filter_map(|(mutant, _)| Some((*mutant, found.get(mutant)?.same))).collect();
        let stop = self.stop;
        match tce.assumptions(&open, &|| stop.is_due()) {
            Ok(assumptions) => {
                for (mutant, one) in contradicted {
                    one.assumes = one.assumes.or_else(|| assumptions.get(mutant).copied());
                }
                Ok(())
            }
            Err(error) => self.go_on_without(Err(error)),
        }
    }

    fn compare_survivors(&mut self) -> Result<(), PipelineError> {
        let survives = |mutant: &MutantIdx| self.ledger.outcome(*mutant).survives();
        let survivors: Vec<MutantIdx> = MutantIdx::all(self.mutants.len()).filter(survives).collect();
        if survivors.is_empty() || self.stop.is_due() {
            return Ok(());
        }
        let cache = self.ledger.store().code_cache()?;
        let stop = self.stop;
        let ledger = &mut self.ledger;
        let Some(tce) = &self.tce else { return Ok(()) };
        let mut report = |done, total| ledger.report(Event::Comparing { units: true, done, total });
        let ended = tce.compare_units(&survivors, cache, &|| stop.is_due(), &mut report);
        self.go_on_without(ended)
    }

    fn apply_findings(&mut self) -> Result<Contradictions, PipelineError> {
        let found = self.tce.as_ref().map(|tce| tce.findings().all()).unwrap_or_default();
        Ok(apply(&mut self.ledger, &found)?)
    }
}

/// Mutants for which the tests refute the code.
pub(crate) type Contradictions = Vec<(MutantIdx, Contradiction)>;

/// Decides the outcomes that compiled code shows and no test refutes. Returns those that tests refute.
pub(crate) fn apply(
    ledger: &mut Ledger<'_>,
    found: &BTreeMap<MutantIdx, Finding>,
) -> Result<Contradictions, StoreError> {
    let WeighedFindings { replaced, contradicted } = judge(ledger.mutants(), ledger.outcomes(), found);
    let open = |(mutant, says)| (mutant, Contradiction { says, assumes: None });
    let contradicted: Contradictions = contradicted.into_iter().map(open).collect();
    let mut entry = Entry { decided: replaced, ..entry_of(ledger.mutants(), &contradicted) };
    ledger.record(&mut entry)?;
    Ok(contradicted)
}

/// An entry without outcomes that records what tests refute.
pub(crate) fn entry_of(mutants: &[Mutant], contradicted: &Contradictions) -> Entry {
    let with_id = |(mutant, one): &(MutantIdx, Contradiction)| (mutants[*mutant].id, one.clone());
    let contradictions = contradicted.iter().map(with_id).collect();
    Entry { evidence: Batch { contradictions, ..Batch::default() }, ..Entry::default() }
}

/// The mutants that a contradiction is about, each with the level of optimisation at which it was found. If two mutants
/// have the same code, either of them may be the cause.
pub(crate) fn levels_of(
    ledger: &Ledger<'_>,
    contradicted: &Contradictions,
    found: &BTreeMap<MutantIdx, Finding>,
) -> BTreeMap<MutantIdx, Level> {
    let mut levels = BTreeMap::new();
    for (mutant, _) in contradicted {
        let Some(same) = found.get(mutant).map(|found| found.same) else { continue };
        levels.insert(*mutant, same.level());
        match same {
            Same::AsMutant { mutant: other, level } if ledger.outcome(other).is_decided_by_tests() => {
                levels.entry(other).or_insert(level);
            }
            _ => {}
        }
    }
    levels
}

/// Makes mutants unstable that read uninitialised memory: they are different programs at different levels of
/// optimisation, so that no verdict on them is valid.
pub(crate) fn decide_unwritten(
    ledger: &mut Ledger<'_>,
    levels: &BTreeMap<MutantIdx, Level>,
    undefined: &BTreeMap<MutantIdx, UndefinedPlace>,
) -> Result<(), StoreError> {
    let mut decided = Vec::new();
    for (&mutant, found) in undefined.iter().filter(|(_, found)| found.what == Undefined::Unwritten) {
        decided.push((mutant, unstable(found, levels[&mutant])));
    }
    ledger.record(&mut Entry::of(decided))
}

/// The outcome of a mutant that reads uninitialised memory.
pub(crate) fn unstable(found: &UndefinedPlace, level: Level) -> Outcome {
    let why = format!(
        "it reads uninitialised memory ({found}): what the tests say of it changes with the level of optimisation, \
         and {level} shows another program than they do"
    );
    Outcome::Unstable { why }
}

/// The assumption of the compiler that this breaks. Uninitialised memory is not one of them.
fn assumed(what: Undefined) -> Option<Assumption> {
    match what {
        Undefined::Unwritten => None,
        Undefined::Shift => Some(Assumption::Shifts),
        Undefined::Division => Some(Assumption::Division),
        Undefined::Bounds => Some(Assumption::Bounds),
    }
}
