//! The switched engine: the instrumented build, with one mutant turned on by the environment.

use super::{run_tests, Executed, ExecutionContext, Work};
use crate::bench::Bench;
use crate::steps::compile::Switchboard;
use crate::PipelineError;
use perturb_model::Engine;
use perturb_rt::MUTANT_VARIABLE;

pub(super) fn execute(
    context: ExecutionContext<'_>,
    switchboard: &Switchboard,
    bench: &mut Bench<'_>,
    work: &Work,
) -> Result<Executed, PipelineError> {
    let switch = switchboard.switch(work.mutant).expect("only what has a switch is planned for this engine");
    let variable = [(MUTANT_VARIABLE, switchboard.value(switch))];
    run_tests(context, Engine::Switched, work.mutant, &work.switched, |test| {
        bench.run(test, &variable, context.allowance(test, work.mutant))
    })
}
