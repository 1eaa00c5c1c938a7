//! `perturb run`: the whole analysis, from a project to what becomes of each of its mutants.

use crate::args::{Again, EngineName, EventFormat, Global, Run, RunTests, Until};
use crate::config::{Config, Warnings as ConfigWarnings};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::formats;
use crate::interrupts;
use crate::session::Session;
use crate::target::Target;
use perturb_host::{Limits, TestOptions};
use perturb_pipeline::analysis::{analyse, Analysis, AnalysisOptions, Manifest};
use perturb_pipeline::interrupt::Interrupt;
use perturb_pipeline::steps::execute::{EngineChoice, Patience, TestChoice, Warnings};
use perturb_pipeline::steps::Step;
use perturb_pipeline::store::{Ending, StepTime, Store, StoreReader};
use perturb_pipeline::{Engine, Event, Mutant, Outcome};
use std::collections::HashSet;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub fn run(global: &Global, arguments: &Run, console: &Console) -> Result<(), Failure> {
    let interrupt = Arc::new(Interrupt::default());
    interrupts::watch(interrupt.clone()).map_err(Failure::unusable)?;
    perturb_host::yield_to_others();
    let target = Target::find(global, &arguments.select, console)?;
    let early = open_early(global, &target)?;
    let start = Instant::now();
    let session = Session::open_at(target, global, &arguments.select, console)?;
    let discovered = StepTime { step: Step::Discover, wall: start.elapsed(), cpu: Duration::ZERO };
    let start = Instant::now();
    let reporter = Reporter { console, mutants: &[], format: arguments.events };
    let mutated = session.mutated(&arguments.select, &mut |event| reporter.event(&event))?;
    let listed = StepTime { step: Step::Mutate, wall: start.elapsed(), cpu: Duration::ZERO };
    if mutated.mutants.is_empty() {
        if arguments.select.diff.is_some() {
            console.note("nothing that changed holds a mutant");
            return Ok(());
        }
        return Err(super::nothing::explain(&session, &arguments.select, console));
    }
    let store = early.map_or_else(|| Store::open(&session.work), Ok)?;
    let again = again(arguments, &session, &mutated.mutants)?;
    let manifest = Manifest { versions: versions(&session), times: vec![discovered, listed] };
    let options = options(arguments, &session, again);
    let reporter = Reporter { mutants: &mutated.mutants, ..reporter };
    let mut tell = |event: Event| reporter.event(&event);
    let analysis = analyse(&session.project, &mutated, store, &manifest, &options, &interrupt, &mut tell)?;
    finish(&session, arguments, console, &analysis)
}

/// A second run must not wait for the first one's discovery only to be turned away; but no store is made where there is
/// no project.
fn open_early(global: &Global, target: &Target) -> Result<Option<Store>, Failure> {
    if target.is_project(global)? || target.work.join(Store::FILE_NAME).exists() {
        return Ok(Some(Store::open(&target.work)?));
    }
    Ok(None)
}

/// The summary, and how the program ends.
fn finish(session: &Session, arguments: &Run, console: &Console, analysis: &Analysis) -> Result<(), Failure> {
    console.clear();
    if arguments.events.is_none() {
        let reader = StoreReader::open(&session.work)?;
        let id = reader.latest()?.expect("a run has just ended");
        let mut out = anstream::stdout();
        formats::summary::write(&reader.run(id)?, &mut out)?;
        out.flush()?;
    }
    match analysis.ending {
        Ending::Interrupted => Err(Failure {
            exit: Exit::Interrupted,
            error: anyhow::anyhow!("interrupted: what was found so far is kept, and `perturb run` goes on from there"),
        }),
        Ending::OutOfBudget => {
            console.note("the time is up: `perturb run` goes on from here");
            Ok(())
        }
        Ending::Complete | Ending::Stopped | Ending::Failed => Ok(()),
    }
}

fn options(arguments: &Run, session: &Session, again: Option<HashSet<usize>>) -> AnalysisOptions {
    let (how, config) = (&arguments.how, &session.config);
    AnalysisOptions {
        work: session.work.clone(),
        discover: session.discover.clone(),
        tests: test_options(arguments, config),
        jobs: session.jobs,
        until: how.until.map(|until| match until {
            Until::Mutants => Step::Mutate,
            Until::Baseline => Step::Baseline,
            Until::Instrument => Step::Instrument,
            Until::Coverage => Step::Record,
        }),
        engine: match how.engine {
            EngineName::Auto => EngineChoice::Fastest,
            EngineName::Switched => EngineChoice::Only(Engine::Switched),
            EngineName::Rebuild => EngineChoice::Only(Engine::Rebuild),
        },
        test_choice: match how.run_tests {
            RunTests::Infecting => TestChoice::Infecting,
            RunTests::Covering => TestChoice::Covering,
            RunTests::All => TestChoice::All,
        },
        kill_matrix: how.kill_matrix,
        patience: Patience { factor: how.timeout_factor, least: Duration::from_millis(200) },
        test_timeout: arguments
            .tests
            .test_timeout
            .or(config.tests.timeout.map(Duration::from_secs_f64))
            .unwrap_or(Duration::from_secs(300)),
        warnings: match config.run.warnings {
            ConfigWarnings::Ignored => Warnings::Ignored,
            ConfigWarnings::Errors => Warnings::AsTheProject,
        },
        limits: Limits { output_bytes: 64 << 10, ..Limits::default() },
        seed: how.seed,
        budget: how.budget,
        again,
        arguments: std::env::args().skip(1).collect(),
    }
}

fn test_options(arguments: &Run, config: &Config) -> TestOptions {
    let (typed, config) = (&arguments.tests, &config.tests);
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

/// The places of the mutants that an earlier run left alive.
fn again(arguments: &Run, session: &Session, mutants: &[Mutant]) -> Result<Option<HashSet<usize>>, Failure> {
    let Some(Again::Live) = arguments.how.again else { return Ok(None) };
    let reader = StoreReader::open(&session.work)?;
    let Some(id) = reader.latest()? else {
        return Err(Failure::usage_text("`--again live` needs an earlier run: there is none here yet"));
    };
    let run = reader.run(id)?;
    let live: HashSet<_> = run
        .mutants
        .iter()
        .filter(|state| matches!(state.outcome, Outcome::Live | Outcome::NotInfected | Outcome::LikelyEquivalent))
        .map(|state| state.mutant.id)
        .collect();
    Ok(Some((0..mutants.len()).filter(|&place| live.contains(&mutants[place].id)).collect()))
}

fn versions(session: &Session) -> Vec<(String, String)> {
    let libclang = session.libclang.version().to_string();
    vec![("perturb".to_string(), env!("CARGO_PKG_VERSION").to_string()), ("libclang".to_string(), libclang)]
}

/// Where events go: to people, or to a program.
struct Reporter<'r> {
    console: &'r Console,
    mutants: &'r [Mutant],
    format: Option<EventFormat>,
}

impl Reporter<'_> {
    fn event(&self, event: &Event) {
        self.console.event(event);
        match self.format {
            Some(EventFormat::Json) => formats::events::write(event, self.mutants, &mut std::io::stdout()),
            None => {
                if let Event::MutantDecided { place, outcome } = event {
                    self.console.survivor(&self.mutants[*place], outcome);
                }
            }
        }
    }
}
