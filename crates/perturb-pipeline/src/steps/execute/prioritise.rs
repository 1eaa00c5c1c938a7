//! The order in which tests are run on the mutants of a statement, and the reduced suite.
//!
//! First the test that executes the statement most often; then, repeatedly, the test with the largest distance to the
//! nearest test chosen before. Tests that only repeat those before are not in the reduced suite.

use crate::steps::distance::Distance;
use perturb_model::{ContentHash, Mutant, Recording, StatementCount, TestIdx};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// How tests are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Priority {
    pub distance: Distance,
    /// Chooses between equals.
    pub seed: u64,
    /// How many tests are chosen by distance. In a larger suite, the others follow by how often they execute the
    /// statement, because each choice compares all tests that are left.
    pub most: usize,
}

impl Priority {
    /// For an order that matters only until the first kill.
    pub const FIRST: usize = 16;
    /// For a reduced suite.
    pub const WHOLE: usize = 256;
}

/// The orders of tests for all mutants of a run.
#[derive(Debug)]
pub struct Priorities<'r> {
    files: HashMap<&'r Path, FileTests>,
    priority: Priority,
    known: RefCell<HashMap<StatementTests, Prioritised<TestIdx>>>,
}

/// A file, a statement in it, and the tests to order. Mutants of a statement mostly share all of these.
type StatementTests = (PathBuf, usize, Vec<TestIdx>);

/// The tests that execute something in a file.
#[derive(Debug)]
struct FileTests {
    /// The first line of each statement.
    lines: Vec<u32>,
    tests: Vec<TestIdx>,
    /// The position of each test in `tests`.
    positions: HashMap<TestIdx, usize>,
    distances: Distances,
}

impl<'r> Priorities<'r> {
    pub fn new(recordings: &'r [(TestIdx, Recording)], priority: Priority) -> Self {
        let mut counts: HashMap<&Path, Vec<(TestIdx, &[StatementCount])>> = HashMap::new();
        for (test, recording) in recordings {
            for file in recording.statements.iter().filter(|file| file.counts.iter().any(|count| count.count > 0)) {
                counts.entry(&file.file).or_default().push((*test, &file.counts));
            }
        }
        let of_file = |tests: Vec<(TestIdx, &[StatementCount])>| {
            let lines: Vec<u32> = tests[0].1.iter().map(|count| count.line).collect();
            // Tests that list other statements than the first one cannot be compared with it.
            let is_same = |counts: &[StatementCount]| counts.iter().map(|count| count.line).eq(lines.iter().copied());
            let tests: Vec<_> = tests.into_iter().filter(|(_, counts)| is_same(counts)).collect();
            let vectors = tests.iter().map(|(_, counts)| counts.iter().map(|count| count.count).collect()).collect();
            let distances = Distances::of(vectors, priority.distance);
            let tests: Vec<TestIdx> = tests.into_iter().map(|(test, _)| test).collect();
            let positions = tests.iter().enumerate().map(|(position, test)| (*test, position)).collect();
            FileTests { lines, tests, positions, distances }
        };
        let files = counts.into_iter().map(|(file, tests)| (file, of_file(tests))).collect();
        Self { files, priority, known: RefCell::default() }
    }

    /// The order in which these tests are run on a mutant. Tests without counts come last in their old order, and
    /// belong to the reduced suite too.
    pub fn of(&self, mutant: &Mutant, tests: &[TestIdx]) -> Prioritised<TestIdx> {
        let whole = || Prioritised { order: tests.to_vec(), reduced: tests.len() };
        let Some(file) = self.files.get(mutant.file.relative.as_path()) else { return whole() };
        let line = mutant.start().line;
        let Some(statement) = file.lines.partition_point(|start| *start <= line).checked_sub(1) else { return whole() };
        let key = (mutant.file.relative.clone(), statement, tests.to_vec());
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        let mut candidates = Vec::new();
        let mut others = Vec::new();
        for &test in tests {
            match file.positions.get(&test) {
                Some(&position) => {
                    let times = file.distances.counts[position][statement];
                    candidates.push(Candidate { position, times });
                }
                None => others.push(test),
            }
        }
        let chosen = prioritise(&candidates, &file.distances, self.priority);
        let mut order: Vec<TestIdx> = chosen.order.iter().map(|position| file.tests[*position]).collect();
        let reduced = order.drain(chosen.reduced..).collect::<Vec<_>>();
        let reduced_count = order.len() + others.len();
        let found = Prioritised { order: [order, others, reduced].concat(), reduced: reduced_count };
        self.known.borrow_mut().insert(key, found.clone());
        found
    }
}

/// The distances between the tests of one file; each is computed once.
#[derive(Debug)]
pub struct Distances {
    /// For each test, how often it executes each statement.
    counts: Vec<Vec<u64>>,
    distance: Distance,
    known: RefCell<HashMap<(usize, usize), f64>>,
}

impl Distances {
    pub fn of(counts: Vec<Vec<u64>>, distance: Distance) -> Self {
        Self { counts, distance, known: RefCell::default() }
    }

    fn between(&self, one: usize, other: usize) -> f64 {
        let compute = || self.distance.between(&self.counts[one], &self.counts[other]);
        *self.known.borrow_mut().entry((one.min(other), one.max(other))).or_insert_with(compute)
    }
}

/// A test that executes the statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// Its position among the tests of the file.
    pub position: usize,
    /// How often it executes the statement.
    pub times: u64,
}

/// Tests in their order, or their positions in the list of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prioritised<T> {
    /// All candidates.
    pub order: Vec<T>,
    /// How many of the first are the reduced suite.
    pub reduced: usize,
}

