//! Generates tests for live mutants. Inputs of the project's own tests are tried first. The results for a function are
//! stored, so that an interrupted or repeated generation continues from there.

mod seeds;

use super::TrialOptions;
use crate::PipelineError;
use perturb_equiv::compare::{own_folder, subjects};
use perturb_equiv::testgen::{Generated, Generator, TestgenOptions, TestgenProgress};
use perturb_equiv::MutatedProject;
use perturb_host::{check_layers, MayBeStop, Stop};
use perturb_model::MutantIdx;
use perturb_store::{ExecutionKey, GenerationWriter};
use seeds::add_seeds;
use std::path::Path;

/// Where inputs come from, besides searching.
#[derive(Debug)]
pub struct InputSources<'s> {
    /// How to run the project's tests, in order to capture the inputs of functions; None to leave that out.
    pub tests: Option<TrialOptions>,
    /// The stored results.
    pub store: &'s mut GenerationWriter,
    /// Whether to search again for what is stored.
    pub fresh: bool,
}

/// Generates tests for these mutants. Intermediate results go to the store.
pub fn generate(
    subject: MutatedProject<'_>,
    mutants: &[MutantIdx],
    options: &TestgenOptions,
    sources: InputSources<'_>,
    stop: Stop<'_>,
    report: &mut dyn FnMut(TestgenProgress),
) -> Result<Generated, PipelineError> {
    let folder = own_folder(&options.comparing.work)?;
    let generated = generate_in(&folder, subject, mutants, options, sources, stop, report);
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
    report: &mut dyn FnMut(TestgenProgress),
) -> Result<Generated, PipelineError> {
    let InputSources { tests, store, fresh } = sources;
    check_layers(&folder.join("probe"), options.comparing.sandbox)?;
    let mut subjects = subjects(subject, mutants, &options.comparing.contracts)?;
    let seeds_missing = match &tests {
        // Without captured inputs the search has less to start from, but it works.
        Some(tests) => {
            let missing = add_seeds(subject.project, &mut subjects.functions, tests, stop);
            missing.unwrap_or_else(|error| Some(error.to_string()).filter(|_| !error.is_stop()))
        }
        None => None,
    };
    let is_stopped = || stop.is_due();
    let mut generator = Generator::open(subject, subjects, options, folder, stop, &is_stopped, report)?;
    if !fresh {
        generator.take_known(|key| store.known_inputs(ExecutionKey(key)))?;
    }
    generator.search::<PipelineError>(|key, found| Ok(store.record_inputs(ExecutionKey(key), found)?))?;
    Ok(Generated { seeds_missing, ..generator.confirm_all()? })
}
