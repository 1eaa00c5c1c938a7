//! The driver as an object file: compiled once for all units with the same flags, and cached for later runs.

use super::tool::Tool;
use crate::native::DRIVER;
use crate::EquivError;
use perturb_host::{compile_plain, create_work_folder, plain_words, CompileCommand, CompilerFacts, HostError, Made};
use perturb_model::ContentHash;
use std::fs;
use std::path::{Path, PathBuf};

impl Tool<'_> {
    /// The driver for a unit, if the unit's compiler accepts it.
    pub(super) fn driver(
        &mut self,
        command: &CompileCommand,
        facts: &CompilerFacts,
    ) -> Result<Option<PathBuf>, EquivError> {
        let key = key(command, facts);
        if let Some(driver) = self.drivers.get(&key) {
            return Ok(Some(driver.clone()));
        }
        // Compilers run in other folders, so the path is absolute.
        let folder = create_work_folder(&self.options.work)?.join("drivers").join(key.to_string());
        let cached = kept(&folder);
        tracing::debug!(%key, is_known = cached.is_some(), "the driver for a unit");
        let driver = match cached {
            Some(driver) => driver,
            None => match self.compile_driver(command, facts)? {
                Some(made) => keep(&made, &folder)?,
                None => return Ok(None),
            },
        };
        self.drivers.insert(key, driver.clone());
        Ok(Some(driver))
    }

    fn compile_driver(
        &mut self,
        command: &CompileCommand,
        facts: &CompilerFacts,
    ) -> Result<Option<PathBuf>, EquivError> {
        let (source, object) = (self.folder.join(DRIVER[0].0), self.folder.join("driver.o"));
        let interrupt = self.stop.interrupt;
        let (made, cpu) = compile_plain(command, facts, &source, &object, &|| interrupt.is_raised())?;
        self.cpu += cpu;
        Ok((made == Made::Made).then_some(object))
    }
}

/// The cache key of the driver: everything that its code depends on.
fn key(command: &CompileCommand, facts: &CompilerFacts) -> ContentHash {
    let words = plain_words(command, facts);
    let program = facts.program.to_string_lossy();
    let said = [&*program, &facts.version_line, &facts.target].into_iter().chain(DRIVER.map(|(_, text)| text));
    ContentHash::of_parts(said.chain(words.iter().map(String::as_str)).map(str::as_bytes))
}

/// The cached driver, if its hash is the one in its name: a corrupt driver would give wrong verdicts on every mutant.
fn kept(folder: &Path) -> Option<PathBuf> {
    let paths = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    paths.into_iter().find(|path| {
        let content = fs::read(path).unwrap_or_default();
        path.file_name().is_some_and(|name| name == name_of(&content).as_str())
    })
}

/// Moves a compiled driver into the cache by a rename, so that other workers and runs see all of it or nothing.
fn keep(object: &Path, folder: &Path) -> Result<PathBuf, EquivError> {
    let content = fs::read(object).map_err(HostError::io("read", object))?;
    fs::create_dir_all(folder).map_err(HostError::io("create", folder))?;
    let kept = folder.join(name_of(&content));
    fs::rename(object, &kept).map_err(HostError::io("write", &kept))?;
    Ok(kept)
}

fn name_of(content: &[u8]) -> String {
    format!("{}.o", ContentHash::of(content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_found_unless_a_bit_of_it_turned() {
        let folder = tempfile::tempdir().unwrap();
        let (object, of_key) = (folder.path().join("driver.o"), folder.path().join("key"));
        assert_eq!(kept(&of_key), None);
        fs::write(&object, "code").unwrap();
        let path = keep(&object, &of_key).unwrap();
        assert_eq!((kept(&of_key), object.exists()), (Some(path.clone()), false));
        fs::write(&path, "codf").unwrap();
        assert_eq!(kept(&of_key), None);
    }
}
