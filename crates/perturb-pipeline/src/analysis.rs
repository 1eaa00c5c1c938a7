//! The analysis of a project, from its mutants to their outcomes: the steps in their order, one call each.
//!
//! Prints nothing: it reports progress as events, and results go to the store.

pub(crate) mod audit;
pub(crate) mod compare;
mod coverage;
pub(crate) mod discarding;
pub(crate) mod equivalence;
mod forecast;
mod manifest;
mod sampling;
pub mod testgen;
mod texts;
mod trial;

use manifest::sandbox_fact;
pub use manifest::Manifest;
pub use trial::{try_tests, TrialOptions};

use crate::bench::{Bench, BenchOptions, TestFiles};
use crate::clock::StepClock;
use crate::gate::Gate;
use crate::ledger::Ledger;
use crate::steps::compile::{compile, lost_file, CompileOptions, Switchboard};
use crate::steps::coverage::{
    baseline, record, BaselineOptions, CoverageSource, InstrumentedBench, InstrumentedFiles, Recorded, Suite,
};
use crate::steps::discard::equivalence::EquivalenceWhen;
use crate::steps::discard::DiscardOptions;
use crate::steps::distance::Distance;
use crate::steps::execute::{
    execute_instrumented, execute_rebuilt, plan, settled, EngineChoice, ExecutionContext, ExecutionResults, Keys,
    PlanOptions, Priority, RebuildTool, Results, SplitResults, TestChoice, TimeLimits, WarningPolicy, Work,
};
use crate::steps::mutate::{FileSchema, Mutated};
use crate::steps::tce::{Tce, TceOptions};
use crate::PipelineError;
use perturb_cell::{memory_of_job, Limits, Sandbox};
use perturb_csrc::Libclang;
use perturb_equiv::code::Holders;
use perturb_equiv::compare::Contracts;
use perturb_host::{
    check_layers, find_tests, BuildConfinement, CacheKey, Confinement, DiscoverOptions, HostError, Interrupt,
    MayBeStop, Project, Shadow, Stop, StopReason, TestCase, TestOptions, TreeWatch,
};
use perturb_model::{ContentHash, Engine, Event, Mutant, MutantIdx, Outcome, Recording, SampleOptions, Step, TestIdx};
use perturb_store::{Ending, Known, NewRun, Store};
use sampling::ExecutionResources;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// The user's options for an analysis.
#[derive(Debug, Clone)]
pub struct AnalysisOptions {
    /// The folder that everything is written to.
    pub work: PathBuf,
    pub discover: DiscoverOptions,
    pub tests: TestOptions,
    pub jobs: usize,
    /// Stop after this step.
    pub until: Option<Step>,
    /// Where it is known from which test executes what.
    pub coverage: CoverageSource,
    pub engine: EngineChoice,
    pub test_choice: TestChoice,
    pub kill_matrix: bool,
    /// How many verdicts the rebuild engine checks.
    pub audit: usize,
    pub time_limits: TimeLimits,
    /// How long a test may take on the original.
    pub test_timeout: Duration,
    pub warnings: WarningPolicy,
    pub limits: Limits,
    pub confinement: Confinement,
    /// When and how compiled code is compared.
    pub tce: TceOptions,
    /// Which mutants are executed.
    pub sample: SampleOptions,
    /// Which live mutants count as likely equivalent.
    pub discard: DiscardOptions,
    /// When the functions of mutants are compared with the original's.
    pub equivalence: EquivalenceWhen,
    /// Contracts of functions that the configuration gives.
    pub contracts: Arc<Contracts>,
    /// The distance between runs of tests.
    pub distance: Distance,
    pub seed: u64,
    /// The run stops when this time is over.
    pub budget: Option<Duration>,
    /// Execute only these mutants, without using known verdicts for them; all others keep what is known.
    pub again: Option<HashSet<MutantIdx>>,
    /// The command line as typed.
    pub arguments: Vec<String>,
}

