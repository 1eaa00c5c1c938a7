//! Tests for mutants that live: inputs that the project's own tests use are tried first, and what was found for a
//! function is kept in the store, so that whoever is interrupted, or asks once more, goes on from there.

mod seeds;

use super::TrialOptions;
use crate::PipelineError;
use perturb_equiv::compare::{own_folder, subjects};
use perturb_equiv::testgen::{Generated, Generator, Progress, TestgenOptions};
use perturb_equiv::MutatedProject;
use perturb_host::{check_layers, MayBeStop, Stop};
use perturb_model::MutantIdx;
use perturb_store::{ExecutionKey, GenerationWriter};
use seeds::add_seeds;
use std::path::Path;

/// Where inputs come from besides searching.
#[derive(Debug)]
pub struct InputSources<'s> {
    /// How the project's tests are run, to see with what they call functions; they are not if it is none.
    pub tests: Option<TrialOptions>,
    /// What was found before, and what will be.
    pub store: &'s mut GenerationWriter,
    /// Also what is known is looked for.
    pub fresh: bool,
}

/// Makes tests for these mutants. What is found on the way is in the store.
pub fn generate(
    subject: MutatedProject<'_>,
    mutants: &[MutantIdx],
    options: &TestgenOptions,
    sources: InputSources<'_>,
    stop: Stop<'_>,
    tell: &mut dyn FnMut(Progress),
) -> Result<Generated, PipelineError> {
    let folder = own_folder(&options.comparing.work)?;
    let generated = generate_in(&folder, subject, mutants, options, sources, stop, tell);
    let _ = std::fs::remove_dir_all(&folder);
    generated
}

fn generate_in(
    folder: &Path,
    subject: MutatedProject<'_>,
    mutants: &[MutantIdx],
    options: &TestgenOptions,
    sources: InputSources<'_>,
    stop: Stop<'_>,
    tell: &mut dyn FnMut(Progress),
) -> Result<Generated, PipelineError> {
    let InputSources { tests, store, fresh } = sources;
    check_layers(&folder.join("probe"), options.comparing.sandbox)?;
    let mut subjects = subjects(subject, mutants, &options.comparing.contracts)?;
    let seeds_missing = match &tests {
        // Without them there is less to start from, and that is all.
        Some(tests) => {
            let missing = add_seeds(subject.project, &mut subjects.functions, tests, stop);
            missing.unwrap_or_else(|error| Some(error.to_string()).filter(|_| !error.is_stop()))
        }
        None => None,
    };
    let is_stopped = || stop.is_due();
    let mut generator = Generator::open(subject, subjects, options, folder, stop, &is_stopped, tell)?;
    if !fresh {
        generator.take_known(|key| store.known_inputs(ExecutionKey(key)))?;
    }
    generator.search::<PipelineError>(|key, found| Ok(store.record_inputs(ExecutionKey(key), found)?))?;
    Ok(Generated { seeds_missing, ..generator.confirm_all()? })
}
