//! Caches the inputs found for a function under a hash of everything that they depend on, so that an interrupted or
//! repeated search resumes.

use super::choose::Chosen;
use super::{FoundTests, Settled, TestgenOptions};
use crate::code::{BuiltTree, Holders};
use crate::compare::{settings, FileKey, FunctionSubject};
use crate::{EquivError, MutatedProject};
use perturb_host::Stop;
use perturb_model::{ChosenInput, ContentHash, InputSearchResult, Mutant, MutantId, MutantIdx, MutantJudgement};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The version of the search. It is raised whenever other inputs may be chosen for the same verdicts.
const GENERATOR: u32 = 10;

/// What the inputs of functions depend on, by file, where that is known.
#[derive(Debug, Default)]
pub(super) struct InputKeys {
    files: BTreeMap<PathBuf, ContentHash>,
}

impl InputKeys {
    /// The cache keys of the files with these functions: their texts, the texts of everything they may call, compilers
    /// and settings.
    pub fn read(
        subject: MutatedProject<'_>,
        functions: &[Arc<FunctionSubject>],
        options: &TestgenOptions,
        home: &Path,
        stop: Stop<'_>,
    ) -> Result<Self, EquivError> {
        let MutatedProject { project, libclang, .. } = subject;
        let relative = project.units.iter().filter_map(|unit| project.relative(&unit.command.file));
        let mut files: Vec<PathBuf> = relative.map(Path::to_path_buf).collect();
        files.sort();
        files.dedup();
        let comparing = &options.comparing;
        let (tree, units) = (project.source_root.as_path(), project.units.as_slice());
        let built = BuiltTree { tree, units, home, jobs: comparing.jobs };
        let Some(holders) = Holders::read(built, &files, &|| stop.is_due(), &|_| {})? else {
            return Ok(Self::default());
        };
        let (tiers, TestgenOptions { tolerance, sanitizers, .. }) = (comparing.tiers, options);
        let settings =
            format!("testgen {GENERATOR} {tiers:?} {tolerance:?} {sanitizers} {}", settings(comparing, libclang));
        let mut keys = Self::default();
        for FunctionSubject { file, .. } in functions.iter().map(|function| &**function) {
            let Ok(at) = files.binary_search(&file.relative) else { continue };
            if keys.files.contains_key(&file.relative) {
                continue;
            }
            let units: Vec<_> = holders.by_file[at].iter().map(|unit| &holders.units[*unit]).collect();
            let key = FileKey::new(file, &units, &holders.units, tree, &settings, &comparing.contracts);
            if key.is_known && !units.is_empty() {
                keys.files.insert(file.relative.clone(), key.key);
            }
        }
        Ok(keys)
    }

    /// The cache key of a function's inputs; `None` if it cannot be computed.
    pub fn of(&self, function: &FunctionSubject, mutants: &[Mutant]) -> Option<ContentHash> {
        let file = self.files.get(&function.file.relative)?;
        Some(key(*file, function, mutants))
    }
}

fn key(file: ContentHash, function: &FunctionSubject, mutants: &[Mutant]) -> ContentHash {
    let mut parts = vec![
        file.as_bytes().to_vec(),
        function.at.get().to_le_bytes().to_vec(),
        function.mutants.iter().flat_map(|index| mutants[*index].id.bits().to_le_bytes()).collect(),
    ];
    for seeds in std::iter::once(&function.seeds).chain(function.wider.iter().map(|wider| &wider.seeds)) {
        parts.push(seeds.len().to_le_bytes().to_vec());
        parts.extend(seeds.iter().cloned());
    }
    ContentHash::of_parts(parts.iter().map(Vec::as_slice))
}

/// By mutant id: indices depend on the selection.
pub(super) fn kept(found: &FoundTests, function: &FunctionSubject, mutants: &[Mutant]) -> InputSearchResult {
    let id = |index: &MutantIdx| mutants[*index].id;
    let judged = found
        .judged
        .iter()
        .map(|settled| MutantJudgement { mutant: id(&settled.mutant), judgement: settled.judgement.clone() });
    let input = |(subject, chosen): &(Arc<FunctionSubject>, Chosen)| ChosenInput {
        own: id(&chosen.own),
        wider: function.wider.iter().position(|wider| Arc::ptr_eq(&wider.layout, &subject.layout)),
        kills: chosen.kills.iter().map(|(index, by)| (id(index), by.clone())).collect(),
    };
    let within_tolerance = found.within_tolerance.iter().map(id).collect();
    InputSearchResult { judged: judged.collect(), chosen: found.tests.iter().map(input).collect(), within_tolerance }
}

