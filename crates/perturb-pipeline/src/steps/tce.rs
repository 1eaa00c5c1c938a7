//! Step 4, trivial compiler equivalence: a mutant that the project's own compiler makes the same code of as of the
//! original cannot be killed, and two that become the same code count as one.
//!
//! Each function stands in one text with all its mutants under other names (`perturb_equiv::code`), compiled once for
//! each level of optimisation; codes are compared function by function. It goes on beside the other steps, when nobody
//! else wants the processors, and decides nothing by itself: at the end what was found is weighed against what the
//! tests said (`findings`). Mutants that live are then compared once more, each with its whole unit, where inlining
//! shows more.
//!
//! Code that is the same at an optimising level is the same as long as nothing undefined happens; so a kill stands,
//! with what the compiler took for granted (`Tce::assumptions`, `undefined`), unless the mutant is seen to read what
//! nobody wrote.

mod board;
mod classes;
mod findings;
mod undefined;

pub use classes::Same;
pub use findings::{judge, Findings, Found, Judged};
pub use undefined::newly_undefined;

use crate::clock;
use crate::PipelineError;
use board::{Board, Subject};
use perturb_equiv::code::{Built, CodeTool, CodeUnit, FileTask, Holders};
use perturb_host::{language_of_command, thread_cpu, workers, Language, Mirror, NoThread, Unit};
use perturb_model::{Assumption, CopyableFile, Level, Mutant, MutantIdx};
use perturb_store::CodeCache;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// When compiled code is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TceWhen {
    /// Of all mutants, and once more of those that live.
    Always,
    /// Only of those that live.
    Live,
    Never,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TceOptions {
    pub when: TceWhen,
    /// At least one.
    pub levels: Vec<Level>,
    /// Trust `-Ofast` with floating point too.
    pub fast_floats: bool,
}

impl TceOptions {
    pub const LEVELS: [Level; 3] = [Level::O1, Level::O2, Level::Os];

    /// The level at which whole units are compared: the first at which compilers inline most of what they can.
    fn unit_level(&self) -> Level {
        [Level::O2, Level::O3].into_iter().find(|level| self.levels.contains(level)).unwrap_or(self.levels[0])
    }
}

/// What comparing needs to know of a project.
#[derive(Debug)]
pub struct TceSubject {
    pub mutants: Arc<[Mutant]>,
    pub copyable: Vec<CopyableFile>,
    /// As they are compiled in the copy that was built.
    pub units: Vec<Unit>,
    /// The tree of that copy.
    pub tree: PathBuf,
    /// A folder of ours.
    pub home: PathBuf,
    pub jobs: usize,
    pub options: TceOptions,
}

/// How far it is.
#[derive(Debug, Default)]
struct Progress {
    done: AtomicUsize,
    total: AtomicUsize,
    cpu_micros: AtomicU64,
}

impl Progress {
    fn add_cpu(&self, compilers: Duration, own: Duration) {
        let micros = u64::try_from((compilers + own).as_micros()).unwrap_or(u64::MAX);
        self.cpu_micros.fetch_add(micros, Ordering::Relaxed);
        clock::add_beside(own);
    }
}

#[derive(Debug)]
struct Shared {
    subject: TceSubject,
    files: Vec<PathBuf>,
    findings: Arc<Findings>,
    progress: Progress,
    is_stopped: AtomicBool,
    holders: Mutex<Option<Arc<Holders>>>,
}

/// Comparing, under way. It ends when this is dropped.
#[derive(Debug)]
pub struct Tce {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<Result<(), PipelineError>>>,
}

impl Tce {
    /// Starts to compare, beside whatever else is done.
    pub fn start(subject: TceSubject, cache: CodeCache) -> Result<Self, PipelineError> {
        let mut files: Vec<PathBuf> = subject.copyable.iter().map(|file| file.file.relative.clone()).collect();
        files.sort();
        let shared = Arc::new(Shared {
            subject,
            files,
            findings: Arc::default(),
            progress: Progress::default(),
            is_stopped: AtomicBool::new(false),
            holders: Mutex::new(None),
        });
        let beside = shared.clone();
        let thread = std::thread::Builder::new().spawn(move || beside.compare_functions(cache));
        let thread = thread.map_err(|error| NoThread { error })?;
        Ok(Self { shared, thread: Some(thread) })
    }

    pub fn findings(&self) -> &Arc<Findings> {
        &self.shared.findings
    }

