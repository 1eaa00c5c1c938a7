//! Compares the findings of the batch with a slow way that compiles the whole file for every mutant: it must confirm
//! every finding of the batch.
//!
//! Inlining hides some of what the batch finds, and shows some of what it does not. So the slow way compiles twice,
//! once without inlining between functions.

use super::scene::{find_in, Findings};
use perturb_csrc::copies::padded;
use perturb_csrc::{Libclang, OperatorSet};
use perturb_host::{
    compile_to_assembly, discover, Assembly, CodeOptions, Compiled, CompilerProbe, DiscoverOptions, Mirror, Tags,
};
use perturb_model::{CodeHash, Level, Mutant, MutantIdx, Review, Selection};
use perturb_pipeline::steps::mutate::{mutate, MutateOptions};
use perturb_pipeline::steps::tce::{Same, TceOptions, TceWhen};
use std::path::Path;

/// Flags that switch off inlining between functions.
const APART: [&str; 6] = [
    "-fno-inline",
    "-fno-inline-functions-called-once",
    "-fno-partial-inlining",
    "-fno-ipa-cp",
    "-fno-ipa-sra",
    "-fno-ipa-ra",
];

/// Compiles single mutants.
struct SlowWay<'s> {
    found: &'s Findings,
    mirror: Mirror,
    probe: CompilerProbe,
}

impl SlowWay<'_> {
    /// The code of a file with one mutant, or with none.
    fn code(&self, like: &Mutant, mutant: Option<&Mutant>, level: Level, flags: &[&str]) -> Option<CodeHash> {
        let source = &like.file.source;
        let text = match mutant {
            None => source.text().to_vec(),
            Some(mutant) => source.edited(mutant.range, &padded(source.slice(mutant.range), &mutant.replacement)),
        };
        self.mirror.put(&like.file.relative, &text).unwrap();
        let project = &self.found.project;
        let is_unit = |unit: &&perturb_host::Unit| project.relative(&unit.command.file) == Some(&like.file.relative);
        let mut command = project.units.iter().find(is_unit)?.command.clone();
        command.arguments.extend(flags.iter().map(ToString::to_string));
        let facts = self.probe.probe(&command).unwrap();
        let options = CodeOptions { level, fast_floats: false, check_only: false, rough: false, without: None };
        let (compiled, _) = compile_to_assembly(&command, &facts, &self.mirror, options, &|| false).unwrap();
        let Compiled::Assembly(text) = compiled else { panic!("{} does not compile", like.name()) };
        Some(Assembly::read(&text, Tags { mark: "__perturb_", length: 18 }).whole())
    }

    /// Whether two mutants have the same code at any level; None is the original.
    fn are_same(&self, one: MutantIdx, other: Option<MutantIdx>) -> bool {
        let mutant = &self.found.mutants[one];
        let other = other.map(|index| &self.found.mutants[index]);
        let agree = |level: Level, flags: &[&str]| {
            self.code(mutant, Some(mutant), level, flags) == self.code(mutant, other, level, flags)
        };
        TceOptions::LEVELS.iter().any(|level| agree(*level, &[]) || agree(*level, &APART))
    }

    /// Whether a mutant is the same as the representative of its class, perhaps through other members of the class.
    fn agrees(&self, index: MutantIdx, same: Same) -> bool {
        let representative = match same {
            Same::AsOriginal { .. } => None,
            Same::AsMutant { mutant, .. } => Some(mutant),
        };
        if self.are_same(index, representative) {
            return true;
        }
        let is_member = |found: &Same| match (found, representative) {
            (Same::AsOriginal { .. }, None) => true,
            (Same::AsMutant { mutant, .. }, Some(representative)) => *mutant == representative,
            _ => false,
        };
        let members: Vec<MutantIdx> =
            self.found.found.iter().filter(|(_, found)| is_member(&found.same)).map(|(index, _)| *index).collect();
        let mut reached = vec![index];
        let mut next = vec![index];
        while let Some(at) = next.pop() {
            if self.are_same(at, representative) {
                return true;
            }
            let near: Vec<MutantIdx> =
                members.iter().copied().filter(|m| !reached.contains(m) && self.are_same(at, Some(*m))).collect();
            reached.extend(&near);
            next.extend(near);
        }
        false
    }
}

#[test]
fn the_slow_way_confirms_all_findings_of_the_batch_in_the_example() {
    const SAMPLE: usize = 30;
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/telemetry");
    let options = DiscoverOptions { build_command: Some("make".into()), ..DiscoverOptions::default() };
    let project = discover(&example, &home.join("work"), &options, &mut |_| {}).unwrap();
    let libclang = Libclang::newest().expect("a libclang is installed: scripts/setup test");
    let list = MutateOptions {
        operators: OperatorSet::mass(),
        never_in: Vec::new(),
        mutate_macros: false,
        selection: Selection { paths: vec!["src/ring.c".into(), "src/pid.c".into()], ..Selection::default() },
        instrument: true,
        jobs: 2,
    };
    let options = TceOptions { when: TceWhen::Always, levels: TceOptions::LEVELS.to_vec(), fast_floats: false };
    let mutated = |project: &_| mutate(project, &libclang, &Review::default(), &list, &mut |_| {}).unwrap();
    let found = find_in(project, mutated, &options, home.join("work"));
    let mirror = Mirror::of(&found.project.source_root, &home.join("slow"), &home).unwrap();
    let slow = SlowWay { found: &found, mirror, probe: CompilerProbe::new() };
    assert!(found.found.len() > SAMPLE * 2, "{} were found", found.found.len());
    let step = found.found.len() / SAMPLE;
    let refuted: Vec<String> = found
        .found
        .iter()
        .step_by(step)
        .filter(|(index, found)| !slow.agrees(**index, found.same))
        .map(|(index, finding)| match finding.same {
            Same::AsOriginal { level } => format!("{} is the original at {level}", found.mutants[*index].name()),
            Same::AsMutant { mutant: other, level } => {
                format!("{} is {} at {level}", found.mutants[*index].name(), found.mutants[other].name())
            }
        })
        .collect();
    assert!(refuted.is_empty(), "{}", refuted.join("\n"));
}
