//! Why a test can kill a mutant whose code is the original's: the mutant does something by its text that is undefined.
//! What comes of that is up to the compiler, and may change with the level of optimisation.

use perturb_csrc::{undefined_places, Libclang, UndefinedPlace};
use perturb_equiv::parse_input;
use perturb_host::{CompilerProbe, Project, Unit};
use perturb_model::{Mutant, MutantIdx};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The first location of that kind in each of these mutants that the original does not have. Of a mutant in a header,
/// or in a file that cannot be parsed, nothing is said.
pub fn newly_undefined(
    project: &Project,
    libclang: &Libclang,
    mutants: &[Mutant],
    chosen: &BTreeSet<MutantIdx>,
) -> BTreeMap<MutantIdx, UndefinedPlace> {
    let probe = CompilerProbe::new();
    let mut by_file: BTreeMap<&Path, Vec<MutantIdx>> = BTreeMap::new();
    for &index in chosen {
        by_file.entry(&mutants[index].file.relative).or_default().push(index);
    }
    let mut found = BTreeMap::new();
    for (relative, indices) in by_file {
        let is_its = |unit: &&Unit| project.relative(&unit.command.file) == Some(relative);
        let Some(unit) = project.units.iter().find(is_its) else { continue };
        let Ok((input, _)) = parse_input(&probe, libclang, unit) else { continue };
        let source = &mutants[indices[0]].file.source;
        let look = |text: &[u8]| undefined_places(libclang, &input, text).unwrap_or_default();
        let before = look(source.text());
        for index in indices {
            let mutant = &mutants[index];
            // Lines stay where they are, as far as they can.
            let replacement = perturb_csrc::copies::padded(source.slice(mutant.range), &mutant.replacement);
            let new = look(&source.edited(mutant.range, &replacement)).into_iter().find(|one| !before.contains(one));
            found.extend(new.map(|new| (index, new)));
        }
    }
    found
}
