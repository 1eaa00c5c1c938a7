//! Imports coverage data that the user has collected: one file or folder for each test, named after it.
//!
//! Files that match no test are reported. A test without data, or with data that cannot be read, counts as executing
//! everything. A line that the data of one test have and those of another do not counts as not executed by the other.

mod locate;
mod names;

use super::gap::Gaps;
use super::lines::{of_project, FileLines, LineMap};
use super::Suite;
use crate::steps::mutate::FileSchema;
use crate::PipelineError;
use locate::Locator;
use names::Names;
use perturb_host::{compilers_of, CoverageFormat, CoverageReader, HostError, LineCounts, Project};
use perturb_model::{CoverageGap, Event, Mutant, MutatedFile, Recording, TestIdx};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// What is needed to interpret the data.
#[derive(Debug, Clone, Copy)]
pub struct ImportContext<'i> {
    pub folder: &'i Path,
    /// A folder for temporary files.
    pub scratch: &'i Path,
    pub project: &'i Project,
    pub mutants: &'i [Mutant],
    pub schemata: &'i [FileSchema],
}

/// A file or folder with data of one test.
#[derive(Debug)]
struct Given {
    /// The folder that replaces the root directory, if data of gcov were moved there.
    home: PathBuf,
    files: Vec<(PathBuf, CoverageFormat)>,
}

/// The deepest nesting of folders that is read.
const DEEPEST: usize = 64;

/// The recording of each test that takes part. Tests whose coverage is unknown are left out.
pub fn import(
    suite: &Suite,
    context: ImportContext<'_>,
    events: &mut dyn FnMut(Event),
) -> Result<Vec<(TestIdx, Recording)>, PipelineError> {
    let given = find(suite, context.folder, events)?;
    let mut reader = CoverageReader::new(compilers_of(context.project), context.scratch.to_path_buf());
    let files = files_of(context.mutants);
    let mut locator = Locator::new(context.project, files.keys().copied());
    let mut read = BTreeMap::new();
    let mut gaps = Gaps::default();
    let mut stale = Stale { project: context.project, files: &files, wrong: BTreeSet::new(), older: BTreeSet::new() };
    for test in suite.taking_part() {
        let name = suite.tests[test].name.clone();
        let given = given.get(&test).map(Vec::as_slice).unwrap_or_default();
        if given.iter().all(|given| given.files.is_empty()) {
            gaps.add(name, CoverageGap::NoData);
            continue;
        }
        match read_all(&mut reader, given) {
            Ok(counts) => {
                let lines = of_project(&counts, |path| locator.relative(path));
                stale.check(&lines, given);
                read.insert(test, lines);
            }
            Err(HostError::CoverageUnread { reason }) => gaps.add(name, CoverageGap::Unread { reason }),
            Err(error) => return Err(error.into()),
        }
    }
    if read.values().all(BTreeMap::is_empty) {
        let foreign = locator.unknown().map(|path| format!("{} is no file with mutants", path.display()));
        let reason = foreign.or(gaps.first()).unwrap_or_else(|| CoverageGap::NoData.to_string());
        gaps.report(events);
        return Err(PipelineError::CoverageUseless { folder: context.folder.to_path_buf(), reason });
    }
    let wrong = stale.report(events);
    read.values_mut().for_each(|lines| lines.retain(|file, _| !wrong.contains(file)));
    let map = LineMap::new(context.mutants, context.schemata, read.values());
    gaps.report(events);
    let recording = |(test, lines): (TestIdx, FileLines)| (test, map.recording(suite.tests[test].name.clone(), &lines));
    Ok(read.into_iter().map(recording).collect())
}

fn files_of(mutants: &[Mutant]) -> BTreeMap<&Path, &Arc<MutatedFile>> {
    mutants.iter().map(|mutant| (mutant.file.relative.as_path(), &mutant.file)).collect()
}

fn read_all(reader: &mut CoverageReader, given: &[Given]) -> Result<LineCounts, HostError> {
    let mut counts = LineCounts::default();
    for Given { home, files } in given {
        counts.merge(&reader.read(files, home)?);
    }
    Ok(counts)
}

