//! Pristine copies of the private folders, for cells whose jobs write to those folders themselves.
//!
//! Without private views, a job that replaces a program, edits a source or leaves a file behind would change the
//! verdict of every later job, and of the next run. So the owner of a cell copies each private folder to where jobs
//! cannot write, compares the folder with the copy before and after every job, and restores what differs. A build in
//! the folder between two jobs finds it as the last build left it.
//!
//! While a cell is open on the folders, a marker file is beside the copies. It is removed once the folders are known to
//! be restored. A later run that finds it must make the folders again ([`is_unrestored`]).
//!
//! Restores contents, modes, modification times, symbolic links, hard links among the files of one folder, and the set
//! of entries. Removes attributes and access control lists that a job gave to a folder. Stops with an error when a
//! pristine copy was changed itself. It ignores the extended attributes of files: a restored file has none.

mod files;
mod folder;
mod record;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use files::remove_any;
use files::Clock;
use folder::PristineFolder;

use crate::error::CellError;

/// The folder of the copies, in the home that [`PristineCopies`] was given.
const COPIES: &str = "pristine";

/// Exists while a cell is open on folders whose copies are beside it.
const MARKER: &str = "unrestored";

/// The files in a home that belong to the copies.
pub const IN_HOME: [&str; 2] = [COPIES, MARKER];

/// Whether a process was killed while jobs could write to the folders of this home: they may hold what a job left.
pub fn is_unrestored(home: &Path) -> bool {
    home.join(MARKER).exists()
}

/// The pristine copies of some private folders. All cells that are open on the same folders must share them, as only
/// one job at a time may run there.
#[derive(Debug)]
pub struct PristineCopies {
    home: PathBuf,
    /// The home was made for the copies, and goes with them.
    is_own_home: bool,
    state: Mutex<PristineState>,
}

#[derive(Debug, Default)]
struct PristineState {
    folders: Vec<PristineFolder>,
    /// Cells that are open on the folders.
    cells: usize,
    /// A job has run since the folders were last compared.
    is_dirty: bool,
}

/// The right to run one job in the folders. Dropped without [`PristineTurn::end`], it leaves them to be restored by the
/// next one.
#[derive(Debug)]
pub(crate) struct PristineTurn<'c> {
    copies: &'c PristineCopies,
    state: MutexGuard<'c, PristineState>,
}

impl PristineCopies {
    /// Copies are kept in `home`, a folder outside of all private ones that jobs cannot write to.
    pub fn new(home: &Path) -> PristineCopies {
        PristineCopies::in_home(home.to_path_buf(), false)
    }

    fn in_home(home: PathBuf, is_own_home: bool) -> PristineCopies {
        PristineCopies { home, is_own_home, state: Mutex::default() }
    }

    /// For a cell that shares its folders with no other one.
    pub(crate) fn beside(scratch: &Path) -> Result<Arc<PristineCopies>, CellError> {
        let mut home = scratch.as_os_str().to_owned();
        home.push(".pristine");
        let home = PathBuf::from(home);
        remove_any(&home).map_err(CellError::io("empty", &home))?;
        fs::create_dir_all(&home).map_err(CellError::io("create", &home))?;
        Ok(Arc::new(PristineCopies::in_home(home, true)))
    }

    /// A cell opens: brings the copies in step with the folders. `shared` is what jobs really write to, and is not
    /// copied.
    pub fn enter(&self, private: &[PathBuf], shared: &[PathBuf]) -> Result<(), CellError> {
        let real = |paths: &[PathBuf]| -> Result<Vec<PathBuf>, CellError> {
            paths.iter().map(|path| path.canonicalize().map_err(CellError::io("find", path))).collect()
        };
        let (mut private, shared) = (real(private)?, real(shared)?);
        private.sort();
        // A folder inside another one is part of that.
        private.dedup_by(|inner, outer| inner.starts_with(outer));
        private.retain(|folder| !shared.contains(folder));
        let mut state = self.lock();
        let marker = self.home.join(MARKER);
        fs::write(&marker, "").map_err(CellError::io("write", &marker))?;
        let entered = self.take(&mut state, private, &shared);
        match entered {
            Ok(()) => state.cells += 1,
            Err(_) => self.remove_marker(&state),
        }
        entered
    }

