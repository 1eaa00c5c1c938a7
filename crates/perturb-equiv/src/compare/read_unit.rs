//! Reads the signatures of a translation unit, if its functions can be called on this machine.

use crate::{parse_input, EquivError};
use perturb_csrc::{Libclang, Signatures};
use perturb_host::{CompilerFacts, CompilerProbe, Language, Unit};
use std::sync::Arc;

/// A parsed unit whose functions can be called on this machine.
pub(super) struct ReadUnit {
    pub signatures: Arc<Signatures>,
    pub facts: Arc<CompilerFacts>,
    /// Arguments for clang.
    pub clang: Arc<Vec<String>>,
}

/// Reads the signatures of a unit's functions, or the reason why they cannot be called.
pub(super) fn read_unit(
    probe: &CompilerProbe,
    libclang: &Libclang,
    unit: &Unit,
) -> Result<Result<ReadUnit, String>, EquivError> {
    let (input, _) = parse_input(probe, libclang, unit)?;
    let facts = probe.probe(&unit.command)?;
    if facts.language != Language::C {
        return Ok(Err("it is no C".to_string()));
    }
    if !is_for_this_machine(&facts) {
        return Ok(Err("its code is not for this machine".to_string()));
    }
    Ok(match Signatures::read(libclang, &input) {
        Ok(signatures) => Ok(ReadUnit { signatures: Arc::new(signatures), facts, clang: Arc::new(input.arguments) }),
        Err(error) => Err(error.to_string()),
    })
}

/// Whether the unit's code runs on this machine, with pointers of the size that layouts assume.
fn is_for_this_machine(facts: &CompilerFacts) -> bool {
    let is = |name: &str, value: &str| facts.predefined.get(name).is_some_and(|known| known == value);
    let is_linux = facts.predefined.contains_key("__linux__");
    is_linux && facts.target.starts_with(std::env::consts::ARCH) && is("__SIZEOF_POINTER__", "8")
}
