//! The board: schedules the compilations over threads. What is compiled next depends on earlier results.

use super::classes::{same, Same, UnitCodes};
use super::findings::Findings;
use crate::PipelineError;
use perturb_equiv::code::{CodeTool, CodeUnit, Codes, FileTask, Others};
use perturb_equiv::EquivError;
use perturb_model::{Code, Level, Mutant, MutantIdx, MutatedFile};
use perturb_store::{CodeCache, ExecutionKey};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// One work item: what is compiled at once.
#[derive(Debug, Clone)]
pub(super) struct Item {
    file: usize,
    unit: usize,
    kind: CodeKind,
    mutants: Vec<MutantIdx>,
    levels: Vec<Level>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum CodeKind {
    Copies,
    WholeUnit,
}

impl CodeKind {
    /// The part of the cache key for this kind. The number is the version of how codes are computed.
    fn settings(self, fast_floats: bool) -> String {
        let kind = match self {
            Self::Copies => "copies",
            Self::WholeUnit => "whole",
        };
        format!("tce 1 {kind} {fast_floats}")
    }
}

/// A file and its progress.
#[derive(Debug)]
struct FileState {
    task: FileTask,
    /// The units in the order in which they are compiled.
    units: Vec<usize>,
    strand: Strand,
}

/// Mutants of a file that are compared in one way, unit after unit. Each unit is compiled only for mutants that all
/// units before it found to be the same as something.
#[derive(Debug)]
struct Strand {
    kind: CodeKind,
    /// Groups of mutants that may be the same as one another.
    groups: Vec<Vec<MutantIdx>>,
    /// The codes, by unit, then by group.
    codes: Vec<Vec<UnitCodes>>,
    /// How many items of the last unit are not done yet.
    open: usize,
}

#[derive(Debug)]
struct State {
    queue: VecDeque<Item>,
    running: usize,
    files: Vec<FileState>,
    cache: CodeCache,
    error: Option<PipelineError>,
    /// How many items are done, and how many are known.
    done: usize,
    total: usize,
}

/// Shared by all workers.
pub(super) struct Board<'b> {
    units: &'b [CodeUnit],
    mutants: &'b [Mutant],
    levels: &'b [Level],
    fast_floats: bool,
    findings: &'b Findings,
    stop: &'b (dyn Fn() -> bool + Sync),
    /// Receives how many items are done, and how many are known.
    report: &'b (dyn Fn(usize, usize) + Sync),
    state: Mutex<State>,
    changed: Condvar,
}

/// The inputs of a board.
pub(super) struct BoardSubject<'b> {
    pub units: &'b [CodeUnit],
    pub mutants: &'b [Mutant],
    pub levels: &'b [Level],
    pub fast_floats: bool,
    pub findings: &'b Findings,
    pub stop: &'b (dyn Fn() -> bool + Sync),
    pub report: &'b (dyn Fn(usize, usize) + Sync),
}

/// A whole unit is compiled for one mutant at a time; an item has this many mutants.
const UNITS_AT_ONCE: usize = 8;

impl<'b> Board<'b> {
    pub fn new(subject: BoardSubject<'b>, cache: CodeCache) -> Self {
        let BoardSubject { units, mutants, levels, fast_floats, findings, stop, report } = subject;
        let state =
            State { queue: VecDeque::new(), running: 0, files: Vec::new(), cache, error: None, done: 0, total: 0 };
        let state = Mutex::new(state);
        let changed = Condvar::new();
        Self { units, mutants, levels, fast_floats, findings, stop, report, state, changed }
    }

    /// Adds the functions of a file that can be copied, with all their mutants.
    pub fn add_copies(&self, task: FileTask, units: Vec<usize>) -> Result<(), PipelineError> {
        let groups = task.mutants.iter().filter(|mutants| !mutants.is_empty()).cloned().collect();
        self.add(task, units, Strand { kind: CodeKind::Copies, groups, codes: Vec::new(), open: 0 })
    }

    /// Adds mutants of a file that are compared one by one.
    pub fn add_units(
        &self,
        file: Arc<MutatedFile>,
        mutants: &[MutantIdx],
        units: Vec<usize>,
    ) -> Result<(), PipelineError> {
        let task = FileTask::new(file, Vec::new(), self.mutants, &[]);
        let mut by_scope: BTreeMap<&str, Vec<MutantIdx>> = BTreeMap::new();
        for &mutant in mutants {
            by_scope.entry(&self.mutants[mutant].scope.name).or_default().push(mutant);
        }
        let groups = by_scope.into_values().collect();
        self.add(task, units, Strand { kind: CodeKind::WholeUnit, groups, codes: Vec::new(), open: 0 })
    }

