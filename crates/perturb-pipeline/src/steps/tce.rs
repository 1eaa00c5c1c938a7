//! MASS step 4, trivial compiler equivalence: a mutant for which the project's own compiler generates the same
//! code as for the original cannot be killed, and two mutants with the same code count as one.
//!
//! Each function is in one text with all its mutants under other names (`perturb_equiv::code`), which is compiled once
//! for each level of optimisation; codes are compared function by function. This runs in parallel with the other steps
//! on processors that are free, and decides nothing: at the end the findings are compared with the verdicts of tests
//! (`findings`). Live mutants are then compared again, each with its whole unit, where inlining shows more.
//!
//! Equal code at an optimising level is only equivalent if no undefined behaviour occurs. So a kill is valid in spite
//! of equal code, and the assumption of the compiler is reported (`Tce::assumptions`, `undefined`); unless the text of
//! the mutant shows that it reads uninitialised memory.

mod board;
mod classes;
mod findings;
mod undefined;

pub use classes::Same;
pub use findings::{judge, Finding, Findings, WeighedFindings};
pub use undefined::newly_undefined;

use crate::clock;
use crate::PipelineError;
use board::{Board, BoardSubject};
use perturb_equiv::code::{BuiltTree, CodeTool, CodeUnit, FileTask, Holders};
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
    /// For all mutants, and again for live mutants with their whole units.
    Always,
    /// Only for live mutants.
    Live,
    Never,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TceOptions {
    pub when: TceWhen,
    /// At least one.
    pub levels: Vec<Level>,
    /// Whether `-Ofast` is trusted with floating point too.
    pub fast_floats: bool,
}

impl TceOptions {
    pub const LEVELS: [Level; 3] = [Level::O1, Level::O2, Level::Os];

    /// The level at which whole units are compared: the first at which compilers inline most of what they can.
    fn unit_level(&self) -> Level {
        [Level::O2, Level::O3].into_iter().find(|level| self.levels.contains(level)).unwrap_or(self.levels[0])
    }
}

/// The project whose compiled code is compared.
#[derive(Debug)]
pub struct TceSubject {
    pub mutants: Arc<[Mutant]>,
    pub copyable: Vec<CopyableFile>,
    /// The units as they are compiled in the built copy.
    pub units: Vec<Unit>,
    /// The tree of the built copy.
    pub tree: PathBuf,
    /// A folder for the files of this step.
    pub home: PathBuf,
    pub jobs: usize,
    pub options: TceOptions,
}

/// Progress and processor time so far.
#[derive(Debug, Default)]
struct TceProgress {
    done: AtomicUsize,
    total: AtomicUsize,
    cpu_micros: AtomicU64,
}

impl TceProgress {
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
    progress: TceProgress,
    is_stopped: AtomicBool,
    holders: Mutex<Option<Arc<Holders>>>,
}

/// A running comparison. It ends when this is dropped.
#[derive(Debug)]
pub struct Tce {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<Result<(), PipelineError>>>,
}

