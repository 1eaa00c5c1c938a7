//! Seed inputs: the inputs with which the project's own tests call the functions that tests are generated for.
//!
//! The project is built once more in a copy in which these functions write down each call, and its tests are run once.

use crate::analysis::TrialOptions;
use crate::bench::{Allowance, Bench, BenchOptions, TestFiles};
use crate::gate::Gate;
use crate::steps::compile::quiet_texts;
use crate::PipelineError;
use perturb_cell::memory_of_job;
use perturb_equiv::compare::FunctionSubject;
use perturb_equiv::testgen::{capturing_texts, take_captured};
use perturb_host::{find_tests, parallel_map, HostError, Project, Shadow, Stop, TestCase};
use perturb_model::TestIdx;
use std::path::Path;

/// The name of the copy.
const COPY: &str = "seeds";

/// Adds the captured inputs to each function. If nothing could be captured, returns why.
pub(super) fn add_seeds(
    project: &Project,
    functions: &mut [FunctionSubject],
    options: &TrialOptions,
    stop: Stop<'_>,
) -> Result<Option<String>, PipelineError> {
    if functions.is_empty() || stop.is_due() {
        return Ok(None);
    }
    // The copy that discovery made has to stay open while another copy is used.
    let _plain = Shadow::open(project, &options.work, None, &options.discover, &mut |_| {})?;
    let mut shadow = Shadow::open(project, &options.work, Some(COPY), &options.discover, &mut |_| {})?;
    let captured = options.work.join("seeds.captured");
    std::fs::write(&captured, "").map_err(HostError::io("write", &captured))?;
    let logs = options.work.join("logs");
    std::fs::create_dir_all(&logs).map_err(HostError::io("create", &logs))?;
    // Builds run without a sandbox, as the user's own builds do: this is the original, which only logs its calls.
    shadow.release_builds();
    // The project may treat warnings as errors, and warnings about this text would help no user.
    let texts = capturing_texts(functions, &captured);
    shadow.replace(&texts.iter().flat_map(|(file, text)| quiet_texts(file, text)).collect())?;
    let log = logs.join("seeds.log");
    if !shadow.build(options.jobs, &log)?.success {
        return Ok(Some(format!(
            "the project does not build with functions that log their calls (log: {})",
            log.display()
        )));
    }
    let tests = find_tests(&shadow, project, &options.tests)?.tests;
    run_tests(&shadow, &tests, options, &captured, stop)?;
    let lines = std::fs::read(&captured).map_err(HostError::io("read", &captured))?;
    take_captured(functions, &String::from_utf8_lossy(&lines));
    Ok(None)
}

/// Runs each test once, whatever its result.
fn run_tests(
    shadow: &Shadow,
    tests: &[TestCase],
    options: &TrialOptions,
    captured: &Path,
    stop: Stop<'_>,
) -> Result<(), PipelineError> {
    let gate = Gate::default();
    let job_memory = memory_of_job(options.jobs, options.limits.memory_bytes);
    let scratch = options.work.join("cells");
    let confinement = options.confinement.clone();
    let bench_options = BenchOptions { scratch, limits: options.limits, job_memory, confinement };
    let mut benches = Vec::new();
    for number in 0..options.jobs {
        let bench = Bench::open(
            shadow,
            tests,
            &gate,
            &bench_options,
            number,
            &TestFiles { shared: vec![captured.to_path_buf()], ..TestFiles::default() },
        )?;
        stop.interrupt.watch(bench.stoppers()?);
        benches.push(bench);
    }
    let allowance = Allowance { cpu: options.test_timeout, wall: options.test_timeout, is_bounded: true };
    let all: Vec<TestIdx> = TestIdx::all(tests.len()).collect();
    let work = |bench: &mut Bench<'_>, test| bench.run(test, &[], allowance);
    parallel_map(&mut benches, &all, stop, work, |_, _| Ok(()))
}
