//! The pipeline through its public face.

mod gcov_header;
mod runtime;
mod store;
mod synthetic;
mod tce;
