//! The user's tree and our copies of it: which files are copied, keeping copies in sync, noticing changes, and the work
//! folder that holds everything.
//!
//! Knows files, their times and their names, and nothing of how they are built. Never writes in the user's tree.

pub(crate) mod changes;
pub(crate) mod copy;
mod file_clock;
pub(crate) mod manifest;
pub(crate) mod optional_file;
pub(crate) mod text_path;
pub(crate) mod walk;
pub(crate) mod watch;
pub(crate) mod work_folder;
