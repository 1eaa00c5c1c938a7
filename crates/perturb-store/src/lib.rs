//! The store: what runs found out, in one SQLite file of the work folder, so that a run goes on where the last one
//! ended and reports need neither the project nor an engine.
//!
//! One run at a time writes ([`Store`], then [`RunWriter`]), holding a lock of the operating system; anybody may read
//! ([`StoreReader`]) at any time, also while a run goes on. What a call of the writer has returned from is on the disk:
//! neither a kill nor a full disk takes it back. A file that is damaged is set aside by who writes, and made anew with
//! the verdicts of the journal beside it ([`Mended`]); one that is foreign, of another work folder or of a newer
//! version is refused and left as it is.
//!
//! Verdicts are a cache over runs: each is kept under the [`ExecutionKey`] of all it depends on, and is only found
//! again under the same one.
//!
//! What comes of generating tests is added to a run that is there ([`GenerationWriter`]).

mod blob;
mod code_cache;
mod codes;
mod database;
mod error;
mod files;
mod generated;
mod identity;
mod intern;
mod journal;
mod judgements;
mod known;
mod lock;
mod looks;
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
pub use error::StoreError;
pub use generated::GenerationWriter;
pub use judgements::JudgedMutant;
pub use known::Known;
pub use looks::Look;
pub use mend::{Damage, Mended};
pub use ranking::Ranked;
pub use reader::StoreReader;
pub use run::{Executed, GeneratedFor, Generation, MutantState, StoredRun};
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

/// What is known of a run when it starts.
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

/// How a run came to its end. One that was killed has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Nothing is left to do.
    Complete,
    /// After the step that was asked for.
    Stopped,
    /// By the user.
    Interrupted,
    OutOfBudget,
    /// By an error.
    Failed,
}

/// A hash of all that a verdict depends on: the mutant's file, the test (command, executable, inputs), and every file
/// of the project that the test executes. Whoever executes computes it.
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
    /// What the test printed; the store keeps the end of it.
    pub output: Vec<u8>,
}

/// A mutant that the compiler refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildFailure {
    pub mutant: MutantId,
    pub key: ExecutionKey,
    /// What the compiler said; the store keeps the end of it.
    pub message: Vec<u8>,
}

/// Which engine serves a mutant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Plan {
    pub engine: Engine,
    /// Why it is not the fastest one, for people; empty if it is.
    pub why: String,
}

/// What is recorded in one transaction. An outcome may be recorded again; the last one counts.
#[derive(Debug, Default)]
pub struct Batch {
    pub executions: Vec<Execution>,
    pub build_failures: Vec<BuildFailure>,
    pub outcomes: Vec<(MutantId, Outcome)>,
    /// What the code of a mutant says where a test says otherwise.
    pub contradictions: Vec<(MutantId, Contradiction)>,
}

/// A store that this process may write to.
#[derive(Debug)]
pub struct Store {
    database: database::Database,
    mended: Option<Mended>,
    work: PathBuf,
    lock: Lock,
}

impl Store {
    pub const FILE_NAME: &'static str = "store.sqlite";

    /// Opens the store of a work folder, or makes one, and keeps other runs out until it is dropped.
    pub fn open(work: &Path) -> Result<Self, StoreError> {
        std::fs::create_dir_all(work).map_err(StoreError::io("create", work))?;
        let work = work.canonicalize().map_err(StoreError::io("find", work))?;
        let lock = Lock::take(&work)?;
        let (database, mended) = mend::open(&work)?;
        Ok(Self { database, mended, work, lock })
    }

    /// What was wrong with the store that was found, if anything was.
    pub fn mended(&self) -> Option<&Mended> {
        self.mended.as_ref()
    }

    /// Whether a run could use the work folder: none is using it, and the store, if there is one, can be read. Writes
    /// nothing.
    pub fn check(work: &Path) -> Result<(), StoreError> {
        Lock::probe(work)?;
        match StoreReader::open(work) {
            Ok(_) | Err(StoreError::Missing { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Starts a run. What is old is thrown away.
    pub fn begin(self, run: &NewRun) -> Result<RunWriter, StoreError> {
        RunWriter::begin(self, run)
    }

    /// For tests that are generated for mutants of a run which is there.
    pub fn generate_for(self, run: &StoredRun) -> GenerationWriter {
        GenerationWriter::new(self, run)
    }
}
