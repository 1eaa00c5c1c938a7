//! From lines to mutants: which mutants a test reaches, computed from how often it executes each line.
//!
//! When in doubt, a mutant counts as reached, which only costs time. A mutant is reached if any line of its statement
//! is executed; without data on these lines, if any line of its function is; and without data on that either, or if the
//! mutant has its effect elsewhere, by every test. Line counts do not show whether the mutant changes a value there, so
//! that every reached mutant counts as infected.

use crate::steps::mutate::FileSchema;
use perturb_csrc::{ConstantContext, SourceRange, StatementSpans};
use perturb_host::LineCounts;
use perturb_model::{FileCounts, Mutant, MutantIdx, MutantSet, Reach, Recording, StatementCount, TestName};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Counts of lines, by file below the project's root.
pub(super) type FileLines = BTreeMap<PathBuf, BTreeMap<u32, u64>>;

/// The locations of a run's mutants in lines that have data.
#[derive(Debug)]
pub(super) struct LineMap<'m> {
    mutants: &'m [Mutant],
    spots: Vec<Spot>,
    /// The lines that have data, for files with mutants.
    known: BTreeMap<PathBuf, BTreeSet<u32>>,
}

/// How the counts show whether a test executes a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Spot {
    /// It is executed if one of these lines of its file is.
    Lines(RangeInclusive<u32>),
    /// Nothing is known: every test may execute it.
    Everywhere,
}

impl<'m> LineMap<'m> {
    /// `lines` are the lines of all tests' data.
    pub fn new<'l>(
        mutants: &'m [Mutant],
        schemata: &[FileSchema],
        lines: impl IntoIterator<Item = &'l FileLines>,
    ) -> Self {
        let files: BTreeSet<&Path> = mutants.iter().map(|mutant| mutant.file.relative.as_path()).collect();
        let mut known: BTreeMap<PathBuf, BTreeSet<u32>> = BTreeMap::new();
        for (file, lines) in lines.into_iter().flatten().filter(|(file, _)| files.contains(file.as_path())) {
            known.entry(file.clone()).or_default().extend(lines.keys());
        }
        let mut spots = vec![Spot::Everywhere; mutants.len()];
        for schema in schemata {
            let Some(known) = known.get(&schema.file.relative) else { continue };
            let source = &schema.file.source;
            for (function, indices) in schema.functions.iter().zip(&schema.mutants) {
                let whole = function.schema.range;
                let spans = StatementSpans::of(source, whole);
                let line = |offset| source.line_column(offset).line;
                let of_function = line(whole.start)..=line(whole.end);
                for index in indices.iter().flatten() {
                    let of_statement = |range: SourceRange| spans.lines(source, range);
                    spots[*index] = spot(&mutants[*index], of_statement, &of_function, known);
                }
            }
        }
        Self { mutants, spots, known }
    }

    /// The recording of a test that executes these lines. Lines that have data, but not of this test, count as not
    /// executed.
    pub fn recording(&self, test: TestName, lines: &FileLines) -> Recording {
        let is_executed = |(index, spot): &(MutantIdx, &Spot)| match spot {
            Spot::Everywhere => true,
            Spot::Lines(range) => {
                let counts = lines.get(&self.mutants[*index].file.relative);
                counts.is_some_and(|counts| counts.range(range.clone()).any(|(_, count)| *count > 0))
            }
        };
        let reached: MutantSet =
            MutantIdx::enumerate(&self.spots).filter(is_executed).map(|(index, _)| index).collect();
        let of_file = |(file, known): (&PathBuf, &BTreeSet<u32>)| {
            let count = |line: &u32| lines.get(file).and_then(|counts| counts.get(line)).copied().unwrap_or(0);
            let counts = known.iter().map(|line| StatementCount { line: *line, count: count(line) });
            FileCounts { file: file.clone(), counts: counts.collect() }
        };
        let statements = self.known.iter().map(of_file).collect();
        Recording { reach: Reach { test, infected: reached.clone(), reached }, statements }
    }
}

fn spot(
    mutant: &Mutant,
    of_statement: impl Fn(SourceRange) -> RangeInclusive<u32>,
    of_function: &RangeInclusive<u32>,
    known: &BTreeSet<u32>,
) -> Spot {
    let lines = match mutant.constant {
        None => Some(of_statement(mutant.range)),
        // Its effect is where the switch or the array is, in the same function.
        Some(ConstantContext::CaseLabel { .. } | ConstantContext::ArraySize { .. }) => None,
        // The compiler may use its value anywhere.
        Some(_) => return Spot::Everywhere,
    };
    let has_data = |lines: &RangeInclusive<u32>| known.range(lines.clone()).next().is_some();
    let found = lines.filter(has_data).or_else(|| Some(of_function.clone()).filter(has_data));
    found.map_or(Spot::Everywhere, Spot::Lines)
}

/// Counts by the project's files; files for which `relative` returns None are left out.
pub(super) fn of_project(counts: &LineCounts, mut relative: impl FnMut(&Path) -> Option<PathBuf>) -> FileLines {
    let mut files = FileLines::new();
    for (path, lines) in &counts.files {
        let Some(file) = relative(path) else { continue };
        let known = files.entry(file).or_default();
        for (line, count) in lines {
            let sum = known.entry(*line).or_default();
            *sum = sum.saturating_add(*count);
        }
    }
    files
}
