//! `perturb testgen`: writes tests that kill live mutants of the last run.

use super::comparing::options;
use super::run::{limits, test_options, test_timeout};
use crate::args::{FrameworkName, Global, SanitizersName, SeedInputs, Testgen, TestgenFormat};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::formats::plural;
use crate::formats::testgen::{write_json, write_text, Results};
use crate::page::Page;
use crate::session::Session;
use crate::target::Target;
use crate::{interrupts, out_file, terminal, visible};
use anyhow::Context;
use perturb_equiv::compare::EquivalenceOptions;
use perturb_equiv::testgen::{
    build_files, framework_of, Generated, Places, TestFile, TestgenOptions, TestgenProgress, BUILD_FILES, MARK,
};
use perturb_host::{Interrupt, Stop};
use perturb_model::{Framework, Judgement, Mutant, MutantId, MutantIdx, TestgenOutcome};
use perturb_pipeline::analysis::testgen::{generate, InputSources};
use perturb_pipeline::analysis::TrialOptions;
use perturb_store::{Generation, GenerationWriter, Store, StoreError, StoreReader, StoredRun};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

/// The folder for tests in the work folder.
const FOLDER: &str = "tests";

pub fn run(global: &Global, arguments: &Testgen, console: &Console) -> Result<(), Failure> {
    let start = Instant::now();
    let interrupt = Arc::new(Interrupt::default());
    interrupts::watch(interrupt.clone()).map_err(Failure::unusable)?;
    let Testgen { select, comparing, .. } = arguments;
    let target = Target::find(global, select, console)?;
    // A store that cannot be written to is an error now, not after a long search.
    let (run, mut store) = last_run(&target.work)?;
    let session = Session::open_at(target, global, select, console)?;
    // Tests and their build files name the sources that they are linked with.
    perturb_host::require_utf8(&session.project.root, "to generate tests, move the project to another folder")?;
    let mutated = session.mutated(select, &mut |event| console.event(&event))?;
    if mutated.mutants.is_empty() {
        return Err(super::no_mutants::explain(&session, select, console));
    }
    let chosen = live(&run, &mutated.mutants, console);
    let framework = arguments.framework.map_or_else(|| framework_of(&session.project), framework);
    let contracts = session.contracts()?;
    let comparing = EquivalenceOptions { contracts, ..options(&session.work, session.jobs, comparing) };
    let tests =
        (arguments.seed_inputs == SeedInputs::Tests).then(|| trial(arguments, &session, &comparing)).transpose()?;
    let tolerance = arguments.float_tolerance.or(session.config.testgen.float_tolerance).and_then(|own| own.0);
    let options = TestgenOptions {
        comparing,
        framework,
        tolerance,
        sanitizers: arguments.sanitizers == SanitizersName::On,
        judged: judged(&run, &mutated.mutants, &chosen),
    };
    let folder = folder(arguments, &session.work)?;
    perturb_host::require_utf8(&folder, "name another folder with `--out DIR`")?;
    let sources = InputSources { tests, store: &mut store, fresh: arguments.fresh };
    let stop = Stop { interrupt: &interrupt, deadline: arguments.budget.map(|budget| start + budget) };
    console.testgen(chosen.len());
    let generated =
        generate(session.compared(&mutated), &chosen, &options, sources, stop, &mut |progress| match progress {
            TestgenProgress::Searched { mutants } | TestgenProgress::Confirmed { mutants } => console.compared(mutants),
            TestgenProgress::ToConfirm { mutants } => console.confirming(mutants),
        });
    console.clear();
    let generated = generated?;
    if generated.known > 0 {
        let known = generated.known;
        console.note(format_args!("for {known} of the mutants the result is known from before (--fresh looks again)"));
    }
    if let Some(why) = &generated.seeds_missing {
        console.warning(format!("the seed inputs of the tests are not known, so only other inputs were tried: {why}"));
    }
    if let Some(why) = &generated.framework_missing {
        let (name, how) = (framework.name(), framework.how_to_install());
        console.warning(format!("{name} cannot be used here, and the tests are plain C instead: {why}\n  ({how})"));
    }
    let build = session.work.join("build");
    let files = write_files(Places { root: &session.project.root, build: &build, folder: &folder }, &generated)?;
    record(&mut store, &generated, &mutated.mutants, generation(&generated, framework, &folder))?;
    let results =
        Results { run: &run, mutants: &mutated.mutants, indices: &chosen, generated: &generated, files: &files };
    match arguments.format {
        TestgenFormat::Text => {
            let mut page = Page::default();
            write_text(&results, &mut page)?;
            terminal::print(&page)?;
        }
        TestgenFormat::Json => terminal::write_data(|out| write_json(&results, out))?,
    }
    report_end(&results, &interrupt, console)
}

