//! MASS step 2, create mutants: every mutant of the files under test, once, however many units include its file.

mod copyable;
mod merge;
mod schemata;
mod units;

pub use schemata::FileSchema;

use crate::PipelineError;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use perturb_csrc::{mutate_unit, CsrcError, Libclang, OperatorSet, Rules, UnitMutations};
use perturb_equiv::parse_input;
use perturb_host::{CompilerProbe, Project, Role, Unit};
use perturb_model::{CopyableFile, Event, Mutant, Review, Selection};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// Calls and macros whose arguments are checks, or must stay as they are.
pub const NEVER_IN: [&str; 19] = [
    "assert",
    "*_assert",
    "assert_*",
    "*_assert_*",
    "ASSERT",
    "ASSERT_*",
    "*_ASSERT",
    "*_ASSERT_*",
    "static_assert",
    "_Static_assert",
    "EXPECT_*",
    "REQUIRE",
    "REQUIRE_*",
    "offsetof",
    "__builtin_choose_expr",
    "__builtin_constant_p",
    "__builtin_object_size",
    "__builtin_prefetch",
    "__builtin_types_compatible_p",
];

/// What to mutate and how.
#[derive(Debug, Clone)]
pub struct MutateOptions {
    pub operators: OperatorSet,
    /// Names (with `*`) of calls whose arguments are not mutated, besides [`NEVER_IN`].
    pub never_in: Vec<String>,
    /// Mutate the bodies of the project's own macros too.
    pub mutate_macros: bool,
    pub selection: Selection,
    /// Whether to prepare the functions for the instrumented build.
    pub instrument: bool,
    pub jobs: usize,
}

/// The mutants of a project, and its files with all of them.
#[derive(Debug)]
pub struct Mutated {
    /// In the order of the files.
    pub mutants: Vec<Mutant>,
    /// Empty unless `instrument` is set.
    pub schemata: Vec<FileSchema>,
    /// The functions of each file that can be copied; empty unless `instrument` is set.
    pub copyable: Vec<CopyableFile>,
}

/// Lists the mutants of a project, in the order of its files.
pub fn mutate(
    project: &Project,
    libclang: &Libclang,
    review: &Review,
    options: &MutateOptions,
    events: &mut dyn FnMut(Event),
) -> Result<Mutated, PipelineError> {
    let step = MutateStep::new(project, libclang, options)?;
    let mut merged = merge::Merged::default();
    let included = step.run(&step.units_under_test(), &mut merged, events)?;
    let tests = step.units_for_unseen_headers(&included);
    if !tests.is_empty() {
        step.run(&tests, &mut merged, events)?;
    }
    step.report_compilers(events);
    let complete = options.selection.takes_every_file() && options.operators == OperatorSet::mass();
    let (mut mutants, files) = merged.into_mutants(project, review, complete, events);
    mutants.retain(|mutant| options.selection.takes(mutant));
    events(Event::MutateFinished { mutants: mutants.len() });
    let mut functions = Vec::new();
    let mut copyable = Vec::new();
    for file in files {
        copyable.push(CopyableFile { file: file.file.clone(), functions: file.copyable.into_functions() });
        functions.push((file.file, file.functions));
    }
    Ok(Mutated { schemata: schemata::of_mutants(&mutants, functions), mutants, copyable })
}

struct MutateStep<'a> {
    project: &'a Project,
    libclang: &'a Libclang,
    options: &'a MutateOptions,
    probe: CompilerProbe,
    never_in: GlobSet,
    /// The roles of the units' sources. The role of a header follows from its path.
    sources: BTreeMap<&'a Path, &'a Role>,
}

/// The result of parsing one unit.
struct ParsedUnit {
    left_out: Vec<String>,
    result: Result<UnitMutations, String>,
}

impl<'a> MutateStep<'a> {
    fn new(project: &'a Project, libclang: &'a Libclang, options: &'a MutateOptions) -> Result<Self, PipelineError> {
        let never_in = name_patterns(NEVER_IN.iter().copied().chain(options.never_in.iter().map(String::as_str)))?;
        let sources = project.units.iter().map(|unit| (unit.command.file.as_path(), &unit.role)).collect();
        Ok(Self { project, libclang, options, probe: CompilerProbe::new(), never_in, sources })
    }

