//! The pipeline through its public face.

mod store;
mod synthetic;
