//! Compares two versions of a file: which functions behave the same in both.
//!
//! The functions of the second version are appended to the first under other names. A function that calls one of the
//! first is then compared with a function that calls its twin. Where the second file might mean something else
//! there, this is reported, and nothing is guessed.

mod signatures;

use super::read_unit::{read_unit, ReadUnit};
use super::{judge, own_folder, Equivalence, EquivalenceOptions, Judged};
use crate::contract;
use crate::{parse_input, EquivError, MutatedProject};
use globset::GlobSet;
use perturb_csrc::copies::Copyable;
use perturb_csrc::expanded::{Declaration, Expanded};
use perturb_csrc::joined::{joined, Call, Joined, Twin, Versions};
use perturb_csrc::{mutate_unit, Libclang, Operator, OperatorSet, Rules, Scope, Signatures};
use perturb_host::{
    compile_errors, discover, preprocess, CompileCommand, CompilerProbe, DiscoverOptions, HostError, Project, Stop,
    Unit,
};
use perturb_model::{CopyableFile, Mutant, MutantId, MutantIdx, MutatedFile};
use signatures::{same_signature, shown};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The reasons why nothing can be compared.
#[derive(Debug, thiserror::Error)]
pub enum PairError {
    #[error("{}:{line}: {message}", file.display())]
    DoesNotCompile { file: PathBuf, line: u32, message: String },
    #[error("{} cannot be compared: {why}", file.display())]
    Unreadable { file: PathBuf, why: String },
    #[error("there is no function {name} in {}", file.display())]
    NoFunction { name: String, file: PathBuf },
    #[error(
        "{name} is not the same kind of function in both: {first} in {}, {second} in {}",
        files[0].display(),
        files[1].display()
    )]
    Signature { name: String, first: String, second: String, files: [PathBuf; 2] },
    #[error("{} and {} have no function in common", files[0].display(), files[1].display())]
    NothingInCommon { files: [PathBuf; 2] },
    #[error(transparent)]
    Equiv(#[from] EquivError),
}

impl From<HostError> for PairError {
    fn from(error: HostError) -> Self {
        EquivError::from(error).into()
    }
}

/// The files to compare, and how to compile them.
#[derive(Debug)]
pub struct PairOptions<'p> {
    /// Absolute.
    pub files: [PathBuf; 2],
    /// Only these functions; all if empty.
    pub functions: &'p [String],
    /// Compiler and flags; relative paths in them are relative to that folder.
    pub compile: DiscoverOptions,
    pub directory: PathBuf,
    pub how: EquivalenceOptions,
}

/// The result of comparing two files.
#[derive(Debug)]
pub struct Paired {
    /// In the order of the first file.
    pub functions: Vec<PairedFunction>,
    pub left_out: Vec<LeftOut>,
}

/// A function that is not compared.
#[derive(Debug)]
pub struct LeftOut {
    pub name: String,
    pub why: NotCompared,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotCompared {
    #[error("it is only in {}", .0.display())]
    OnlyIn(PathBuf),
    #[error("its signatures differ: {first} and {second}")]
    Signature { first: String, second: String },
    #[error("programs begin with it")]
    Main,
}

#[derive(Debug)]
pub struct PairedFunction {
    pub name: String,
    pub verdict: Equivalence,
    pub cpu: Duration,
}

impl PairedFunction {
    fn unknown(name: &str, why: &str) -> Self {
        let verdict = Equivalence::Unknown { why: why.to_string() };
        Self { name: name.to_string(), verdict, cpu: Duration::ZERO }
    }
}

/// Compares all functions that both files have, or only those asked for.
pub fn compare(libclang: &Libclang, options: &PairOptions<'_>, stop: Stop<'_>) -> Result<Paired, PairError> {
    let probe = CompilerProbe::new();
    let [first, second] = &options.files;
    let versions =
        [FileVersion::read(&probe, libclang, options, first)?, FileVersion::read(&probe, libclang, options, second)?];
    let (names, left_out) = common(&versions, options)?;
    let unknown = |why: &str| names.iter().map(|name| PairedFunction::unknown(name, why)).collect();
    let functions = match both(&versions, &names) {
        Ok((expanded, joined)) => {
            // Removed even if this process is killed, and not shared with a worker.
            let folder = own_folder(&options.how.work)?.join("pair");
            let second = &versions[1];
            let functions = Together { libclang, options, expanded, joined, second, names: &names, folder: &folder }
                .compare(&probe, stop);
            let _ = std::fs::remove_dir_all(&folder);
            functions?.unwrap_or_else(|why| unknown(&why))
        }
        Err(why) => unknown(&why),
    };
    Ok(Paired { functions, left_out })
}

/// One of the files.
struct FileVersion {
    file: PathBuf,
    text: String,
    signatures: Arc<Signatures>,
    /// The reason why it cannot be joined with another file.
    expanded: Result<Expanded, String>,
}

impl FileVersion {
    fn read(
        probe: &CompilerProbe,
        libclang: &Libclang,
        options: &PairOptions<'_>,
        file: &Path,
    ) -> Result<Self, PairError> {
        let project = single(file, options, &[])?;
        let unit = &project.units[0];
        probe.probe(&unit.command)?;
        expect_compiled(&unit.command)?;
        let unreadable = |why: String| PairError::Unreadable { file: file.to_path_buf(), why };
        let ReadUnit { signatures, .. } = read_unit(probe, libclang, unit)?.map_err(unreadable)?;
        let text = String::from_utf8(std::fs::read(file).map_err(HostError::io("read", file))?);
        let text = text.map_err(|_| unreadable("it is no UTF-8".to_string()))?;
        let expanded = expand(&unit.command)?;
        Ok(Self { file: file.to_path_buf(), text, signatures, expanded })
    }

