//! MASS step 5 within a run: mutants are drawn and executed in waves, and count in the order in which they were
//! drawn.

use super::Run;
use crate::steps::compile::Switchboard;
use crate::steps::coverage::InstrumentedBench;
use crate::steps::execute::{ExecutionContext, ExecutionResults, Plan, Work};
use crate::steps::sample::{draw, Drawn, Sequential, Stratum, SuiteChoice};
use crate::steps::tce::TceWhen;
use crate::PipelineError;
use perturb_host::Shadow;
use perturb_model::{Estimate, Event, Method, MutantIdx, Outcome, Rule, Sampled, SamplingStrategy, Share, Skip};
use std::collections::{HashMap, HashSet};

/// What the engines need to execute a wave of mutants.
pub(super) struct ExecutionResources<'f, 'b, 's> {
    pub(super) plain: &'f Shadow,
    pub(super) context: ExecutionContext<'f>,
    pub(super) plan: &'f Plan,
    pub(super) switchboard: Option<&'f Switchboard>,
    pub(super) benches: &'b mut [InstrumentedBench<'s>],
}

/// A sample that is being drawn.
struct Draws {
    strategy: SamplingStrategy,
    population: usize,
    order: Vec<MutantIdx>,
    /// How many of them were executed, or need not be.
    taken: usize,
    /// How many of them have been examined, in their order.
    examined: usize,
    counted: Vec<MutantIdx>,
    sequence: Sequential,
    /// The suite that each mutant was executed with.
    suites: HashMap<MutantIdx, SuiteChoice>,
}

