//! `perturb run`: the whole analysis, from a project to what becomes of each of its mutants.

use crate::args::{
    Again, Coverage, DiscardName, EngineName, EquivalenceName, EventFormat, Execution, Global, Run, RunTests,
    SandboxName, TceName, TestArguments, Until,
};
use crate::config::{Config, Warnings};
use crate::console::{Console, Survivors};
use crate::exit::{Exit, Failure};
use crate::formats::{self, plural};
use crate::memory::Memory;
use crate::page::Page;
use crate::session::Session;
use crate::target::Target;
use crate::{interrupts, terminal, visible};
use perturb_cell::{Limits, Sandbox};
use perturb_host::{cpu_with_children, create_work_folder, BuildSystem, Confinement, Interrupt, TestOptions};
use perturb_model::{
    Calibration, Engine, Event, Judgement, Kind, Mutant, MutantIdx, Outcome, Rule, SampleOptions, Step, StepTime,
};
use perturb_pipeline::analysis::{analyse, Analysis, AnalysisOptions, Manifest, Subject};
use perturb_pipeline::steps::coverage::CoverageSource;
use perturb_pipeline::steps::discard::equivalence::EquivalenceWhen;
use perturb_pipeline::steps::discard::DiscardOptions;
use perturb_pipeline::steps::execute::{EngineChoice, TestChoice, TimeLimits, WarningPolicy};
use perturb_pipeline::steps::tce::{TceOptions, TceWhen};
use perturb_store::{Damage, Ending, Mended, MutantState, Store, StoreReader, StoredRun};
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The processor time that even the shortest test may use on a mutant, besides many times its time on the original. A
/// mutant that hangs uses all of it, so it is short. Time in which a busy machine does something else does not count.
const LEAST_TIME: Duration = Duration::from_millis(10);

/// The memory that each process of a test may use: a mutant that allocates without end must not use up the machine's.
const MOST_MEMORY: u64 = 2 << 30;

pub fn run(global: &Global, arguments: &Run, console: &Console) -> Result<(), Failure> {
    if let Coverage::Folder(folder) = &arguments.execution.coverage {
        if !folder.is_dir() {
            let folder = visible::path(folder);
            return Err(Failure::usage_text(format!(
                "`--coverage {folder}`: write own, gcov, or a folder with the data of each test; {folder} is no folder"
            )));
        }
    }
    let interrupt = Arc::new(Interrupt::default());
    interrupts::watch(interrupt.clone()).map_err(Failure::unusable)?;
    perturb_host::yield_to_others();
    let target = Target::find(global, &arguments.select, console)?;
    let early = open_early(global, &target, console)?;
    let start = Instant::now();
    let open = || Session::open_at(target, global, &arguments.select, console);
    let (session, discovered) = timed(Step::Discover, open)?;
    let mut reporter = Reporter::new(console, arguments);
    let list = || session.mutated(&arguments.select, &mut |event| reporter.event(&event));
    let (mutated, listed) = timed(Step::Mutate, list)?;
    if mutated.mutants.is_empty() {
        if arguments.select.diff.is_some() {
            console.note("nothing that changed has a mutant");
            return Ok(());
        }
        return Err(super::no_mutants::explain(&session, &arguments.select, console));
    }
    let store = early.map_or_else(|| open_store(&session.work, console), Ok)?;
    let again = again(arguments, &session, &mutated.mutants)?;
    let mode = match arguments.execution.sandbox {
        SandboxName::On => Sandbox::FULL,
        SandboxName::Off => Sandbox::OFF,
    };
    let confinement = session.config.sandbox.confinement(mode, &session.project.root)?;
    let contracts = session.contracts()?;
    let manifest = Manifest { versions: versions(&session), times: vec![discovered, listed] };
    let options = AnalysisOptions {
        // The time of `--budget` began when the command did.
        budget: arguments.execution.budget.map(|budget| budget.saturating_sub(start.elapsed())),
        contracts,
        ..options(arguments, &session, again, confinement)
    };
    console.note(found(&session, &mutated.mutants));
    let mut reporter = Reporter { mutants: &mutated.mutants, ..reporter };
    let mut report = |event: Event| reporter.event(&event);
    let subject = Subject { project: &session.project, mutated: &mutated, libclang: &session.libclang };
    let analysis = analyse(subject, store, &manifest, &options, &interrupt, &mut report)?;
    finish(&session, arguments, console, &analysis)
}