    fn signature(&self, name: &str) -> Option<&perturb_csrc::Signature> {
        self.signatures.functions.iter().find(|signature| signature.name == name)
    }
}

/// A file as a project of its own, compiled in the user's current folder.
fn single(file: &Path, options: &PairOptions<'_>, flags: &[String]) -> Result<Project, HostError> {
    let single_file_flags = [flags, &options.compile.single_file_flags].concat();
    let compile = DiscoverOptions { single_file_flags, ..options.compile.clone() };
    let mut project = discover(file, &options.how.work, &compile, &mut |_| {})?;
    project.units.iter_mut().for_each(|unit| unit.command.directory = options.directory.clone());
    Ok(project)
}

fn expect_compiled(command: &CompileCommand) -> Result<(), PairError> {
    match compile_errors(command)?.into_iter().next() {
        None => Ok(()),
        Some(error) => Err(PairError::DoesNotCompile { file: error.file, line: error.line, message: error.message }),
    }
}

fn expand(command: &CompileCommand) -> Result<Result<Expanded, String>, HostError> {
    let Some(text) = preprocess(command)? else { return Ok(Err("the compiler does not preprocess it".to_string())) };
    Ok(Expanded::read(&text).map_err(|error| error.to_string()))
}

/// The functions that both files have, and the reasons why others are not compared.
fn common(versions: &[FileVersion; 2], options: &PairOptions<'_>) -> Result<(Vec<String>, Vec<LeftOut>), PairError> {
    let [first, second] = versions;
    for (name, version) in options.functions.iter().flat_map(|name| versions.iter().map(move |version| (name, version)))
    {
        if version.signature(name).is_none() {
            return Err(PairError::NoFunction { name: name.clone(), file: version.file.clone() });
        }
    }
    let (mut names, mut left_out) = (Vec::new(), Vec::new());
    let is_asked = |name: &String| options.functions.is_empty() || options.functions.contains(name);
    for one in first.signatures.functions.iter().filter(|one| is_asked(&one.name)) {
        let name = one.name.clone();
        let why = match second.signature(&name) {
            None => NotCompared::OnlyIn(first.file.clone()),
            Some(_) if name == "main" => NotCompared::Main,
            Some(other) if same_signature((&first.signatures, one), (&second.signatures, other)) => {
                names.push(name);
                continue;
            }
            Some(other) => {
                let [first, second] = [shown(&first.signatures, one), shown(&second.signatures, other)];
                if options.functions.contains(&name) {
                    return Err(PairError::Signature { name, first, second, files: options.files.clone() });
                }
                NotCompared::Signature { first, second }
            }
        };
        left_out.push(LeftOut { name, why });
    }
    let is_new = |name: &String| is_asked(name) && first.signature(name).is_none();
    let new = second.signatures.functions.iter().map(|other| other.name.clone()).filter(is_new);
    left_out.extend(new.map(|name| LeftOut { name, why: NotCompared::OnlyIn(second.file.clone()) }));
    let is_in_both = |left_out: &LeftOut| matches!(left_out.why, NotCompared::Signature { .. });
    match names.is_empty() && !left_out.iter().any(is_in_both) {
        true => Err(PairError::NothingInCommon { files: options.files.clone() }),
        false => Ok((names, left_out)),
    }
}

/// Both files in one text, or the reason why there is none.
fn both(versions: &[FileVersion; 2], names: &[String]) -> Result<(Expanded, Joined), String> {
    let [first, second] = versions;
    let [one, other] = [first, second].map(|version| {
        version.expanded.as_ref().map_err(|why| format!("{} is not understood: {why}", version.file.display()))
    });
    let (one, other) = (one?, other?);
    let mut twins = Vec::new();
    for name in names {
        if one.function(name).is_none() || other.function(name).is_none() {
            return Err(format!("the definition of {name} is not understood"));
        }
        let signatures = [first, second].map(|version| version.signature(name));
        let [Some(own), Some(twin)] = signatures else { continue };
        let contract = |comment: &Option<String>| comment.clone().filter(|text| contract::parse(text).is_some());
        let parameters = own.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        twins.push((name, parameters, contract(&own.comment).or_else(|| contract(&twin.comment))));
    }
    let twins: Vec<Twin<'_>> = twins
        .iter()
        .map(|(name, parameters, contract): &(_, Vec<&str>, _)| Twin {
            name,
            parameters: parameters.clone(),
            contract: contract.as_deref(),
        })
        .collect();
    let path = first.file.to_string_lossy();
    let versions = Versions { first: one, second: other, text: &first.text, path: &path };
    let joined = joined(versions, &twins).map_err(|error| error.to_string())?;
    Ok((one.clone(), joined))
}

/// Both files joined.
struct Together<'t> {
    libclang: &'t Libclang,
    options: &'t PairOptions<'t>,
    /// The first.
    expanded: Expanded,
    joined: Joined,
    second: &'t FileVersion,
    /// Each has a call in `joined` and a mutant, in the same order.
    names: &'t [String],
    folder: &'t Path,
}