    fn take(&self, state: &mut PristineState, private: Vec<PathBuf>, shared: &[PathBuf]) -> Result<(), CellError> {
        let store = self.home.join(COPIES);
        if state.folders.is_empty() {
            remove_any(&store).map_err(CellError::io("empty", &store))?;
        }
        if state.is_dirty {
            self.restore(state)?;
        }
        for root in private {
            if !state.folders.iter().any(|folder| folder.root() == root) {
                let number = state.folders.len().to_string();
                state.folders.push(PristineFolder::new(root, store.join(number))?);
            }
        }
        state.folders.iter_mut().for_each(|folder| folder.leave_out(shared));
        self.update(state)
    }

    /// A cell has closed, and all processes of its jobs have ended.
    pub fn leave(&self) {
        let mut state = self.lock();
        state.cells -= 1;
        if state.is_dirty {
            // Where that fails the marker stays, so that nobody builds on what is there.
            let _ = self.restore(&mut state);
        }
        self.remove_marker(&state);
    }

    /// Restores the folders after something other than a job of these cells has written to them.
    pub fn put_back(&self) -> Result<(), CellError> {
        self.restore(&mut self.lock())
    }

    /// Something other than a job is about to write to the folders: they are not pristine until they were restored.
    pub fn expect_changes(&self) {
        self.lock().is_dirty = true;
    }

    fn remove_marker(&self, state: &PristineState) {
        if state.cells == 0 && !state.is_dirty {
            let _ = fs::remove_file(self.home.join(MARKER));
        }
    }

    /// Waits until no job runs in the folders, and sees that they are pristine. `has_changed` says that somebody
    /// changed them on purpose since the last job: then the copies are brought in step instead.
    pub(crate) fn begin(&self, has_changed: bool) -> Result<PristineTurn<'_>, CellError> {
        let mut state = self.lock();
        match has_changed && !state.is_dirty {
            true => self.update(&mut state)?,
            false => self.restore(&mut state)?,
        }
        state.is_dirty = true;
        Ok(PristineTurn { copies: self, state })
    }

    fn update(&self, state: &mut PristineState) -> Result<(), CellError> {
        let mut has_changed = false;
        for folder in &mut state.folders {
            has_changed |= folder.update()?;
        }
        self.settle(state, has_changed)
    }

    fn restore(&self, state: &mut PristineState) -> Result<(), CellError> {
        let mut has_changed = false;
        for folder in &mut state.folders {
            has_changed |= folder.restore()?;
        }
        state.is_dirty = false;
        self.settle(state, has_changed)
    }

    /// Waits until whatever is written from now on gets a later time than all that is recorded.
    fn settle(&self, state: &PristineState, has_changed: bool) -> Result<(), CellError> {
        if !has_changed {
            return Ok(());
        }
        let newest = state.folders.iter().map(PristineFolder::newest_ns).max().unwrap_or(i64::MIN);
        Clock::in_folder(&self.home.join(COPIES)).wait_past(newest)
    }

    /// A thread that panicked leaves the folders marked as dirty.
    fn lock(&self) -> MutexGuard<'_, PristineState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PristineCopies {
    fn drop(&mut self) {
        let _ = remove_any(&self.home.join(COPIES));
        if self.is_own_home {
            let _ = remove_any(&self.home);
        }
    }
}

impl PristineTurn<'_> {
    /// To be called when all processes of the job have ended.
    pub fn end(mut self) -> Result<(), CellError> {
        self.copies.restore(&mut self.state)
    }
}