/// Does the work of a step and measures its time.
fn timed<T>(step: Step, work: impl FnOnce() -> Result<T, Failure>) -> Result<(T, StepTime), Failure> {
    let start = Instant::now();
    let cpu = cpu_with_children();
    let value = work()?;
    Ok((value, StepTime { step, wall: start.elapsed(), cpu: cpu_with_children().saturating_sub(cpu) }))
}

/// `2380 mutants in 7 files; the project is built with CMake`
fn found(session: &Session, mutants: &[Mutant]) -> String {
    let files: BTreeSet<_> = mutants.iter().map(|mutant| &mutant.file.relative).collect();
    let (mutants, files) = (plural(mutants.len(), "mutant"), plural(files.len(), "file"));
    let built = match &session.project.build_system {
        BuildSystem::Command(command) => format!("built with `{command}`"),
        BuildSystem::CompileDatabase(path) => format!("compiled as {} says", visible::path(path)),
        system @ (BuildSystem::CMake | BuildSystem::Meson | BuildSystem::SingleFile) => format!("built with {system}"),
    };
    format!("{mutants} in {files}; the project is {built}")
}

/// Opens the store before the project is discovered, so that a second run beside the first fails at once. Creates no
/// store where there is no project.
fn open_early(global: &Global, target: &Target, console: &Console) -> Result<Option<Store>, Failure> {
    if target.is_project(global)? || target.work.join(Store::FILE_NAME).exists() {
        return open_store(&target.work, console).map(Some);
    }
    Ok(None)
}

fn open_store(work: &Path, console: &Console) -> Result<Store, Failure> {
    // Without the folder, the store cannot be opened either: the exit code is the same.
    let work = create_work_folder(work).map_err(|error| Failure { exit: Exit::StoreUnusable, error: error.into() })?;
    let store = Store::open(&work)?;
    store.mended().into_iter().for_each(|mended| warn_of_mended(mended, console));
    Ok(store)
}

/// Warns that the lists of earlier runs are lost.
fn warn_of_mended(mended: &Mended, console: &Console) {
    let Mended { path, damage, verdicts, journal } = mended;
    let (path, journal) = (visible::path(path), visible::path(journal));
    let taken = match verdicts {
        0 => "no verdict could be taken over".to_string(),
        _ => format!("{} were taken over from {journal}", plural(*verdicts, "verdict")),
    };
    match damage {
        Damage::Corrupt { reason, set_aside } => console.warning(format_args!(
            "{path} is damaged ({reason}): it was set aside as {}, and a new one was made; {taken}; the lists of \
             earlier runs are lost",
            visible::path(set_aside)
        )),
        Damage::Lost => console.warning(format_args!(
            "{path} was gone or empty: a new one was made; {taken} (to start from nothing, remove both)"
        )),
    }
}

/// Prints the summary and decides the exit code.
fn finish(session: &Session, arguments: &Run, console: &Console, analysis: &Analysis) -> Result<(), Failure> {
    console.clear();
    let least = arguments.execution.fail_under;
    // Reading a large store takes a moment: only if it is needed.
    let is_read = arguments.events.is_none() || least.is_some();
    let run = is_read.then(|| last_run(&session.work)).transpose()?;
    if let Some(run) = run.as_ref().filter(|_| arguments.events.is_none()) {
        let mut page = Page::default();
        formats::summary::write(run, &mut page)?;
        terminal::print(&page)?;
        if let Some(hint) = testgen_hint(run) {
            console.note(hint);
        }
    }
    let check_score = || match analysis.in_doubt {
        0 => run.map_or(Ok(()), |run| super::threshold::check(&run, least)),
        count => Err(in_doubt(count)),
    };
    match analysis.ending {
        Ending::Interrupted => Err(Failure {
            exit: Exit::Interrupted,
            error: anyhow::anyhow!("interrupted: what was found so far is kept, and `perturb run` goes on from there"),
        }),
        Ending::OutOfBudget => {
            console.note(out_of_time(analysis));
            check_score()
        }
        Ending::Complete => check_score(),
        // A run that stops before it executes mutants has no score to check.
        Ending::Stopped | Ending::Failed => Ok(()),
    }
}

/// A score that counts verdicts in doubt cannot be compared with a threshold.
fn in_doubt(count: usize) -> Failure {
    let verdicts = formats::plural(count, "verdict");
    let what = "rest on an engine and a test that the audit contradicts, and were not found again";
    Failure {
        exit: Exit::InDoubt,
        error: anyhow::anyhow!("{verdicts} in doubt: they {what}. `perturb run` continues with them"),
    }
}

