//! In which order tests are run on the mutants of a statement, and which of them make the reduced suite.
//!
//! First the test that executes the statement most often; then, again and again, the one that is farthest from the nearest of
//! those chosen before it. What only repeats them is not in the reduced suite.

use crate::hash::ContentHash;
use crate::steps::distance::Distance;

/// How far the tests of one file are from each other. Which of them execute a statement changes nothing about that, so it is
/// computed once.
#[derive(Debug)]
pub struct Distances {
    tests: usize,
    /// By row; each pair stands there twice.
    all: Vec<f64>,
}

impl Distances {
    /// Of tests, by how often each executes the statements of a file.
    pub fn of(counts: &[&[u64]], distance: Distance) -> Self {
        let tests = counts.len();
        let mut all = vec![0.0; tests * tests];
        for one in 0..tests {
            for other in 0..one {
                let apart = distance.between(counts[one], counts[other]);
                all[one * tests + other] = apart;
                all[other * tests + one] = apart;
            }
        }
        Self { tests, all }
    }

    fn between(&self, one: usize, other: usize) -> f64 {
        self.all[one * self.tests + other]
    }
}

/// A test that executes the statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// Among those whose distances are known.
    pub test: usize,
    /// How often it executes the statement.
    pub times: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prioritised {
    /// All candidates.
    pub order: Vec<usize>,
    /// The first so many are the reduced suite.
    pub reduced: usize,
}

/// Puts tests in their order. Of several that are equally far, the one that executes the statement most comes first; of
/// those that do so equally often, the seed chooses.
pub fn prioritise(candidates: &[Candidate], distances: &Distances, seed: u64) -> Prioritised {
    let mut left: Vec<(Candidate, ContentHash)> =
        candidates.iter().map(|candidate| (*candidate, lot(seed, candidate.test))).collect();
    // The best of equals is then the first.
    left.sort_by(|(a, a_lot), (b, b_lot)| b.times.cmp(&a.times).then_with(|| a_lot.cmp(b_lot)));
    let mut nearest = vec![f64::INFINITY; left.len()];
    let mut chosen = Prioritised::default();
    while !left.is_empty() {
        let farthest = nearest.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let at = nearest.iter().position(|distance| *distance == farthest).expect("it is the distance of one of them");
        let (next, _) = left.remove(at);
        nearest.remove(at);
        for ((other, _), nearest) in left.iter().zip(&mut nearest) {
            *nearest = nearest.min(distances.between(next.test, other.test));
        }
        chosen.order.push(next.test);
        chosen.reduced += usize::from(farthest > 0.0);
    }
    chosen
}

fn lot(seed: u64, test: usize) -> ContentHash {
    ContentHash::of_parts([&seed.to_le_bytes()[..], &(test as u64).to_le_bytes()[..]])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests by their counts, of which the first is of the statement.
    #[track_caller]
    fn check(counts: &[&[u64]], distance: Distance, order: &[usize], reduced: usize) {
        let candidates: Vec<Candidate> =
            counts.iter().enumerate().map(|(test, counts)| Candidate { test, times: counts[0] }).collect();
        let found = prioritise(&candidates, &Distances::of(counts, distance), 1);
        assert_eq!(found, Prioritised { order: order.to_vec(), reduced }, "{distance}");
    }

    #[test]
    fn the_test_that_executes_the_statement_most_comes_first_and_then_the_farthest() {
        // On a line: 5, 1, 2, 9; the first is the farthest on, then the other end, then the middle.
        check(&[&[5, 0], &[1, 0], &[2, 0], &[9, 0]], Distance::Euclidean, &[3, 1, 0, 2], 4);
        // By angle all of them are the same: the rest by how often they execute it.
        check(&[&[5, 0], &[1, 0], &[2, 0], &[9, 0]], Distance::Cosine, &[3, 0, 2, 1], 1);
    }

    #[test]
    fn what_repeats_others_is_not_in_the_reduced_suite() {
        let counts: [&[u64]; 5] = [&[1, 4, 0], &[7, 0, 0], &[1, 4, 0], &[1, 0, 3], &[7, 0, 0]];
        for (distance, first) in [(Distance::Euclidean, [0, 3]), (Distance::Cosine, [0, 3])] {
            let candidates = (0..5).map(|test| Candidate { test, times: counts[test][0] }).collect::<Vec<_>>();
            let found = prioritise(&candidates, &Distances::of(&counts, distance), 3);
            assert_eq!((found.reduced, found.order.len()), (3, 5));
            assert_eq!(counts[found.order[0]], [7, 0, 0]);
            assert_eq!(counts[found.order[1]], counts[first[0]]);
            assert_eq!(found.order[2], first[1]);
        }
    }

    #[test]
    fn of_those_equally_far_the_one_that_executes_it_most_comes_next() {
        // By sets, both others differ from the first in one statement of two.
        check(&[&[9, 0, 0], &[2, 1, 0], &[3, 0, 1]], Distance::Jaccard, &[0, 2, 1], 3);
        check(&[&[9, 0, 0], &[3, 1, 0], &[2, 0, 1]], Distance::Jaccard, &[0, 1, 2], 3);
    }

    #[test]
    fn the_seed_chooses_between_equals_and_nothing_else_does() {
        let counts: Vec<Vec<u64>> = (0..20).map(|test| vec![1, u64::from(test % 2 == 0)]).collect();
        let counts: Vec<&[u64]> = counts.iter().map(Vec::as_slice).collect();
        let distances = Distances::of(&counts, Distance::Cosine);
        let mut candidates: Vec<Candidate> = (0..20).map(|test| Candidate { test, times: 1 }).collect();
        let found = |candidates: &[Candidate], seed| prioritise(candidates, &distances, seed);
        let one = found(&candidates, 1);
        assert_ne!(one, found(&candidates, 2));
        candidates.reverse();
        assert_eq!(one, found(&candidates, 1), "the order in which they are listed");
        assert_eq!(one.reduced, 2);
        assert_eq!(prioritise(&[], &distances, 1), Prioritised::default());
    }
}
