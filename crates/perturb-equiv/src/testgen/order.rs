//! In which order functions are worth looking at: the time may be up, or the user ends it, before all of them were.

use super::choose::is_for_a_test;
use crate::compare::FunctionSubject;
use perturb_model::Judgement;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What a function costs whatever its mutants are: it is compiled and called. A mutant that has to be reasoned about
/// costs 1.
const WORK_OF_A_FUNCTION: usize = 8;

/// How likely a test kills a mutant, of ten, by what the run says of it.
fn chances(judgement: Option<&Judgement>) -> usize {
    match judgement {
        Some(Judgement::Different(shown)) if is_for_a_test(shown.kind) => 10,
        None => 5,
        Some(Judgement::Different(_) | Judgement::Unknown { .. }) => 1,
        Some(Judgement::Equivalent(_)) => 0,
    }
}

/// Functions with mutants that are known to be different come first; then those of whose mutants most can be killed for
/// what they cost.
pub(super) fn by_value(functions: &mut [FunctionSubject], judged: &BTreeMap<usize, Judgement>) {
    functions.sort_by_cached_key(|function| {
        let chances: Vec<usize> = function.places.iter().map(|place| chances(judged.get(place))).collect();
        let open = chances.iter().filter(|chance| **chance < 10).count();
        // In thousandths, so that it can be compared.
        let value = 1000 * chances.iter().sum::<usize>() / (WORK_OF_A_FUNCTION + open);
        Reverse((open < chances.len(), value))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::comparison::tests::subject;
    use perturb_model::{Kind, Proved, Shown, Tier};

    #[test]
    fn what_is_known_to_differ_comes_first_and_then_what_kills_most_for_its_cost() {
        let different =
            |kind| Judgement::Different(Shown { kind, by: Tier::Native, input: Vec::new(), changes: Vec::new() });
        let proved =
            Judgement::Equivalent(Proved { by: Tier::Proof, bound: Some("x".into()), assumptions: Vec::new() });
        let judged = [
            (0, Judgement::Unknown { why: String::new() }),
            (1, different(Kind::Output)),
            (2, different(Kind::Undefined)),
            (3, proved),
        ];
        // One without much hope, one whose mutants nobody has looked at, more of these, and one that is known.
        let mut functions: Vec<FunctionSubject> =
            [vec![0, 2, 3], vec![4], vec![5, 6, 7], vec![0, 1, 3]].into_iter().map(subject).collect();
        by_value(&mut functions, &judged.into_iter().collect());
        let order: Vec<Vec<usize>> = functions.into_iter().map(|function| function.places).collect();
        assert_eq!(order, [vec![0, 1, 3], vec![5, 6, 7], vec![4], vec![0, 2, 3]]);
        let mut alike: Vec<FunctionSubject> = [vec![9], vec![8]].into_iter().map(subject).collect();
        by_value(&mut alike, &BTreeMap::new());
        assert_eq!(alike[0].places, [9], "those that are worth the same stay in their order");
    }
}
