//! Starts other programs: finds them, runs them, and ends them when we end. Measures free space and processor time, and
//! starts threads for workers.
//!
//! Takes commands as they are; the modules that put them together know what they mean. Tests and mutants never run
//! here, but in `perturb-cell`.

pub(crate) mod disk;
pub(crate) mod interrupt;
pub(crate) mod parallel_map;
pub(crate) mod supervise;
pub(crate) mod tools;
pub mod workers;
