//! The sandbox in which tests, mutants and builds of mutants run.
//!
//! Mutants are programs that nobody meant to write. A job in a [`Cell`] has an unprivileged user, processes, temporary
//! files and a home of its own, limits on time, memory, processes and output, and fresh views of the folders that it
//! may write to. Whatever it does, nothing of it is left for the next job, for another cell, or after us: a cell ends
//! with the process that opened it, even if that is killed.
//!
//! Each cell has a server (`server`), a small process cloned from ours that starts the jobs one after another, with as
//! many layers as the machine allows (`launch`). `child` applies the restrictions that hold for every user (`confine`)
//! just before it executes a program.
//!
//! This crate does not judge: it returns how a program ended, not what that means. It never runs a job without
//! restrictions. It knows nothing of projects, compilers, tests or mutants, and depends on no other crate of the
//! workspace.

mod cell;
mod child;
mod confine;
mod connect;
mod descendants;
mod desk;
mod environment;
mod error;
mod fork;
mod group;
mod idmap;
mod job;
mod launch;
mod layers;
mod mounts;
mod options;
mod output;
mod plan;
mod pristine;
mod server;
mod sys;
mod system;
mod wipe;
mod wire;

pub use cell::{memory_of_job, probe_layers, remove_scratch, Cell, Stopper};
pub use error::CellError;
pub use job::{End, Ended, Job, Limits};
pub use layers::{Gap, Layers, Network, RunsAs, HOW_TO_ALLOW_NAMESPACES};
pub use options::{CellOptions, Exchange, Permits, Sandbox, User};
pub use pristine::{is_unrestored, remove_any, PristineCopies, IN_HOME as PRISTINE_IN_HOME};
