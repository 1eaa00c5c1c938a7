//! Step 4 within a run: started early, used where it saves a build, and weighed against the tests at the end.

use super::Run;
use crate::clock::StepClock;
use crate::ledger::Entry;
use crate::steps::execute::{Done, Work};
use crate::steps::tce::{judge, newly_undefined, Judged, Same, Tce, TceSubject, TceWhen};
use crate::PipelineError;
use perturb_csrc::Undefined;
use perturb_host::Shadow;
use perturb_model::{Assumption, Contradiction, Event, MutantIdx, Outcome, Proof, Step, Tally};
use perturb_store::Batch;
use std::collections::BTreeMap;
use std::time::Duration;

impl<'r> Run<'r> {
    /// Starts to compare compiled code, unless the run ends before it is of use.
    pub(super) fn start_comparing(&mut self, plain: &Shadow) -> Result<(), PipelineError> {
        let (options, mutated) = (&self.options.tce, self.mutated);
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
        let (stop, ledger) = (self.stop, &mut self.ledger);
        let Some(tce) = &mut self.tce else { return Ok(()) };
        let report = &mut |done, total| ledger.report(Event::Comparing { units: false, done, total });
        let ended = tce.wait(&|| stop.is_due(), report);
        self.go_on_without(ended)
    }

    /// What went wrong outside while code was compared is told, and the run goes on with what is known.
    fn go_on_without(&mut self, ended: Result<(), PipelineError>) -> Result<(), PipelineError> {
        match ended {
            Err(PipelineError::Host(error)) => {
                self.ledger.report(Event::CompareFailed { reason: error.to_string() });
                Ok(())
            }
            ended => ended,
        }
    }

