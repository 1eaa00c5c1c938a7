//! `discover` and the compiler questions against real tools, in temporary projects that must stay byte-identical.

mod capturing;
mod cell;
mod changing;
mod configuring;
mod ending;
mod parsing;
mod plain;
mod sharing;
mod support;
