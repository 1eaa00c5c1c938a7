//! Decides whether a mutant is equivalent: with an input that shows a difference, with a proof, or with an honest
//! "unknown".
//!
//! Each function is compared with its mutants in isolation, on the inputs that its contract permits. The tiers run from
//! the cheapest to the most expensive; each one takes the mutants that those before it left open.

pub mod annotate;
mod calls;
pub(crate) mod comparison;
pub mod confidence;
pub mod contracts;
mod driver;
pub(crate) mod driver_request;
pub(crate) mod elsewhere;
mod judgement;
mod keys;
mod native;
pub mod pair;
mod read_unit;
mod reasoning;
mod subject;
pub(crate) mod tool;
mod witness;

use crate::native::Layout;
use crate::{EquivError, MutatedProject};
pub use contracts::Contracts;
pub use keys::{settings, FileKey};
use perturb_cell::Sandbox;
use perturb_host::{check_layers, create_work_folder, parallel_map, HostError, MayBeStop, NoThread, Stop};
use perturb_model::{Difference, Kind, MutantIdx, Tier};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
pub use subject::{subjects, FunctionSubject, Subjects, Uncallable, Wider};
use tool::Tool;
pub use witness::WitnessOptions;

/// What the user asks for.
#[derive(Debug, Clone)]
pub struct EquivalenceOptions {
    /// The work folder.
    pub work: PathBuf,
    pub jobs: usize,
    pub seed: u64,
    /// How many inputs are tried on each function.
    pub inputs: u64,
    /// The greatest number of inputs for which all are tried.
    pub exhaust: u64,
    /// Blocks that a call may execute.
    pub steps: u64,
    /// The tiers to run.
    pub tiers: Tiers,
    pub sandbox: Sandbox,
    /// The contracts of the project's configuration.
    pub contracts: Arc<Contracts>,
    /// Whether a program is written for each witness, and how.
    pub witnesses: Option<WitnessOptions>,
}

/// The version of the engine. It is raised whenever a verdict may change, which makes cached verdicts stale.
pub const ENGINE: u32 = 12;

impl EquivalenceOptions {
    pub const INPUTS: u64 = 20_000;
    pub const EXHAUST: u64 = 1 << 20;
    pub const STEPS: u64 = 200_000;
}

/// The tiers to run, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiers {
    /// Calls functions with many inputs.
    pub native: bool,
    /// Calls functions with all inputs, where these are few.
    pub exhaustive: bool,
    /// Compares compiled code.
    pub code: bool,
    /// Also compares the code that clang emits, where clang is not the project's compiler.
    pub clang: bool,
    /// Executes functions symbolically and asks a solver.
    pub proof: bool,
    /// The same path by path, where one question about all paths is too hard.
    pub paths: bool,
}

/// The verdict on one mutant.
#[derive(Debug, Clone)]
pub struct Judged {
    pub mutant: MutantIdx,
    pub verdict: Equivalence,
    pub cpu: Duration,
}

#[derive(Debug, Clone)]
pub enum Equivalence {
    Different(RawWitness),
    Equivalent {
        by: Tier,
        /// The bound within which it holds; `None` if it holds without one.
        bound: Option<String>,
        /// The assumptions under which it holds.
        assumptions: Vec<String>,
    },
    Unknown {
        why: String,
    },
    /// The mutant does not compile.
    Refused,
}

/// An input on which the mutant was seen to differ from the original.
#[derive(Debug, Clone)]
pub struct RawWitness {
    pub by: Difference,
    /// Which tier found it.
    pub tier: Tier,
    /// The meaning of the input's bytes.
    pub layout: Arc<Layout>,
    /// The witness as a program, if one was asked for.
    pub program: Option<WitnessProgram>,
}

/// A program that shows a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WitnessProgram {
    /// Its text. It was run: it passes with the original and fails with the mutant.
    Text(String),
    /// There is no such program.
    None { why: String },
}

impl Equivalence {
    /// Equivalent without a bound or an assumption.
    fn unconditional(by: Tier) -> Self {
        Self::Equivalent { by, bound: None, assumptions: Vec::new() }
    }

    pub fn word(&self) -> &'static str {
        match self {
            Self::Different(_) => "different",
            Self::Equivalent { .. } => "equivalent",
            Self::Unknown { .. } => "unknown",
            Self::Refused => "compile error",
        }
    }

    pub fn witness(&self) -> Option<&RawWitness> {
        match self {
            Self::Different(witness) => Some(witness),
            _ => None,
        }
    }

    pub fn kind(&self) -> Option<Kind> {
        self.witness().map(|witness| witness.by.kind)
    }
}

/// Judges these mutants, function by function. `found` gets the verdicts of one function at a time; its errors end the
/// comparison. Functions whose comparison was stopped are not reported.
pub fn judge<E: From<EquivError> + From<NoThread> + MayBeStop + Send>(
    subject: MutatedProject<'_>,
    mutants: &[MutantIdx],
    options: &EquivalenceOptions,
    stop: Stop<'_>,
    found: impl FnMut(Vec<Judged>) -> Result<(), E>,
) -> Result<(), E> {
    let folder = own_folder(&options.work)?;
    let judged = judge_in(&folder, subject, mutants, options, stop, found);
    let _ = std::fs::remove_dir_all(&folder);
    judged
}

fn judge_in<E: From<EquivError> + From<NoThread> + MayBeStop + Send>(
    folder: &Path,
    subject: MutatedProject<'_>,
    mutants: &[MutantIdx],
    options: &EquivalenceOptions,
    stop: Stop<'_>,
    mut found: impl FnMut(Vec<Judged>) -> Result<(), E>,
) -> Result<(), E> {
    check_layers(&folder.join("probe"), options.sandbox).map_err(EquivError::from)?;
    let Subjects { functions, mut uncallable, others, .. } = subjects(subject, mutants, &options.contracts)?;
    found(others)?;
    if !options.tiers.code {
        found(uncallable.drain(..).flat_map(Uncallable::unknown).collect())?;
    }
    let functions = functions.iter().map(Work::Function);
    let work: Vec<Work<'_>> = functions.chain(uncallable.iter().map(Work::Code)).collect();
    let MutatedProject { project, mutants, .. } = subject;
    let is_stopped = || stop.is_due();
    let mut tools = Vec::new();
    for number in 0..options.jobs.min(work.len()) {
        tools.push(Tool::open(project, mutants, options, &folder.join(number.to_string()), stop, &is_stopped)?);
    }
    let judge = |tool: &mut Tool<'_>, work| match work {
        Work::Function(function) => tool.judge(function),
        Work::Code(functions) => tool.judge_uncallable(functions),
    };
    parallel_map(&mut tools, &work, stop, |tool, work| Ok(judge(tool, work)?), |_, judged| found(judged))
}

/// One task of a worker.
#[derive(Clone, Copy)]
enum Work<'s> {
    Function(&'s FunctionSubject),
    Code(&'s Uncallable),
}

/// The prefix of the folders of running comparisons; the process id follows.
const FOLDER: &str = "equivalence-";

/// Creates a folder for this process, and removes the folders of processes that were killed.
pub fn own_folder(work: &Path) -> Result<PathBuf, EquivError> {
    let work = create_work_folder(work)?;
    let entries = std::fs::read_dir(&work).map_err(HostError::io("read", &work))?;
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(process) = name.to_str().and_then(|name| name.strip_prefix(FOLDER)) else { continue };
        if !Path::new("/proc").join(process).exists() {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    let folder = work.join(format!("{FOLDER}{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(HostError::io("create", &folder))?;
    Ok(folder)
}