/// The result of a run; the rest is in the store.
#[derive(Debug)]
pub struct Analysis {
    pub outcomes: Vec<Outcome>,
    pub ending: Ending,
    /// Runs of tests on mutants.
    pub executions: usize,
    pub reused: usize,
    /// Verdicts that rest on an engine and test that the audit contradicts, and that were not checked.
    pub in_doubt: usize,
}

/// The counts of a run when its steps are done.
#[derive(Debug)]
struct Counts {
    ending: Ending,
    executions: usize,
    reused: usize,
    in_doubt: usize,
}

impl Default for Counts {
    /// The counts of a run that stopped before any mutant was executed.
    fn default() -> Self {
        Self { ending: Ending::Stopped, executions: 0, reused: 0, in_doubt: 0 }
    }
}

/// A run in progress.
struct Run<'r> {
    project: &'r Project,
    libclang: &'r Libclang,
    mutated: &'r Mutated,
    /// The mutants of `mutated`.
    mutants: &'r [Mutant],
    options: &'r AnalysisOptions,
    stop: Stop<'r>,
    gate: &'r Gate,
    benches: &'r BenchOptions,
    ledger: Ledger<'r>,
    /// Compares compiled code, in parallel with the steps.
    tce: Option<Tce>,
    /// Which units contain which files, once that is known.
    holders: Option<Arc<Holders>>,
    /// Watches the user's tree for changes since it was copied.
    watch: Option<TreeWatch>,
    /// How many verdicts the audit left in doubt.
    in_doubt: usize,
}

/// The project to analyse, with its mutants.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'s> {
    pub project: &'s Project,
    pub mutated: &'s Mutated,
    /// The libclang that found the mutants.
    pub libclang: &'s Libclang,
}

/// Executes the mutants of a project, as far as time and the user allow.
pub fn analyse(
    subject: Subject<'_>,
    store: Store,
    manifest: &Manifest,
    options: &AnalysisOptions,
    interrupt: &Interrupt,
    events: &mut dyn FnMut(Event),
) -> Result<Analysis, PipelineError> {
    let Subject { project, mutated, libclang } = subject;
    let deadline = options.budget.map(|budget| Instant::now() + budget);
    let new = NewRun {
        started: SystemTime::now(),
        root: project.root.clone(),
        arguments: options.arguments.clone(),
        seed: options.seed,
        manifest: manifest.to_json(project, &mutated.mutants, options),
    };
    let writer = store.begin(&new)?;
    let gate = Gate::default();
    let scratch = options.work.join("cells");
    let confinement = options.confinement.clone();
    let job_memory = memory_of_job(options.jobs, options.limits.memory_bytes);
    let benches = BenchOptions { scratch, limits: options.limits, job_memory, confinement };
    let mut run = Run {
        project,
        libclang,
        mutated,
        mutants: &mutated.mutants,
        options,
        stop: Stop { interrupt, deadline },
        gate: &gate,
        benches: &benches,
        ledger: Ledger::new(&mutated.mutants, writer, events),
        tce: None,
        holders: None,
        watch: None,
        in_doubt: 0,
    };
    manifest.times.iter().try_for_each(|time| run.ledger.store().record_step(*time))?;
    let result = run.steps();
    let ending = match &result {
        Ok(counts) => counts.ending,
        Err(error) if error.is_stop() => run.ending_by_stop(),
        Err(_) => Ending::Failed,
    };
    run.report_changes();
    let (outcomes, store) = run.ledger.close();
    let finished = store.finish(ending, SystemTime::now());
    match result {
        // The first error is the one that is reported.
        Err(error) if ending == Ending::Failed => Err(error),
        result => {
            finished?;
            let Counts { executions, reused, in_doubt, .. } = result.unwrap_or_default();
            Ok(Analysis { outcomes, ending, executions, reused, in_doubt })
        }
    }
}

/// A hash of the names and contents of files below a folder.
fn hash_of_files(folder: &Path, files: &[PathBuf]) -> ContentHash {
    let hashes: Vec<(&PathBuf, ContentHash)> = files
        .iter()
        .map(|file| (file, ContentHash::of(&std::fs::read(folder.join(file)).unwrap_or_default())))
        .collect();
    let parts = hashes.iter().flat_map(|(file, hash)| [file.as_os_str().as_encoded_bytes(), &hash.as_bytes()[..]]);
    ContentHash::of_parts(parts)
}

