//! How a unit is parsed. Mutants and signatures are read from the same parse, so that their source ranges agree.

use perturb_csrc::{Libclang, ParseInput};
use perturb_host::{clang_arguments, CompilerProbe, HostError, Unit};

/// How a unit is parsed, and which of its flags clang does not understand.
pub fn parse_input(
    probe: &CompilerProbe,
    libclang: &Libclang,
    unit: &Unit,
) -> Result<(ParseInput, Vec<String>), HostError> {
    let facts = probe.probe(&unit.command)?;
    let clang = clang_arguments(&unit.command, &facts, libclang.resource_include());
    let (directory, file) = (unit.command.directory.clone(), unit.command.file.clone());
    Ok((ParseInput { directory, file, arguments: clang.arguments }, clang.filtered))
}