/// Orders tests. Of several at the same distance, the one that executes the statement most often comes first; of those
/// with equal counts, the seed chooses.
fn prioritise(candidates: &[Candidate], distances: &Distances, priority: Priority) -> Prioritised<usize> {
    let mut left: Vec<(Candidate, ContentHash)> =
        candidates.iter().map(|candidate| (*candidate, lot(priority.seed, candidate.position))).collect();
    // Sorted, so that the best of equals is the first.
    left.sort_by(|(a, a_lot), (b, b_lot)| b.times.cmp(&a.times).then_with(|| a_lot.cmp(b_lot)));
    let mut nearest = vec![f64::INFINITY; left.len()];
    let mut chosen = Prioritised::default();
    while !left.is_empty() && chosen.order.len() < priority.most {
        let farthest = nearest.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let at = nearest.iter().position(|distance| *distance == farthest).expect("it is the distance of one of them");
        let (next, _) = left.remove(at);
        nearest.remove(at);
        for ((other, _), nearest) in left.iter().zip(&mut nearest) {
            *nearest = nearest.min(distances.between(next.position, other.position));
        }
        chosen.order.push(next.position);
        chosen.reduced += usize::from(farthest > 0.0);
    }
    chosen.order.extend(left.into_iter().map(|(candidate, _)| candidate.position));
    chosen
}

fn lot(seed: u64, position: usize) -> ContentHash {
    ContentHash::of_parts([&seed.to_le_bytes()[..], &(position as u64).to_le_bytes()[..]])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_seed(seed: u64) -> Priority {
        Priority { distance: Distance::Cosine, seed, most: Priority::WHOLE }
    }

    #[test]
    fn after_the_chosen_tests_the_rest_are_ordered_by_how_often_they_execute_the_statement() {
        let counts: Vec<Vec<u64>> = (0..10_u64).map(|test| vec![test + 1, test * test, 9 - test]).collect();
        let candidates: Vec<Candidate> =
            (0..10).map(|position| Candidate { position, times: counts[position][0] }).collect();
        let found =
            prioritise(&candidates, &Distances::of(counts, Distance::Cosine), Priority { most: 3, ..of_seed(1) });
        assert_eq!((found.reduced, found.order.len()), (3, 10));
        assert!(found.order[3..].is_sorted_by(|a, b| a > b), "{found:?}");
    }

    /// The counts of tests; the first count is that of the statement.
    #[track_caller]
    fn check(counts: &[&[u64]], distance: Distance, order: &[usize], reduced: usize) {
        let candidates: Vec<Candidate> =
            counts.iter().enumerate().map(|(position, counts)| Candidate { position, times: counts[0] }).collect();
        let found = prioritise(
            &candidates,
            &Distances::of(counts.iter().map(|counts| counts.to_vec()).collect(), distance),
            of_seed(1),
        );
        assert_eq!(found, Prioritised { order: order.to_vec(), reduced }, "{distance}");
    }

    #[test]
    fn the_test_that_executes_the_statement_most_comes_first_and_then_the_farthest() {
        // On a line at 5, 1, 2, 9: first the largest count, then the other end, then the middle.
        check(&[&[5, 0], &[1, 0], &[2, 0], &[9, 0]], Distance::Euclidean, &[3, 1, 0, 2], 4);
        // All angles are equal, so that the counts decide.
        check(&[&[5, 0], &[1, 0], &[2, 0], &[9, 0]], Distance::Cosine, &[3, 0, 2, 1], 1);
    }

    #[test]
    fn tests_that_repeat_others_are_not_in_the_reduced_suite() {
        let counts: [&[u64]; 5] = [&[1, 4, 0], &[7, 0, 0], &[1, 4, 0], &[1, 0, 3], &[7, 0, 0]];
        for (distance, first) in [(Distance::Euclidean, [0, 3]), (Distance::Cosine, [0, 3])] {
            let candidates =
                (0..5).map(|position| Candidate { position, times: counts[position][0] }).collect::<Vec<_>>();
            let found = prioritise(
                &candidates,
                &Distances::of(counts.iter().map(|counts| counts.to_vec()).collect(), distance),
                of_seed(3),
            );
            assert_eq!((found.reduced, found.order.len()), (3, 5));
            assert_eq!(counts[found.order[0]], [7, 0, 0]);
            assert_eq!(counts[found.order[1]], counts[first[0]]);
            assert_eq!(found.order[2], first[1]);
        }
    }

    #[test]
    fn of_equally_distant_tests_the_one_that_executes_the_statement_most_comes_next() {
        // As sets, both others differ from the first in one statement of two.
        check(&[&[9, 0, 0], &[2, 1, 0], &[3, 0, 1]], Distance::Jaccard, &[0, 2, 1], 3);
        check(&[&[9, 0, 0], &[3, 1, 0], &[2, 0, 1]], Distance::Jaccard, &[0, 1, 2], 3);
    }

    #[test]
    fn the_seed_chooses_between_equals_and_nothing_else_does() {
        let counts: Vec<Vec<u64>> = (0..20).map(|test| vec![1, u64::from(test % 2 == 0)]).collect();
        let distances = Distances::of(counts, Distance::Cosine);
        let mut candidates: Vec<Candidate> = (0..20).map(|position| Candidate { position, times: 1 }).collect();
        let found = |candidates: &[Candidate], seed| prioritise(candidates, &distances, of_seed(seed));
        let one = found(&candidates, 1);
        assert_ne!(one, found(&candidates, 2));
        candidates.reverse();
        assert_eq!(one, found(&candidates, 1), "the order in which they are listed");
        assert_eq!(one.reduced, 2);
        assert_eq!(prioritise(&[], &distances, of_seed(1)), Prioritised::default());
    }
}
