//! The store: the results of runs, in one SQLite file of the work folder. A run continues where the last one ended, and
//! reports need neither the project nor an engine.
//!
//! One run at a time writes ([`Store`], then [`RunWriter`]), holding a lock of the operating system. Any process may
//! read ([`StoreReader`]) at any time, also while a run writes. When a call of the writer returns, its data are on the
//! disk: neither a kill nor a full disk takes them back. A writer sets a damaged file aside, and makes a new one with
//! the verdicts of the journal beside it ([`Mended`]). A file of another program, of another work folder or of a newer
//! version is refused and left as it is.
//!
//! Verdicts are a cache over runs: each is stored under the [`ExecutionKey`] of everything that it depends on, and is
//! found only under the same key.
//!
//! The results of generating tests are added to a stored run ([`GenerationWriter`]).

mod blob;
mod code_cache;
mod codes;
mod database;
mod discards;
mod error;
mod files;
mod generated;
mod identity;
mod intern;
mod journal;
mod judgements;
mod known;
mod lock;
mod mend;
mod mutant_list;
mod prune;
mod ranking;
mod reader;
mod run;
mod sampled;
mod seal;
mod stored;
mod test_inputs;
mod values;
mod writer;

pub use code_cache::CodeCache;
pub use discards::DiscardRecord;
pub use error::StoreError;
pub use generated::GenerationWriter;
pub use judgements::JudgedMutant;
pub use known::Known;
pub use mend::{Damage, Mended};
pub use ranking::Ranked;
pub use reader::StoreReader;
pub use run::{ExecutionTotals, GeneratedFor, Generation, MutantState, StoredRun};
pub use writer::RunWriter;

use lock::Lock;
use perturb_model::{ContentHash, Contradiction, Engine, MutantId, Outcome, TestName, Verdict};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Runs are numbered from 1 in each store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(i64);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The properties of a run that are known when it starts.
#[derive(Debug, Clone)]
pub struct NewRun {
    pub started: SystemTime,
    /// The project's folder.
    pub root: PathBuf,
    /// The command line as typed, the program's name first.
    pub arguments: Vec<String>,
    pub seed: u64,
    /// What the run depends on: hashes of sources, compilers, flags; versions.
    pub manifest: serde_json::Value,
}

/// How a run ended. A run that was killed has no ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// All is done.
    Complete,
    /// It stopped after the step that the user asked for.
    Stopped,
    /// The user interrupted it.
    Interrupted,
    /// Its time was up.
    OutOfBudget,
    /// An error ended it.
    Failed,
}

/// A hash of everything that a verdict depends on: the mutant's file, the test (command, executable, inputs), and every
/// file of the project that the test executes. The caller computes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExecutionKey(pub ContentHash);

/// One test executed on one mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execution {
    pub mutant: MutantId,
    pub test: TestName,
    pub key: ExecutionKey,
    pub engine: Engine,
    pub verdict: Verdict,
    pub cpu: Duration,
    pub wall: Duration,
    /// The output of the test; the store keeps its end.
    pub output: Vec<u8>,
}

/// A mutant that the compiler refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildFailure {
    pub mutant: MutantId,
    pub key: ExecutionKey,
    /// The output of the compiler; the store keeps its end.
    pub message: Vec<u8>,
}

/// Which engine executes a mutant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EngineAssignment {
    pub engine: Engine,
    /// Why it is not the fastest engine, for people; empty if it is.
    pub why: String,
}

/// Results that are recorded in one transaction. An outcome may be recorded again; the last one counts.
#[derive(Debug, Default)]
pub struct Batch {
    pub executions: Vec<Execution>,
    pub build_failures: Vec<BuildFailure>,
    pub outcomes: Vec<(MutantId, Outcome)>,
    /// Outcomes that compiled code suggests and a test refutes.
    pub contradictions: Vec<(MutantId, Contradiction)>,
}

/// A store that this process writes to.
#[derive(Debug)]
pub struct Store {
    database: database::Database,
    mended: Option<Mended>,
    work: PathBuf,
    lock: Lock,
}

impl Store {
    pub const FILE_NAME: &'static str = "store.sqlite";

    /// Opens the store of a work folder, or creates one, and locks out other runs until it is dropped.
    pub fn open(work: &Path) -> Result<Self, StoreError> {
        std::fs::create_dir_all(work).map_err(StoreError::io("create", work))?;
        let work = work.canonicalize().map_err(StoreError::io("find", work))?;
        let lock = Lock::take(&work)?;
        let (database, mended) = mend::open(&work)?;
        Ok(Self { database, mended, work, lock })
    }

    /// The damage of the store that was repaired when it was opened, if there was any.
    pub fn mended(&self) -> Option<&Mended> {
        self.mended.as_ref()
    }

    /// Checks that a run could use the work folder: no other run uses it, and the store, if there is one, can be read.
    /// Writes nothing.
    pub fn check(work: &Path) -> Result<(), StoreError> {
        Lock::probe(work)?;
        match StoreReader::open(work) {
            Ok(_) | Err(StoreError::Missing { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Starts a run, and prunes old data.
    pub fn begin(self, run: &NewRun) -> Result<RunWriter, StoreError> {
        RunWriter::begin(self, run)
    }

    /// Prepares to record tests that are generated for mutants of a stored run.
    pub fn generate_for(self, run: &StoredRun) -> GenerationWriter {
        GenerationWriter::new(self, run)
    }
}
