//! The parts of the engine on what real compilers write.

mod ir;
mod witness;
