//! Likely duplicates: mutants of a file with which the same tests come to the same, and execute about the same
//! statements.
//!
//! Whoever asks for them says how far two may be from each other (T_D). The study behind this step found no distance
//! that serves, so nobody gets it by default; and of a mutant that was killed only the tests that killed it are
//! compared.

use super::{Counting, Originals};
use crate::bench::TestEnding;
use crate::steps::coverage::InstrumentedBench;
use crate::steps::distance::Distance;
use crate::steps::execute::Work;
use crate::PipelineError;
use perturb_host::{parallel_map, Stop};
use perturb_model::{Alike, Kill, MutantIdx, Outcome, TestIdx};
use std::collections::{BTreeMap, HashMap};
use std::mem::discriminant;
use std::path::Path;

/// What became of each mutant.
#[derive(Debug, Clone, Copy)]
pub struct Results<'r> {
    pub outcomes: &'r [Outcome],
    /// The tests that killed it.
    pub kills: &'r HashMap<MutantIdx, Vec<TestIdx>>,
}

/// What the runs of a mutant leave, by test: which statements are executed another number of times than on the
/// original.
type Left = BTreeMap<TestIdx, Vec<(usize, u64)>>;

/// Finds the likely duplicates among these mutants. None if it was time to stop before all were counted.
pub fn find(
    counting: Counting<'_>,
    benches: &mut [InstrumentedBench<'_>],
    works: &[&Work],
    results: Results<'_>,
    limit: f64,
    stop: Stop<'_>,
    mut counted: impl FnMut(),
) -> Result<Option<Vec<Alike>>, PipelineError> {
    let originals = Originals::new(counting.recordings);
    let groups = groups(counting, works, results);
    let mut all = Vec::new();
    for ((file, ..), group) in &groups {
        let count =
            |bench: &mut InstrumentedBench<'_>, work: &Work| counting.left(bench, work, file, results, &originals);
        let mut left: BTreeMap<MutantIdx, Left> = BTreeMap::new();
        parallel_map(benches, group, stop, count, |work, of_work| {
            counted();
            left.extend(of_work.map(|of_work| (work.mutant, of_work)));
            Ok(())
        })?;
        if stop.is_due() {
            return Ok(None);
        }
        let compare = Compare { distance: counting.distance, limit, file, originals: &originals };
        all.extend(compare.duplicates(&left));
    }
    Ok(Some(all))
}

/// What the tests say of a mutant of a file: only mutants of which they say the same can be duplicates.
type Said<'s> = (&'s Path, Option<std::mem::Discriminant<Kill>>, &'s [TestIdx]);

fn groups<'g>(counting: Counting<'g>, works: &[&'g Work], results: Results<'g>) -> Vec<(Said<'g>, Vec<&'g Work>)> {
    let mut groups: HashMap<Said<'_>, Vec<&Work>> = HashMap::new();
    for &work in works {
        let file = counting.ground.mutants[work.mutant].file.relative.as_path();
        let how = match &results.outcomes[work.mutant] {
            Outcome::Killed { how, .. } => Some(discriminant(how)),
            _ => None,
        };
        groups.entry((file, how, results.killers(work.mutant))).or_default().push(work);
    }
    // Where nobody says the same there is nothing to compare.
    let mut groups: Vec<_> = groups.into_iter().filter(|(_, group)| group.len() > 1).collect();
    groups.sort_by_key(|(_, group)| group[0].mutant);
    groups
}

impl<'r> Results<'r> {
    fn killers(&self, place: MutantIdx) -> &'r [TestIdx] {
        self.kills.get(&place).map_or(&[], Vec::as_slice)
    }

    /// Whether a mutant can be a duplicate: it counts in the score, and its runs come to an end of their own.
    pub fn is_compared(&self, place: MutantIdx) -> bool {
        match &self.outcomes[place] {
            Outcome::Live => true,
            Outcome::Killed { how: Kill::TimedOut { .. }, .. } => false,
            Outcome::Killed { .. } => !self.killers(place).is_empty(),
            _ => false,
        }
    }
}

impl Counting<'_> {
    /// None if it cannot be told: a test comes to another end than before, or runs on a build of the mutant's own.
    fn left(
        &self,
        bench: &mut InstrumentedBench<'_>,
        work: &Work,
        file: &Path,
        results: Results<'_>,
        originals: &Originals<'_>,
    ) -> Result<Option<Left>, PipelineError> {
        let killers = results.killers(work.mutant);
        let tests = if killers.is_empty() { &work.switched } else { killers };
        if tests.iter().any(|test| !work.switched.contains(test)) || killers.is_empty() && !work.rebuilt.is_empty() {
            return Ok(None);
        }
        let mut left = Left::new();
        for &test in tests {
            let counted = self.counts(bench, work.mutant, test)?;
            let (Some((ending, counts)), Some(original)) = (counted, originals.of(file, test)) else { return Ok(None) };
            let is_killed = match ending {
                TestEnding::Failed(Kill::TimedOut { .. }) => return Ok(None),
                TestEnding::Failed(_) | TestEnding::Skipped => true,
                TestEnding::Passed => false,
            };
            if is_killed == killers.is_empty() {
                return Ok(None);
            }
            let both = counts.iter().zip(original).enumerate();
            left.insert(test, both.filter(|(_, (a, b))| a != b).map(|(at, (count, _))| (at, *count)).collect());
        }
        Ok(Some(left))
    }
}

