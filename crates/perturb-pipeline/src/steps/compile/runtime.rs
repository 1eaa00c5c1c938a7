//! How the runtime gets into each instrumented file: as assembly that the project's compiler has made once, or, where
//! that is not possible, as C text that is compiled in every file.
//!
//! A file gets the assembly only if it suits every unit that may include the file.

use crate::steps::mutate::FileSchema;
use crate::PipelineError;
use perturb_host::{
    files_of_unit, CompileCommand, CompilerFacts, CompilerProbe, GraftFlags, GraftSite, HostError, Language, Unit,
};
use perturb_model::ContentHash;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The prefix of all names that the runtime defines.
const PREFIX: &str = "__perturb_";

/// The headers with the runtime.
#[derive(Debug)]
pub(super) struct Runtimes {
    text: PathBuf,
    /// For each file the header with the assembly, if it can use one.
    assembled: Vec<Option<PathBuf>>,
    /// The processor time of compiling them.
    pub cpu: Duration,
}

impl Runtimes {
    /// Writes the headers. `units` are all units of the project; those of tests may include files under test.
    pub fn new(
        units: &[Unit],
        tree: &Path,
        schemata: &[FileSchema],
        (work, lost): (&Path, &str),
    ) -> Result<Self, PipelineError> {
        for (name, text) in perturb_rt::HEADERS {
            write_if_changed(&work.join(name), text)?;
        }
        let text = work.join(perturb_rt::HEADERS[0].0);
        let scratch = work.join("runtime");
        std::fs::create_dir_all(&scratch).map_err(HostError::io("write", &scratch))?;
        let floating = floating(schemata);
        let source = perturb_rt::runtime_source(&text.to_string_lossy(), &floating, lost);
        let probe = CompilerProbe::new();
        let mut assembler = Assembler {
            work,
            scratch,
            source,
            floating,
            codes: HashMap::new(),
            trials: HashMap::new(),
            cpu: Duration::ZERO,
        };
        let mut of_units = Vec::new();
        for unit in units {
            // A compiler that is missing compiles nothing.
            let Ok(facts) = probe.probe(&unit.command) else { continue };
            let header = assembler.header(&unit.command, &facts)?;
            of_units.push((&unit.command, facts, header));
        }
        let first = of_units.first().and_then(|(_, _, header)| header.clone());
        let assembled = match of_units.iter().all(|(_, _, header)| *header == first) {
            true => vec![first; schemata.len()],
            false => agreed(&of_units, tree, schemata, &assembler.scratch)?,
        };
        Ok(Self { text, assembled, cpu: assembler.cpu })
    }

    /// The header that a file includes.
    pub fn header(&self, file: usize) -> &Path {
        self.assembled[file].as_deref().unwrap_or(&self.text)
    }

    /// Makes all files use the C text. Returns whether any of them used assembly before.
    pub fn give_up_assembly(&mut self) -> bool {
        let had_any = self.assembled.iter().any(Option::is_some);
        self.assembled.fill(None);
        had_any
    }
}

/// A unit, its compiler, and the header with assembly that suits it.
type UnitHeader<'u> = (&'u CompileCommand, Arc<CompilerFacts>, Option<PathBuf>);

/// For each file the header that suits all units that include it.
fn agreed(
    units: &[UnitHeader<'_>],
    tree: &Path,
    schemata: &[FileSchema],
    scratch: &Path,
) -> Result<Vec<Option<PathBuf>>, PipelineError> {
    let mut headers: Vec<BTreeSet<Option<&PathBuf>>> = vec![BTreeSet::new(); schemata.len()];
    for (command, facts, header) in units {
        let files = files_of_unit(command, facts, scratch, &|| false)?.map(with_real);
        for (schema, headers) in schemata.iter().zip(&mut headers) {
            let path = tree.join(&schema.file.relative);
            let includes_it = |files: &BTreeSet<PathBuf>| {
                files.contains(&path) || path.canonicalize().is_ok_and(|real| files.contains(&real))
            };
            // A unit that cannot be read may include any file.
            if files.as_ref().is_none_or(includes_it) {
                headers.insert(header.as_ref());
            }
        }
    }
    let only = |headers: &BTreeSet<Option<&PathBuf>>| match headers.first() {
        Some(Some(header)) if headers.len() == 1 => Some((*header).clone()),
        _ => None,
    };
    Ok(headers.iter().map(only).collect())
}

/// Makes headers with the runtime's assembly, each once.
struct Assembler<'a> {
    work: &'a Path,
    scratch: PathBuf,
    source: String,
    floating: Vec<&'static str>,
    codes: HashMap<(PathBuf, GraftFlags), Option<PathBuf>>,
    trials: HashMap<(PathBuf, Language, Vec<String>), bool>,
    cpu: Duration,
}