impl Run<'_> {
    /// Executes the mutants of the run. If they are a sample, also returns the sample and its estimate.
    pub(super) fn execute_sample(
        &mut self,
        mut resources: ExecutionResources<'_, '_, '_>,
    ) -> Result<(ExecutionResults, Option<Sampled>), PipelineError> {
        let done = ExecutionResults::default();
        let population = population(resources.plan);
        let strategy = match &self.options.again {
            Some(_) => SamplingStrategy::All,
            None => self.options.sample.strategy(population.len()),
        };
        let is_in_order = strategy == SamplingStrategy::All && self.options.budget.is_none();
        if is_in_order && self.options.sample.rule.calibration.is_none() {
            let done = self.decide(done, resources.plan.decided.iter().cloned())?;
            let works: Vec<&Work> = resources.plan.works.iter().collect();
            return Ok((self.run_engines(&mut resources, &works, true, done)?, None));
        }
        let is_covered = |(_, outcome): &&(MutantIdx, Outcome)| *outcome == Outcome::NotInfected;
        let outside = resources.plan.decided.iter().filter(|decided| !is_covered(decided));
        let done = self.decide(done, outside.cloned())?;
        let (population, done) = self.without_found(strategy, population, done)?;
        let mut draws = self.draws(strategy, &population);
        let text = strategy.to_string();
        self.ledger.report(Event::SampleStarted {
            strategy: text,
            population: population.len(),
            drawn: draws.order.len(),
        });
        let done = self.draw(&mut resources, &mut draws, done)?;
        self.conclude(&population, draws, done)
    }

    /// Removes mutants from the population that are known to be equivalent or duplicates, and waits until that is
    /// known.
    fn without_found(
        &mut self,
        strategy: SamplingStrategy,
        mut population: Vec<MutantIdx>,
        done: ExecutionResults,
    ) -> Result<(Vec<MutantIdx>, ExecutionResults), PipelineError> {
        if strategy == SamplingStrategy::All || self.options.tce.when != TceWhen::Always || self.tce.is_none() {
            return Ok((population, done));
        }
        self.wait_for_functions()?;
        let found = self.tce.as_ref().map(|tce| tce.findings().all()).unwrap_or_default();
        let mutants = self.mutants;
        let excluded = population.extract_if(.., |mutant| found.contains_key(mutant)).collect::<Vec<_>>();
        let done = self.decide(done, excluded.into_iter().map(|mutant| (mutant, found[&mutant].outcome(mutants))))?;
        Ok((population, done))
    }

    fn decide(
        &mut self,
        done: ExecutionResults,
        decided: impl Iterator<Item = (MutantIdx, Outcome)>,
    ) -> Result<ExecutionResults, PipelineError> {
        let mut results = self.results(done);
        for (mutant, outcome) in decided {
            results.decide(mutant, outcome)?;
        }
        results.finish()
    }

    fn draws(&self, strategy: SamplingStrategy, population: &[MutantIdx]) -> Draws {
        let stratum = |mutant: &MutantIdx| {
            let mutant = &self.mutants[*mutant];
            Stratum {
                id: mutant.id,
                of: (mutant.file.relative.as_path(), mutant.scope.name.as_str(), mutant.scope.parameters.as_str()),
            }
        };
        let strata: Vec<_> = population.iter().map(stratum).collect();
        let order = draw(strategy, &strata, self.options.seed).into_iter().map(|at| population[at]).collect();
        let rule = self.options.sample.rule;
        // Only a strategy that draws one mutant after the other may stop early.
        let width = if strategy == SamplingStrategy::Fsci { rule.width } else { 0.0 };
        Draws {
            strategy,
            population: population.len(),
            order,
            taken: 0,
            examined: 0,
            counted: Vec::new(),
            sequence: Sequential::new(Rule { width, ..rule }),
            suites: HashMap::new(),
        }
    }

    fn draw(
        &mut self,
        resources: &mut ExecutionResources<'_, '_, '_>,
        draws: &mut Draws,
        mut done: ExecutionResults,
    ) -> Result<ExecutionResults, PipelineError> {
        while let Some(suite) = draws.sequence.next_suite() {
            if draws.taken == draws.order.len() || self.stop.is_due() {
                break;
            }
            let wave = draws.next_wave(suite);
            let is_first = draws.examined == 0;
            done = self.execute_wave(resources, &wave, suite, is_first, done)?;
            draws.count_outcomes(self.ledger.outcomes(), &done, resources.plan);
            let estimate = draws.sequence.estimate();
            let is_enough = draws.sequence.next_suite().is_none();
            self.ledger.report(Event::SampleAdvanced { drawn: draws.counted.len(), estimate, is_enough });
            if draws.examined < draws.taken && !is_enough {
                // It was time to stop.
                break;
            }
        }
        Ok(done)
    }

    fn execute_wave(
        &mut self,
        resources: &mut ExecutionResources<'_, '_, '_>,
        wave: &[MutantIdx],
        suite: SuiteChoice,
        is_first: bool,
        done: ExecutionResults,
    ) -> Result<ExecutionResults, PipelineError> {
        let plan = resources.plan;
        let drawn: HashSet<MutantIdx> = wave.iter().copied().collect();
        let decided = plan.decided.iter().filter(|(mutant, _)| drawn.contains(mutant));
        let done = self.decide(done, decided.cloned())?;
        let by_mutant: HashMap<MutantIdx, &Work> = plan.works.iter().map(|work| (work.mutant, work)).collect();
        let works: Vec<Work> = wave
            .iter()
            .filter_map(|mutant| by_mutant.get(mutant))
            .map(|work| match suite {
                SuiteChoice::Whole | SuiteChoice::Both => (*work).clone(),
                SuiteChoice::Reduced => work.only(&plan.reduced[&work.mutant]),
            })
            .collect();
        let context = resources.context;
        // All tests must run, because the first killing test may not be in the reduced suite.
        resources.context.kill_matrix |= suite == SuiteChoice::Both;
        let done = self.run_engines(resources, &works.iter().collect::<Vec<_>>(), is_first, done);
        resources.context = context;
        done
    }

    /// Skips the mutants that were not drawn, and returns the sample and its estimate.
    fn conclude(
        &mut self,
        population: &[MutantIdx],
        draws: Draws,
        done: ExecutionResults,
    ) -> Result<(ExecutionResults, Option<Sampled>), PipelineError> {
        let is_enough = draws.sequence.next_suite().is_none();
        let is_complete = is_enough || draws.examined == draws.order.len();
        let in_sample: HashSet<MutantIdx> = match is_enough {
            // Mutants that were executed beyond these do not count.
            true => draws.order[..draws.examined].iter().copied().collect(),
            false => draws.order.iter().copied().collect(),
        };
        let others = population.iter().filter(|mutant| !in_sample.contains(mutant));
        let skipped = others.map(|mutant| (*mutant, Outcome::Skipped(Skip::NotSampled)));
        let done = self.decide(done, skipped)?;
        let Draws { strategy, population, counted: drawn, sequence, .. } = draws;
        let rule = self.options.sample.rule;
        let estimate = sequence.estimate();
        Ok((done, Some(Sampled { strategy, population, drawn, rule, estimate, is_complete })))
    }

    /// The estimate of a run that executed every mutant.
    pub(super) fn of_all(&self) -> Sampled {
        let tally: perturb_model::Tally = self.ledger.outcomes().iter().collect();
        let (killed, live) = (tally.killed.total() as u64, tally.survivors() as u64);
        let rule = self.options.sample.rule;
        let estimate =
            Estimate { killed: Share::new(killed, killed + live), method: Method::Plain, confidence: rule.confidence };
        Sampled {
            strategy: SamplingStrategy::All,
            population: (killed + live) as usize + tally.pending,
            drawn: Vec::new(),
            rule,
            estimate,
            is_complete: tally.pending == 0,
        }
    }
}

