//! The user's tree and our copies of it: what belongs in a copy, keeping it in step, telling what has changed, and the
//! work folder in which all of it lies.
//!
//! Knows files, their times and their names, and nothing of how they are built. Never writes in the user's tree.

pub(crate) mod changes;
pub(crate) mod copy;
mod file_clock;
pub(crate) mod manifest;
pub(crate) mod text_path;
pub(crate) mod walk;
pub(crate) mod watch;
pub(crate) mod work_folder;
