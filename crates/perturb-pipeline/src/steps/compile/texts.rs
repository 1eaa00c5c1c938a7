//! The texts of an instrumented project: which files are written, and the names by which their parts refer to each
//! other.

use super::runtime::Runtimes;
use super::AllLeftOut;
use crate::steps::mutate::FileSchema;
use crate::PipelineError;
use perturb_csrc::schemata::{assemble, quoted, FileNames, Instrumented, LeftOut};
use perturb_host::{language_of, Project, Shadow};
use perturb_model::Mutant;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A source file only includes its instrumented text, which is in a file beside it whose name has this suffix. The
/// compiler then does not treat it as a file of the user's, and shows no warnings about it, whatever the project's
/// flags say.
const SUFFIX: &str = ".perturb";

pub(super) struct Texts<'t> {
    schemata: &'t [FileSchema],
    keys: Vec<u32>,
    /// The path of each source in the compiler's command.
    written_paths: Vec<Option<String>>,
    runtimes: Runtimes,
    lost: String,
}

pub(super) struct Written {
    pub texts: BTreeMap<PathBuf, Vec<u8>>,
    /// Each file's index in the list of schemata, its key, and its text.
    pub files: Vec<(usize, u32, Instrumented)>,
}

impl<'t> Texts<'t> {
    /// Writes the runtime's headers.
    pub fn new(
        project: &Project,
        shadow: &Shadow,
        schemata: &'t [FileSchema],
        work: &Path,
    ) -> Result<Self, PipelineError> {
        let lost = lost_file(work).to_string_lossy().into_owned();
        let units = shadow.commands(project);
        let runtimes = Runtimes::new(&units, shadow.tree(), schemata, (work, &lost))?;
        let mut written: BTreeMap<PathBuf, String> = BTreeMap::new();
        for unit in units {
            let Ok(relative) = unit.command.file.strip_prefix(shadow.tree()) else { continue };
            if let Some(name) = unit.command.written_file() {
                written.entry(relative.to_path_buf()).or_insert_with(|| name.to_string());
            }
        }
        let written_paths = schemata.iter().map(|schema| written.remove(&schema.file.relative)).collect();
        Ok(Self { schemata, keys: keys(schemata), written_paths, runtimes, lost })
    }

    /// The processor time of compiling the runtime.
    pub fn cpu(&self) -> Duration {
        self.runtimes.cpu
    }

    /// Makes every file include the runtime as C text. Returns whether any file used assembly before.
    pub fn give_up_assembly(&mut self) -> bool {
        self.runtimes.give_up_assembly()
    }

    /// The texts of all files that are not left out; files for which `is_probe` holds are written as probes.
    pub fn write(&self, left_out: &AllLeftOut, is_probe: &dyn Fn(usize) -> bool) -> Written {
        let mut texts = BTreeMap::new();
        let mut files = Vec::new();
        for (index, schema) in self.schemata.iter().enumerate() {
            if left_out.files.contains_key(&index) {
                continue;
            }
            let parts = left_out.parts.get(&index).cloned().unwrap_or_default();
            let path = &schema.file.relative;
            let instrumented = self.assemble(index, schema, &parts, is_probe(index));
            if is_source(path) {
                let beside = beside(path);
                texts.insert(path.clone(), including(&beside));
                texts.insert(beside, instrumented.text.clone());
            } else {
                texts.insert(path.clone(), instrumented.text.clone());
            }
            files.push((index, self.keys[index], instrumented));
        }
        Written { texts, files }
    }

    fn assemble(&self, index: usize, schema: &FileSchema, parts: &LeftOut, probe: bool) -> Instrumented {
        let key = format!("{:08x}", self.keys[index]);
        let shown = self.written_paths[index].as_deref().filter(|_| is_source(&schema.file.relative));
        let runtime = self.runtimes.header(index).to_string_lossy();
        let names = FileNames { key: &key, shown, runtime: &runtime, lost: Some(&self.lost), probe };
        assemble(&schema.file.source, &schema.functions, parts, &names)
    }
}

