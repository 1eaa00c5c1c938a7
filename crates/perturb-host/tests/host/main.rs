//! `discover` and the compiler questions against real tools, in temporary projects that must stay byte-identical.

mod capturing;
mod changing;
mod configuring;
mod counting;
mod ending;
mod finding;
mod finding_cases;
mod parsing;
mod plain;
mod restoring;
mod shadowing;
mod sharing;
mod support;