    /// Which units hold which files, those that can be copied in the order of their names; None until that is known.
    pub(crate) fn holders(&self) -> Option<Arc<Holders>> {
        self.shared.holders.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What it took of the processors so far, compilers and all.
    pub fn cpu(&self) -> Duration {
        Duration::from_micros(self.shared.progress.cpu_micros.load(Ordering::Relaxed))
    }

    /// Parts that are done, of those that are known.
    pub fn progress(&self) -> (usize, usize) {
        let Progress { done, total, .. } = &self.shared.progress;
        (done.load(Ordering::Relaxed), total.load(Ordering::Relaxed))
    }

    /// Whether all functions have been compared.
    pub fn is_done(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits until all functions have been compared, telling how far it is; ends early when it is time to stop.
    pub fn wait(&mut self, stop: &dyn Fn() -> bool, tell: &mut dyn FnMut(usize, usize)) -> Result<(), PipelineError> {
        const PAUSE: Duration = Duration::from_millis(20);
        while !self.is_done() {
            if stop() {
                self.shared.is_stopped.store(true, Ordering::Relaxed);
            }
            let (done, total) = self.progress();
            tell(done, total);
            std::thread::sleep(PAUSE);
        }
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => Ok(()),
        }
    }

    /// Compares mutants once more, each with its whole unit. [`Tce::wait`] comes first.
    pub fn compare_units(
        &self,
        mutants: &[MutantIdx],
        cache: CodeCache,
        stop: &(dyn Fn() -> bool + Sync),
        tell: &mut dyn FnMut(usize, usize),
    ) -> Result<(), PipelineError> {
        let shared = &*self.shared;
        let Some(holders) = self.holders() else { return Ok(()) };
        let (sender, told) = std::sync::mpsc::channel();
        let note = move |done, total| {
            // Whoever listens has gone when all is done.
            let _ = sender.send((done, total));
        };
        let levels = [shared.subject.options.unit_level()];
        std::thread::scope(|scope| {
            let worker = move || {
                let subject = Subject {
                    units: &holders.units,
                    mutants: &shared.subject.mutants,
                    levels: &levels,
                    fast_floats: shared.subject.options.fast_floats,
                    findings: &shared.findings,
                    stop,
                    tell: &note,
                };
                let board = Board::new(subject, cache);
                for (file, mutants) in shared.mutants_by_file(|mutant| mutants.binary_search(&mutant).is_ok()) {
                    let Some(copyable) = shared.copyable(file) else { continue };
                    board.add_units(copyable.file.clone(), &mutants, holders.by_file[file].clone())?;
                }
                shared.run(&board, "units", stop)?;
                board.finish().map(drop)
            };
            let threads = workers::start(scope, workers::USUAL_STACK, [worker])?;
            told.into_iter().for_each(|(done, total)| tell(done, total));
            workers::join(threads).into_iter().collect()
        })
    }
}

impl Tce {
    /// What compilers took for granted when they made the same code of these mutants and of what each was found to be
    /// the same as; of those of which that can be told.
    pub fn assumptions(
        &self,
        found: &BTreeMap<MutantIdx, Same>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<BTreeMap<MutantIdx, Assumption>, PipelineError> {
        let shared = &*self.shared;
        let Some(holders) = self.holders().filter(|_| !found.is_empty()) else { return Ok(BTreeMap::new()) };
        let mut tool = shared.tool("assumptions", stop)?;
        let mut assumptions = BTreeMap::new();
        for (&mutant, same) in found {
            let file = &shared.subject.mutants[mutant].file;
            let Ok(at) = shared.files.binary_search(&file.relative) else { continue };
            let other = match same {
                Same::AsOriginal { .. } => None,
                Same::AsMutant { mutant, .. } => Some(*mutant),
            };
            for unit in &holders.by_file[at] {
                let assumption = tool.assumption(file, &holders.units[*unit], (mutant, other), same.level())?;
                if let Some(assumption) = assumption {
                    assumptions.insert(mutant, assumption);
                    break;
                }
            }
        }
        shared.progress.add_cpu(tool.cpu, Duration::ZERO);
        Ok(assumptions)
    }
}

impl Drop for Tce {
    fn drop(&mut self) {
        self.shared.is_stopped.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // What it came to is not wanted any more.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    fn compare_functions(&self, cache: CodeCache) -> Result<(), PipelineError> {
        let Some(holders) = self.read_units()? else { return Ok(()) };
        if self.subject.options.when != TceWhen::Always {
            return Ok(());
        }
        let stop = || self.is_stopped();
        let tell = |done, total| {
            self.progress.done.store(done, Ordering::Relaxed);
            self.progress.total.store(total, Ordering::Relaxed);
        };
        let options = &self.subject.options;
        let units_level = [options.unit_level()];
        let subject = |levels| Subject {
            units: &holders.units,
            mutants: &self.subject.mutants,
            levels,
            fast_floats: options.fast_floats,
            findings: &self.findings,
            stop: &stop,
            tell: &tell,
        };
        let board = Board::new(subject(&options.levels), cache);
        let mut others = Vec::new();
        for (file, mutants) in self.mutants_by_file(|_| true) {
            let units = holders.by_file[file].clone();
            let Some(copyable) = self.copyable(file) else { continue };
            let task =
                FileTask::new(copyable.file.clone(), copyable.functions.clone(), &self.subject.mutants, &mutants);
            if units.iter().all(|unit| is_c(&holders.units[*unit])) && !task.others.is_empty() {
                others.push((copyable.file.clone(), task.others.clone(), units.clone()));
            }
            board.add_copies(task, units)?;
        }
        self.run(&board, "functions", &stop)?;
        let cache = board.finish()?;
        if self.is_stopped() {
            return Ok(());
        }
        let board = Board::new(subject(&units_level), cache);
        for (file, mutants, units) in others {
            board.add_units(file, &mutants, units)?;
        }
        self.run(&board, "functions", &stop)?;
        board.finish().map(drop)
    }

