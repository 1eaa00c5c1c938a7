//! The project's compilers: their properties, the code they generate, and the arguments that make libclang see what
//! they see.
//!
//! Takes the compile commands of a project as they are. Has single units preprocessed, checked, or compiled to
//! assembly, to objects and to small programs of our own. It builds no project, and runs nothing that it has compiled.

pub(crate) mod assembly;
pub(crate) mod clang_arguments;
mod clang_flags;
mod clang_target;
pub(crate) mod code;
pub(crate) mod diagnose;
pub(crate) mod mirror;
pub(crate) mod preprocess;
pub(crate) mod probe;
