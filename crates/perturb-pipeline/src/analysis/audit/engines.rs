//! The engines that execute mutants again for the audit.

use crate::steps::compile::Switchboard;
use crate::steps::coverage::InstrumentedBench;
use crate::steps::execute::{execute_alone, Executed, ExecutionContext, RebuildTool, Work};
use crate::PipelineError;
use perturb_host::{parallel_map, Stop};
use perturb_model::Engine;

/// The engines that the audit uses. Tests of perturb replace them.
pub(crate) trait Engines {
    /// Executes mutants with this engine, whatever is known about them, until it is time to stop. Calls `advanced`
    /// after each mutant.
    fn execute(
        &mut self,
        works: &[Work],
        engine: Engine,
        advanced: &mut dyn FnMut(),
    ) -> Result<Vec<(Work, Executed)>, PipelineError>;
}

/// Benches of the instrumented build, and copies of the project for the rebuild engine.
pub(super) struct Benches<'t, 'r, 'b> {
    pub context: ExecutionContext<'t>,
    pub switchboard: &'t Switchboard,
    pub instrumented: &'t mut [InstrumentedBench<'b>],
    pub rebuild: &'t mut [RebuildTool<'r>],
    pub stop: Stop<'t>,
}

impl Engines for Benches<'_, '_, '_> {
    fn execute(
        &mut self,
        works: &[Work],
        engine: Engine,
        advanced: &mut dyn FnMut(),
    ) -> Result<Vec<(Work, Executed)>, PipelineError> {
        let Self { context, switchboard, stop, .. } = *self;
        let items: Vec<&Work> = works.iter().collect();
        let mut all = Vec::new();
        let take = |work: &Work, executed: Executed| {
            advanced();
            all.push((work.clone(), executed));
            Ok(())
        };
        match engine {
            Engine::Rebuild => {
                let work = |tool: &mut RebuildTool<'_>, work: &Work| tool.execute(context, work, stop);
                parallel_map(self.rebuild, &items, stop, work, take)?;
            }
            Engine::Split | Engine::Switched => {
                let work =
                    |bench: &mut InstrumentedBench<'_>, work: &Work| execute_alone(context, switchboard, bench, work);
                parallel_map(self.instrumented, &items, stop, work, take)?;
            }
        }
        Ok(all)
    }
}