/// The options that verdicts depend on, besides programs and tests, as a part of their keys.
fn settings_of_verdicts(
    time_limits: TimeLimits,
    memory_bytes: Option<u64>,
    warnings: WarningPolicy,
    terms: &str,
) -> String {
    let TimeLimits { factor, least, is_bounded } = time_limits;
    let mut key = CacheKey::default();
    key.add_optional("factor", factor.map(|factor| factor.to_string()));
    key.add("least_us", least.as_micros().to_string());
    key.add("is_bounded", is_bounded.to_string());
    key.add_optional("memory_bytes", memory_bytes.map(|bytes| bytes.to_string()));
    key.add(
        "warnings",
        match warnings {
            WarningPolicy::Ignored => "ignored",
            WarningPolicy::AsTheProject => "as the project",
        },
    );
    key.add("confinement", terms);
    key.into_text()
}

impl<'r> Run<'r> {
    fn steps(&mut self) -> Result<Counts, PipelineError> {
        self.ledger.store().record_mutants(self.mutants)?;
        if self.ends_after(Step::Mutate) {
            return Ok(Counts::default());
        }
        self.check_sandbox()?;
        // MASS step 1, first half: build and test the original.
        let plain = self.build()?;
        let result = self.steps_on(&plain);
        // However the steps ended: removes everything that only a running analysis needs.
        self.tce = None;
        plain.clear_temporary();
        result
    }

    fn steps_on(&mut self, plain: &Shadow) -> Result<Counts, PipelineError> {
        let schemata = &self.mutated.schemata;
        let suite = self.baseline(plain)?;
        if self.ends_after(Step::Baseline) {
            return Ok(Counts::default());
        }
        // MASS step 4: find equivalent mutants and duplicates by their compiled code, in parallel with all later
        // steps.
        self.start_comparing(plain)?;
        if self.ends_after(Step::Tce) {
            self.only_compare()?;
            return Ok(Counts::default());
        }
        // MASS step 3: one build for all mutants.
        let instrumented = self.instrument(schemata)?;
        if self.ends_after(Step::Instrument) {
            return Ok(Counts::default());
        }
        // MASS step 1, second half: record what each test executes, reaches and infects.
        let clock = StepClock::start(Step::Record);
        let Some((shadow, mut switchboard)) = instrumented else {
            let recordings = self.coverage(plain, &suite, schemata, None, clock)?;
            if self.ends_after(Step::Record) {
                return Ok(Counts::default());
            }
            return self.execute(plain, &suite, &recordings, None, &mut []);
        };
        let cases: Vec<TestCase> = suite.cases.iter().map(|case| case.moved(plain, &shadow)).collect();
        let mut benches = self.instrumented_benches(&shadow, &cases, &switchboard)?;
        let mut recorded = self.record(&suite, &mut switchboard, &mut benches)?;
        let recordings = self.coverage(plain, &suite, schemata, Some(&mut recorded), clock)?;
        if self.ends_after(Step::Record) {
            return Ok(Counts::default());
        }
        // MASS step 6: execute mutants against tests.
        self.execute(plain, &suite, &recordings, Some((&switchboard, &recorded)), &mut benches)
    }

    /// Reports the layers of the sandbox, and fails where they are fewer than the user requires.
    fn check_sandbox(&mut self) -> Result<(), PipelineError> {
        let sandbox = self.options.confinement.sandbox;
        let (layers, gaps) = check_layers(&self.benches.scratch.join("probe"), sandbox)?;
        self.ledger.store().record_in_manifest("sandbox", &sandbox_fact(&layers))?;
        self.ledger.report(Event::Sandboxed { layers: layers.to_string(), gaps, missing: layers.missing });
        Ok(())
    }

    fn ends_after(&self, step: Step) -> bool {
        self.options.until == Some(step)
    }

    fn ending_by_stop(&self) -> Ending {
        match self.stop.reason() {
            Some(StopReason::Interrupted) => Ending::Interrupted,
            Some(StopReason::OutOfTime) | None => Ending::OutOfBudget,
        }
    }

