//! A project: how it is built, how each of its files is compiled, and which of its files are tests.
//!
//! `discover` puts together what the others find. `builder` tells the build system; `cmake` and `meson` ask theirs,
//! `capture` watches any other build, and `compile_database` reads what is there already. `description` has the values
//! that come of it, and `roles` decides what is under test.
//!
//! A project is built in a copy only, and only to see how; builds with texts of ours are for [`Shadow`](crate::Shadow).

pub(crate) mod automake;
pub(crate) mod build_guess;
pub(crate) mod builder;
pub(crate) mod by_hand;
pub(crate) mod capture;
mod cmake;
pub(crate) mod cmake_cache;
mod compile_database;
pub(crate) mod description;
pub(crate) mod discover;
mod headers;
pub(crate) mod meson;
pub(crate) mod options;
pub(crate) mod recipe;
pub(crate) mod roles;
mod shell_words;
pub(crate) mod test_setup;
pub(crate) mod wrappers;
