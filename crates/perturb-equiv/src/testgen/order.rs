//! The order in which functions are searched, since time may run out before all are.

use super::choose::is_for_a_test;
use crate::compare::FunctionSubject;
use perturb_model::{Judgement, MutantIdx};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The cost of compiling and calling a function, relative to reasoning about one mutant.
const WORK_OF_A_FUNCTION: usize = 8;

/// How likely a test kills a mutant, out of ten, by the result of the run.
fn chances(judgement: Option<&Judgement>) -> usize {
    match judgement {
        Some(Judgement::Different(shown)) if is_for_a_test(shown.kind) => 10,
        None => 5,
        Some(Judgement::Different(_) | Judgement::Unknown { .. }) => 1,
        Some(Judgement::Equivalent(_)) => 0,
    }
}

/// Functions with mutants known to be different come first, then those with the most expected kills for their cost.
pub(super) fn by_value(functions: &mut [FunctionSubject], judged: &BTreeMap<MutantIdx, Judgement>) {
    functions.sort_by_cached_key(|function| {
        let chances: Vec<usize> = function.mutants.iter().map(|mutant| chances(judged.get(mutant))).collect();
        let open = chances.iter().filter(|chance| **chance < 10).count();
        // In thousandths, to compare integers.
        let value = 1000 * chances.iter().sum::<usize>() / (WORK_OF_A_FUNCTION + open);
        Reverse((open < chances.len(), value))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::comparison::tests::{indices, subject};
    use perturb_model::{Kind, Proof, Tier, Witness};

    #[test]
    fn what_is_known_to_differ_comes_first_and_then_what_kills_most_for_its_cost() {
        let different =
            |kind| Judgement::Different(Witness { kind, by: Tier::Native, input: Vec::new(), changes: Vec::new() });
        let proved = Judgement::Equivalent(Proof { by: Tier::Proof, bound: Some("x".into()), assumptions: Vec::new() });
        let judged = [
            (0, Judgement::Unknown { why: String::new() }),
            (1, different(Kind::Output)),
            (2, different(Kind::Undefined)),
            (3, proved),
        ];
        // A function with poor chances, one with an untried mutant, one with more of these, and one with a known
        // difference.
        let mut functions: Vec<FunctionSubject> = [&[0, 2, 3][..], &[4], &[5, 6, 7], &[0, 1, 3]].map(subject).into();
        let judged = judged.map(|(mutant, judgement)| (MutantIdx::new(mutant), judgement));
        by_value(&mut functions, &judged.into_iter().collect());
        let order: Vec<Vec<MutantIdx>> = functions.into_iter().map(|function| function.mutants).collect();
        assert_eq!(order, [&[0, 1, 3][..], &[5, 6, 7], &[4], &[0, 2, 3]].map(indices));
        let mut alike: Vec<FunctionSubject> = [&[9][..], &[8]].map(subject).into();
        by_value(&mut alike, &BTreeMap::new());
        assert_eq!(alike[0].mutants, indices(&[9]), "those that are worth the same stay in their order");
    }
}
