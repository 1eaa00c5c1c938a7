//! Chooses the units that are parsed, and distributes them over the cores.

use super::MutateStep;
use crate::PipelineError;
use perturb_host::{workers, Role, Unit};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// Deep trees are walked by recursion. Only the touched part of a stack uses memory.
const STACK_BYTES: usize = 256 << 20;

impl<'a> MutateStep<'a> {
    /// The units under test that may have selected mutants.
    pub(super) fn units_under_test(&self) -> Vec<&'a Unit> {
        let selection = &self.options.selection;
        let asks_for_sources_only = self.asked_files().is_some_and(|files| {
            files.iter().all(|file| self.sources.contains_key(self.project.source_root.join(file).as_path()))
        });
        let is_asked = |unit: &&Unit| {
            let relative = self.project.relative(&unit.command.file);
            !asks_for_sources_only || relative.is_some_and(|relative| selection.takes_file(relative))
        };
        self.project.units_under_test().filter(is_asked).collect()
    }

    /// The files that are selected one by one; None if a folder is selected, or everything.
    fn asked_files(&self) -> Option<Vec<PathBuf>> {
        let selection = &self.options.selection;
        let by_line = selection.lines.iter().chain(&selection.changed).flat_map(|lines| lines.keys().cloned());
        let files: Vec<_> = by_line.chain(selection.paths.iter().cloned()).collect();
        (!files.is_empty()).then_some(files)
    }

    /// The tests that include headers which no unit under test includes, as in a header-only library.
    pub(super) fn units_for_unseen_headers(&self, seen: &HashSet<PathBuf>) -> Vec<&'a Unit> {
        let mut tests = self.project.units.iter().filter(|unit| matches!(unit.role, Role::Test(_))).peekable();
        if tests.peek().is_none() {
            return Vec::new();
        }
        let unseen: BTreeSet<_> = self.project.headers().into_iter().filter(|header| !seen.contains(header)).collect();
        let wanted = unseen.iter().filter(|header| self.is_wanted(header));
        let names: BTreeSet<_> = wanted.filter_map(|header| header.file_name()?.to_str()).collect();
        let mentions = |unit: &&Unit| !names.is_empty() && includes_any(&unit.command.file, &names);
        tests.filter(mentions).collect()
    }
}

/// Whether a source file has an `#include` of a file with one of these names.
fn includes_any(source: &Path, names: &BTreeSet<&str>) -> bool {
    let text = std::fs::read(source).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.lines().filter_map(|line| line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")).any(
        |rest| {
            let name = rest.trim().trim_matches(['"', '<', '>']).rsplit('/').next().unwrap_or_default();
            names.contains(name)
        },
    )
}

/// Calls `work` for each item on `jobs` threads, and `done` on this thread with the results in the order of the items.
pub(super) fn in_parallel<T: Copy + Send + Sync, R: Send>(
    items: &[T],
    jobs: usize,
    work: impl Fn(T) -> R + Sync,
    mut done: impl FnMut(T, R),
) -> Result<(), PipelineError> {
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    std::thread::scope(|scope| {
        let next = &next;
        let work = &work;
        let threads = (0..jobs.clamp(1, items.len().max(1))).map(|_| {
            let sender = sender.clone();
            move || loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(&item) = items.get(index) else { break };
                // The receiver lives until all senders are gone.
                sender.send((index, work(item))).expect("results are received to the end");
            }
        });
        workers::start(scope, STACK_BYTES, threads)?;
        drop(sender);
        let mut waiting: BTreeMap<usize, R> = BTreeMap::new();
        let mut expected = 0;
        for (index, result) in results {
            waiting.insert(index, result);
            while let Some(result) = waiting.remove(&expected) {
                done(items[expected], result);
                expected += 1;
            }
        }
        Ok(())
    })
}
