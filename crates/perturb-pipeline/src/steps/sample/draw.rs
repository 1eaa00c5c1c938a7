//! Draws mutants.

use perturb_model::SamplingStrategy;
use perturb_model::{ContentHash, MutantId};
use std::collections::HashMap;
use std::hash::Hash;

/// A mutant that may be drawn, and its stratum: the file and the function.
#[derive(Debug, Clone, Copy)]
pub struct Stratum<S> {
    pub id: MutantId,
    pub of: S,
}

/// The positions of the drawn mutants in the order of the draw. For a sequential strategy, that is the order of all
/// mutants. The order of two mutants depends only on the seed and on these two.
pub fn draw<S: Eq + Hash + Copy>(strategy: SamplingStrategy, population: &[Stratum<S>], seed: u64) -> Vec<usize> {
    let seed = seed.to_le_bytes();
    let rank = |position: &usize| {
        let id = population[*position].id.bits().to_le_bytes();
        (ContentHash::of_parts([&seed[..], &id[..]]), *position)
    };
    let mut order: Vec<usize> = (0..population.len()).collect();
    order.sort_by_cached_key(rank);
    match strategy {
        SamplingStrategy::All | SamplingStrategy::Fsci => {}
        SamplingStrategy::Uniform { percent } => order.truncate(part(population.len(), percent)),
        SamplingStrategy::Fixed { count } => order.truncate(count),
        SamplingStrategy::Stratified { percent } => {
            let mut left: HashMap<S, usize> = HashMap::new();
            population.iter().for_each(|mutant| *left.entry(mutant.of).or_default() += 1);
            left.values_mut().for_each(|count| *count = part(*count, percent));
            order.retain(|position| {
                let left = left.get_mut(&population[*position].of).expect("every one was counted");
                let is_drawn = *left > 0;
                *left -= usize::from(is_drawn);
                is_drawn
            });
        }
    }
    order
}

/// Rounded up, so that a part of a non-empty stratum is not empty.
fn part(count: usize, percent: f64) -> usize {
    // Subtracts rounding errors, which must not count as a whole mutant.
    (count as f64 * percent / 100.0 - 1e-9).ceil().max(0.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// A population of mutants in functions of different sizes.
    fn population(count: usize) -> Vec<Stratum<usize>> {
        (0..count)
            .map(|number| Stratum { id: MutantId::from_bits(number as u64 * 7 + 3), of: number % 7 * (number % 3) })
            .collect()
    }

    #[test]
    fn strategies_are_read_as_they_are_written() {
        for text in ["all", "fsci", "uniform:10%", "uniform:0.5%", "stratified:100%", "fixed:1000"] {
            assert_eq!(text.parse::<SamplingStrategy>().unwrap().to_string(), text);
        }
        assert_eq!("uniform:10".parse(), Ok(SamplingStrategy::Uniform { percent: 10.0 }));
        for text in [
            "",
            "some",
            "uniform",
            "uniform:",
            "uniform:0%",
            "uniform:101%",
            "uniform:nan%",
            "fixed:0",
            "fixed:1.5",
            "fixed:-1",
            "fsci:1",
        ] {
            let error = text.parse::<SamplingStrategy>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{text}`")) && error.contains("fixed:1000"), "{error}");
        }
    }

    #[test]
    fn as_many_are_drawn_as_are_asked_for() {
        let all = population(101);
        let count = |strategy| draw(strategy, &all, 1).len();
        assert_eq!(count(SamplingStrategy::All), 101);
        assert_eq!(count(SamplingStrategy::Fsci), 101);
        assert_eq!(count(SamplingStrategy::Uniform { percent: 10.0 }), 11);
        assert_eq!(count(SamplingStrategy::Uniform { percent: 100.0 }), 101);
        assert_eq!(
            (count(SamplingStrategy::Fixed { count: 20 }), count(SamplingStrategy::Fixed { count: 1000 })),
            (20, 101)
        );
        assert!(draw::<usize>(SamplingStrategy::Fixed { count: 3 }, &[], 1).is_empty());
    }

    #[test]
    fn every_function_gets_its_part() {
        let all = population(400);
        let by_function = |positions: &mut dyn Iterator<Item = usize>| {
            let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
            positions.for_each(|position| *counts.entry(all[position].of).or_default() += 1);
            counts
        };
        let everything = by_function(&mut (0..all.len()));
        let drawn = by_function(&mut draw(SamplingStrategy::Stratified { percent: 10.0 }, &all, 5).into_iter());
        let expected = everything.into_iter().map(|(function, count)| (function, count.div_ceil(10)));
        assert_eq!(drawn, expected.collect());
    }

    #[test]
    fn a_draw_follows_from_the_seed_and_the_mutant_alone() {
        let all = population(300);
        let drawn = |seed| draw(SamplingStrategy::Fsci, &all, seed);
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        assert_eq!(drawn(1).into_iter().collect::<BTreeSet<_>>().len(), 300, "each once");
        // Without every other mutant, and in reverse order, the rest are drawn in the same order.
        let half: Vec<Stratum<usize>> = all.iter().step_by(2).rev().copied().collect();
        let ids = |positions: Vec<usize>, of: &[Stratum<usize>]| {
            positions.into_iter().map(|at| of[at].id).collect::<Vec<_>>()
        };
        let rest: BTreeSet<u64> = half.iter().map(|mutant| mutant.id.bits()).collect();
        let mut expected = ids(drawn(1), &all);
        expected.retain(|id| rest.contains(&id.bits()));
        assert_eq!(ids(draw(SamplingStrategy::Fsci, &half, 1), &half), expected);
        // A sample of fixed size is the beginning of the order.
        assert_eq!(draw(SamplingStrategy::Fixed { count: 40 }, &all, 1), drawn(1)[..40]);
    }

    /// Each position is drawn about as often as any other.
    #[test]
    fn no_mutant_is_preferred() {
        let all = population(50);
        let mut times = vec![0_u32; all.len()];
        for seed in 0..2000 {
            draw(SamplingStrategy::Fixed { count: 10 }, &all, seed)
                .into_iter()
                .for_each(|position| times[position] += 1);
        }
        // 400 expected, with a deviation of 18.
        assert!(times.iter().all(|times| (310..490).contains(times)), "{times:?}");
    }
}
