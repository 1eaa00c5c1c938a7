//! The parts of the engine on what real compilers write.

mod instructions;
mod ir;
