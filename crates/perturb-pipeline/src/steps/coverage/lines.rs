//! From lines to mutants: what a test reaches, where it is only known how often it executes which lines.
//!
//! Errs on the side of reaching too much, which costs time and nothing else. A mutant is reached where any line of its
//! statement is executed; where nothing is known of these lines, where its function is; and where nothing is known of
//! that either, or the mutant works elsewhere than where it is, by every test. Whether it makes a difference there is
//! never known, so that what is reached counts as infected.

use crate::steps::mutate::FileSchema;
use perturb_csrc::{ConstantContext, SourceRange, StatementSpans};
use perturb_host::LineCounts;
use perturb_model::{FileCounts, Mutant, MutantIdx, MutantSet, Reach, Recording, StatementCount, TestName};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Counts of lines, by files below the project's root.
pub(super) type FileLines = BTreeMap<PathBuf, BTreeMap<u32, u64>>;

/// Where the mutants of a run are, in lines of which something is known.
#[derive(Debug)]
pub(super) struct LineMap<'m> {
    mutants: &'m [Mutant],
    spots: Vec<Spot>,
    /// Of files with mutants.
    known: BTreeMap<PathBuf, BTreeSet<u32>>,
}

/// How it is known whether a test executes a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Spot {
    /// One of these lines of its file is executed.
    Lines(RangeInclusive<u32>),
    /// It is not.
    Everywhere,
}

impl<'m> LineMap<'m> {
    /// `lines` are all those that the data of any test could speak of.
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

    /// What a test does that executes these lines. Known lines that it does not speak of are not executed.
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
        // Decided where the switch or the array is, which is in the same function.
        Some(ConstantContext::CaseLabel { .. } | ConstantContext::ArraySize { .. }) => None,
        // The compiler uses it wherever it likes.
        Some(_) => return Spot::Everywhere,
    };
    let has_data = |lines: &RangeInclusive<u32>| known.range(lines.clone()).next().is_some();
    let found = lines.filter(has_data).or_else(|| Some(of_function.clone()).filter(has_data));
    found.map_or(Spot::Everywhere, Spot::Lines)
}

/// Counts by the files of the project; what `relative` does not know is left out.
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
