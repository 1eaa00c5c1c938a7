//! Finds a small set of inputs that together kill all mutants that any of them kills.

use crate::native::VersionIdx;
use std::collections::BTreeSet;

/// An input: the mutants that it kills, and how hard it is to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CoverRow {
    pub kills: BTreeSet<VersionIdx>,
    pub cost: u64,
}

/// Greedy set cover: takes the row that adds most, the simplest of several, and removes rows that became superfluous.
/// Returns the chosen rows in their original order.
pub(super) fn cover(rows: &[CoverRow]) -> Vec<usize> {
    let mut open: BTreeSet<VersionIdx> = rows.iter().flat_map(|row| row.kills.iter().copied()).collect();
    let mut chosen = Vec::new();
    while !open.is_empty() {
        let adds = |row: &CoverRow| row.kills.intersection(&open).count();
        let best = (0..rows.len()).max_by_key(|at| {
            let row = &rows[*at];
            (adds(row), std::cmp::Reverse((row.cost, *at)))
        });
        let Some(best) = best.filter(|best| adds(&rows[*best]) > 0) else { break };
        open.retain(|mutant| !rows[best].kills.contains(mutant));
        chosen.push(best);
    }
    without_superfluous(rows, chosen)
}

/// Later rows were chosen for the few mutants left: they may also kill those of earlier rows.
fn without_superfluous(rows: &[CoverRow], mut chosen: Vec<usize>) -> Vec<usize> {
    for candidate in chosen.clone() {
        let others = || chosen.iter().filter(|other| **other != candidate);
        let is_killed = |mutant: &VersionIdx| others().any(|other| rows[*other].kills.contains(mutant));
        if rows[candidate].kills.iter().all(is_killed) {
            chosen.retain(|other| *other != candidate);
        }
    }
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(kills: &[(&[usize], u64)]) -> Vec<CoverRow> {
        kills
            .iter()
            .map(|(kills, cost)| CoverRow { kills: kills.iter().copied().map(VersionIdx::new).collect(), cost: *cost })
            .collect()
    }

    #[test]
    fn few_rows_kill_what_all_do_and_the_plainest_are_taken() {
        assert_eq!(cover(&[]), Vec::<usize>::new());
        assert_eq!(cover(&rows(&[(&[], 0)])), Vec::<usize>::new());
        // The second kills all mutants of the others.
        assert_eq!(cover(&rows(&[(&[1], 0), (&[1, 2, 3], 9), (&[2, 3], 0)])), [1]);
        // Of two that kill the same, the simpler one.
        assert_eq!(cover(&rows(&[(&[1, 2], 5), (&[1, 2], 4)])), [1]);
        // The greedy choice, the first, is superfluous in the end.
        assert_eq!(cover(&rows(&[(&[1, 2, 3, 4], 0), (&[1, 2, 5], 0), (&[3, 4, 6], 0)])), [1, 2]);
    }

    #[test]
    fn nothing_that_some_row_kills_is_lost_and_no_row_can_be_spared() {
        let mut state = 1u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..200 {
            let all: Vec<CoverRow> = (0..next(12))
                .map(|_| CoverRow {
                    kills: (0..next(6)).map(|_| VersionIdx::new(next(15) as usize)).collect(),
                    cost: next(3),
                })
                .collect();
            let chosen = cover(&all);
            let union = |of: &[usize]| of.iter().flat_map(|at| all[*at].kills.clone()).collect::<BTreeSet<_>>();
            assert_eq!(union(&chosen), union(&(0..all.len()).collect::<Vec<_>>()));
            for spared in &chosen {
                let rest: Vec<usize> = chosen.iter().copied().filter(|other| other != spared).collect();
                assert_ne!(union(&rest), union(&chosen));
            }
        }
    }
}
