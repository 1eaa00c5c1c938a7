//! Explains why a test can kill a mutant with the code of the original: the text of the mutant has undefined behaviour.
//! Its effect depends on the compiler, and may change with the level of optimisation.

use perturb_csrc::{undefined_places, Libclang, UndefinedPlace};
use perturb_equiv::parse_input;
use perturb_host::{CompilerProbe, Project, Unit};
use perturb_model::{Mutant, MutantIdx};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// For each of these mutants, the first place with undefined behaviour that the original does not have. Mutants in
/// headers, and in files that cannot be parsed, are left out.
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
        let compiles_it = |unit: &&Unit| project.relative(&unit.command.file) == Some(relative);
        let Some(unit) = project.units.iter().find(compiles_it) else { continue };
        let Ok((input, _)) = parse_input(&probe, libclang, unit) else { continue };
        let source = &mutants[indices[0]].file.source;
        let places = |text: &[u8]| undefined_places(libclang, &input, text).unwrap_or_default();
        let before = places(source.text());
        for index in indices {
            let mutant = &mutants[index];
            // Keeps line numbers the same, as far as possible.
            let replacement = perturb_csrc::copies::padded(source.slice(mutant.range), &mutant.replacement);
            let new = places(&source.edited(mutant.range, &replacement)).into_iter().find(|one| !before.contains(one));
            found.extend(new.map(|new| (index, new)));
        }
    }
    found
}
