//! The baseline: every test is run twice on the original. Tests that fail or are flaky are reported and left out.
//!
//! The second run has a memory limit, as runs on mutants will have. Some programs reserve more memory than any machine
//! has (sanitizers do): if a test fails only because of the limit, no limit is set.

use super::typed::as_typed;
use super::{Suite, SHORT};
use crate::bench::{Allowance, Bench, Observed, TestEnding};
use crate::PipelineError;
use perturb_host::{parallel_map, Stop, TestCase};
use perturb_model::{Baseline, ContentHash, Event, Kill, Test, TestIdx, TestName};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Limits of the baseline, and what its tests depend on.
#[derive(Debug)]
pub struct BaselineOptions<'o> {
    /// The time limit of a test for which the project sets none.
    pub timeout: Duration,
    /// A hash of everything that all tests read or load: data, scripts, shared libraries.
    pub inputs: ContentHash,
    /// Programs that tests may start.
    pub programs: &'o [PathBuf],
    /// The folder of perturb's copies of the project. It is left out of hashes and of commands that are shown.
    pub home: &'o Path,
}

/// Runs all tests twice.
pub fn baseline(
    cases: Vec<TestCase>,
    benches: &mut [Bench<'_>],
    options: &BaselineOptions<'_>,
    stop: Stop<'_>,
    events: &mut dyn FnMut(Event),
) -> Result<Suite, PipelineError> {
    let turns = |is_bounded| TestIdx::all(cases.len()).map(move |test| Turn { test, is_bounded });
    let both: Vec<Turn> = turns(false).chain(turns(true)).collect();
    events(Event::BaselineStarted { runs: both.len() });
    let start = Instant::now();
    let workers = benches.len().min(both.len());
    let mut run_all =
        |turns: &[Turn], events: &mut dyn FnMut(Event)| run_all_turns(turns, &cases, benches, options, stop, events);
    let mut first = run_all(&both, events)?;
    let overhead = overhead(start.elapsed(), workers, &first);
    let mut second = first.split_off(cases.len());
    let suspects = failed_with_limit(&first, &second);
    let repeated = run_all(&suspects.iter().copied().flat_map(repetitions).collect::<Vec<_>>(), events)?;
    let hindered = hindered(&first, suspects, repeated);
    if let Some((test, _)) = hindered.first() {
        events(Event::MemoryNotLimited { test: TestName::from(cases[*test].name.clone()) });
    }
    let is_bounded = hindered.is_empty();
    for (test, without_limit) in hindered {
        second[test] = without_limit;
    }
    let mut hashes = Hashes::new(&cases, options);
    let mut tests = Vec::new();
    let mut steady = Vec::new();
    for ((case, first), second) in cases.iter().zip(first).zip(second) {
        let is_steady = is_steady(&first, &second);
        let test = Test {
            name: TestName::from(case.name.clone()),
            command: as_typed(case, options.home),
            wall: first.wall.min(second.wall),
            cpu: if is_steady { first.cpu.min(second.cpu) } else { first.cpu.max(second.cpu) },
            baseline: verdict(&first, &second),
            hash: hashes.of(case),
        };
        if !test.takes_part() {
            events(Event::TestLeftOut { test: test.name.clone(), why: test.baseline.clone(), output: first.output });
        }
        tests.push(test);
        steady.push(is_steady);
    }
    let passing = || tests.iter().filter(|test| test.takes_part());
    let passed = passing().count();
    let wall = passing().map(|test| test.wall).sum();
    events(Event::BaselineFinished { passed, of: tests.len(), wall });
    Ok(Suite { tests, cases, overhead, is_bounded, is_steady: steady })
}

/// One run of a test.
#[derive(Debug, Clone, Copy)]
struct Turn {
    test: TestIdx,
    /// Whether its memory is limited.
    is_bounded: bool,
}

/// Runs tests. Returns their results in the order of `turns`.
fn run_all_turns(
    turns: &[Turn],
    cases: &[TestCase],
    benches: &mut [Bench<'_>],
    options: &BaselineOptions<'_>,
    stop: Stop<'_>,
    events: &mut dyn FnMut(Event),
) -> Result<Vec<Observed>, PipelineError> {
    let mut all: Vec<Option<Observed>> = turns.iter().map(|_| None).collect();
    parallel_map(
        benches,
        &(0..turns.len()).collect::<Vec<_>>(),
        stop,
        |bench, at| {
            let Turn { test, is_bounded } = turns[at];
            let limit = cases[test].timeout.unwrap_or(options.timeout);
            bench.run(test, &[], Allowance { cpu: limit, wall: limit, is_bounded })
        },
        |at, observed| {
            all[at] = Some(observed);
            events(Event::BaselineAdvanced);
            Ok(())
        },
    )?;
    all.into_iter().collect::<Option<_>>().ok_or(PipelineError::stopped(stop))
}

/// Tests that failed only with the memory limit, either because of it or because they are flaky.
fn failed_with_limit(first: &[Observed], second: &[Observed]) -> Vec<TestIdx> {
    let failed = |run: &Observed| matches!(run.ending, TestEnding::Failed(_));
    TestIdx::all(first.len()).filter(|&test| !failed(&first[test]) && failed(&second[test])).collect()
}

/// The runs that show whether the limit is the reason: twice without it, once with it.
fn repetitions(test: TestIdx) -> [Turn; 3] {
    [false, false, true].map(|is_bounded| Turn { test, is_bounded })
}

/// The tests that fail because of the limit, each with a run without it.
fn hindered(first: &[Observed], suspects: Vec<TestIdx>, repeated: Vec<Observed>) -> Vec<(TestIdx, Observed)> {
    let mut repeated = repeated.into_iter();
    let mut hindered = Vec::new();
    for test in suspects {
        let (Some(one), Some(other), Some(bounded)) = (repeated.next(), repeated.next(), repeated.next()) else {
            break;
        };
        let ending = first[test].ending;
        if one.ending == ending && other.ending == ending && bounded.ending != ending {
            hindered.push((test, one));
        }
    }
    hindered
}

/// Whether a test takes about as long each time. Short tests always count as steady.
fn is_steady(first: &Observed, second: &Observed) -> bool {
    const MOST: f64 = 1.1;
    let less = first.cpu.min(second.cpu);
    let more = first.cpu.max(second.cpu);
    more < SHORT || more <= less.mul_f64(MOST)
}

/// The average time of a run besides the test itself.
fn overhead(elapsed: Duration, workers: usize, runs: &[Observed]) -> Duration {
    let count = runs.len().max(1) as u32;
    let in_tests: Duration = runs.iter().map(|run| run.wall).sum();
    (elapsed * workers as u32).saturating_sub(in_tests) / count
}

fn verdict(first: &Observed, second: &Observed) -> Baseline {
    match (first.ending, second.ending) {
        (TestEnding::Passed, TestEnding::Passed) => Baseline::Passed,
        (TestEnding::Skipped, TestEnding::Skipped) => Baseline::Skipped { why: "it says so itself".to_string() },
        (TestEnding::Failed(how), TestEnding::Failed(_)) => Baseline::Failed { why: described(how) },
        (first, second) => {
            let word = |ending| match ending {
                TestEnding::Passed => "passed".to_string(),
                TestEnding::Skipped => "skipped".to_string(),
                TestEnding::Failed(how) => described(how),
            };
            Baseline::Flaky { why: format!("first {}, then {}", word(first), word(second)) }
        }
    }
}

/// The signal with which the filter of a cell ends a process.
const BAD_SYSTEM_CALL: i32 = 31;

fn described(how: Kill) -> String {
    match how {
        Kill::Crashed { signal: BAD_SYSTEM_CALL } => {
            format!(
                "{how}: the sandbox ends programs that call the kernel as another kind of machine does, \
                 32-bit ones above all"
            )
        }
        how => how.to_string(),
    }
}

/// Computes the hashes of tests. A file that many tests need is read once.
struct Hashes<'h> {
    options: &'h BaselineOptions<'h>,
    /// The hashes of files with their names.
    known: HashMap<PathBuf, ContentHash>,
    /// The programs that tests run. Only scripts can need the programs of other tests.
    programs: HashSet<PathBuf>,
}

impl<'h> Hashes<'h> {
    fn new(cases: &[TestCase], options: &'h BaselineOptions<'h>) -> Self {
        let programs = cases.iter().map(program_of).cloned().collect();
        Self { options, known: HashMap::new(), programs }
    }

    /// The hash of a test's command, of what it runs and may start, and of what it reads.
    fn of(&mut self, case: &TestCase) -> ContentHash {
        let program = program_of(case);
        let is_script = !is_elf(program);
        let needed: Vec<&PathBuf> =
            self.options.programs.iter().filter(|file| is_script || !self.programs.contains(*file)).collect();
        let files: Vec<ContentHash> =
            std::iter::once(program).chain(needed).map(|file| Self::of_file(&mut self.known, file)).collect();
        let command = as_typed(case, self.options.home);
        let own: [&[u8]; 2] = [command.as_bytes(), self.options.inputs.as_bytes()];
        ContentHash::of_parts(own.into_iter().chain(files.iter().map(|file| &file.as_bytes()[..])))
    }

    fn of_file(known: &mut HashMap<PathBuf, ContentHash>, file: &Path) -> ContentHash {
        *known.entry(file.to_path_buf()).or_insert_with(|| {
            let name = file.file_name().unwrap_or_default();
            ContentHash::of_parts([name.as_encoded_bytes(), &std::fs::read(file).unwrap_or_default()])
        })
    }
}

fn program_of(case: &TestCase) -> &PathBuf {
    case.executable.as_ref().unwrap_or(&case.program)
}

fn is_elf(file: &Path) -> bool {
    let mut start = [0; 4];
    let read = std::fs::File::open(file).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut start));
    read.is_ok() && start == *b"\x7fELF"
}
