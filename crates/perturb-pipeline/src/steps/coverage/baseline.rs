//! The baseline: every test on the original, twice. What fails or flaps is named and left out.
//!
//! The second time a test's memory is limited, as it will be on mutants. Some programs reserve more than any machine
//! has (sanitizers do): where a test fails only then, no limit is set.

use super::typed::as_typed;
use super::{Suite, SHORT};
use crate::bench::{Allowance, Bench, Observed, TestEnding};
use crate::PipelineError;
use perturb_host::{parallel_map, Stop, TestCase};
use perturb_model::{Baseline, ContentHash, Event, Kill, Test, TestIdx, TestName};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What the baseline may take, and what its tests depend on.
#[derive(Debug)]
pub struct BaselineOptions<'o> {
    /// How long a test may take that the project grants no time of its own.
    pub timeout: Duration,
    /// What all tests read or load: data, scripts, shared libraries.
    pub inputs: ContentHash,
    /// Programs that tests may start.
    pub programs: &'o [PathBuf],
    /// Left out of what is hashed and shown: where our copy of the project is.
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
    let (start, workers) = (Instant::now(), benches.len().min(both.len()));
    let mut take = |turns: &[Turn], events: &mut dyn FnMut(Event)| take(turns, &cases, benches, options, stop, events);
    let mut first = take(&both, events)?;
    let overhead = overhead(start.elapsed(), workers, &first);
    let mut second = first.split_off(cases.len());
    let in_doubt = in_doubt(&first, &second);
    let opinions = take(&in_doubt.iter().copied().flat_map(second_opinion).collect::<Vec<_>>(), events)?;
    let hindered = hindered(&first, in_doubt, opinions);
    if let Some((test, _)) = hindered.first() {
        events(Event::MemoryNotLimited { test: TestName::from(cases[*test].name.clone()) });
    }
    let is_bounded = hindered.is_empty();
    for (test, without_limit) in hindered {
        second[test] = without_limit;
    }
    let mut hashes = Hashes::new(&cases, options);
    let (mut tests, mut steady) = (Vec::new(), Vec::new());
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
    let (passed, wall) = (passing().count(), passing().map(|test| test.wall).sum());
    events(Event::BaselineFinished { passed, of: tests.len(), wall });
    Ok(Suite { tests, cases, overhead, is_bounded, is_steady: steady })
}

/// One run of a test.
#[derive(Debug, Clone, Copy)]
struct Turn {
    test: TestIdx,
    /// Its memory is limited.
    is_bounded: bool,
}

/// Runs tests, and tells what each came to, in their order.
fn take(
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

/// Tests that failed only with the limit: it may be the reason, or they may be flaky.
fn in_doubt(first: &[Observed], second: &[Observed]) -> Vec<TestIdx> {
    let failed = |run: &Observed| matches!(run.ending, TestEnding::Failed(_));
    TestIdx::all(first.len()).filter(|&test| !failed(&first[test]) && failed(&second[test])).collect()
}

/// It is the limit if it is so once more: twice as at first without, and failed with.
fn second_opinion(test: TestIdx) -> [Turn; 3] {
    [false, false, true].map(|is_bounded| Turn { test, is_bounded })
}

/// The tests that fail because of the limit, each with a run without.
fn hindered(first: &[Observed], in_doubt: Vec<TestIdx>, opinions: Vec<Observed>) -> Vec<(TestIdx, Observed)> {
    let mut opinions = opinions.into_iter();
    let mut hindered = Vec::new();
    for test in in_doubt {
        let (Some(one), Some(other), Some(bounded)) = (opinions.next(), opinions.next(), opinions.next()) else {
            break;
        };
        let ending = first[test].ending;
        if one.ending == ending && other.ending == ending && bounded.ending != ending {
            hindered.push((test, one));
        }
    }
    hindered
}

/// Whether a test takes about as long each time; nothing hangs on that for a short one.
fn is_steady(first: &Observed, second: &Observed) -> bool {
    const MOST: f64 = 1.1;
    let (less, more) = (first.cpu.min(second.cpu), first.cpu.max(second.cpu));
    more < SHORT || more <= less.mul_f64(MOST)
}

/// What a run takes besides the test itself.
fn overhead(elapsed: Duration, workers: usize, runs: &[Observed]) -> Duration {
    let count = runs.len().max(1) as u32;
    let in_tests: Duration = runs.iter().map(|run| run.wall).sum();
    (elapsed * workers as u32).saturating_sub(in_tests) / count
}

fn verdict(first: &Observed, second: &Observed) -> Baseline {
    match (first.ending, second.ending) {
        (TestEnding::Passed, TestEnding::Passed) => Baseline::Passed,
        (TestEnding::Skipped, TestEnding::Skipped) => Baseline::Skipped { why: "it says so itself".to_string() },
        (TestEnding::Failed(how), TestEnding::Failed(_)) => Baseline::Failed { why: shown(how) },
        (first, second) => {
            let word = |ending| match ending {
                TestEnding::Passed => "passed".to_string(),
                TestEnding::Skipped => "skipped".to_string(),
                TestEnding::Failed(how) => shown(how),
            };
            Baseline::Flaky { why: format!("first {}, then {}", word(first), word(second)) }
        }
    }
}

/// By which the filter of a cell ends a process.
const BAD_SYSTEM_CALL: i32 = 31;

fn shown(how: Kill) -> String {
    match how {
        Kill::Crashed { signal: BAD_SYSTEM_CALL } => {
            format!("{how}: the sandbox ends programs that call the kernel as another kind of machine does, 32-bit ones above all")
        }
        how => how.to_string(),
    }
}

/// Hashes of tests; a file that many of them need is read once.
struct Hashes<'h> {
    options: &'h BaselineOptions<'h>,
    /// Of files, with their names.
    known: HashMap<PathBuf, ContentHash>,
    /// What tests run: no other test needs it, unless that is a script.
    programs: HashSet<PathBuf>,
}

impl<'h> Hashes<'h> {
    fn new(cases: &[TestCase], options: &'h BaselineOptions<'h>) -> Self {
        let programs = cases.iter().map(program_of).cloned().collect();
        Self { options, known: HashMap::new(), programs }
    }

    /// Of its command, of what it runs and may start, and of what it reads.
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
