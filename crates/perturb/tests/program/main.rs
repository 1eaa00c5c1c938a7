//! All tests of the program crate, in one binary.

mod annotate;
mod bad_input;
mod circumstances;
mod commands;
mod confidence;
mod coverage;
mod cross;
mod equiv;
mod golden;
mod hostile;
mod pair;
mod projects;
mod report;
mod run;
mod scene;
mod split;
mod testgen;
mod tidy;
