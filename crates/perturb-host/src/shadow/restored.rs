//! A copy of the project as the build of the original left it, restored before each mutant is built.
//!
//! A build may run what it builds. With a mutant in the text that is a mutant, which can leave anything in the copy:
//! another source, an object, a link in the place of a folder. Nothing of it may be there for the build of the next
//! mutant, and we must not write through it.

use std::collections::BTreeMap;
use std::fs;

use super::Shadow;
use crate::error::HostError;
use crate::tree::copy::AS_BUILT;
use perturb_cell::{remove_any, PristineCopies};

/// Restores the folders for the last time when it is dropped.
#[derive(Debug)]
pub(super) struct AsBuilt {
    copies: PristineCopies,
}

impl Drop for AsBuilt {
    fn drop(&mut self) {
        self.copies.leave();
    }
}

impl Shadow {
    /// Keeps the copy as it is now, just after the original was built, for [`Shadow::restore_as_built`].
    pub fn keep_as_built(&mut self) -> Result<(), HostError> {
        debug_assert!(self.texts.as_ref().is_some_and(BTreeMap::is_empty), "the original was built");
        self.as_built = None;
        let home = self.home.join(AS_BUILT);
        remove_any(&home).map_err(HostError::io("empty", &home))?;
        fs::create_dir_all(&home).map_err(HostError::io("create", &home))?;
        let copies = PristineCopies::new(&home);
        copies.enter(&self.folders(), &[])?;
        copies.expect_changes();
        self.as_built = Some(AsBuilt { copies });
        Ok(())
    }

    /// Brings the copy back to what it was when it was kept. Does nothing if it was not.
    pub fn restore_as_built(&mut self) -> Result<(), HostError> {
        let Some(as_built) = &self.as_built else { return Ok(()) };
        as_built.copies.put_back()?;
        as_built.copies.expect_changes();
        self.texts = Some(BTreeMap::new());
        self.pending.clear();
        Ok(())
    }
}
