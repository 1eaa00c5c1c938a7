//! The steps of the analysis, one module each. They exchange typed values and do not know their callers.

pub mod compile;
pub mod coverage;
pub mod discard;
pub mod distance;
pub mod execute;
pub mod mutate;
pub mod sample;
pub mod score;
pub mod tce;
