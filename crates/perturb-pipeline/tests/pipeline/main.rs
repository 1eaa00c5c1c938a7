//! The pipeline through its public interface.

mod gcov_header;
mod runtime;
mod tce;