impl Assembler<'_> {
    /// A header with assembly that suits this unit.
    fn header(&mut self, command: &CompileCommand, facts: &CompilerFacts) -> Result<Option<PathBuf>, PipelineError> {
        let Some(flags) = GraftFlags::of(command, facts) else { return Ok(None) };
        let key = (facts.program.clone(), flags);
        let header = match self.codes.get(&key) {
            Some(header) => header.clone(),
            None => {
                let header = self.assemble(command, facts, &key.1)?;
                self.codes.insert(key, header.clone());
                header
            }
        };
        let Some(header) = header else { return Ok(None) };
        Ok(self.compiles_in(command, facts, &header)?.then_some(header))
    }

    /// Whether a file that includes the header compiles with all flags of the unit.
    fn compiles_in(
        &mut self,
        command: &CompileCommand,
        facts: &CompilerFacts,
        header: &Path,
    ) -> Result<bool, PipelineError> {
        let scratch = self.scratch.clone();
        let site = GraftSite { command, facts, scratch: &scratch };
        // Equal words need equal headers.
        let key = (facts.program.clone(), facts.language, site.trial_words());
        if let Some(is_fine) = self.trials.get(&key) {
            return Ok(*is_fine);
        }
        let source = perturb_rt::trial_source(&header.to_string_lossy(), &self.floating);
        let (is_fine, cpu) = site.compiles(&key.2, &source)?;
        self.cpu += cpu;
        self.trials.insert(key, is_fine);
        Ok(is_fine)
    }

    /// Writes the header with the assembly. Its name is a hash of its content, so that a changed header changes the
    /// files that include it, and these are compiled again.
    fn assemble(
        &mut self,
        command: &CompileCommand,
        facts: &CompilerFacts,
        flags: &GraftFlags,
    ) -> Result<Option<PathBuf>, PipelineError> {
        let known = self.scratch.join(format!("{}.s", short(&self.inputs(facts, flags))));
        let assembly = match std::fs::read_to_string(&known) {
            Ok(assembly) => assembly,
            Err(_) => {
                let site = GraftSite { command, facts, scratch: &self.scratch };
                let (compiled, cpu) = site.compile(flags, &self.source, PREFIX)?;
                self.cpu += cpu;
                let Some(assembly) = compiled else { return Ok(None) };
                // A rename, so that the file is complete or absent.
                let fresh = self.scratch.join("graft.new");
                std::fs::write(&fresh, &assembly).map_err(HostError::io("write", &fresh))?;
                std::fs::rename(&fresh, &known).map_err(HostError::io("write", &known))?;
                assembly
            }
        };
        let text = perturb_rt::assembled_header(&assembly);
        let header = self.work.join(format!("runtime-{}.h", short(&ContentHash::of(text.as_bytes()))));
        write_if_changed(&header, &text)?;
        Ok(Some(header))
    }

    /// A hash of everything that the assembly depends on.
    fn inputs(&self, facts: &CompilerFacts, flags: &GraftFlags) -> ContentHash {
        let since_1970 = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).ok();
        let changed = std::fs::metadata(&facts.program).ok().and_then(|compiler| {
            let changed = compiler.modified().ok().and_then(since_1970)?;
            Some(format!("{} {}", compiler.len(), changed.as_nanos()))
        });
        let changed = changed.unwrap_or_default();
        let mut parts: Vec<&[u8]> = vec![
            env!("CARGO_PKG_VERSION").as_bytes(),
            self.source.as_bytes(),
            facts.program.as_os_str().as_encoded_bytes(),
            facts.version_line.as_bytes(),
            changed.as_bytes(),
        ];
        parts.extend(perturb_rt::HEADERS.iter().map(|(_, text)| text.as_bytes()));
        parts.extend(flags.words().iter().map(|word| word.as_bytes()));
        ContentHash::of_parts(parts)
    }
}

/// The floating types for which some file needs functions, by their letters in the runtime.
fn floating(schemata: &[FileSchema]) -> Vec<&'static str> {
    let functions = schemata.iter().flat_map(|schema| &schema.functions);
    functions.flat_map(|function| function.floating()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Adds the real path of each file, because a link elsewhere may point to a file of the tree.
fn with_real(files: BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let real: Vec<PathBuf> = files.iter().filter_map(|file| file.canonicalize().ok()).collect();
    files.into_iter().chain(real).collect()
}

fn write_if_changed(path: &Path, text: &str) -> Result<(), HostError> {
    if std::fs::read(path).ok().as_deref() == Some(text.as_bytes()) {
        return Ok(());
    }
    std::fs::write(path, text).map_err(HostError::io("write", path))
}

/// A prefix of a hash that is long enough to be unique in a folder.
fn short(hash: &ContentHash) -> String {
    hash.to_string()[..16].to_string()
}