/// Reads a cache entry of a function; `None` if it names anything but its mutants.
pub(super) fn found(
    kept: InputSearchResult,
    function: &Arc<FunctionSubject>,
    mutants: &[Mutant],
) -> Option<FoundTests> {
    let indices: HashMap<MutantId, MutantIdx> =
        function.mutants.iter().map(|index| (mutants[*index].id, *index)).collect();
    let index = |id: &MutantId| indices.get(id).copied();
    let judged = kept.judged.into_iter().map(|MutantJudgement { mutant, judgement }| {
        Some(Settled { mutant: index(&mutant)?, judgement, cpu: Duration::ZERO })
    });
    let judged: Vec<Settled> = judged.collect::<Option<_>>()?;
    let wider = function.wider.iter().map(|wider| Arc::new(function.called(wider, function.mutants.clone())));
    let wider: Vec<Arc<FunctionSubject>> = wider.collect();
    let test = |ChosenInput { own, wider: at, kills }: ChosenInput| {
        let subject = at.map_or(Some(function), |at| wider.get(at))?.clone();
        let kills = kills.into_iter().map(|(id, by)| Some((index(&id)?, by))).collect::<Option<_>>()?;
        Some((subject, Chosen { own: index(&own)?, kills }))
    };
    let tests = kept.chosen.into_iter().map(test).collect::<Option<_>>()?;
    let within_tolerance = kept.within_tolerance.iter().map(index).collect::<Option<_>>()?;
    Some(FoundTests { judged, tests, within_tolerance, cpu: Duration::ZERO })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::comparison::tests::{indices, subject};
    use crate::compare::Wider;
    use perturb_csrc::copies::FunctionIdx;
    use perturb_csrc::{Operator, Scope, SourceFile, SourceRange};
    use perturb_model::{Difference, Judgement, Kind, MutatedFile};

    fn mutants(count: u64) -> Vec<Mutant> {
        let file = Arc::new(MutatedFile { relative: "a.c".into(), source: SourceFile::new("a.c", Vec::new()) });
        let mutant = |number: u64| Mutant {
            id: MutantId::from_bits(number + 100),
            file: file.clone(),
            range: SourceRange::new(0, 0),
            operator: Operator::Sdl,
            replacement: Box::default(),
            scope: Arc::new(Scope { name: "f".into(), parameters: String::new(), is_function: true }),
            constant: None,
            suppression: None,
        };
        (0..count).map(mutant).collect()
    }

    fn wider(seeds: Vec<Vec<u8>>) -> Wider {
        Wider { seeds, ..Wider::default() }
    }

    #[test]
    fn the_key_of_a_function_tells_apart_all_that_decides_on_its_inputs() {
        let (mutants, file) = (mutants(3), |text: &str| ContentHash::of(text.as_bytes()));
        let own = FunctionSubject { seeds: vec![vec![1], vec![2]], ..subject(&[0, 1]) };
        let others = [
            FunctionSubject { at: FunctionIdx::new(1), ..own.clone() },
            FunctionSubject { mutants: indices(&[0, 2]), ..own.clone() },
            FunctionSubject { mutants: indices(&[0]), ..own.clone() },
            FunctionSubject { seeds: vec![vec![1, 2]], ..own.clone() },
            FunctionSubject { seeds: vec![vec![1]], wider: vec![wider(vec![vec![2]])], ..own.clone() },
        ];
        let of = |function: &FunctionSubject| key(file("a"), function, &mutants);
        assert_eq!(of(&own), of(&own.clone()));
        assert!(others.iter().all(|other| of(other) != of(&own)));
        assert_ne!(of(&own), key(file("b"), &own, &mutants));
        // Indices depend on the selection: the same mutants may have others.
        let moved: Vec<Mutant> = [&mutants[2], &mutants[0], &mutants[1]].into_iter().cloned().collect();
        assert_eq!(of(&own), key(file("a"), &FunctionSubject { mutants: indices(&[1, 2]), ..own.clone() }, &moved));
    }

    #[test]
    fn what_was_kept_is_found_again_for_its_mutants_alone() {
        let (mutants, two) = (mutants(3), MutantIdx::new(2));
        let function = FunctionSubject { wider: vec![wider(Vec::new()), wider(Vec::new())], ..subject(&[1, 2]) };
        let function = Arc::new(function);
        let by = Difference { kind: Kind::Output, input: vec![7], original: vec![1], other: vec![2] };
        let judgement = Judgement::Unknown { why: "x".into() };
        let settled = Settled { mutant: MutantIdx::new(1), judgement: judgement.clone(), cpu: Duration::from_secs(1) };
        let chosen = Chosen { own: two, kills: [(two, by.clone())].into() };
        let called = Arc::new(function.called(&function.wider[1], vec![two]));
        let (judged, tests, within_tolerance) = (vec![settled], vec![(called, chosen)], [two].into());
        let all = FoundTests { judged, tests, within_tolerance, cpu: Duration::ZERO };
        let kept = kept(&all, &function, &mutants);
        let again = found(kept.clone(), &function, &mutants).unwrap();
        assert_eq!((again.judged[0].mutant, &again.judged[0].judgement), (MutantIdx::new(1), &judgement));
        let (subject, chosen) = &again.tests[0];
        assert_eq!((chosen.own, &chosen.kills[&two]), (two, &by));
        assert_eq!(again.within_tolerance, [two].into());
        assert!(Arc::ptr_eq(&subject.layout, &function.wider[1].layout));
        let narrow = Arc::new(FunctionSubject { wider: Vec::new(), ..(*function).clone() });
        let other = Arc::new(FunctionSubject { mutants: indices(&[0, 1]), ..(*function).clone() });
        assert!(found(kept.clone(), &narrow, &mutants).is_none() && found(kept, &other, &mutants).is_none());
    }
}
