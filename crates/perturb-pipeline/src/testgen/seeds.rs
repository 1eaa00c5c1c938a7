//! Seeds from real life: with what the project's own tests call the functions that tests are wanted for.
//!
//! The project is built once more in a copy, in which these functions tell of each call, and its tests are run once. What is found are
//! the first inputs that are tried, and changed.

use crate::analysis::TrialOptions;
use crate::bench::{Allowance, Bench, BenchOptions, TestFiles};
use crate::crew::spread;
use crate::equivalence::subject::FunctionSubject;
use crate::gate::Gate;
use crate::interrupt::Stop;
use crate::steps::compile::quiet_texts;
use crate::PipelineError;
use perturb_cell::memory_of_job;
use perturb_host::{find_tests, HostError, Project, Shadow, TestCase};
use perturb_sym::native::{capture_head, unhex, Captured, Layout};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The name of the copy.
const COPY: &str = "seeds";

/// Adds to each function with what it is called. Answers with why nothing is known of that, if so.
pub(super) fn add_seeds(
    project: &Project,
    functions: &mut [FunctionSubject],
    options: &TrialOptions,
    stop: Stop<'_>,
) -> Result<Option<String>, PipelineError> {
    if functions.is_empty() || stop.is_due() {
        return Ok(None);
    }
    // The copy that discovery made has to be held for as long as there is another one.
    let _held = Shadow::open(project, &options.work, None, &options.discover, &mut |_| {})?;
    let mut shadow = Shadow::open(project, &options.work, Some(COPY), &options.discover, &mut |_| {})?;
    let told = options.work.join("seeds.captured");
    std::fs::write(&told, "").map_err(HostError::io("write", &told))?;
    let logs = options.work.join("logs");
    std::fs::create_dir_all(&logs).map_err(HostError::io("create", &logs))?;
    // The original, which also says what it is called with: the build may run it as it runs without us.
    shadow.release_builds();
    shadow.replace(&texts(functions, &told))?;
    let log = logs.join("seeds.log");
    if !shadow.build(options.jobs, &log)?.success {
        return Ok(Some(format!(
            "the project does not build with functions that tell of their calls (log: {})",
            log.display()
        )));
    }
    let tests = find_tests(&shadow, project, &options.tests)?.tests;
    run_tests(&shadow, &tests, options, &told, stop)?;
    let lines = std::fs::read(&told).map_err(HostError::io("read", &told))?;
    take(functions, &String::from_utf8_lossy(&lines));
    Ok(None)
}

/// What a function tells its calls under, in each of its layouts.
fn layouts(at: usize, function: &FunctionSubject) -> Vec<(String, &Layout)> {
    let own = (format!("perturb_capture_{at}"), &*function.layout);
    let wider = function.wider.iter().enumerate();
    let wider = wider.map(|(number, wider)| (format!("perturb_capture_{at}_wider_{number}"), &*wider.layout));
    std::iter::once(own).chain(wider).collect()
}

/// The files of these functions, with what tells of their calls.
fn texts(functions: &[FunctionSubject], told: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut by_file: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
    for (at, function) in functions.iter().enumerate() {
        by_file.entry(&function.file.relative).or_default().push(at);
    }
    let text = |own: Vec<usize>| {
        let mut text = functions[own[0]].file.source.text().to_vec();
        let (mut calls, mut definitions) = (Vec::new(), capture_head(&told.to_string_lossy()));
        for at in own {
            let function = &functions[at];
            let behind_brace = function.functions[function.at].body.start as usize + 1;
            for (name, layout) in layouts(at, function) {
                let captured = Captured { name: &name, signature: function.signature(), layout };
                calls.push((behind_brace, captured.call()));
                definitions.push_str(&captured.definition());
            }
        }
        // From the end on, so that places stay what they are.
        calls.sort_by_key(|(place, _)| std::cmp::Reverse(*place));
        for (place, call) in calls {
            text.splice(place..place, call.into_bytes());
        }
        text.extend(definitions.into_bytes());
        text
    };
    // A project may take warnings for errors, and nobody wants to read any about this text.
    by_file.into_iter().flat_map(|(file, own)| quiet_texts(file, &text(own))).collect()
}

/// Runs each test once, whatever comes of it.
fn run_tests(
    shadow: &Shadow,
    tests: &[TestCase],
    options: &TrialOptions,
    told: &Path,
    stop: Stop<'_>,
) -> Result<(), PipelineError> {
    let gate = Gate::default();
    let job_memory = memory_of_job(options.jobs, options.limits.memory_bytes);
    let (scratch, confinement) = (options.work.join("cells"), options.confinement.clone());
    let bench_options = BenchOptions { scratch, limits: options.limits, job_memory, confinement };
    let mut benches = Vec::new();
    for number in 0..options.jobs {
        let bench = Bench::open(
            shadow,
            tests,
            &gate,
            &bench_options,
            number,
            &TestFiles { shared: vec![told.to_path_buf()], ..TestFiles::default() },
        )?;
        stop.interrupt.watch(bench.stoppers()?);
        benches.push(bench);
    }
    let allowance = Allowance { cpu: options.test_timeout, wall: options.test_timeout, is_bounded: true };
    let all: Vec<usize> = (0..tests.len()).collect();
    let work = |bench: &mut Bench<'_>, test| bench.run(test, &[], allowance);
    spread(&mut benches, &all, stop, work, |_, _| Ok(()))
}

/// Gives each function what was told of it.
fn take(functions: &mut [FunctionSubject], lines: &str) {
    let mut by_name: BTreeMap<&str, Vec<Vec<u8>>> = BTreeMap::new();
    for (name, input) in lines.lines().filter_map(|line| line.split_once(' ')) {
        by_name.entry(name).or_default().extend(unhex(input));
    }
    for seeds in by_name.values_mut() {
        // Tests run in any order.
        seeds.sort();
        seeds.dedup();
    }
    for (at, function) in functions.iter_mut().enumerate() {
        let of = |name: &str, size: usize| -> Vec<Vec<u8>> {
            let all = by_name.get(name).into_iter().flatten();
            all.filter(|seed| seed.len() == size).cloned().collect()
        };
        let found: Vec<Vec<Vec<u8>>> =
            layouts(at, function).into_iter().map(|(name, layout)| of(&name, layout.input_size())).collect();
        let mut found = found.into_iter();
        function.seeds = found.next().unwrap_or_default();
        for (wider, seeds) in function.wider.iter_mut().zip(found) {
            wider.seeds = seeds;
        }
    }
}
