//! The eight steps of the analysis, one module each; those that stand so far.

pub mod compile;
pub mod coverage;
pub mod discard;
pub mod distance;
pub mod execute;
pub mod mutate;
pub mod sample;
pub mod score;
pub mod tce;