/// Suggests `perturb testgen` if there are live mutants with an input on which they differ from the original.
fn testgen_hint(run: &StoredRun) -> Option<String> {
    let is_shown = |state: &&MutantState| {
        let shown = matches!(&state.judgement, Some(Judgement::Different(shown)) if shown.kind != Kind::Undefined);
        shown && !state.outcome.is_killed()
    };
    match run.mutants.iter().filter(is_shown).count() {
        0 => None,
        count => Some(format!(
            "`perturb testgen` writes tests for {count} of the mutants that live: there is an input that shows each"
        )),
    }
}

/// Reads the run that has just ended.
fn last_run(work: &Path) -> Result<StoredRun, Failure> {
    let reader = StoreReader::open(work)?;
    let id = reader.latest()?.expect("a run has just ended");
    Ok(reader.run(id)?)
}

/// The note for a run whose time is up.
fn out_of_time(Analysis { outcomes, in_doubt, .. }: &Analysis) -> String {
    let is_left = |outcome: &&Outcome| **outcome == Outcome::Pending;
    let left = outcomes.iter().filter(is_left).count();
    if left == 0 && *in_doubt > 0 {
        return "the time is up before all verdicts in doubt were found again: `perturb run` goes on from here"
            .to_string();
    }
    if left == 0 {
        return "the time is up before all live mutants were compared: `perturb run` goes on from here".to_string();
    }
    if left == outcomes.len() {
        return "the time was up before the first mutant: the earlier steps need more time than --budget".to_string();
    }
    format!("the time is up with {} to go: `perturb run` goes on from here", plural(left, "mutant"))
}

fn options(
    arguments: &Run,
    session: &Session,
    again: Option<HashSet<MutantIdx>>,
    confinement: Confinement,
) -> AnalysisOptions {
    let how = &arguments.execution;
    let config = &session.config;
    AnalysisOptions {
        work: session.work.clone(),
        discover: session.discover.clone(),
        tests: test_options(&arguments.tests, config),
        jobs: session.jobs,
        until: how.until.map(|until| match until {
            Until::Mutate => Step::Mutate,
            Until::Baseline => Step::Baseline,
            Until::Tce => Step::Tce,
            Until::Instrument => Step::Instrument,
            Until::Record => Step::Record,
        }),
        coverage: match &how.coverage {
            Coverage::Own => CoverageSource::Own,
            Coverage::Gcov => CoverageSource::Gcov,
            Coverage::Folder(folder) => CoverageSource::Folder(folder.clone()),
        },
        engine: match how.engine {
            EngineName::Auto => EngineChoice::Fastest,
            EngineName::Split => EngineChoice::Only(Engine::Split),
            EngineName::Switched => EngineChoice::Only(Engine::Switched),
            EngineName::Rebuild => EngineChoice::Only(Engine::Rebuild),
        },
        test_choice: match how.run_tests {
            RunTests::Infecting => TestChoice::Infecting,
            RunTests::Covering => TestChoice::Covering,
            RunTests::All => TestChoice::All,
        },
        kill_matrix: how.kill_matrix,
        audit: how.audit,
        time_limits: TimeLimits { factor: how.timeout_factor, least: LEAST_TIME, is_bounded: true },
        test_timeout: test_timeout(&arguments.tests, config),
        warnings: match config.run.warnings {
            Warnings::Ignored => WarningPolicy::Ignored,
            Warnings::Errors => WarningPolicy::AsTheProject,
        },
        limits: limits(&arguments.tests, config),
        confinement,
        tce: tce_options(how, config),
        sample: sample_options(how),
        distance: how.distance,
        equivalence: match how.equivalence.unwrap_or(config.run.equivalence) {
            EquivalenceName::Live => EquivalenceWhen::Live,
            EquivalenceName::Off => EquivalenceWhen::Never,
        },
        contracts: Arc::default(),
        discard: DiscardOptions { is_on: how.discard == DiscardName::On, threshold: how.discard_threshold },
        seed: how.seed,
        budget: how.budget,
        again,
        // For people, and for the options about tests that `show` repeats.
        arguments: std::env::args_os().skip(1).map(|word| visible::name(Path::new(&word)).into_owned()).collect(),
    }
}

fn sample_options(how: &Execution) -> SampleOptions {
    let calibration = how.reduce.then_some(Calibration { width: how.reduce_width, ..Calibration::DEFAULT });
    let rule = Rule { width: how.ci_width, confidence: how.ci_level, calibration };
    SampleOptions { strategy: how.sample, rule }
}

