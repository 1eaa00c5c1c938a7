//! What can be wrong with the input: each case ends in time with a clear message and the documented exit code.

mod database;
mod names;
mod source;
mod surroundings;