/// The data of each test.
fn find(
    suite: &Suite,
    folder: &Path,
    events: &mut dyn FnMut(Event),
) -> Result<BTreeMap<TestIdx, Vec<Given>>, PipelineError> {
    let names = Names::new(suite.tests.iter().map(|test| test.name.as_str()));
    let mut found: BTreeMap<TestIdx, Vec<Given>> = BTreeMap::new();
    let mut unmatched = Vec::new();
    for (path, name, is_folder) in items(folder)?.into_iter().filter(|(_, name, _)| !name.starts_with('.')) {
        // Data of gcov need a folder for each test, because many object files have the same name.
        let format = CoverageFormat::of(&name).filter(|(format, _)| *format != CoverageFormat::GcovData);
        let (stem, files) = match format {
            _ if is_folder => (Some(name.as_str()), collect(&path, 0)?),
            Some((format, stem)) => (Some(stem), vec![(path.clone(), format)]),
            None => (None, Vec::new()),
        };
        match stem.and_then(|stem| names.test(stem)) {
            Some(test) => found.entry(test).or_default().push(Given { home: path, files }),
            None => unmatched.push(name),
        }
    }
    if !unmatched.is_empty() {
        events(Event::CoverageUnmatched { names: unmatched });
    }
    Ok(found)
}

/// All data in the folder of one test.
fn collect(folder: &Path, depth: usize) -> Result<Vec<(PathBuf, CoverageFormat)>, PipelineError> {
    let mut files = Vec::new();
    for (path, name, is_folder) in items(folder)? {
        if is_folder && depth < DEEPEST {
            files.extend(collect(&path, depth + 1)?);
        } else if let Some((format, _)) = CoverageFormat::of(&name).filter(|_| !is_folder) {
            files.push((path, format));
        }
    }
    Ok(files)
}

/// The entries of a folder in a fixed order, each with its name and whether it is a folder. Links to files count as
/// files, links to folders are skipped.
fn items(folder: &Path) -> Result<Vec<(PathBuf, String, bool)>, PipelineError> {
    let mut items = Vec::new();
    for item in std::fs::read_dir(folder).map_err(HostError::io("read", folder))? {
        let item = item.map_err(HostError::io("read", folder))?;
        let path = item.path();
        let name = item.file_name().to_string_lossy().into_owned();
        let is_folder = item.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder || path.is_file() {
            items.push((path, name, is_folder));
        }
    }
    items.sort();
    Ok(items)
}

/// Checks whether data belong to the current texts of files.
struct Stale<'s> {
    project: &'s Project,
    files: &'s BTreeMap<&'s Path, &'s Arc<MutatedFile>>,
    /// Files whose data have lines that the file does not have.
    wrong: BTreeSet<PathBuf>,
    /// Files that have changed since their data were collected.
    older: BTreeSet<PathBuf>,
}

impl Stale<'_> {
    fn check(&mut self, lines: &FileLines, given: &[Given]) {
        let time = |path: &Path| std::fs::metadata(path).and_then(|data| data.modified()).ok();
        let files = given.iter().flat_map(|given| &given.files);
        let made: Option<SystemTime> = files.filter_map(|(path, _)| time(path)).min();
        for (file, lines) in lines {
            let last = self.files.get(file.as_path()).map_or(0, |file| file.source.line_count());
            if lines.keys().next_back().is_some_and(|line| *line > last) {
                self.wrong.insert(file.clone());
            } else if time(&self.project.root.join(file)) > made {
                self.older.insert(file.clone());
            }
        }
    }

    /// Reports the files with outdated data. Returns those whose data must not be used.
    fn report(self, events: &mut dyn FnMut(Event)) -> BTreeSet<PathBuf> {
        let Self { wrong, older, .. } = self;
        for file in &wrong {
            events(Event::CoverageStale { file: file.clone(), is_used: false });
        }
        for file in older.difference(&wrong) {
            events(Event::CoverageStale { file: file.clone(), is_used: true });
        }
        wrong
    }
}
