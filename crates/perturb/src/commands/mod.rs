//! The commands, one file each.

mod annotate;
pub mod apply;
mod comparing;
pub mod confidence;
pub mod doctor;
pub mod equiv;
pub mod init;
pub mod mutants;
mod no_mutants;
mod pair;
pub mod report;
pub mod run;
pub mod show;
pub mod testgen;
pub mod tests;
mod threshold;

use crate::exit::Failure;
use crate::session::mutant_id;
use crate::visible;
use perturb_model::Mutant;

/// The one mutant whose id starts with these digits.
fn by_id<'m>(mutants: &'m [Mutant], id: &str) -> Result<&'m Mutant, Failure> {
    let wanted = mutant_id(id)?;
    let mut found = mutants.iter().filter(|mutant| mutant.id.to_string().starts_with(&wanted));
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only),
        (Some(first), Some(second)) => {
            let shown = [first, second].into_iter().chain(found.take(3));
            let shown: String =
                shown.map(|mutant| format!("\n  {} {}", mutant.id, visible::line(&mutant.name()))).collect();
            Err(Failure::usage_text(format!("`{id}` fits several mutants, give more digits:{shown}")))
        }
        (None, _) => Err(Failure::usage_text(format!(
            "no mutant `{id}` in this project: the code it was in may have changed; list them with `perturb mutants`"
        ))),
    }
}
