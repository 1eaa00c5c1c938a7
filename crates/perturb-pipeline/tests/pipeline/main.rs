//! The pipeline through its public face.

mod gcov_header;
mod runtime;
mod tce;