    fn build(&mut self) -> Result<Shadow, PipelineError> {
        let clock = StepClock::start(Step::Build);
        let mut plain = Shadow::open(self.project, &self.options.work, None, &self.options.discover, &mut |_| {})?;
        plain.clear_temporary();
        self.watch = Some(plain.watch(self.project));
        self.check_texts(&plain)?;
        self.ledger.report(Event::BuildStarted { what: "the project as it is" });
        let log = self.ledger.logs().join("build.log");
        let built = plain.build(self.options.jobs, &log)?;
        if !built.success {
            return Err(PipelineError::BuildFailed { log, tail: built.tail });
        }
        self.check()?;
        self.ledger.report(Event::BuildFinished { what: "the project as it is", wall: built.wall });
        self.ledger.store().record_step(clock.stop(built.cpu))?;
        Ok(plain)
    }

    fn baseline(&mut self, plain: &Shadow) -> Result<Suite, PipelineError> {
        let clock = StepClock::start(Step::Baseline);
        let found = find_tests(plain, self.project, &self.options.tests)?;
        self.ledger.report(Event::TestsFound { tests: found.tests.len(), notices: found.notices });
        let cases = found.tests;
        let mut benches = self.open_benches(plain, &cases, 0, &|_| TestFiles::default())?;
        let mut inputs = plain.data_files();
        inputs.extend(plain.shared_libraries());
        let inputs = hash_of_files(plain.tree(), &inputs);
        let home = self.options.work.clone();
        let programs = plain.programs();
        let options = BaselineOptions { timeout: self.options.test_timeout, inputs, programs: &programs, home: &home };
        let suite = baseline(cases.clone(), &mut benches, &options, self.stop, self.ledger.events())?;
        drop(benches);
        let cpu = suite.tests.iter().map(|test| test.cpu * 2).sum();
        self.ledger.store().record_tests(&suite.tests)?;
        self.ledger.store().record_step(clock.stop(cpu))?;
        if suite.taking_part().is_empty() {
            let first = &suite.tests[0];
            let tests = suite.tests.len();
            let why = first.baseline.to_string();
            return Err(PipelineError::BaselineFailed { tests, first: first.name.to_string(), why });
        }
        Ok(suite)
    }

    fn instrument(&mut self, schemata: &[FileSchema]) -> Result<Option<(Shadow, Switchboard)>, PipelineError> {
        let is_recorded = self.options.coverage == CoverageSource::Own && self.options.test_choice != TestChoice::All;
        if self.options.engine == EngineChoice::Only(Engine::Rebuild) && !is_recorded {
            return Ok(None);
        }
        let clock = StepClock::start(Step::Instrument);
        let mut shadow = self.open_shadow("instrumented")?;
        self.confine_builds(&mut shadow, "instrumented")?;
        self.ledger.report(Event::BuildStarted { what: "the project with all mutants in it" });
        let logs = self.ledger.logs().to_path_buf();
        let options = CompileOptions { jobs: self.options.jobs, work: &self.options.work, logs: &logs };
        let compiled = compile(self.project, schemata, self.mutants, &mut shadow, &options, self.ledger.events())?;
        self.check()?;
        let (switchboard, cpu) = match compiled {
            Some((switchboard, cpu)) => (Some(switchboard), cpu),
            None => (None, Duration::ZERO),
        };
        let time = clock.stop(cpu);
        self.ledger.report(Event::BuildFinished { what: "the project with all mutants in it", wall: time.wall });
        self.ledger.store().record_step(time)?;
        let switched = switchboard.as_ref().map_or(0, Switchboard::switched);
        self.ledger.report(Event::Instrumented { switched, rebuilt: self.mutants.len() - switched });
        Ok(switchboard.map(|switchboard| (shadow, switchboard)))
    }

