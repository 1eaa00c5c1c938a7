//! The steps of the analysis, one module each. They exchange typed values and do not know who calls them. Where a
//! comment says "MASS step 4", it means the number in the published system; `book/src/run.md` has the table of both.

pub mod compile;
pub mod coverage;
pub mod discard;
pub mod distance;
pub mod execute;
pub mod mutate;
pub mod sample;
pub mod score;
pub mod tce;
