//! `discover` and the compiler questions against real tools, in temporary projects that must stay byte-identical.

mod capturing;
mod configuring;
mod parsing;
mod plain;
mod support;