impl Tce {
    /// Starts to compare, in a thread of its own.
    pub fn start(subject: TceSubject, cache: CodeCache) -> Result<Self, PipelineError> {
        let mut files: Vec<PathBuf> = subject.copyable.iter().map(|file| file.file.relative.clone()).collect();
        files.sort();
        let shared = Arc::new(Shared {
            subject,
            files,
            findings: Arc::default(),
            progress: TceProgress::default(),
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

    /// Which units contain which of the files that can be copied, in the order of the files' names; None until that is
    /// known.
    pub(crate) fn holders(&self) -> Option<Arc<Holders>> {
        self.shared.holders.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The processor time so far, including compilers.
    pub fn cpu(&self) -> Duration {
        Duration::from_micros(self.shared.progress.cpu_micros.load(Ordering::Relaxed))
    }

    /// How many work items are done, and how many are known.
    pub fn progress(&self) -> (usize, usize) {
        let TceProgress { done, total, .. } = &self.shared.progress;
        (done.load(Ordering::Relaxed), total.load(Ordering::Relaxed))
    }

    /// Whether all functions have been compared.
    pub fn is_done(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits until all functions have been compared, and reports the progress; ends early when it is time to stop.
    pub fn wait(&mut self, stop: &dyn Fn() -> bool, report: &mut dyn FnMut(usize, usize)) -> Result<(), PipelineError> {
        const PAUSE: Duration = Duration::from_millis(20);
        while !self.is_done() {
            if stop() {
                self.shared.is_stopped.store(true, Ordering::Relaxed);
            }
            let (done, total) = self.progress();
            report(done, total);
            std::thread::sleep(PAUSE);
        }
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => Ok(()),
        }
    }

    /// Compares mutants again, each with its whole unit. Requires that [`Tce::wait`] has returned.
    pub fn compare_units(
        &self,
        mutants: &[MutantIdx],
        cache: CodeCache,
        stop: &(dyn Fn() -> bool + Sync),
        report: &mut dyn FnMut(usize, usize),
    ) -> Result<(), PipelineError> {
        let shared = &*self.shared;
        let Some(holders) = self.holders() else { return Ok(()) };
        let (sender, progress) = std::sync::mpsc::channel();
        let send_progress = move |done, total| {
            // The receiver has gone when all is done.
            let _ = sender.send((done, total));
        };
        let levels = [shared.subject.options.unit_level()];
        std::thread::scope(|scope| {
            let worker = move || {
                let subject = BoardSubject {
                    units: &holders.units,
                    mutants: &shared.subject.mutants,
                    levels: &levels,
                    fast_floats: shared.subject.options.fast_floats,
                    findings: &shared.findings,
                    stop,
                    report: &send_progress,
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
            progress.into_iter().for_each(|(done, total)| report(done, total));
            workers::join(threads).into_iter().collect()
        })
    }
}

impl Tce {
    /// For each mutant, what the compiler assumed when it generated the same code for it and for what it was found to
    /// be the same as; only where that can be found out.
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
            // The result is not needed any more.
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
        let report = |done, total| {
            self.progress.done.store(done, Ordering::Relaxed);
            self.progress.total.store(total, Ordering::Relaxed);
        };
        let options = &self.subject.options;
        let units_level = [options.unit_level()];
        let subject = |levels| BoardSubject {
            units: &holders.units,
            mutants: &self.subject.mutants,
            levels,
            fast_floats: options.fast_floats,
            findings: &self.findings,
            stop: &stop,
            report: &report,
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

    /// Starts workers, and waits until the board is empty.
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

    /// A compiler tool that works in a folder of this name.
    fn tool<'t>(&'t self, name: &str, stop: &'t (dyn Fn() -> bool + Sync)) -> Result<CodeTool<'t>, PipelineError> {
        let subject = &self.subject;
        let mirror = Mirror::of(&subject.tree, &subject.home.join(name), &subject.home)?;
        let fast_floats = subject.options.fast_floats;
        Ok(CodeTool { mirror, mutants: &subject.mutants, fast_floats, stop, cpu: Duration::ZERO })
    }

    fn copyable(&self, file: usize) -> Option<&CopyableFile> {
        self.subject.copyable.iter().find(|copyable| copyable.file.relative == self.files[file])
    }

    /// The wanted mutants that are not suppressed, by file.
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

    /// Finds out which units contain which files.
    fn read_units(&self) -> Result<Option<Arc<Holders>>, PipelineError> {
        let TceSubject { tree, units, home, jobs, .. } = &self.subject;
        let add_cpu = |own| self.progress.add_cpu(Duration::ZERO, own);
        let built = BuiltTree { tree, units, home, jobs: *jobs };
        let holders = Holders::read(built, &self.files, &|| self.is_stopped(), &add_cpu)?.map(Arc::new);
        *self.holders.lock().unwrap_or_else(PoisonError::into_inner) = holders.clone();
        Ok(holders)
    }
}

fn is_c(unit: &CodeUnit) -> bool {
    language_of_command(&unit.command.arguments, &unit.command.file) == Language::C
}
