//! Is a mutant equivalent? With an input that shows the difference, with a proof, or with an honest "unknown".
//!
//! Each function is compared with its mutants by itself, by what its contract says it may be given. Tiers, the cheapest
//! first, each take what those before them leave open.

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
use perturb_host::{check_layers, create_work_folder, spread, HostError, NoThread, Stop};
use perturb_model::{Difference, Kind, Tier};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
pub use subject::{subjects, FunctionSubject, Subjects, Uncallable, Wider};
use tool::Tool;
pub use witness::WitnessOptions;

/// What the user asks for.
#[derive(Debug, Clone)]
pub struct EquivalenceOptions {
    /// The folder that all is written to.
    pub work: PathBuf,
    pub jobs: usize,
    pub seed: u64,
    /// How many inputs are tried on each function.
    pub inputs: u64,
    /// As many inputs as this are few enough to try all.
    pub exhaust: u64,
    /// Blocks that a call may execute.
    pub steps: u64,
    /// What is tried.
    pub tiers: Tiers,
    pub sandbox: Sandbox,
    /// What functions may be given by the project's configuration.
    pub contracts: Arc<Contracts>,
    /// Whether witnesses are made programs of.
    pub witnesses: Option<WitnessOptions>,
}

/// Grows whenever the same question may get another answer than before: what was kept is asked anew then.
pub const ENGINE: u32 = 12;

impl EquivalenceOptions {
    pub const INPUTS: u64 = 20_000;
    pub const EXHAUST: u64 = 1 << 20;
    pub const STEPS: u64 = 200_000;
}

/// Which tiers are tried, one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiers {
    /// Inputs are tried.
    pub native: bool,
    /// All inputs are, where they are few.
    pub exhaustive: bool,
    /// Compiled code is compared.
    pub code: bool,
    /// So is the code that clang makes, where it is not the project's compiler.
    pub clang: bool,
    /// Functions are executed on terms, and a solver is asked.
    pub proof: bool,
    /// The same path by path, where that is too hard.
    pub paths: bool,
}

/// What came of one mutant.
#[derive(Debug, Clone)]
pub struct Judged {
    pub place: usize,
    pub verdict: Equivalence,
    pub cpu: Duration,
}

#[derive(Debug, Clone)]
pub enum Equivalence {
    Different(Witness),
    Equivalent {
        by: Tier,
        /// What it holds for; none for all that there is.
        bound: Option<String>,
        /// What was taken for granted.
        assumptions: Vec<String>,
    },
    Unknown {
        why: String,
    },
    /// The compiler refuses it.
    Refused,
}

/// An input on which it differs from the original, which has been run.
#[derive(Debug, Clone)]
pub struct Witness {
    pub by: Difference,
    /// Which tier found it.
    pub tier: Tier,
    /// What the bytes are.
    pub layout: Arc<Layout>,
    /// The same as a program, if that was asked for.
    pub program: Option<WitnessProgram>,
}

/// A program that shows a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WitnessProgram {
    /// Its text: with the original it ends well, and with the mutant it does not; both were seen.
    Text(String),
    /// There is none.
    None { why: String },
}

impl Equivalence {
    /// For all that there is.
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

    pub fn witness(&self) -> Option<&Witness> {
        match self {
            Self::Different(witness) => Some(witness),
            _ => None,
        }
    }

    pub fn kind(&self) -> Option<Kind> {
        self.witness().map(|witness| witness.by.kind)
    }
}

/// Judges these mutants, function by function; `found` gets those of one function at a time, and may fail in a way of
/// its own. What it was stopped at is not told.
pub fn judge<E: From<EquivError> + From<NoThread> + Send>(
    subject: MutatedProject<'_>,
    places: &[usize],
    options: &EquivalenceOptions,
    stop: Stop<'_>,
    found: impl FnMut(Vec<Judged>) -> Result<(), E>,
) -> Result<(), E> {
    let folder = own_folder(&options.work)?;
    let judged = judge_in(&folder, subject, places, options, stop, found);
    let _ = std::fs::remove_dir_all(&folder);
    judged
}

fn judge_in<E: From<EquivError> + From<NoThread> + Send>(
    folder: &Path,
    subject: MutatedProject<'_>,
    places: &[usize],
    options: &EquivalenceOptions,
    stop: Stop<'_>,
    mut found: impl FnMut(Vec<Judged>) -> Result<(), E>,
) -> Result<(), E> {
    check_layers(&folder.join("probe"), options.sandbox).map_err(EquivError::from)?;
    let Subjects { functions, mut uncallable, others, .. } = subjects(subject, places, &options.contracts)?;
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
    spread(&mut tools, &work, stop, |tool, work| Ok(judge(tool, work)?), |_, judged| found(judged))
}

/// What a worker does at once.
#[derive(Clone, Copy)]
enum Work<'s> {
    Function(&'s FunctionSubject),
    Code(&'s Uncallable),
}

/// What the folders of running comparisons are called, each with the number of its process.
const FOLDER: &str = "equivalence-";

/// A folder for this process alone. Those of processes that were killed go.
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
