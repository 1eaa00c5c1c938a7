//! The pipeline through its public face.

mod gcov_header;
mod store;
mod synthetic;
mod tce;
