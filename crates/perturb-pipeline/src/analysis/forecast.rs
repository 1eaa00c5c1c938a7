//! Forecasts how long executing will take, from what this run has measured. One mutant is built to measure a build.

use super::Run;
use crate::steps::compile::mutated_texts;
use crate::steps::execute::{estimate, ExecutionContext, Need, Pace, WarningPolicy, Work};
use crate::PipelineError;
use perturb_model::{Event, Forecast, TestIdx};
use std::time::{Duration, Instant};

/// With fewer mutants to build than this, measuring a build would cost more time than the forecast is worth.
const FEWEST_BUILDS: usize = 8;

impl Run<'_> {
    /// Reports how many mutants will be executed, and the forecast.
    pub(super) fn announce(
        &mut self,
        context: ExecutionContext<'_>,
        known: usize,
        open: &[&Work],
    ) -> Result<(), PipelineError> {
        let runs = open.iter().map(|work| work.switched.len() + work.rebuilt.len()).sum();
        let mutants = open.len();
        let forecast = self.forecast(context, open)?;
        let granted = self.stop.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        self.ledger.report(Event::ExecuteStarted { mutants, known, runs, forecast, granted });
        Ok(())
    }

    fn forecast(&mut self, context: ExecutionContext<'_>, works: &[&Work]) -> Result<Forecast, PipelineError> {
        let needs: Vec<Need> = works.iter().map(|work| Need::of(context, work)).collect();
        let mut to_build = works.iter().zip(&needs).filter(|(_, need)| !need.rebuilt.is_empty()).map(|(work, _)| *work);
        let first = to_build.next();
        let build = match first {
            // A user who sets a budget does not need the forecast.
            Some(first) if self.options.budget.is_none() && to_build.count() + 1 >= FEWEST_BUILDS => {
                Some(self.rehearse(first)?)
            }
            _ => None,
        };
        let mut tests = Vec::new();
        let mut limits = Vec::new();
        for (index, test) in TestIdx::enumerate(&context.suite.tests) {
            let cpu = context.instrumented_cpu(index);
            tests.push(test.wall.max(cpu) + context.suite.overhead);
            limits.push(context.time_limits.allowance(cpu, test.wall, context.suite.is_steady[index]).cpu);
        }
        let pace = Pace { jobs: self.options.jobs, tests: &tests, limits: &limits, build };
        Ok(estimate(&needs, pace, self.options.kill_matrix))
    }

    /// Builds one mutant in the copy of the project that the first worker will use, and returns how long that takes.
    fn rehearse(&mut self, work: &Work) -> Result<Duration, PipelineError> {
        let what = "a copy of the project for mutants of their own";
        self.ledger.report(Event::BuildStarted { what });
        let mut shadow = self.open_shadow("rebuild-0")?;
        let log = self.ledger.logs().join("rebuild-0.log");
        let start = Instant::now();
        self.build_confined(&mut shadow, "rebuild-0", &log)?;
        let wall = start.elapsed();
        self.check()?;
        let is_quiet = self.options.warnings == WarningPolicy::Ignored;
        shadow.replace(&mutated_texts(&self.mutants[work.mutant], is_quiet))?;
        let mutated = shadow.build_mutant(1, &log)?;
        self.check()?;
        self.ledger.report(Event::BuildFinished { what, wall });
        Ok(mutated.wall)
    }
}
