//! Comparing functions on what real compilers write, and the programs that show a difference.

mod paths;
mod witness;