    /// Whether the file with this absolute path is under test and selected.
    fn is_wanted(&self, path: &Path) -> bool {
        self.project
            .relative(path)
            .is_some_and(|relative| self.options.selection.takes_file(relative) && self.is_under_test(path, relative))
    }

    fn is_under_test(&self, path: &Path, relative: &Path) -> bool {
        match self.sources.get(path) {
            Some(role) => **role == Role::UnderTest,
            None => self.project.roles.role_of_path(relative) == Role::UnderTest,
        }
    }

    /// Parses units on all cores and merges their mutations in the order of the units. Returns the files that they
    /// include. A unit that cannot be parsed is skipped; if none can be parsed, that is an error.
    fn run(
        &self,
        units: &[&Unit],
        merged: &mut merge::Merged,
        events: &mut dyn FnMut(Event),
    ) -> Result<HashSet<PathBuf>, PipelineError> {
        let mut skipped = 0;
        let mut first_skipped = None;
        events(Event::MutateStarted { units: units.len() });
        let mut included = HashSet::new();
        let mut left_out = BTreeSet::new();
        units::in_parallel(
            units,
            self.options.jobs,
            |unit| self.mutate_one(unit),
            |unit, found| {
                left_out.extend(found.left_out);
                let file = self.short_path(&unit.command.file);
                match found.result {
                    Ok(mut found) => {
                        self.report(&file, &mut found, events);
                        included.extend(found.included);
                        merged.add(found.files);
                    }
                    Err(reason) => {
                        skipped += 1;
                        first_skipped.get_or_insert((file.clone(), reason.clone()));
                        events(Event::UnitSkipped { file: file.clone(), reason });
                    }
                }
                events(Event::UnitMutated { file });
            },
        )?;
        if !left_out.is_empty() {
            events(Event::FlagsLeftOut { flags: left_out.into_iter().collect() });
        }
        match first_skipped {
            Some((file, reason)) if skipped == units.len() => {
                Err(PipelineError::NothingParsed { units: skipped, file, reason })
            }
            _ => Ok(included),
        }
    }

    fn report(&self, file: &Path, found: &mut UnitMutations, events: &mut dyn FnMut(Event)) {
        if let Some(mut first) = found.first_error.take() {
            first.file = first.file.map(|file| self.short_path(&file));
            events(Event::ParseErrors { file: file.to_path_buf(), count: found.error_count, first });
        }
        if !found.too_large.is_empty() {
            let functions = std::mem::take(&mut found.too_large);
            events(Event::ExpressionsTooLarge { file: file.to_path_buf(), functions });
        }
    }

    /// Reports each compiler once, however many files it compiles.
    fn report_compilers(&self, events: &mut dyn FnMut(Event)) {
        let facts = self.probe.all();
        let unclear = facts.iter().filter_map(|facts| Some((facts.program.clone(), facts.complaint.clone()?)));
        for (compiler, reason) in unclear.collect::<BTreeSet<_>>() {
            events(Event::CompilerUnclear { compiler, reason });
        }
    }

    fn short_path(&self, file: &Path) -> PathBuf {
        self.project.relative(file).unwrap_or(file).to_path_buf()
    }

    fn mutate_one(&self, unit: &Unit) -> ParsedUnit {
        let (input, left_out) = match parse_input(&self.probe, self.libclang, unit) {
            Ok(input) => input,
            Err(error) => return ParsedUnit { left_out: Vec::new(), result: Err(error.to_string()) },
        };
        let rules = Rules {
            operators: &self.options.operators,
            never_in: &self.never_in,
            mutate_macros: self.options.mutate_macros,
            instrument: self.options.instrument,
            wanted: &|path: &Path| self.is_wanted(path),
        };
        let result = mutate_unit(self.libclang, &input, &rules).map_err(|error: CsrcError| error.to_string());
        ParsedUnit { left_out, result }
    }
}

/// Compiles shell-like patterns of names.
fn name_patterns<'p>(patterns: impl Iterator<Item = &'p str>) -> Result<GlobSet, PipelineError> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let bad = |error: globset::Error| {
            let pattern = pattern.to_string();
            let reason = error.kind().to_string();
            PipelineError::NamePattern { pattern, reason }
        };
        set.add(GlobBuilder::new(pattern).build().map_err(bad)?);
    }
    set.build().map_err(|error| PipelineError::NamePattern { pattern: "all".to_string(), reason: error.to_string() })
}