/// Reports an early end, with how many mutants are left.
fn report_end(results: &Results<'_>, interrupt: &Interrupt, console: &Console) -> Result<(), Failure> {
    let left = results.indices.iter().filter(|index| !results.generated.outcomes.contains_key(index)).count();
    let text = format!(
        "{left} of {} without a confirmed test or a reason: `perturb testgen` goes on from here",
        plural(results.indices.len(), "mutant")
    );
    match (interrupt.is_raised(), left) {
        (true, _) => Err(Failure { exit: Exit::Interrupted, error: anyhow::anyhow!("interrupted: {text}") }),
        (false, 0) => Ok(()),
        (false, _) => {
            console.note(format_args!("the time is up: {text}"));
            Ok(())
        }
    }
}

/// The options to run the project's tests with.
fn trial(arguments: &Testgen, session: &Session, comparing: &EquivalenceOptions) -> Result<TrialOptions, Failure> {
    let Session { config, project, work, discover, jobs, .. } = session;
    Ok(TrialOptions {
        work: work.clone(),
        discover: discover.clone(),
        tests: test_options(&arguments.tests, config),
        jobs: *jobs,
        test_timeout: test_timeout(&arguments.tests, config),
        limits: limits(&arguments.tests, config),
        confinement: config.sandbox.confinement(comparing.sandbox, &project.root).map_err(Failure::usage)?,
    })
}

/// The run whose mutants get tests, and the writer of the results.
fn last_run(work: &Path) -> Result<(StoredRun, GenerationWriter), Failure> {
    let missing = |error: StoreError| {
        if matches!(error, StoreError::Foreign { .. }) {
            // The message says what to do, and another run would not help.
            return Failure::from(error);
        }
        let text = "tests are made for the mutants that a run leaves alive: `perturb run` first";
        Failure::unusable(anyhow::Error::from(error).context(text))
    };
    // Only a run mends a damaged store: nothing is written to it here.
    StoreReader::open(work).map_err(missing)?;
    let store = Store::open(work)?;
    let reader = StoreReader::open(work)?;
    let id = reader.latest()?.ok_or_else(|| missing(StoreError::Missing { work: work.to_path_buf() }))?;
    let run = reader.run(id)?;
    let writer = store.generate_for(&run);
    Ok((run, writer))
}

fn generation(generated: &Generated, framework: Framework, folder: &Path) -> Generation {
    let framework = if generated.framework_missing.is_some() { Framework::Plain } else { framework };
    Generation { at: SystemTime::now(), framework, folder: folder.to_path_buf() }
}

/// Records the results, after their files are written, because reports name these files.
fn record(
    store: &mut GenerationWriter,
    generated: &Generated,
    mutants: &[Mutant],
    generation: Generation,
) -> Result<(), Failure> {
    let outcomes: Vec<(MutantId, &TestgenOutcome)> =
        generated.outcomes.iter().map(|(index, outcome)| (mutants[*index].id, outcome)).collect();
    let files = generated.suites.iter().flat_map(|suite| &suite.files).map(|file| file.name.as_str()).collect();
    Ok(store.record(&generation, &outcomes, &files)?)
}