    /// Of mutants that would have to be built by themselves: those that are worth it; and those that are the same as
    /// another one, which are only if nothing is learnt of that. What is equivalent is neither.
    pub(super) fn worth_building<'w>(
        &mut self,
        works: Vec<&'w Work>,
        done: Done,
    ) -> Result<(Vec<&'w Work>, Vec<&'w Work>, Done), PipelineError> {
        if self.tce.is_none() || works.is_empty() {
            return Ok((works, Vec::new(), done));
        }
        // What is known by now: nobody waits for more.
        let found = self.tce.as_ref().map(|tce| tce.findings().all()).unwrap_or_default();
        let mutants = self.mutants;
        let (mut worth, mut postponed) = (Vec::new(), Vec::new());
        let mut results = self.results(done);
        for work in works {
            match found.get(&work.mutant) {
                Some(found) if matches!(found.same, Same::AsOriginal { .. }) => {
                    results.decide(work.mutant, found.outcome(mutants))?;
                }
                Some(_) => postponed.push(work),
                None => worth.push(work),
            }
        }
        Ok((worth, postponed, results.finish()?))
    }

    /// Those that were postponed for another one which has come to nothing.
    pub(super) fn still_open<'w>(&self, postponed: &mut Vec<&'w Work>) -> Vec<&'w Work> {
        let found = self.tce.as_ref().map(|tce| tce.findings().all()).unwrap_or_default();
        let is_open = |work: &&Work| match found.get(&work.mutant).map(|found| found.same) {
            Some(Same::AsMutant { mutant, .. }) => !self.ledger.outcome(mutant).is_scored(),
            _ => true,
        };
        std::mem::take(postponed).into_iter().filter(is_open).collect()
    }

    /// Compares functions and nothing more: no mutant is executed.
    pub(super) fn only_compare(&mut self) -> Result<(), PipelineError> {
        let clock = StepClock::start(Step::Tce);
        self.wait_for_functions()?;
        self.apply_findings()?;
        self.report_compared(Vec::new());
        let took = self.tce.take().map_or(Duration::ZERO, |tce| tce.cpu());
        Ok(self.ledger.store().record_step(clock.stop(took))?)
    }

    /// Waits for what is still compared, looks at the whole units of what lives, and says what becomes of the mutants.
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
        let mut contradicted = self.apply_findings()?;
        self.explain(&mut contradicted)?;
        self.report_compared(contradicted);
        self.holders = self.tce.as_ref().and_then(Tce::holders);
        let all = self.tce.take().map_or(Duration::ZERO, |tce| tce.cpu());
        Ok(self.ledger.store().record_step(clock.stop(all.saturating_sub(took)))?)
    }

    fn report_compared(&mut self, contradicted: Vec<(MutantIdx, Contradiction)>) {
        let outcomes = self.ledger.outcomes();
        let is_late = |outcome: &&Outcome| matches!(outcome, Outcome::Equivalent { by: Proof::SameUnit { .. } });
        let by_unit = outcomes.iter().filter(is_late).count();
        let Tally { equivalent, duplicate, .. } = outcomes.iter().collect();
        self.ledger.report(Event::Compared { equivalent, by_unit, duplicate, contradicted });
    }

    /// What reads memory that nobody wrote is one mutant at one level and another at the next: no verdict on it holds.
    /// Of the others it is told what the compiler took for granted.
    fn explain(&mut self, contradicted: &mut [(MutantIdx, Contradiction)]) -> Result<(), PipelineError> {
        let found = self.tce.as_ref().map(|tce| tce.findings().all()).unwrap_or_default();
        let mut levels = BTreeMap::new();
        for (mutant, _) in &*contradicted {
            let Some(same) = found.get(mutant).map(|found| found.same) else { continue };
            levels.insert(*mutant, same.level());
            // Of two that are the same, either may be the one.
            match same {
                Same::AsMutant { mutant: other, level } if self.ledger.outcome(other).is_decided_by_tests() => {
                    levels.entry(other).or_insert(level);
                }
                _ => {}
            }
        }
        let mutants = levels.keys().copied().collect();
        let undefined = newly_undefined(self.project, self.libclang, self.mutants, &mutants);
        let mut decided = Vec::new();
        for (&mutant, found) in undefined.iter().filter(|(_, found)| found.what == Undefined::Unwritten) {
            let why = format!(
                "it reads memory that nobody wrote ({found}): what the tests say of it changes with the level of \
                 optimisation, and {} shows another program than they do",
                levels[&mutant]
            );
            decided.push((mutant, Outcome::Unstable { why }));
        }
        // Before anything that can fail.
        self.ledger.record(&mut Entry::of(decided))?;
        for (mutant, one) in &mut *contradicted {
            let other = match found.get(mutant).map(|found| found.same) {
                Some(Same::AsMutant { mutant, .. }) => Some(mutant),
                _ => None,
            };
            let mut both = [Some(*mutant), other].into_iter().flatten();
            one.assumes = both.find_map(|mutant| assumed(undefined.get(&mutant)?.what));
        }
        self.assume(contradicted)?;
        Ok(self.ledger.record(&mut self.contradictions(contradicted))?)
    }

    /// Finds out what the compiler takes for granted, where the text does not tell.
    fn assume(&mut self, contradicted: &mut [(MutantIdx, Contradiction)]) -> Result<(), PipelineError> {
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

    /// An entry that decides nothing, but says what the tests refute.
    fn contradictions(&self, contradicted: &[(MutantIdx, Contradiction)]) -> Entry {
        let with_id = |(mutant, one): &(MutantIdx, Contradiction)| (self.mutants[*mutant].id, one.clone());
        let contradictions = contradicted.iter().map(with_id).collect();
        Entry { evidence: Batch { contradictions, ..Batch::default() }, ..Entry::default() }
    }

    fn compare_survivors(&mut self) -> Result<(), PipelineError> {
        let survives = |mutant: &MutantIdx| self.ledger.outcome(*mutant).survives();
        let survivors: Vec<MutantIdx> = MutantIdx::all(self.mutants.len()).filter(survives).collect();
        if survivors.is_empty() || self.stop.is_due() {
            return Ok(());
        }
        let cache = self.ledger.store().code_cache()?;
        let (stop, ledger) = (self.stop, &mut self.ledger);
        let Some(tce) = &self.tce else { return Ok(()) };
        let mut report = |done, total| ledger.report(Event::Comparing { units: true, done, total });
        let ended = tce.compare_units(&survivors, cache, &|| stop.is_due(), &mut report);
        self.go_on_without(ended)
    }

    /// What code says, as far as the tests agree; answers with what they refute.
    fn apply_findings(&mut self) -> Result<Vec<(MutantIdx, Contradiction)>, PipelineError> {
        let found = self.tce.as_ref().map(|tce| tce.findings().all()).unwrap_or_default();
        let Judged { replaced, contradicted } = judge(self.mutants, self.ledger.outcomes(), &found);
        let open = |(mutant, says)| (mutant, Contradiction { says, assumes: None });
        let contradicted: Vec<_> = contradicted.into_iter().map(open).collect();
        let mut entry = Entry { decided: replaced, ..self.contradictions(&contradicted) };
        self.ledger.record(&mut entry)?;
        Ok(contradicted)
    }
}

/// What a compiler takes for granted not to happen; of what it may hold that nobody wrote there is no such word.
fn assumed(what: Undefined) -> Option<Assumption> {
    match what {
        Undefined::Unwritten => None,
        Undefined::Shift => Some(Assumption::Shifts),
        Undefined::Division => Some(Assumption::Division),
        Undefined::Bounds => Some(Assumption::Bounds),
    }
}
