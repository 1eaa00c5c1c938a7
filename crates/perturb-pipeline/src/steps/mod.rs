//! The eight steps of the analysis, one module each; those that stand so far.

pub mod mutate;
