//! Gets the code of many mutants from few compilations, of copies of their functions or of whole units.

use super::units::CodeUnit;
use crate::EquivError;
use perturb_csrc::copies::{self, Copy, Copyable, FunctionIdx, Shown, Tag};
use perturb_host::{
    compile_to_assembly, preprocess_here, Assembly, CodeOptions, CompileError, Compiled, Mirror, Preprocessed, Tags,
};
use perturb_model::{Assumption, Code, CodeHash, Level, Mutant, MutantIdx, MutatedFile};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

/// The mutants of one file that are compared.
#[derive(Debug)]
pub struct FileTask {
    pub file: Arc<MutatedFile>,
    pub functions: Vec<Copyable>,
    /// The mutants of each function.
    pub mutants: Vec<Vec<MutantIdx>>,
    /// The mutants outside of functions that can be copied.
    pub others: Vec<MutantIdx>,
    function_of: HashMap<MutantIdx, FunctionIdx>,
}

impl FileTask {
    /// `indices` are those of mutants of this file, in order.
    pub fn new(file: Arc<MutatedFile>, functions: Vec<Copyable>, mutants: &[Mutant], indices: &[MutantIdx]) -> Self {
        let (mut by_function, mut others) = (vec![Vec::new(); functions.len()], Vec::new());
        let mut function_of = HashMap::new();
        for &index in indices {
            let range = mutants[index].range;
            let holds = |function: &Copyable| {
                let is_apart = range.end <= function.name.start || function.name.end <= range.start;
                function.range.contains(range) && is_apart
            };
            match functions.iter().position(holds).map(FunctionIdx::new) {
                Some(function) => {
                    by_function[function].push(index);
                    function_of.insert(index, function);
                }
                None => others.push(index),
            }
        }
        Self { file, functions, mutants: by_function, others, function_of }
    }

    pub fn function_of(&self, mutant: MutantIdx) -> Option<FunctionIdx> {
        self.function_of.get(&mutant).copied()
    }

    /// Batches, each of which is compiled in one run. A compiler takes slightly more than linear time, and every batch
    /// contains the whole file once.
    pub fn batches(&self, indices: &[MutantIdx]) -> Vec<Vec<MutantIdx>> {
        let length = |function: FunctionIdx| self.functions[function].range.len() as usize;
        let file: usize = FunctionIdx::all(self.functions.len()).map(length).sum();
        let most = (file * COPIES_OF_FILE).clamp(LEAST_BYTES, MOST_BYTES);
        let mut batches: Vec<Vec<MutantIdx>> = Vec::new();
        let mut bytes = most;
        for &index in indices {
            let own = self.function_of(index).map_or(0, length);
            if bytes + own > most {
                batches.push(Vec::new());
                bytes = 0;
            }
            bytes += own;
            batches.last_mut().expect("one was just added").push(index);
        }
        batches
    }
}

/// The limit on the text of copies in a batch: a multiple of the file's size, and a number of bytes.
const COPIES_OF_FILE: usize = 48;
const LEAST_BYTES: usize = 128 << 10;
const MOST_BYTES: usize = 1024 << 10;

/// Gives up on a text that still does not compile after this many attempts.
const MOST_ATTEMPTS: usize = 8;

const TAGS: Tags<'static> = Tags { mark: Tag::MARK, length: Tag::LENGTH };

/// Compiles generated texts in a folder that mirrors the project.
pub struct CodeTool<'t> {
    pub mirror: Mirror,
    pub mutants: &'t [Mutant],
    pub fast_floats: bool,
    pub stop: &'t (dyn Fn() -> bool + Sync),
    /// The CPU time that compilers used.
    pub cpu: Duration,
}

impl std::fmt::Debug for CodeTool<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CodeTool").field("mirror", &self.mirror).finish_non_exhaustive()
    }
}

/// What the text has of functions without a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Others {
    /// Their declarations only, which is the fastest to compile.
    Declared,
    /// Their bodies, so that the compiler sees what a call of them does.
    Whole,
}

/// The code of each mutant at each level. `None` if the run was stopped.
pub type Codes = Option<Vec<(MutantIdx, Level, Code)>>;

type ByLevel = BTreeMap<(MutantIdx, Level), Code>;