fn tce_options(how: &Execution, config: &Config) -> TceOptions {
    TceOptions {
        when: match how.tce.unwrap_or(config.run.tce) {
            TceName::On => TceWhen::Always,
            TceName::Live => TceWhen::Live,
            TceName::Off => TceWhen::Never,
        },
        levels: how.tce_levels.as_ref().map_or_else(|| TceOptions::LEVELS.to_vec(), |levels| levels.0.clone()),
        fast_floats: how.tce_fast_floats,
    }
}

/// The limits of a test, except its time.
pub(super) fn limits(typed: &TestArguments, config: &Config) -> Limits {
    let memory = typed.test_memory.or(config.tests.memory).unwrap_or(Memory::AtMost(MOST_MEMORY));
    Limits { output_bytes: 64 << 10, memory_bytes: memory.bytes(), ..Limits::default() }
}

/// How long a test may take on the original.
pub(super) fn test_timeout(typed: &TestArguments, config: &Config) -> Duration {
    typed.test_timeout.or(config.tests.timeout).unwrap_or(Duration::from_secs(300))
}

pub(super) fn test_options(typed: &TestArguments, config: &Config) -> TestOptions {
    let config = &config.tests;
    let or = |typed: &Vec<String>, config: &Vec<String>| if typed.is_empty() { config.clone() } else { typed.clone() };
    TestOptions {
        command: typed.test_command.clone().or_else(|| config.command.clone()),
        names: or(&typed.names, &config.names),
        list_command: typed.list_tests.clone().or_else(|| config.list.clone()),
        split_cases: !(typed.whole_programs || config.whole_programs),
        only: or(&typed.only_tests, &config.only),
        exclude: or(&typed.without_tests, &config.exclude),
    }
}

/// The indices of the mutants that lived in an earlier run.
fn again(arguments: &Run, session: &Session, mutants: &[Mutant]) -> Result<Option<HashSet<MutantIdx>>, Failure> {
    let Some(Again::Live) = arguments.execution.again else { return Ok(None) };
    let reader = StoreReader::open(&session.work)?;
    let Some(id) = reader.latest()? else {
        return Err(Failure::usage_text(
            "`--again live` needs an earlier run: there is none here yet; start with `perturb run`",
        ));
    };
    let run = reader.run(id)?;
    let live: HashSet<_> =
        run.mutants.iter().filter(|state| state.outcome.survives()).map(|state| state.mutant.id).collect();
    Ok(Some(MutantIdx::all(mutants.len()).filter(|index| live.contains(&mutants[*index].id)).collect()))
}

fn versions(session: &Session) -> Vec<(String, String)> {
    let libclang = session.libclang.version().to_string();
    vec![("perturb".to_string(), env!("CARGO_PKG_VERSION").to_string()), ("libclang".to_string(), libclang)]
}

/// Reports events to people, or to a program.
struct Reporter<'r> {
    console: &'r Console,
    mutants: &'r [Mutant],
    format: Option<EventFormat>,
    survivors: Survivors,
}

impl<'r> Reporter<'r> {
    fn new(console: &'r Console, arguments: &Run) -> Self {
        let survivors = Survivors::new(arguments.survivors);
        Self { console, mutants: &[], format: arguments.events, survivors }
    }

    fn event(&mut self, event: &Event) {
        self.console.event(event);
        match self.format {
            Some(EventFormat::Json) => formats::events::write(event, self.mutants, &mut terminal::data()),
            None => self.survivor(event),
        }
    }

    fn survivor(&mut self, event: &Event) {
        match event {
            Event::MutantDecided { mutant, outcome } => {
                let mutant = &self.mutants[*mutant];
                if self.survivors.is_shown(mutant, outcome) {
                    self.console.survivor(mutant, outcome);
                }
            }
            Event::MutantCompared { mutant, judgement: Judgement::Different(shown) } => {
                let mutant = &self.mutants[*mutant];
                if self.survivors.is_witness_shown(mutant, shown) {
                    self.console.witness(mutant, shown);
                }
            }
            Event::Compared { contradicted, .. } => {
                for (mutant, says) in contradicted {
                    self.console.contradiction(&self.mutants[*mutant], says);
                }
            }
            Event::Audited { disagreements, .. } => {
                for disagreement in disagreements {
                    self.console.disagreement(&self.mutants[disagreement.mutant], disagreement);
                }
            }
            Event::ExecuteFinished { .. } => {
                if let Some(rest) = self.survivors.rest() {
                    self.console.note(rest);
                }
            }
            _ => {}
        }
    }
}