    fn add(&self, task: FileTask, units: Vec<usize>, strand: Strand) -> Result<(), PipelineError> {
        // Mutants of a unit that cannot be used cannot be compared.
        if strand.groups.is_empty() || units.is_empty() || units.iter().any(|unit| !self.units[*unit].is_usable()) {
            return Ok(());
        }
        let mut state = self.lock();
        state.files.push(FileState { task, units, strand });
        let file = state.files.len() - 1;
        self.advance(&mut state, file)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Processes items until none are left, with the worker's own tool; `done` is called after each item.
    pub fn work<'t>(&self, tool: &mut CodeTool<'t>, done: &mut dyn FnMut(&mut CodeTool<'t>)) {
        loop {
            let mut state = self.lock();
            let item = loop {
                if (self.stop)() || state.error.is_some() {
                    return;
                }
                match state.queue.pop_front() {
                    Some(item) => break item,
                    None if state.running == 0 => return,
                    None => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                }
            };
            state.running += 1;
            drop(state);
            let codes = self.codes(&item, tool);
            done(tool);
            let mut state = self.lock();
            state.running -= 1;
            match codes.map_err(PipelineError::from).and_then(|codes| self.take(&mut state, &item, codes)) {
                Ok(()) => (self.report)(state.done, state.total),
                Err(error) => state.error = Some(error),
            }
            drop(state);
            self.changed.notify_all();
        }
    }

    /// How many workers have something to do.
    pub fn workers(&self, most: usize) -> usize {
        most.min(self.lock().queue.len())
    }

    pub fn finish(self) -> Result<CodeCache, PipelineError> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.error.map_or(Ok(state.cache), Err)
    }

    fn codes(&self, item: &Item, tool: &mut CodeTool<'_>) -> Result<Codes, EquivError> {
        let unit = &self.units[item.unit];
        // Tasks on the board do not change. The lock is held only while the needed parts are copied.
        let file = self.lock().files[item.file].task.file.clone();
        match item.kind {
            CodeKind::WholeUnit => tool.whole_units(&file, unit, &item.mutants, item.levels[0]),
            CodeKind::Copies => {
                let functions = self.lock().files[item.file].task.functions.clone();
                let task = FileTask::new(file, functions, self.mutants, &item.mutants);
                tool.copies(&task, unit, &item.mutants, &item.levels, Others::Declared)
            }
        }
    }

    fn take(&self, state: &mut State, item: &Item, codes: Codes) -> Result<(), PipelineError> {
        let Some(codes) = codes else { return Ok(()) };
        state.done += 1;
        let file = state.files[item.file].task.file.clone();
        let key = self.key(item.unit, &file, item.kind);
        let rows: Vec<_> =
            codes.iter().map(|(mutant, level, code)| (self.mutants[*mutant].id, *level, *code)).collect();
        state.cache.record(key, &rows)?;
        let strand = &mut state.files[item.file].strand;
        strand.fill(&codes);
        strand.open -= 1;
        self.advance(state, item.file)
    }

    fn key(&self, unit: usize, file: &MutatedFile, kind: CodeKind) -> ExecutionKey {
        ExecutionKey(self.units[unit].key(file, &kind.settings(self.fast_floats)))
    }

    /// Starts the next unit of a file, or records the findings if there is none.
    fn advance(&self, state: &mut State, file: usize) -> Result<(), PipelineError> {
        loop {
            let State { files, cache, queue, total, .. } = state;
            let FileState { task, units, strand: this } = &mut files[file];
            if this.open > 0 {
                return Ok(());
            }
            let wanted = match this.codes.len() {
                0 => this.first_wanted(self.levels),
                _ => this.still_wanted(),
            };
            let Some(&unit) = units.get(this.codes.len()).filter(|_| !wanted.is_empty()) else {
                let all: BTreeMap<MutantIdx, Same> = this.same().into_iter().flatten().collect();
                self.findings.add(all, this.kind == CodeKind::WholeUnit);
                return Ok(());
            };
            this.codes.push(vec![UnitCodes::new(); this.groups.len()]);
            let known = cache.known(self.key(unit, &task.file, this.kind))?;
            tracing::debug!(
                file = %task.file.relative.display(), unit, known = known.len(), "compiled code of earlier runs"
            );
            let items = this.items(file, unit, &wanted, task, |mutant, level| {
                known.get(&(self.mutants[mutant].id, level)).copied()
            });
            this.open = items.len();
            *total += items.len();
            queue.extend(items);
            self.changed.notify_all();
        }
    }
}