/// The mutants of covered code, in the order of the list.
fn population(plan: &Plan) -> Vec<MutantIdx> {
    let not_infected = plan.decided.iter().filter(|(_, outcome)| *outcome == Outcome::NotInfected);
    let mut mutants: Vec<MutantIdx> =
        plan.works.iter().map(|work| work.mutant).chain(not_infected.map(|(mutant, _)| *mutant)).collect();
    mutants.sort_unstable();
    mutants
}

impl Draws {
    fn next_wave(&mut self, suite: SuiteChoice) -> Vec<MutantIdx> {
        let left = self.order.len() - self.taken;
        let length = match (self.strategy, suite) {
            (_, SuiteChoice::Both) | (SamplingStrategy::Fsci, _) => self.sequence.next_wave_size().min(left),
            (_, SuiteChoice::Whole | SuiteChoice::Reduced) => left,
        };
        let wave = self.order[self.taken..self.taken + length].to_vec();
        self.taken += length;
        self.suites.extend(wave.iter().map(|mutant| (*mutant, suite)));
        wave
    }

    /// Counts the outcomes of drawn mutants in the order of the draw, up to the first that is not decided.
    fn count_outcomes(&mut self, outcomes: &[Outcome], done: &ExecutionResults, plan: &Plan) {
        while self.examined < self.taken && self.sequence.next_suite().is_some() {
            let mutant = self.order[self.examined];
            let outcome = &outcomes[mutant];
            if *outcome == Outcome::Pending {
                return;
            }
            if !outcome.is_scored_of_covered() {
                self.examined += 1;
                continue;
            }
            let is_killed = outcome.is_killed();
            let by_reduced = || match plan.reduced.get(&mutant) {
                Some(reduced) => {
                    done.kills.get(&mutant).is_some_and(|kills| kills.iter().any(|test| reduced.contains(test)))
                }
                None => is_killed,
            };
            self.sequence.add(match self.suites[&mutant] {
                SuiteChoice::Whole => Drawn { by_whole: Some(is_killed), by_reduced: None },
                SuiteChoice::Both => Drawn { by_whole: Some(is_killed), by_reduced: Some(by_reduced()) },
                SuiteChoice::Reduced => Drawn { by_whole: None, by_reduced: Some(is_killed) },
            });
            self.counted.push(mutant);
            self.examined += 1;
        }
    }
}