/// The file in which a program under test notes that it was started without perturb's variables.
pub fn lost_file(work: &Path) -> PathBuf {
    work.join("records").join("lost")
}

/// The texts of a project with one mutant in its source. With `quiet` the compiler does not warn about the mutated
/// file, so that a project that treats warnings as errors still compiles it.
pub fn mutated_texts(mutant: &Mutant, quiet: bool) -> BTreeMap<PathBuf, Vec<u8>> {
    let path = &mutant.file.relative;
    let text = mutant.mutated_text();
    match quiet {
        true => quiet_texts(path, &text),
        false => BTreeMap::from([(path.clone(), text)]),
    }
}

/// The texts of a project in which one file has this text, about which the compiler does not warn.
pub fn quiet_texts(path: &Path, text: &[u8]) -> BTreeMap<PathBuf, Vec<u8>> {
    // A byte order mark is only valid at the very start of a file.
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let quieted = [b"#pragma GCC system_header\n#line 1\n", text].concat();
    if !is_source(path) {
        return BTreeMap::from([(path.to_path_buf(), quieted)]);
    }
    let beside = beside(path);
    let own = quoted(&path.file_name().unwrap_or_default().to_string_lossy());
    let quieted = [format!("#pragma GCC system_header\n#line 1 \"{own}\"\n").as_bytes(), text].concat();
    BTreeMap::from([(path.to_path_buf(), including(&beside)), (beside, quieted)])
}

fn is_source(path: &Path) -> bool {
    language_of(path).is_some()
}

/// The file with the instrumented text of a source. Characters that an `#include` cannot have are replaced in its name.
pub(super) fn beside(path: &Path) -> PathBuf {
    let own = path.file_name().unwrap_or_default().as_bytes();
    let mut name: Vec<u8> =
        own.iter().map(|byte| if byte.is_ascii_control() || *byte == b'"' { b'_' } else { *byte }).collect();
    if name != own {
        // Another file may have the replaced name.
        let digest = Sha256::digest(own);
        name.extend(digest.iter().take(4).flat_map(|byte| format!("{byte:02x}").into_bytes()));
    }
    name.extend(SUFFIX.bytes());
    path.with_file_name(OsString::from_vec(name))
}

fn including(beside: &Path) -> Vec<u8> {
    [b"#include \"", beside.file_name().unwrap_or_default().as_bytes(), b"\"\n"].concat()
}

/// Whether a file of the tree contains the text of this source, or part of it.
pub(super) fn is_of(file: &Path, path: &Path) -> bool {
    file == path || file == beside(path)
}

/// A key for each file, which depends on its path alone, so that a change of one file does not change the texts of
/// others.
fn keys(schemata: &[FileSchema]) -> Vec<u32> {
    let mut given = BTreeSet::new();
    let key = |path: &Path, salt: u32| {
        let digest = Sha256::new().chain_update(path.as_os_str().as_encoded_bytes()).chain_update(salt.to_le_bytes());
        u32::from_be_bytes(digest.finalize()[..4].try_into().expect("a SHA-256 has 32 bytes"))
    };
    let mut next = |schema: &FileSchema| {
        let keys = (0..).map(|salt| key(&schema.file.relative, salt));
        keys.into_iter().find(|key| given.insert(*key)).expect("2^32 keys are enough")
    };
    schemata.iter().map(&mut next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_beside_a_source_can_be_included_whatever_the_source_is_called() {
        assert_eq!(beside(Path::new("src/a.c")), Path::new("src/a.c.perturb"));
        let odd = ["src/a\nb.c", "src/a_b.c", "src/a\"b.c", "src/a\rb.c"].map(Path::new);
        let names: BTreeSet<PathBuf> = odd.iter().map(|path| beside(path)).collect();
        assert_eq!(names.len(), odd.len());
        for (path, name) in odd.iter().zip(odd.iter().map(|path| beside(path))) {
            assert!(name.parent() == path.parent() && is_of(&name, path) && is_of(path, path));
            let line = including(&name);
            assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
            assert_eq!(line.iter().filter(|byte| **byte == b'"').count(), 2);
        }
    }
}