    fn record(
        &mut self,
        suite: &Suite,
        switchboard: &mut Switchboard,
        benches: &mut [InstrumentedBench<'_>],
    ) -> Result<Recorded, PipelineError> {
        record(suite, switchboard, benches, self.options.test_timeout, self.stop, self.ledger.events())
    }

    fn execute(
        &mut self,
        plain: &Shadow,
        suite: &Suite,
        recordings: &[(TestIdx, Recording)],
        instrumented: Option<(&Switchboard, &Recorded)>,
        benches: &mut [InstrumentedBench<'_>],
    ) -> Result<Counts, PipelineError> {
        let clock = StepClock::start(Step::Execute);
        let plan = plan(self.mutants, &self.not_suppressed(), suite, recordings, instrumented, self.plan_options());
        let engines: Vec<_> =
            plan.engines.iter().map(|(mutant, plan)| (self.mutants[*mutant].id, plan.clone())).collect();
        self.ledger.store().record_plans(&engines)?;
        let time_limits = TimeLimits { is_bounded: suite.is_bounded, ..self.options.time_limits };
        let memory = self.options.limits.memory_bytes;
        let terms = self.options.confinement.terms(suite.cases.iter().map(|case| case.name.as_str()));
        let settings = settings_of_verdicts(time_limits, memory, self.options.warnings, &terms);
        let keys = Keys::new(self.mutants, suite, recordings, &settings);
        let known = self.ledger.store().known(&keys.all())?;
        let context = ExecutionContext {
            mutants: self.mutants,
            suite,
            keys: &keys,
            known: &known,
            found: &SplitResults::default(),
            test_order: &plan.order,
            time_limits,
            instrumented,
            kill_matrix: self.options.kill_matrix,
        };
        // MASS step 5: choose mutants; they are executed as they are drawn.
        let switchboard = instrumented.map(|(board, _)| board);
        let (done, sampled) =
            self.execute_sample(ExecutionResources { plain, context, plan: &plan, switchboard, benches })?;
        if let Some(sampled) = &sampled {
            self.ledger.store().record_sample(sampled)?;
        }
        let executions = done.executions;
        let reused = done.reused;
        let pairs = done.pair_counts();
        self.ledger.store().record_pairs(&pairs)?;
        self.ledger.report(Event::ExecuteFinished { executions, reused, pairs });
        self.ledger.store().record_step(clock.stop(done.cpu))?;
        let audited = instrumented.map(|(board, _)| (board, &mut *benches));
        let done = self.audit(plain, context, &plan, audited, done)?;
        self.finish_comparing()?;
        // MASS step 7: find likely equivalent mutants, then equivalent and different ones by comparing functions.
        let mut resources = ExecutionResources { plain, context, plan: &plan, switchboard, benches };
        self.discard(&mut resources, recordings)?;
        let is_compared = self.compare_live(plain)?;
        if sampled.is_none() {
            let of_all = self.of_all();
            self.ledger.store().record_sample(&of_all)?;
        }
        let is_decided = is_compared && self.in_doubt == 0 && !self.ledger.outcomes().contains(&Outcome::Pending);
        let is_complete = !self.stop.is_due() || is_decided;
        let ending = if is_complete { Ending::Complete } else { self.ending_by_stop() };
        let executions = done.executions;
        let reused = done.reused;
        let in_doubt = self.in_doubt;
        Ok(Counts { ending, executions, reused, in_doubt })
    }

    /// Executes mutants with the engines that suit them, and adds their results.
    fn run_engines(
        &mut self,
        resources: &mut ExecutionResources<'_, '_, '_>,
        works: &[&Work],
        announces: bool,
        done: ExecutionResults,
    ) -> Result<ExecutionResults, PipelineError> {
        let nothing = Known::default();
        let again = self.options.again.as_ref();
        let mut results = self.results(done);
        let mut open = Vec::new();
        for &work in works {
            let is_again = again.map(|again| again.contains(&work.mutant));
            match (settled(resources.context, work)?, is_again) {
                (_, Some(true)) | (None, None) => open.push(work),
                (Some(executed), _) => results.add(work.mutant, executed)?,
                (None, Some(false)) => {}
            }
        }
        let mut done = results.finish()?;
        tracing::debug!(mutants = works.len(), known = works.len() - open.len(), "verdicts of earlier runs");
        let context = ExecutionContext {
            known: if again.is_some() { &nothing } else { resources.context.known },
            ..resources.context
        };
        if announces {
            self.announce(context, works.len() - open.len(), &open)?;
        }
        let switched: Vec<&Work> = open.iter().copied().filter(|work| !work.switched.is_empty()).collect();
        if let Some(switchboard) = resources.switchboard.filter(|_| !switched.is_empty()) {
            let stop = self.stop;
            let may_split = self.may_split();
            let mut results = self.results(done);
            let ended =
                execute_instrumented(context, switchboard, resources.benches, &switched, may_split, stop, &mut results);
            // The results so far are recorded, however the engine ended.
            done = results.finish()?;
            ended?;
        }
        // Mutants that the instrumented build could not decide.
        let is_open = |work: &&Work| work.switched.is_empty() || done.deferred.contains_key(&work.mutant);
        let rebuilt: Vec<&Work> = open.into_iter().filter(is_open).collect();
        if rebuilt.is_empty() || self.stop.is_due() {
            return Ok(done);
        }
        self.rebuild(resources.plain, context, rebuilt, done)
    }

    /// Builds mutants by themselves, except those that compiled code decides.
    fn rebuild(
        &mut self,
        plain: &Shadow,
        context: ExecutionContext<'_>,
        works: Vec<&Work>,
        done: ExecutionResults,
    ) -> Result<ExecutionResults, PipelineError> {
        let (works, mut postponed, mut done) = self.select_for_build(works, done)?;
        let mut tools = Vec::new();
        let mut next = works;
        while !next.is_empty() && !self.stop.is_due() {
            if tools.is_empty() {
                tools = self.rebuild_tools(plain, context.suite, next.len())?;
            }
            let stop = self.stop;
            let mut results = self.results(done);
            let ended = execute_rebuilt(context, &mut tools, &next, stop, &mut results);
            done = results.finish()?;
            ended?;
            next = self.still_open(&mut postponed);
        }
        Ok(done)
    }

    fn plan_options(&self) -> PlanOptions {
        let options = self.options;
        let reduce = options.sample.rule.calibration.is_some();
        let most = if reduce { Priority::WHOLE } else { Priority::FIRST };
        PlanOptions {
            engine: options.engine,
            tests: options.test_choice,
            knows_infection: options.coverage == CoverageSource::Own,
            priority: Priority { distance: options.distance, seed: options.seed, most },
            reduce,
        }
    }

    /// Whether one run of a test may serve many mutants. Coverage from other sources does not say what is infected.
    fn may_split(&self) -> bool {
        self.options.engine != EngineChoice::Only(Engine::Switched)
            && self.options.test_choice == TestChoice::Infecting
            && self.options.coverage == CoverageSource::Own
    }

    fn results(&mut self, done: ExecutionResults) -> Results<'_, 'r> {
        let findings = self.tce.as_ref().map(|tce| tce.findings().clone());
        Results::new(done, &mut self.ledger).with_findings(findings)
    }

    fn not_suppressed(&self) -> Vec<MutantIdx> {
        MutantIdx::all(self.mutants.len()).filter(|mutant| self.mutants[*mutant].suppression.is_none()).collect()
    }

    /// Copies of the project for the rebuild engine. Each is built once without a mutant, so that later failures are
    /// caused by mutants.
    fn rebuild_tools(
        &mut self,
        plain: &Shadow,
        suite: &Suite,
        works: usize,
    ) -> Result<Vec<RebuildTool<'r>>, PipelineError> {
        let count = self.options.jobs.min(works).max(1);
        let mut tools = Vec::new();
        self.ledger.report(Event::BuildStarted { what: "copies of the project for mutants of their own" });
        let start = Instant::now();
        for number in 0..count {
            let name = format!("rebuild-{number}");
            let mut shadow = self.open_shadow(&name)?;
            let log = self.ledger.logs().join(format!("{name}.log"));
            self.build_confined(&mut shadow, &name, &log)?;
            self.check()?;
            let cases = suite.cases.iter().map(|case| case.moved(plain, &shadow)).collect();
            let gate = self.gate;
            let options = self.benches;
            let warnings = self.options.warnings;
            // Benches of the instrumented build may still be open, and have the first numbers.
            let number = self.options.jobs + number;
            tools.push(RebuildTool { shadow, cases, gate, options, number, log, warnings, jobs: 1 });
        }
        let what = "copies of the project for mutants of their own";
        self.ledger.report(Event::BuildFinished { what, wall: start.elapsed() });
        Ok(tools)
    }

    /// Builds the original in the place where its mutants will be built: in a cell, unless it does not build there.
    fn build_confined(&mut self, shadow: &mut Shadow, name: &str, log: &Path) -> Result<(), PipelineError> {
        self.confine_builds(shadow, name)?;
        let built = shadow.build(self.options.jobs, log)?;
        if built.success {
            return Ok(shadow.keep_as_built()?);
        }
        let was_confined = shadow.release_builds();
        let free = shadow.build(self.options.jobs, log)?;
        if !free.success {
            return Err(PipelineError::BuildFailed { log: log.to_path_buf(), tail: free.tail });
        }
        if was_confined {
            self.ledger.report(Event::BuildsNotConfined { tail: built.tail });
        }
        Ok(shadow.keep_as_built()?)
    }

    /// Makes all builds of a copy run in a cell, if mutants are written to the copy.
    fn confine_builds(&self, shadow: &mut Shadow, name: &str) -> Result<(), PipelineError> {
        let confinement = &self.options.confinement;
        if confinement.sandbox == Sandbox::OFF {
            shadow.release_builds();
            return Ok(());
        }
        let scratch = self.benches.scratch.join(format!("build-{name}"));
        let readable = confinement.permits_of_all().readable.clone();
        Ok(shadow.confine_builds(&BuildConfinement { scratch, sandbox: confinement.sandbox, readable })?)
    }

    fn open_shadow(&mut self, name: &str) -> Result<Shadow, PipelineError> {
        let work = &self.options.work;
        let options = &self.options.discover;
        Ok(Shadow::open(self.project, work, Some(name), options, &mut |_| {})?)
    }

    /// Opens one bench for each job, numbered from `first`, which no open bench may have. `files` returns the files
    /// outside of the shadow that the tests of a bench need.
    fn open_benches<'b>(
        &self,
        shadow: &Shadow,
        cases: &'b [TestCase],
        first: usize,
        files: &dyn Fn(usize) -> TestFiles,
    ) -> Result<Vec<Bench<'b>>, PipelineError>
    where
        'r: 'b,
    {
        let mut benches = Vec::new();
        for number in 0..self.options.jobs {
            let bench = Bench::open(shadow, cases, self.gate, self.benches, first + number, &files(number))?;
            self.stop.interrupt.watch(bench.stoppers()?);
            benches.push(bench);
        }
        Ok(benches)
    }

    /// Opens benches on the instrumented build, each with a record for its tests to fill in.
    fn instrumented_benches<'b>(
        &self,
        shadow: &Shadow,
        cases: &'b [TestCase],
        switchboard: &Switchboard,
    ) -> Result<Vec<InstrumentedBench<'b>>, PipelineError>
    where
        'r: 'b,
    {
        let folder = self.options.work.join("records");
        std::fs::create_dir_all(&folder).map_err(HostError::io("create", &folder))?;
        let files = |number: usize| InstrumentedFiles {
            record: folder.join(number.to_string()),
            record_bytes: switchboard.layout().size(),
            sheet: folder.join(format!("sheet-{number}")),
            sheet_bytes: switchboard.sheet().size(),
            lost: lost_file(&self.options.work),
        };
        let benches = self.open_benches(shadow, cases, 0, &|number| files(number).for_bench())?;
        let joined = benches.into_iter().enumerate();
        Ok(joined.map(|(number, bench)| InstrumentedBench { bench, files: files(number) }).collect())
    }

    fn check(&self) -> Result<(), PipelineError> {
        self.stop.reason().map_or(Ok(()), |reason| Err(PipelineError::Stopped(reason)))
    }
}
