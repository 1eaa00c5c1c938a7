//! Finds out which translation units contain which files, and computes a hash of everything that their code depends on.

use crate::EquivError;
use perturb_host::{
    files_of_unit, thread_cpu, workers, writes_readable_assembly, CompileCommand, CompilerFacts, CompilerProbe,
    HostError, Role, Unit,
};
use perturb_model::{ContentHash, MutatedFile};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A unit that contains a file with mutants.
#[derive(Debug)]
pub struct CodeUnit {
    pub command: CompileCommand,
    pub facts: Arc<CompilerFacts>,
    /// `None` if it cannot be compiled to assembly that can be parsed: nothing is known of its contents then.
    key: Option<ContentHash>,
}

impl CodeUnit {
    /// A unit without a cache entry.
    pub fn new(command: CompileCommand, facts: Arc<CompilerFacts>) -> Self {
        Self { command, facts, key: None }
    }

    pub fn is_usable(&self) -> bool {
        self.key.is_some()
    }

    /// The cache key of the code of a file's mutants.
    pub fn key(&self, file: &MutatedFile, settings: &str) -> ContentHash {
        let unit = self.key.as_ref().map_or(&[][..], |key| key.as_bytes());
        let parts = [unit, file.relative.as_os_str().as_encoded_bytes(), settings.as_bytes()];
        ContentHash::of_parts(parts)
    }
}

/// Examines units, from any thread.
#[derive(Debug)]
struct UnitReader<'r> {
    tree: &'r Path,
    /// Files with mutants, below the source root.
    files: &'r [PathBuf],
    probe: CompilerProbe,
    hashes: Mutex<HashMap<PathBuf, ContentHash>>,
}

impl<'r> UnitReader<'r> {
    fn new(tree: &'r Path, files: &'r [PathBuf]) -> Self {
        Self { tree, files, probe: CompilerProbe::new(), hashes: Mutex::default() }
    }

    /// The unit and the files with mutants that it contains. `None` if it contains none, or if the run was stopped.
    fn read(
        &self,
        unit: &Unit,
        scratch: &Path,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<(CodeUnit, Vec<usize>)>, EquivError> {
        let own = self.files.iter().position(|file| self.tree.join(file) == unit.command.file);
        let Ok(facts) = self.probe.probe(&unit.command) else { return Ok(None) };
        let command = unit.command.clone();
        let is_readable = writes_readable_assembly(&facts);
        let included = if is_readable { files_of_unit(&command, &facts, scratch, stop)? } else { None };
        let Some(included) = included else {
            // A unit that cannot be preprocessed is in no program, but no verdict on its own file may ignore it.
            return Ok(own.map(|file| (CodeUnit { command, facts, key: None }, vec![file])));
        };
        // A symbolic link elsewhere may point to a file of the tree.
        let real: BTreeSet<PathBuf> = included.iter().filter_map(|file| file.canonicalize().ok()).collect();
        let is_held = |file: &usize| {
            let path = self.tree.join(&self.files[*file]);
            included.contains(&path) || path.canonicalize().is_ok_and(|path| real.contains(&path))
        };
        let held: Vec<usize> = (0..self.files.len()).filter(is_held).collect();
        if held.is_empty() {
            return Ok(None);
        }
        let mut parts: Vec<Vec<u8>> = vec![
            env!("CARGO_PKG_VERSION").into(),
            facts.program.as_os_str().as_encoded_bytes().to_vec(),
            facts.version_line.clone().into(),
            facts.target.clone().into(),
            command.directory.as_os_str().as_encoded_bytes().to_vec(),
        ];
        parts.extend(command.arguments.iter().map(|word| word.clone().into_bytes()));
        for file in &included {
            parts.push(file.as_os_str().as_encoded_bytes().to_vec());
            parts.push(self.hash(file).as_bytes().to_vec());
        }
        let key = ContentHash::of_parts(parts.iter().map(Vec::as_slice));
        Ok(Some((CodeUnit { command, facts, key: Some(key) }, held)))
    }

    fn hash(&self, file: &Path) -> ContentHash {
        let known = || self.hashes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hash) = known().get(file) {
            return *hash;
        }
        let hash = ContentHash::of(&std::fs::read(file).unwrap_or_default());
        known().insert(file.to_path_buf(), hash);
        hash
    }
}

/// A project that has been built.
#[derive(Debug, Clone, Copy)]
pub struct BuiltTree<'b> {
    pub tree: &'b Path,
    pub units: &'b [Unit],
    /// The work folder.
    pub home: &'b Path,
    pub jobs: usize,
}

/// Units, and which of them contain each file.
#[derive(Debug)]
pub struct Holders {
    pub units: Vec<CodeUnit>,
    pub by_file: Vec<Vec<usize>>,
}

impl Holders {
    /// Finds out which units contain which files. `None` if the run was stopped. `took` gets the CPU time of each
    /// thread.
    pub fn read(
        built: BuiltTree<'_>,
        files: &[PathBuf],
        stop: &(dyn Fn() -> bool + Sync),
        took: &(dyn Fn(Duration) + Sync),
    ) -> Result<Option<Self>, EquivError> {
        let reader = UnitReader::new(built.tree, files);
        let next = AtomicUsize::new(0);
        type Found = Result<Vec<(usize, CodeUnit, Vec<usize>)>, EquivError>;
        let worker = |number: usize| -> Found {
            let scratch = built.home.join(format!("look-{number}"));
            std::fs::create_dir_all(&scratch).map_err(HostError::io("create", &scratch))?;
            let mut found = Vec::new();
            while !stop() {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(unit) = built.units.get(at) else { break };
                found.extend(reader.read(unit, &scratch, stop)?.map(|(unit, held)| (at, unit, held)));
            }
            took(thread_cpu());
            Ok(found)
        };
        let found: Vec<Found> = std::thread::scope(|scope| {
            let worker = &worker;
            let threads = (0..built.jobs.max(1)).map(|number| move || worker(number));
            workers::start(scope, workers::USUAL_STACK, threads).map(workers::join)
        })?;
        let mut all: Vec<(usize, CodeUnit, Vec<usize>)> = Vec::new();
        for part in found {
            all.extend(part?);
        }
        if stop() {
            return Ok(None);
        }
        all.sort_by_key(|(at, ..)| *at);
        let roles: Vec<Role> = all.iter().map(|(at, ..)| built.units[*at].role.clone()).collect();
        let units: Vec<(CodeUnit, Vec<usize>)> = all.into_iter().map(|(_, unit, held)| (unit, held)).collect();
        let by_file = by_file(&units, &roles, files.len());
        Ok(Some(Self { units: units.into_iter().map(|(unit, _)| unit).collect(), by_file }))
    }
}

/// The units of each file, in the order in which they are used: those that compile the file for the program come first.
fn by_file(units: &[(CodeUnit, Vec<usize>)], roles: &[Role], files: usize) -> Vec<Vec<usize>> {
    let mut by_file: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, (_, held)) in units.iter().enumerate() {
        held.iter().for_each(|file| by_file.entry(*file).or_default().push(at));
    }
    let mut lists: Vec<Vec<usize>> = (0..files).map(|file| by_file.remove(&file).unwrap_or_default()).collect();
    lists.iter_mut().for_each(|list| list.sort_by_key(|unit| (roles[*unit] != Role::UnderTest, *unit)));
    lists
}