struct Compare<'c> {
    distance: Distance,
    limit: f64,
    file: &'c Path,
    originals: &'c Originals<'c>,
}

impl Compare<'_> {
    /// Each is compared with those before it that are no duplicates themselves: the first that is near enough is the
    /// one it duplicates.
    fn duplicates(&self, left: &BTreeMap<MutantIdx, Left>) -> Vec<Alike> {
        let mut firsts: Vec<(MutantIdx, &Left)> = Vec::new();
        let mut duplicates = Vec::new();
        for (&place, of_one) in left {
            match firsts.iter().find(|(_, first)| self.is_near(of_one, first)) {
                Some((of, _)) => duplicates.push(Alike { place, of: *of }),
                None => firsts.push((place, of_one)),
            }
        }
        duplicates
    }

    fn is_near(&self, one: &Left, other: &Left) -> bool {
        let tests = one.keys().chain(other.keys().filter(|test| !one.contains_key(test)));
        tests.into_iter().all(|test| {
            // A test that was not run on one of them cannot tell it from the original.
            let (a, b) = (one.get(test), other.get(test));
            let (a, b) = (a.map_or(&[][..], Vec::as_slice), b.map_or(&[][..], Vec::as_slice));
            a == b || {
                let whole = |left| self.whole(*test, left);
                self.distance.normalised(&whole(a), &whole(b)) <= self.limit
            }
        })
    }

    fn whole(&self, test: TestIdx, left: &[(usize, u64)]) -> Vec<u64> {
        let mut counts = self.originals.of(self.file, test).map(<[u64]>::to_vec).unwrap_or_default();
        left.iter().for_each(|(at, count)| counts[*at] = *count);
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_model::{FileCounts, MutantSet, Reach, Recording, StatementCount, TestName};

    fn recordings(file: &Path, counts: &[&[u64]]) -> Vec<(TestIdx, Recording)> {
        let counted = |count: &u64| StatementCount { line: 1, count: *count };
        let of = |counts: &&[u64]| FileCounts { file: file.into(), counts: counts.iter().map(counted).collect() };
        let nobody = MutantSet::default();
        let reach = Reach { test: TestName::from("t"), reached: nobody.clone(), infected: nobody };
        let one = |counts| Recording { reach: reach.clone(), statements: vec![of(counts)] };
        TestIdx::enumerate(counts.iter().map(one)).collect()
    }

    /// As [`Left`], written down.
    type Written<'w> = &'w [(usize, &'w [(usize, u64)])];

    fn alike(limit: f64, left: &[Written<'_>]) -> Vec<(usize, usize)> {
        let file = Path::new("a.c");
        let recordings = recordings(file, &[&[4, 4, 0], &[1, 1, 1]]);
        let originals = Originals::new(&recordings);
        let compare = Compare { distance: Distance::Cosine, limit, file, originals: &originals };
        let of_one = |left: &Written<'_>| left.iter().map(|(test, of)| (TestIdx::new(*test), of.to_vec())).collect();
        let left = MutantIdx::enumerate(left.iter().map(of_one)).collect();
        compare.duplicates(&left).iter().map(|alike| (alike.place.get(), alike.of.get())).collect()
    }

    #[test]
    fn the_same_counts_are_duplicates_of_the_first() {
        let one: &[_] = &[(0, &[(0, 5)][..])];
        let other: &[_] = &[(0, &[(2, 5)][..])];
        assert_eq!(alike(0.0, &[one, other, one, other]), [(2, 0), (3, 1)]);
    }

    #[test]
    fn a_test_that_was_not_run_on_one_leaves_what_the_original_does() {
        let (one, same): (&[_], &[_]) = (&[(0, &[(0, 5)][..])], &[(0, &[(0, 5)][..]), (1, &[])]);
        assert_eq!(alike(0.0, &[one, same]), [(1, 0)]);
        let other: &[_] = &[(0, &[(0, 5)][..]), (1, &[(1, 9)])];
        assert_eq!(alike(0.0, &[one, other]), []);
    }

    #[test]
    fn how_far_they_may_be_from_each_other_is_asked_for_in_every_test() {
        let near: &[_] = &[(0, &[(0, 5)][..]), (1, &[])];
        let nearer: &[_] = &[(0, &[(0, 6)][..]), (1, &[])];
        let far: &[_] = &[(0, &[(0, 5)][..]), (1, &[(1, 1000)])];
        assert_eq!(alike(0.0, &[near, nearer, far]), []);
        assert_eq!(alike(0.05, &[near, nearer, far]), [(1, 0)]);
        assert_eq!(alike(1.0, &[near, nearer, far]), [(1, 0), (2, 0)]);
    }
}