    /// Puts workers to the board until nothing is left on it.
    fn run(&self, board: &Board<'_>, name: &str, stop: &(dyn Fn() -> bool + Sync)) -> Result<(), PipelineError> {
        let subject = &self.subject;
        let jobs = board.workers(subject.jobs);
        let worker = &|number: usize| {
            let mut tool = self.tool(&format!("{name}-{number}"), stop)?;
            let mut own = Duration::ZERO;
            board.work(&mut tool, &mut |tool| {
                let now = thread_cpu();
                self.progress.add_cpu(std::mem::take(&mut tool.cpu), now.saturating_sub(own));
                own = now;
            });
            Ok(())
        };
        let results: Vec<Result<(), PipelineError>> = std::thread::scope(|scope| {
            let threads = (0..jobs).map(|number| move || worker(number));
            workers::start(scope, workers::USUAL_STACK, threads).map(workers::join)
        })?;
        results.into_iter().collect()
    }

    /// What compiles in a folder of this name.
    fn tool<'t>(&'t self, name: &str, stop: &'t (dyn Fn() -> bool + Sync)) -> Result<CodeTool<'t>, PipelineError> {
        let subject = &self.subject;
        let mirror = Mirror::of(&subject.tree, &subject.home.join(name), &subject.home)?;
        let fast_floats = subject.options.fast_floats;
        Ok(CodeTool { mirror, mutants: &subject.mutants, fast_floats, stop, cpu: Duration::ZERO })
    }

    fn copyable(&self, file: usize) -> Option<&CopyableFile> {
        self.subject.copyable.iter().find(|copyable| copyable.file.relative == self.files[file])
    }

    /// Those that take part, by the file they are in.
    fn mutants_by_file(&self, is_wanted: impl Fn(MutantIdx) -> bool) -> BTreeMap<usize, Vec<MutantIdx>> {
        let mut by_file: BTreeMap<usize, Vec<MutantIdx>> = BTreeMap::new();
        for (index, mutant) in MutantIdx::enumerate(&*self.subject.mutants) {
            let file = self.files.binary_search(&mutant.file.relative);
            if let Some(file) = file.ok().filter(|_| mutant.suppression.is_none() && is_wanted(index)) {
                by_file.entry(file).or_default().push(index);
            }
        }
        by_file
    }

    /// Finds out which units hold which files.
    fn read_units(&self) -> Result<Option<Arc<Holders>>, PipelineError> {
        let TceSubject { tree, units, home, jobs, .. } = &self.subject;
        let took = |own| self.progress.add_cpu(Duration::ZERO, own);
        let built = Built { tree, units, home, jobs: *jobs };
        let holders = Holders::read(built, &self.files, &|| self.is_stopped(), &took)?.map(Arc::new);
        *self.holders.lock().unwrap_or_else(PoisonError::into_inner) = holders.clone();
        Ok(holders)
    }
}

fn is_c(unit: &CodeUnit) -> bool {
    language_of_command(&unit.command.arguments, &unit.command.file) == Language::C
}
