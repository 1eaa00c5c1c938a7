//! Are two functions equivalent? With an input that shows the difference, with a proof, or with an honest "unknown".
//!
//! The library takes two functions and a contract of what they may be given. It knows nothing of mutants.

pub mod bits;
pub mod contract;
pub mod execute;
pub mod ir;
pub mod native;
pub mod order;
pub mod solve;
pub mod symbolic;
pub mod term;
