//! The cache key of the verdicts on a file's mutants: a hash of everything that they depend on.

use super::contracts::Contracts;
use super::{EquivalenceOptions, ENGINE};
use crate::code::CodeUnit;
use perturb_csrc::Libclang;
use perturb_host::{find_clang, mean_the_same, CacheKey, CompileCommand, CompilerProbe};
use perturb_model::{ContentHash, MutatedFile};
use std::path::Path;

/// The cache key of the verdicts on a file's mutants.
#[derive(Debug)]
pub struct FileKey {
    pub key: ContentHash,
    /// Whether the key covers everything: all units could be read.
    pub is_known: bool,
    /// The assumption behind verdicts on a file that is also compiled in other ways.
    pub assumption: Option<String>,
}

/// What verdicts depend on besides the code: the settings of the comparison, and the versions of clang and libclang.
pub fn settings(options: &EquivalenceOptions, libclang: &Libclang) -> String {
    let EquivalenceOptions { seed, inputs, exhaust, steps, .. } = options;
    let mut key = CacheKey::default();
    key.add("equivalence", ENGINE.to_string());
    for (name, value) in [("seed", *seed), ("inputs", *inputs), ("exhaust", *exhaust), ("steps", *steps)] {
        key.add(name, value.to_string());
    }
    key.add("libclang", libclang.version().to_string());
    if let Some(clang) = find_clang() {
        let arguments = vec![clang.to_string_lossy().into_owned()];
        let command = CompileCommand { directory: "/".into(), file: "/unit.c".into(), arguments };
        let facts = CompilerProbe::new().probe(&command).ok();
        key.add("clang", clang.as_os_str());
        key.add_optional("version", facts.map(|facts| facts.version_line.clone()));
    }
    key.into_text()
}

impl FileKey {
    /// By the units that contain the file, the compared one first.
    pub fn new(
        file: &MutatedFile,
        units: &[&CodeUnit],
        all: &[CodeUnit],
        tree: &Path,
        settings: &str,
        contracts: &Contracts,
    ) -> Self {
        let mut parts = vec![
            settings.as_bytes().to_vec(),
            file.relative.as_os_str().as_encoded_bytes().to_vec(),
            file.source.text().to_vec(),
            contracts.text_for(&file.relative).into_bytes(),
        ];
        // Functions of other files may be called.
        parts.extend(all.iter().map(|unit| unit.key(file, settings).as_bytes().to_vec()));
        let own = tree.join(&file.relative);
        let compared = units.iter().find(|unit| unit.command.file == own);
        let is_other = |unit: &&&CodeUnit| compared.is_some_and(|own| !mean_the_same(&own.command, &unit.command));
        let others = units.iter().filter(is_other).count();
        let name = file.relative.display();
        Self {
            key: ContentHash::of_parts(parts.iter().map(Vec::as_slice)),
            is_known: units.iter().all(|unit| unit.is_usable()),
            assumption: (others > 0).then(|| format!("{name} does the same where it is compiled in another way")),
        }
    }
}