/// The mutants to compile at each level.
type Wanted = BTreeMap<Level, BTreeSet<MutantIdx>>;

impl Strand {
    fn first_wanted(&self, levels: &[Level]) -> Wanted {
        let all: BTreeSet<MutantIdx> = self.groups.iter().flatten().copied().collect();
        let levels = match self.kind {
            CodeKind::Copies => levels,
            CodeKind::WholeUnit => &levels[..levels.len().min(1)],
        };
        levels.iter().map(|level| (*level, all.clone())).collect()
    }

    fn same(&self) -> Vec<BTreeMap<MutantIdx, Same>> {
        let of_group = |(at, mutants): (usize, &Vec<MutantIdx>)| {
            let units: Vec<&UnitCodes> = self.codes.iter().map(|unit| &unit[at]).collect();
            same(mutants, &units)
        };
        self.groups.iter().enumerate().map(of_group).collect()
    }

    /// Mutants that are still the same as something. Each is compiled at one level that showed it, for most the same
    /// one.
    fn still_wanted(&self) -> Wanted {
        let found: Vec<(MutantIdx, Same)> = self.same().into_iter().flatten().collect();
        let mut counts: HashMap<Level, usize> = HashMap::new();
        for (_, same) in &found {
            *counts.entry(same.level()).or_default() += 1;
        }
        let common = counts.into_iter().max_by_key(|(level, count)| (*count, std::cmp::Reverse(*level)));
        let Some((common, _)) = common else { return Wanted::new() };
        let code = |mutant: MutantIdx, level: Level| {
            let group = self.groups.iter().position(|group| group.binary_search(&mutant).is_ok())?;
            self.codes[0][group].get(&mutant)?.get(&level).copied()
        };
        let mut wanted = Wanted::new();
        for (mutant, same) in found {
            let (other, others_code) = match same {
                Same::AsOriginal { .. } => (None, Some(Code::Original)),
                Same::AsMutant { mutant: other, .. } => (Some(other), code(other, common)),
            };
            let is_code = matches!(others_code, Some(Code::Original | Code::Other(_)));
            let shows = is_code && code(mutant, common) == others_code;
            let level = if shows { common } else { same.level() };
            wanted.entry(level).or_default().extend(std::iter::once(mutant).chain(other));
        }
        wanted
    }

    fn fill(&mut self, codes: &[(MutantIdx, Level, Code)]) {
        let Some(unit) = self.codes.last_mut() else { return };
        for (mutant, level, code) in codes {
            if let Some(group) = self.groups.iter().position(|group| group.binary_search(mutant).is_ok()) {
                unit[group].entry(*mutant).or_default().insert(*level, *code);
            }
        }
    }

    /// The items to compile, without codes that are known.
    fn items(
        &mut self,
        file: usize,
        unit: usize,
        wanted: &Wanted,
        task: &FileTask,
        known: impl Fn(MutantIdx, Level) -> Option<Code>,
    ) -> Vec<Item> {
        let mut filled = Vec::new();
        let mut missing: BTreeMap<MutantIdx, Vec<Level>> = BTreeMap::new();
        for (level, mutants) in wanted {
            for &mutant in mutants {
                match known(mutant, *level) {
                    Some(code) => filled.push((mutant, *level, code)),
                    None => missing.entry(mutant).or_default().push(*level),
                }
            }
        }
        self.fill(&filled);
        let mut by_levels: BTreeMap<Vec<Level>, Vec<MutantIdx>> = BTreeMap::new();
        for (mutant, levels) in missing {
            by_levels.entry(levels).or_default().push(mutant);
        }
        let kind = self.kind;
        let mut items = Vec::new();
        for (levels, mutants) in by_levels {
            let batches = match kind {
                CodeKind::Copies => task.batches(&mutants),
                CodeKind::WholeUnit => mutants.chunks(UNITS_AT_ONCE).map(<[MutantIdx]>::to_vec).collect(),
            };
            items.extend(batches.into_iter().map(|mutants| Item { file, unit, kind, mutants, levels: levels.clone() }));
        }
        items
    }
}
