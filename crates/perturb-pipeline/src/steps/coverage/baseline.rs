//! The baseline: every test on the original, twice. What fails or flaps is named and left out.
//!
//! The second time a test's memory is limited, as it will be on mutants. Some programs reserve more than any machine has
//! (sanitizers do): where a test fails only then, no limit is set.

use super::typed::as_typed;
use super::Suite;
use crate::bench::{Allowance, Bench, Observed, TestEnding};
use crate::crew::spread;
use crate::hash::ContentHash;
use crate::interrupt::Stop;
use crate::outcome::Kill;
use crate::test::{Baseline, Test, TestName};
use crate::{Event, PipelineError};
use perturb_host::TestCase;
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
    let mut runs: Vec<[Option<Observed>; 2]> = cases.iter().map(|_| [None, None]).collect();
    let items: Vec<Turn> = [false, true].iter().flat_map(|&is_second| turns(0..cases.len(), is_second)).collect();
    events(Event::BaselineStarted { runs: items.len() });
    let (start, workers) = (Instant::now(), benches.len().min(items.len()));
    let mut take = |turns: &[Turn], runs: &mut Vec<[Option<Observed>; 2]>, events: &mut dyn FnMut(Event)| {
        spread(
            benches,
            turns,
            stop,
            |bench, turn| {
                let limit = cases[turn.test].timeout.unwrap_or(options.timeout);
                bench.run(turn.test, &[], Allowance { cpu: limit, wall: limit, is_bounded: turn.is_bounded })
            },
            |turn, observed| {
                runs[turn.test][usize::from(turn.is_second)] = Some(observed);
                events(Event::BaselineAdvanced);
                Ok(())
            },
        )
    };
    take(&items, &mut runs, events)?;
    let overhead = overhead(start.elapsed(), workers, &runs);
    let passed = |run: &Option<Observed>| run.as_ref().is_some_and(|run| run.ending == TestEnding::Passed);
    let in_doubt: Vec<usize> =
        (0..runs.len()).filter(|&test| passed(&runs[test][0]) && !passed(&runs[test][1])).collect();
    let again: Vec<Turn> =
        turns(in_doubt.iter().copied(), true).map(|turn| Turn { is_bounded: false, ..turn }).collect();
    take(&again, &mut runs, events)?;
    let is_bounded = !in_doubt.iter().any(|&test| passed(&runs[test][1]));
    if let Some(test) = in_doubt.iter().find(|_| !is_bounded) {
        events(Event::MemoryNotLimited { test: TestName::from(cases[*test].name.clone()) });
    }
    let mut hashes = Hashes::new(&cases, options);
    let mut tests = Vec::new();
    for (case, runs) in cases.iter().zip(runs) {
        let [Some(first), Some(second)] = runs else { return Err(PipelineError::Interrupted) };
        let test = Test {
            name: TestName::from(case.name.clone()),
            command: as_typed(case, options.home),
            wall: first.wall.min(second.wall),
            cpu: first.cpu.min(second.cpu),
            baseline: verdict(&first, &second),
            hash: hashes.of(case),
        };
        if !test.takes_part() {
            events(Event::TestLeftOut { test: test.name.clone(), why: test.baseline.clone(), output: first.output });
        }
        tests.push(test);
    }
    let passing = || tests.iter().filter(|test| test.takes_part());
    let (passed, wall) = (passing().count(), passing().map(|test| test.wall).sum());
    events(Event::BaselineFinished { passed, of: tests.len(), wall });
    Ok(Suite { tests, cases, overhead, is_bounded })
}

/// One run of a test.
#[derive(Debug, Clone, Copy)]
struct Turn {
    test: usize,
    is_second: bool,
    is_bounded: bool,
}

fn turns(tests: impl Iterator<Item = usize>, is_second: bool) -> impl Iterator<Item = Turn> {
    tests.map(move |test| Turn { test, is_second, is_bounded: is_second })
}

/// What a run takes besides the test itself.
fn overhead(elapsed: Duration, workers: usize, runs: &[[Option<Observed>; 2]]) -> Duration {
    let observed = || runs.iter().flatten().flatten();
    let count = observed().count().max(1) as u32;
    let in_tests: Duration = observed().map(|run| run.wall).sum();
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

fn shown(how: Kill) -> String {
    how.to_string()
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