impl CodeTool<'_> {
    /// The code of mutants in functions that can be copied.
    pub fn copies(
        &mut self,
        task: &FileTask,
        unit: &CodeUnit,
        indices: &[MutantIdx],
        levels: &[Level],
        others: Others,
    ) -> Result<Codes, EquivError> {
        let levels = &by_cost(levels);
        let left_alone = match others {
            Others::Declared => BTreeSet::new(),
            Others::Whole => FunctionIdx::all(task.functions.len()).filter(|at| task.mutants[*at].is_empty()).collect(),
        };
        let (indices, refused) = (indices.to_vec(), Vec::new());
        let mut text = BatchText { task, mutants: self.mutants, indices, left_alone, refused };
        let codes = self.copies_of(&mut text, unit, levels);
        self.mirror.restore(&task.file.relative)?;
        let Some(mut codes) = codes? else { return Ok(None) };
        // A mutant that does not compile, or whose function does not, gets no code. A mutant that was given up on stays
        // open.
        for &index in &text.refused {
            for &level in levels {
                codes.entry((index, level)).or_insert(Code::Unknown);
            }
        }
        Ok(Some(codes.into_iter().map(|((index, level), code)| (index, level, code)).collect()))
    }

    fn copies_of(
        &mut self,
        text: &mut BatchText<'_>,
        unit: &CodeUnit,
        levels: &[Level],
    ) -> Result<Option<ByLevel>, EquivError> {
        let mut codes = ByLevel::new();
        let check = CodeOptions { check_only: true, ..self.options(levels[0]) };
        match self.without_errors(text, unit, check)? {
            Attempt::Compiles => {}
            Attempt::GivenUp => return Ok(Some(codes)),
            Attempt::Stopped => return Ok(None),
        }
        for &level in levels {
            if text.indices.is_empty() {
                break;
            }
            let options = CodeOptions { rough: true, ..self.options(level) };
            let assembly = match self.compile(unit, &text.task.file, &text.write(Shown::File), options)? {
                Compiled::Assembly(assembly) => assembly,
                // Some errors appear only when code is generated.
                Compiled::Refused(_) => match self.without_errors(text, unit, options)? {
                    Attempt::Compiles => {
                        match self.compile(unit, &text.task.file, &text.write(Shown::File), options)? {
                            Compiled::Assembly(assembly) => assembly,
                            Compiled::Refused(_) => continue,
                            Compiled::Stopped => return Ok(None),
                        }
                    }
                    Attempt::GivenUp => continue,
                    Attempt::Stopped => return Ok(None),
                },
                Compiled::Stopped => return Ok(None),
            };
            if self.read_codes(text, unit, level, &assembly, &mut codes)?.is_none() {
                return Ok(None);
            }
            let later = levels.iter().skip_while(|other| **other != level).skip(1);
            let settled = text.settle(level, &codes);
            codes.extend(later.flat_map(|later| settled.iter().map(|index| ((*index, *later), Code::Settled))));
        }
        Ok(Some(codes))
    }

    fn read_codes(
        &mut self,
        text: &BatchText<'_>,
        unit: &CodeUnit,
        level: Level,
        assembly: &[u8],
        codes: &mut ByLevel,
    ) -> Result<Option<()>, EquivError> {
        let read = Assembly::read(assembly, TAGS);
        let mut preprocessed: Option<Preprocessed> = None;
        for (function, copyable) in FunctionIdx::enumerate(&text.task.functions) {
            let indices = text.indices.iter().filter(|index| text.task.function_of(**index) == Some(function));
            let indices: Vec<MutantIdx> = indices.copied().collect();
            if indices.is_empty() || text.left_alone.contains(&function) {
                continue;
            }
            let code = |tag: Tag| read.code(&tag.to_string(), &copyable.statics);
            let Some(original) = code(Tag::Original(function)) else {
                if preprocessed.is_none() {
                    let stop = self.stop;
                    let shown = preprocess_here(&unit.command, &unit.facts, &self.mirror, &|| stop())?;
                    let Some(shown) = shown else { return Ok(None) };
                    preprocessed = Some(shown);
                }
                // The function is excluded by an `#if`, the compiler emits no code for it, or it reads the file from
                // another path.
                let tag = Tag::Original(function).to_string();
                let is_taken_away = preprocessed.as_ref().is_some_and(|unit| {
                    unit.reads(&self.mirror, &text.task.file.relative) && !holds(&unit.text, tag.as_bytes())
                });
                let code = if is_taken_away { Code::Absent } else { Code::Unknown };
                codes.extend(indices.iter().map(|index| ((*index, level), code)));
                continue;
            };
            for index in indices {
                let code = match code(Tag::Copy(index.get() as u32)) {
                    None => Code::Unknown,
                    Some(hash) if hash == original => Code::Original,
                    Some(hash) => Code::Other(hash),
                };
                codes.insert((index, level), code);
            }
        }
        Ok(Some(()))
    }

    /// Leaves out the copies that do not compile, until the rest does.
    fn without_errors(
        &mut self,
        text: &mut BatchText<'_>,
        unit: &CodeUnit,
        options: CodeOptions,
    ) -> Result<Attempt, EquivError> {
        for _ in 0..MOST_ATTEMPTS {
            match self.compile(unit, &text.task.file, &text.write(Shown::Copy), options)? {
                Compiled::Assembly(_) => return Ok(Attempt::Compiles),
                Compiled::Stopped => return Ok(Attempt::Stopped),
                Compiled::Refused(errors) if text.leave_out(&errors) => {}
                Compiled::Refused(_) => break,
            }
        }
        Ok(Attempt::GivenUp)
    }

    /// The code of whole units, each with one mutant in it.
    pub fn whole_units(
        &mut self,
        file: &Arc<MutatedFile>,
        unit: &CodeUnit,
        indices: &[MutantIdx],
        level: Level,
    ) -> Result<Codes, EquivError> {
        let codes = self.whole_units_of(file, unit, indices, level);
        self.mirror.restore(&file.relative)?;
        codes
    }

    fn whole_units_of(
        &mut self,
        file: &Arc<MutatedFile>,
        unit: &CodeUnit,
        indices: &[MutantIdx],
        level: Level,
    ) -> Result<Codes, EquivError> {
        let options = self.options(level);
        let Some(original) = self.whole_unit(file, unit, None, options)? else { return Ok(None) };
        let mut codes = Vec::with_capacity(indices.len());
        for &index in indices {
            let code = match original {
                UnitResult::Refused => Code::Unknown,
                UnitResult::Code(original) => match self.whole_unit(file, unit, Some(index), options)? {
                    Some(UnitResult::Code(code)) if code == original => Code::Original,
                    Some(UnitResult::Code(code)) => Code::Other(code),
                    Some(UnitResult::Refused) => Code::Unknown,
                    None => return Ok(None),
                },
            };
            codes.push((index, level, code));
        }
        Ok(Some(codes))
    }

    /// The code of a whole unit, with one mutant in it or unchanged. `None` if the run was stopped.
    fn whole_unit(
        &mut self,
        file: &MutatedFile,
        unit: &CodeUnit,
        mutant: Option<MutantIdx>,
        options: CodeOptions,
    ) -> Result<Option<UnitResult>, EquivError> {
        let text = mutant.map(|index| {
            let mutant = &self.mutants[index];
            let replacement = copies::padded(file.source.slice(mutant.range), &mutant.replacement);
            file.source.edited(mutant.range, &replacement)
        });
        Ok(match self.compile(unit, file, text.as_deref().unwrap_or(file.source.text()), options)? {
            Compiled::Assembly(assembly) => Some(UnitResult::Code(Assembly::read(&assembly, TAGS).whole())),
            Compiled::Refused(_) => Some(UnitResult::Refused),
            Compiled::Stopped => None,
        })
    }

    /// What the compiler must assume for two mutants, or a mutant and the original, to have the same code at this
    /// level. `None` if no known assumption makes the difference.
    pub fn assumption(
        &mut self,
        file: &Arc<MutatedFile>,
        unit: &CodeUnit,
        pair: (MutantIdx, Option<MutantIdx>),
        level: Level,
    ) -> Result<Option<Assumption>, EquivError> {
        let assumption = self.assumption_of(file, unit, pair, level);
        self.mirror.restore(&file.relative)?;
        assumption
    }

    fn assumption_of(
        &mut self,
        file: &MutatedFile,
        unit: &CodeUnit,
        (one, other): (MutantIdx, Option<MutantIdx>),
        level: Level,
    ) -> Result<Option<Assumption>, EquivError> {
        let mut are_same = |without: Option<Assumption>| -> Result<Option<bool>, EquivError> {
            let options = CodeOptions { without, ..self.options(level) };
            let Some(UnitResult::Code(one)) = self.whole_unit(file, unit, Some(one), options)? else { return Ok(None) };
            let Some(UnitResult::Code(other)) = self.whole_unit(file, unit, other, options)? else { return Ok(None) };
            Ok(Some(one == other))
        };
        if are_same(None)? != Some(true) {
            return Ok(None);
        }
        for assumption in Assumption::ALL.into_iter().filter(|one| one.option().is_some()) {
            if are_same(Some(assumption))? == Some(false) {
                return Ok(Some(assumption));
            }
        }
        Ok(None)
    }

    fn options(&self, level: Level) -> CodeOptions {
        CodeOptions { level, fast_floats: self.fast_floats, check_only: false, rough: false, without: None }
    }

    fn compile(
        &mut self,
        unit: &CodeUnit,
        file: &MutatedFile,
        text: &[u8],
        options: CodeOptions,
    ) -> Result<Compiled, EquivError> {
        self.mirror.put(&file.relative, text)?;
        let stop = self.stop;
        let (compiled, cpu) = compile_to_assembly(&unit.command, &unit.facts, &self.mirror, options, &|| stop())?;
        self.cpu += cpu;
        Ok(compiled)
    }
}

