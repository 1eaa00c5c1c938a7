//! A project: how it is built, how each of its files is compiled, and which of its files are tests.
//!
//! `discover` combines the others. `builder` recognises the build system; `cmake` and `meson` ask theirs, `capture`
//! observes any other build, and `compile_database` reads an existing database. `description` has the resulting values,
//! and `roles` decides which files are under test.
//!
//! A project is built only in a copy, and only to learn its commands. [`Shadow`](crate::Shadow) builds it with texts of
//! ours.

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