/// The mutants that the run left alive, by their indices.
fn live(run: &StoredRun, mutants: &[Mutant], console: &Console) -> Vec<MutantIdx> {
    let live: BTreeSet<MutantId> =
        run.mutants.iter().filter(|state| state.outcome.needs_test()).map(|state| state.mutant.id).collect();
    let known: BTreeSet<MutantId> = run.mutants.iter().map(|state| state.mutant.id).collect();
    let is_chosen = |index: &MutantIdx| live.contains(&mutants[*index].id);
    let chosen: Vec<MutantIdx> = MutantIdx::all(mutants.len()).filter(is_chosen).collect();
    let new = mutants.iter().filter(|mutant| !known.contains(&mutant.id)).count();
    if new > 0 {
        console.warning(format!(
            "{new} of the {} mutants are not in the last run: it was for others, or the sources have changed since. \
             They get no tests before another `perturb run`",
            mutants.len()
        ));
    }
    if chosen.is_empty() {
        console.note("the last run left none of these mutants alive: there is nothing to do");
    }
    chosen
}

/// What comparing functions found about these mutants in the run.
fn judged(run: &StoredRun, mutants: &[Mutant], chosen: &[MutantIdx]) -> BTreeMap<MutantIdx, Judgement> {
    let known = run.mutants.iter().filter_map(|state| Some((state.mutant.id, state.judgement.as_ref()?)));
    let known: HashMap<MutantId, &Judgement> = known.collect();
    chosen.iter().filter_map(|index| Some((*index, (*known.get(&mutants[*index].id)?).clone()))).collect()
}

fn framework(name: FrameworkName) -> Framework {
    match name {
        FrameworkName::Plain => Framework::Plain,
        FrameworkName::Cmocka => Framework::Cmocka,
        FrameworkName::Unity => Framework::Unity,
        FrameworkName::Check => Framework::Check,
        FrameworkName::Gtest => Framework::GoogleTest,
    }
}

/// The folder for tests: in the work folder, unless another one is named. Creates it, and checks before the search for
/// inputs that files can be written there.
fn folder(arguments: &Testgen, work: &Path) -> Result<PathBuf, Failure> {
    let folder = arguments.out.clone().unwrap_or_else(|| work.join(FOLDER));
    let failed = || format!("cannot create {}", visible::path(&folder));
    std::fs::create_dir_all(&folder).with_context(failed).map_err(Failure::unusable)?;
    BUILD_FILES.iter().try_for_each(|name| expect_ours(&folder.join(name)))?;
    let failed = || format!("cannot write to {}", visible::path(&folder));
    out_file::try_folder(&folder).with_context(failed).map_err(Failure::unusable)?;
    // The Makefile has the path from there to the project.
    folder.canonicalize().with_context(failed).map_err(Failure::unusable)
}

/// Fails if there is a file that perturb did not write.
fn expect_ours(path: &Path) -> Result<(), Failure> {
    let is_ours = |text: Vec<u8>| String::from_utf8_lossy(&text).contains(MARK);
    match std::fs::read(path).is_ok_and(|text| !is_ours(text)) {
        false => Ok(()),
        true => {
            let text = format!("{} is there and was not written by perturb: name another folder", visible::path(path));
            Err(Failure::usage_text(text))
        }
    }
}

/// Writes all files, and replaces only files that perturb wrote.
fn write_files(places: Places<'_>, generated: &Generated) -> Result<Vec<PathBuf>, Failure> {
    let folder = places.folder;
    let for_builds = build_files(&generated.suites, places);
    let mut files: Vec<&TestFile> = generated.suites.iter().flat_map(|suite| &suite.files).chain(&for_builds).collect();
    // A file that several suites need is written once.
    let mut seen = BTreeSet::new();
    files.retain(|file| seen.insert(&file.name));
    files.iter().try_for_each(|file| expect_ours(&folder.join(&file.name)))?;
    let mut written = Vec::new();
    for file in files {
        let path = folder.join(&file.name);
        out_file::write(&path, |out| out.write_all(file.text.as_bytes()))
            .with_context(|| format!("cannot write {}", visible::path(&path)))
            .map_err(Failure::unusable)?;
        written.push(path);
    }
    Ok(written)
}
