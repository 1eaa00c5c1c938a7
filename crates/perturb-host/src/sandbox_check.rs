//! Checks the protection that the sandbox gives on this machine, before the first mutant runs.

use crate::error::HostError;
use perturb_cell::{probe_layers, Layers, Sandbox};
use std::path::Path;

/// The layers of the sandbox that work here, and the gaps between them. If the gaps are too wide that is an error,
/// unless the user wants no sandbox.
pub fn check_layers(scratch: &Path, sandbox: Sandbox) -> Result<(Layers, Vec<String>), HostError> {
    let layers = probe_layers(scratch, sandbox)?;
    let gaps: Vec<String> = layers.gaps().iter().map(ToString::to_string).collect();
    if sandbox != Sandbox::OFF && !gaps.is_empty() {
        let what = gaps.into_iter().chain(layers.missing).collect();
        return Err(HostError::SandboxTooWeak { what });
    }
    Ok((layers, gaps))
}