/// The levels, the fastest first: mutants that one level shows to be the same are not compiled at the next.
fn by_cost(levels: &[Level]) -> Vec<Level> {
    let cost = |level: &Level| match level {
        Level::O0 => 0,
        Level::O1 => 1,
        Level::Os => 2,
        Level::O2 => 3,
        Level::O3 => 4,
        Level::Ofast => 5,
    };
    let mut levels = levels.to_vec();
    levels.sort_by_key(cost);
    levels
}

enum Attempt {
    Compiles,
    GivenUp,
    Stopped,
}

/// The result of compiling a whole unit.
#[derive(Clone, Copy)]
enum UnitResult {
    Code(CodeHash),
    Refused,
}

fn holds(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// A file with copies in it, without those that do not compile.
struct BatchText<'b> {
    task: &'b FileTask,
    mutants: &'b [Mutant],
    /// The mutants that have copies in it.
    indices: Vec<MutantIdx>,
    left_alone: BTreeSet<FunctionIdx>,
    /// The mutants that errors refer to.
    refused: Vec<MutantIdx>,
}

impl BatchText<'_> {
    fn write(&self, shown: Shown) -> Vec<u8> {
        let mut copies: Vec<Copy<'_>> = Vec::with_capacity(self.indices.len());
        for &index in &self.indices {
            let Some(function) = self.task.function_of(index) else { continue };
            let mutant = &self.mutants[index];
            let (range, replacement) = (mutant.range, &*mutant.replacement);
            copies.push(Copy { function, number: index.get() as u32, range, replacement, constant: None });
        }
        copies::with_copies(&self.task.file.source, &self.task.functions, &self.left_alone, &copies, shown)
    }

    /// Removes the mutants that this level shows to be duplicates: one of each class is compiled at further levels.
    fn settle(&mut self, level: Level, codes: &ByLevel) -> Vec<MutantIdx> {
        let mut first = BTreeSet::new();
        let task = self.task;
        let (settled, open): (Vec<MutantIdx>, Vec<MutantIdx>) =
            self.indices.iter().partition(|index| match codes.get(&(**index, level)) {
                Some(Code::Original) => true,
                Some(Code::Other(hash)) => !first.insert((task.function_of(**index), *hash)),
                _ => false,
            });
        self.indices = open;
        settled
    }

    /// Leaves out the copies that the errors refer to; false if they refer to none that can be left out.
    fn leave_out(&mut self, errors: &[CompileError]) -> bool {
        let (mut copies, mut functions) = (BTreeSet::new(), BTreeSet::new());
        for error in errors {
            match copies::copy_in(&error.file.to_string_lossy()) {
                Some(Tag::Copy(number)) => {
                    copies.insert(MutantIdx::new(number as usize));
                }
                Some(Tag::Original(function)) => {
                    functions.insert(function);
                }
                None => functions.extend(self.functions_named_in(&error.message)),
            }
        }
        let before = (self.indices.len(), self.left_alone.len());
        if copies.is_empty() && functions.is_empty() {
            functions.extend(self.functions_in_strings());
        }
        self.left_alone.extend(functions);
        let Self { task, left_alone, .. } = self;
        let is_left =
            |index: &MutantIdx| task.function_of(*index).is_some_and(|function| left_alone.contains(&function));
        let is_refused = |index: &MutantIdx| copies.contains(index) || is_left(index);
        self.refused.extend(self.indices.iter().copied().filter(is_refused));
        self.indices.retain(|index| !is_refused(index));
        before != (self.indices.len(), self.left_alone.len())
    }

    /// Functions that an attribute such as `alias("f")` names: not every compiler says which one it misses.
    fn functions_in_strings(&self) -> Vec<FunctionIdx> {
        let source = &self.task.file.source;
        let is_quoted = |at: &FunctionIdx| {
            let name = [b"\"", source.slice(self.task.functions[*at].name), b"\""].concat();
            holds(source.text(), &name)
        };
        FunctionIdx::all(self.task.functions.len()).filter(is_quoted).collect()
    }

    /// Functions that must keep their own name: something is an alias of them, or they must be inlined.
    fn functions_named_in(&self, message: &str) -> Vec<FunctionIdx> {
        let quoted: BTreeSet<&str> = message.split('\'').skip(1).step_by(2).collect();
        let name = |function: &Copyable| self.task.file.source.lossy(function.name);
        let is_named = |at: &FunctionIdx| quoted.contains(name(&self.task.functions[*at]).as_str());
        FunctionIdx::all(self.task.functions.len()).filter(is_named).collect()
    }
}
