//! Why a test can kill a mutant whose code is the original's: it reads a variable that nobody wrote. What that holds is up to
//! the compiler, so that the verdict changes with the level of optimisation, and nothing can be said of the mutant.

use crate::mutant::Mutant;
use crate::steps::mutate::parse_input;
use perturb_csrc::{unwritten_reads, Libclang, UnwrittenRead};
use perturb_host::{CompilerProbe, Project, Unit};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The first such read of each of these mutants, by place, that the original does not have. Of a mutant in a header, or in a
/// file that cannot be parsed, nothing is said.
pub fn read_unwritten(
    project: &Project,
    libclang: &Libclang,
    mutants: &[Mutant],
    places: &BTreeSet<usize>,
) -> BTreeMap<usize, UnwrittenRead> {
    let probe = CompilerProbe::new();
    let mut by_file: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
    for &place in places {
        by_file.entry(&mutants[place].file.relative).or_default().push(place);
    }
    let mut found = BTreeMap::new();
    for (relative, places) in by_file {
        let is_its = |unit: &&Unit| project.relative(&unit.command.file) == Some(relative);
        let Some(unit) = project.units.iter().find(is_its) else { continue };
        let Ok((input, _)) = parse_input(&probe, libclang, unit) else { continue };
        let source = &mutants[places[0]].file.source;
        let reads = |text: &[u8]| unwritten_reads(libclang, &input, text).unwrap_or_default();
        let before = reads(source.text());
        for place in places {
            let mutant = &mutants[place];
            // Lines stay where they are, as far as they can.
            let replacement = perturb_csrc::copies::padded(source.slice(mutant.range), &mutant.replacement);
            let new = reads(&source.edited(mutant.range, &replacement)).into_iter().find(|read| !before.contains(read));
            found.extend(new.map(|read| (place, read)));
        }
    }
    found
}
