//! The rebuild engine, as in MASS: the mutant is written into a copy of the project, which is built and tested.
//!
//! It needs only the project's own build, and its verdicts overrule those of the other engines.

use super::{run_tests, Executed, ExecutionContext, Work};
use crate::bench::{Bench, BenchOptions, TestFiles};
use crate::gate::Gate;
use crate::steps::compile::mutated_texts;
use crate::PipelineError;
use perturb_host::{Shadow, Stop, StopReason, TestCase};
use perturb_model::{Engine, Mutant, Outcome};
use perturb_store::BuildFailure;
use std::path::PathBuf;

/// How warnings about a mutant are treated if the project treats warnings as errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarningPolicy {
    /// They are ignored: a mutant that only causes a warning is a mutant.
    Ignored,
    /// They are treated as the project's flags say: the mutant does not compile.
    AsTheProject,
}

/// A copy of the project for one worker.
#[derive(Debug)]
pub struct RebuildTool<'t> {
    pub shadow: Shadow,
    /// The suite's tests in this copy.
    pub cases: Vec<TestCase>,
    pub gate: &'t Gate,
    pub options: &'t BenchOptions,
    /// The number of the bench.
    pub number: usize,
    pub log: PathBuf,
    pub warnings: WarningPolicy,
    /// The number of jobs of each build.
    pub jobs: usize,
}

impl RebuildTool<'_> {
    pub(crate) fn execute(
        &mut self,
        context: ExecutionContext<'_>,
        work: &Work,
        stop: Stop<'_>,
    ) -> Result<Executed, PipelineError> {
        if let Some(executed) = known(context, work)? {
            return Ok(executed);
        }
        let mutant = &context.mutants[work.mutant];
        self.shadow.restore_as_built()?;
        self.shadow.replace(&mutated_texts(mutant, self.warnings == WarningPolicy::Ignored))?;
        let built = self.shadow.build_mutant(self.jobs, &self.log)?;
        if stop.interrupt.is_raised() {
            return Err(PipelineError::Stopped(StopReason::Interrupted));
        }
        if built.is_over {
            let why = "building it does not come to an end; does the build run programs that it has built?".to_string();
            return Ok(Executed { build_cpu: built.cpu, ..Executed::new(Outcome::Unstable { why }) });
        }
        if !built.success {
            let key = context.keys.of_build(&mutant.file);
            let message = built.tail.into_bytes();
            let build_failure = Some(BuildFailure { mutant: mutant.id, key, message });
            return Ok(Executed { build_failure, build_cpu: built.cpu, ..Executed::new(Outcome::CompileError) });
        }
        if !built.is_faithful() {
            return Ok(Executed { build_cpu: built.cpu, ..Executed::new(unfaithful(mutant)) });
        }
        let mut bench = None;
        let executed = run_tests(context, Engine::Rebuild, work.mutant, &work.rebuilt, |test| {
            // The copy has changed, and only a new bench sees it as it is now.
            if bench.is_none() {
                let opened = Bench::open(
                    &self.shadow,
                    &self.cases,
                    self.gate,
                    self.options,
                    self.number,
                    &TestFiles::default(),
                )?;
                stop.interrupt.watch(opened.stoppers()?);
                bench = Some(opened);
            }
            let original = &context.suite.tests[test];
            let allowance = context.time_limits.allowance(original.cpu, original.wall, context.suite.is_steady[test]);
            bench.as_mut().expect("it was opened just now").run(test, &[], allowance)
        })?;
        Ok(Executed { build_cpu: built.cpu, ..executed })
    }
}

/// The result from known verdicts, if they decide: then nothing has to be built.
pub(super) fn known(context: ExecutionContext<'_>, work: &Work) -> Result<Option<Executed>, PipelineError> {
    let mutant = &context.mutants[work.mutant];
    if !work.rebuilt.is_empty() && context.known.build_failed(mutant.id, &context.keys.of_build(&mutant.file)) {
        return Ok(Some(Executed { reused: 1, ..Executed::new(Outcome::CompileError) }));
    }
    super::known(context, Engine::Rebuild, work.mutant, &work.rebuilt)
}

/// The outcome of a mutant that the build did not compile although it succeeded: a test would test another program.
fn unfaithful(mutant: &Mutant) -> Outcome {
    let file = mutant.file.relative.display();
    Outcome::Unstable { why: format!("the build does not compile {file} again when it changes") }
}
