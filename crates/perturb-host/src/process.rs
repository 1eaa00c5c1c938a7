//! Programs of the outside: finding them, running them, ending them when we end; how much room the machine has, and threads for workers.
//!
//! Takes commands as they are: what they mean is known to the rooms that put them together. Tests and mutants never run
//! here, but in `perturb-cell`.

pub(crate) mod disk;
pub(crate) mod interrupt;
pub(crate) mod parallel_map;
pub(crate) mod supervise;
pub(crate) mod tools;
pub mod workers;
