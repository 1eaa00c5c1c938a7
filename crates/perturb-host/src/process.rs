//! Programs of the outside: finding them, running them, ending them when we end; and how much room the machine has.
//!
//! Takes commands as they are: what they mean is known to the rooms that put them together. Tests and mutants never run
//! here, but in `perturb-cell`.

pub(crate) mod disk;
pub(crate) mod supervise;
pub(crate) mod tools;