impl Together<'_> {
    /// The verdicts, or the reason why there are none.
    fn compare(self, probe: &CompilerProbe, stop: Stop<'_>) -> Result<Result<Vec<PairedFunction>, String>, PairError> {
        let project = self.project()?;
        let unit = &project.units[0];
        if let Some(why) = self.trouble(&unit.command)? {
            return Ok(Err(why));
        }
        let signatures = match read_unit(probe, self.libclang, unit)? {
            Ok(read) => read.signatures,
            Err(why) => return Ok(Err(why)),
        };
        let copyable = match self.callers(probe, &project, unit)? {
            Ok(callers) => [callers],
            Err(why) => return Ok(Err(why)),
        };
        let mutants = self.mutants(&copyable[0].file);
        let mut judged: Vec<Judged> = Vec::new();
        let subject =
            MutatedProject { project: &project, mutants: &mutants, copyable: &copyable, libclang: self.libclang };
        let all: Vec<MutantIdx> = MutantIdx::all(mutants.len()).collect();
        judge(subject, &all, &self.options.how, stop, |some| -> Result<(), EquivError> {
            judged.extend(some);
            Ok(())
        })?;
        judged.sort_by_key(|judged| judged.mutant);
        let paired = judged.into_iter().map(|judged| self.paired(judged, &signatures));
        Ok(Ok(paired.collect()))
    }

    /// Written to a folder of its own; includes are searched beside the first file.
    fn project(&self) -> Result<Project, HostError> {
        let first = &self.options.files[0];
        let file = self.folder.join(first.file_name().unwrap_or_default());
        std::fs::create_dir_all(self.folder).map_err(HostError::io("create", self.folder))?;
        std::fs::write(&file, &self.joined.text).map_err(HostError::io("write", &file))?;
        let beside = first.parent().unwrap_or(Path::new("/")).display().to_string();
        single(&file, self.options, &["-iquote".to_string(), beside])
    }

    /// Whether the joined text has the meaning that both files have by themselves.
    fn trouble(&self, command: &CompileCommand) -> Result<Option<String>, HostError> {
        // Without a declaration, a call would mean a different function.
        let mut strict = command.clone();
        strict.arguments.push("-Werror=implicit-function-declaration".to_string());
        if let Some(error) = compile_errors(&strict)?.into_iter().next() {
            return Ok(Some(format!("the files cannot be compiled together: {}", error.message)));
        }
        let expanded = match expand(command)? {
            Ok(expanded) => expanded,
            Err(why) => return Ok(Some(why)),
        };
        let expected = self.expanded.tokens().chain(self.joined.added.iter().map(String::as_str));
        Ok((!expanded.tokens().eq(expected))
            .then(|| "what the preprocessor makes of one file depends on the other".to_string()))
    }

    /// The file with functions that call those of the first file, or the reason why they cannot be copied. All others
    /// stay unchanged, so that compilers see the called bodies.
    fn callers(
        &self,
        probe: &CompilerProbe,
        project: &Project,
        unit: &Unit,
    ) -> Result<Result<CopyableFile, String>, HostError> {
        let (input, _) = parse_input(probe, self.libclang, unit)?;
        let rules = Rules {
            operators: &OperatorSet::mass(),
            never_in: &GlobSet::empty(),
            mutate_macros: false,
            instrument: true,
            wanted: &|path| path == unit.command.file,
        };
        let files = match mutate_unit(self.libclang, &input, &rules) {
            Ok(found) => found.files,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let own = files.into_iter().find(|file| file.source.path() == unit.command.file);
        let own = own.zip(project.relative(&unit.command.file));
        Ok(own.ok_or_else(|| "its functions cannot be copied".to_string()).map(|(own, relative)| {
            let is_caller = |function: &Copyable| {
                let name = own.source.lossy(function.name);
                self.joined.calls.iter().any(|call| call.caller == name)
            };
            let functions = own.copyable.into_iter().filter(is_caller).collect();
            let file = Arc::new(MutatedFile { relative: relative.to_path_buf(), source: own.source.clone() });
            CopyableFile { file, functions }
        }))
    }

    /// Each of these functions, calling the second file's function instead of the first's.
    fn mutants(&self, file: &Arc<MutatedFile>) -> Vec<Mutant> {
        let mutant = |(number, Call { caller, called, other }): (u64, &Call)| Mutant {
            id: MutantId::from_bits(number),
            file: file.clone(),
            range: *called,
            operator: Operator::Sdl,
            replacement: other.as_bytes().into(),
            scope: Arc::new(Scope { name: caller.clone(), parameters: String::new(), is_function: true }),
            constant: None,
            suppression: None,
        };
        (0..).zip(&self.joined.calls).map(mutant).collect()
    }

    fn paired(&self, judged: Judged, signatures: &Signatures) -> PairedFunction {
        let Judged { mutant, verdict, cpu } = judged;
        let name = self.names[mutant].clone();
        let verdict = match (self.doubt(mutant, signatures), verdict) {
            (Some(why), _) => Equivalence::Unknown { why },
            (None, Equivalence::Refused) => {
                Equivalence::Unknown { why: "it cannot be called as that of the first file is".to_string() }
            }
            (None, verdict) => verdict,
        };
        PairedFunction { name, verdict, cpu }
    }

    /// The reason why a function of the second file differs by itself: it has its own state, or calls an external
    /// function that the first file defines.
    fn doubt(&self, mutant: MutantIdx, signatures: &Signatures) -> Option<String> {
        let declared: BTreeSet<&str> = self.expanded.declarations.iter().flat_map(Declaration::declared).collect();
        let caller = signatures.functions.iter().find(|of| of.name == self.joined.calls[mutant].caller)?;
        let new = caller.globals.iter().find(|global| !declared.contains(global.name.as_str()));
        let own = self.second.signature(&self.names[mutant])?;
        let mut externals = own.externals.iter().map(|external| &external.name);
        let elsewhere = externals.find(|called| self.expanded.function(called).is_some());
        let state = new.map(|new| format!("only one of the files has the variable {}, which it uses", new.name));
        let kept = own.statics.iter().chain(&caller.statics).next();
        let kept = kept.map(|kept| format!("it keeps values from one call to the next, in {}", kept.name));
        kept.or(state)
            .or_else(|| elsewhere.map(|called| format!("it calls {called}, which only the first file defines")))
    }
}
