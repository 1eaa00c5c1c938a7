//! A bench for the instrumented program, and the files through which perturb and the program communicate.
//!
//! Whatever a test leaves in these files: perturb reads only the expected size, and uses only values that are possible.

use crate::bench::{Bench, TestFiles};
use crate::PipelineError;
use perturb_cell::Exchange;
use perturb_host::HostError;
use perturb_model::TestIdx;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The paths of the files in tests, and their sizes.
#[derive(Debug, Clone)]
pub struct InstrumentedFiles {
    pub record: PathBuf,
    pub record_bytes: u32,
    pub sheet: PathBuf,
    pub sheet_bytes: u32,
    /// Programs that were started without perturb's variables write to this file.
    pub lost: PathBuf,
}

const RECORD: usize = 0;
const SHEET: usize = 1;
const LOST: usize = 2;

impl InstrumentedFiles {
    /// The files in the form that a bench is opened with.
    pub fn for_bench(&self) -> TestFiles {
        let file = |path: &PathBuf, bytes: u32| Exchange { path: path.clone(), bytes: bytes.into() };
        let exchange =
            vec![file(&self.record, self.record_bytes), file(&self.sheet, self.sheet_bytes), file(&self.lost, 0)];
        TestFiles { shared: Vec::new(), exchange }
    }
}

/// A bench for the instrumented program, with the record that its tests fill in and the sheet of those that split.
#[derive(Debug)]
pub struct InstrumentedBench<'b> {
    pub bench: Bench<'b>,
    pub files: InstrumentedFiles,
}

impl InstrumentedBench<'_> {
    /// Writes the empty record that a test fills in.
    pub(crate) fn put_record(&self, test: TestIdx, bytes: &[u8]) -> Result<(), PipelineError> {
        self.put(test, RECORD, &self.files.record, bytes)
    }

    pub(crate) fn take_record(&self, test: TestIdx) -> Result<Vec<u8>, PipelineError> {
        self.take(test, RECORD, &self.files.record, self.files.record_bytes)
    }

    pub(crate) fn put_sheet(&self, test: TestIdx, bytes: &[u8]) -> Result<(), PipelineError> {
        self.put(test, SHEET, &self.files.sheet, bytes)
    }

    pub(crate) fn take_sheet(&self, test: TestIdx) -> Result<Vec<u8>, PipelineError> {
        self.take(test, SHEET, &self.files.sheet, self.files.sheet_bytes)
    }

    pub(crate) fn clear_lost(&self, test: TestIdx) -> Result<(), PipelineError> {
        self.put(test, LOST, &self.files.lost, b"")
    }

    /// Whether a program of any test was started without perturb's variables. Only valid while tests are recorded:
    /// afterwards mutants may write to the file as well.
    pub(crate) fn has_lost(&self) -> bool {
        let is_written =
            |files: &[File]| files.get(LOST).is_some_and(|file| file.metadata().is_ok_and(|data| data.len() > 0));
        self.bench.exchanges().any(is_written)
    }

    /// Replaces the content of a file.
    fn put(&self, test: TestIdx, which: usize, path: &Path, bytes: &[u8]) -> Result<(), PipelineError> {
        let write = |file: &File| -> io::Result<()> {
            file.set_len(0)?;
            file.write_all_at(bytes, 0)
        };
        let file = self.bench.exchange(test).get(which).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound));
        Ok(file.and_then(write).map_err(HostError::io("write", path))?)
    }

    /// Reads the content of a file, and at most one byte more than the expected size, which shows that the program has
    /// made it longer.
    fn take(&self, test: TestIdx, which: usize, path: &Path, size: u32) -> Result<Vec<u8>, PipelineError> {
        let read = |file: &File| -> io::Result<Vec<u8>> {
            let length = file.metadata()?.len().min(u64::from(size) + 1);
            let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
            file.read_exact_at(&mut bytes, 0)?;
            Ok(bytes)
        };
        let file = self.bench.exchange(test).get(which).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound));
        Ok(file.and_then(read).map_err(HostError::io("read", path))?)
    }
}
