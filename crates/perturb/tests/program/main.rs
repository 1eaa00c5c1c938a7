//! All tests of the program crate, in one binary.

mod tidy;
