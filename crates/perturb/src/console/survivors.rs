//! Chooses the live mutants to show during a run. A project without good tests has thousands: those on one line mostly
//! show the same gap, and the report lists all.

use crate::args::Survivors as Wanted;
use crate::formats::plural;
use perturb_model::{Kind, Mutant, MutantId, Outcome, Witness};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

const MOST_IN_A_FILE: usize = 10;
const MOST: usize = 50;
/// The number of witnesses shown, one for each function.
const MOST_WITNESSES: usize = 10;

#[derive(Debug)]
pub struct Survivors {
    wanted: Wanted,
    /// The lines of each file of which a mutant is shown.
    shown: BTreeMap<PathBuf, BTreeSet<u32>>,
    shown_count: usize,
    count: usize,
    /// The mutants that are counted, because one may be decided on more than once.
    counted: BTreeSet<MutantId>,
    /// The functions for which a witness is shown.
    witnessed: BTreeSet<(PathBuf, String)>,
}

impl Survivors {
    pub fn new(wanted: Wanted) -> Self {
        Self {
            wanted,
            shown: BTreeMap::new(),
            shown_count: 0,
            count: 0,
            counted: BTreeSet::new(),
            witnessed: BTreeSet::new(),
        }
    }

    /// Counts a mutant. Returns whether to show it.
    pub fn is_shown(&mut self, mutant: &Mutant, outcome: &Outcome) -> bool {
        let is_a_find = *outcome == Outcome::Live || outcome.is_unstable();
        if !is_a_find || !self.counted.insert(mutant.id) {
            return false;
        }
        self.count += 1;
        let is_shown = match self.wanted {
            Wanted::All => true,
            Wanted::None => false,
            Wanted::Few => self.is_one_of_few(mutant),
        };
        self.shown_count += usize::from(is_shown);
        is_shown
    }

    /// Whether to show the witness of a live mutant. One that is only undefined, or endless, shows little about the
    /// tests.
    pub fn is_witness_shown(&mut self, mutant: &Mutant, shown: &Witness) -> bool {
        match self.wanted {
            Wanted::All => true,
            Wanted::None => false,
            Wanted::Few => {
                let function = (mutant.file.relative.clone(), mutant.scope.name.clone());
                let is_wanted = shown.kind == Kind::Output && self.witnessed.len() < MOST_WITNESSES;
                is_wanted && self.witnessed.insert(function)
            }
        }
    }

    fn is_one_of_few(&mut self, mutant: &Mutant) -> bool {
        if self.shown_count >= MOST {
            return false;
        }
        let lines = self.shown.entry(mutant.file.relative.clone()).or_default();
        lines.len() < MOST_IN_A_FILE && lines.insert(mutant.start().line)
    }

    /// The note at the end, if not all live mutants were shown.
    pub fn rest(&self) -> Option<String> {
        if self.shown_count == self.count {
            return None;
        }
        let shown = match self.shown_count {
            0 => "none of them shown".to_string(),
            count => format!("{count} of them shown (one a line, at most {MOST_IN_A_FILE} a file)"),
        };
        Some(format!("{}, {shown}: `perturb report` lists all", plural(self.count, "live mutant")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_csrc::{Operator, Scope, SourceFile, SourceRange};
    use perturb_model::{MutatedFile, Tier};
    use std::sync::Arc;

    /// Two mutants on each line of a file.
    fn mutants(file: &str, lines: usize) -> Vec<Mutant> {
        let source = SourceFile::new(file, "a b\n".repeat(lines).into_bytes());
        let of_file = file.bytes().fold(0_u32, |sum, byte| sum * 31 + u32::from(byte));
        let file = Arc::new(MutatedFile { relative: file.into(), source });
        let scope = Arc::new(Scope { name: "f".into(), parameters: String::new(), is_function: true });
        let mutant = |number: usize| Mutant {
            id: format!("{of_file:08x}{number:08x}").parse().unwrap(),
            file: file.clone(),
            range: SourceRange::new(number as u32 * 2, number as u32 * 2 + 1),
            operator: Operator::Ror,
            replacement: (*b"c").into(),
            scope: scope.clone(),
            constant: None,
            suppression: None,
        };
        (0..lines * 2).map(mutant).collect()
    }

    fn shown(wanted: Wanted, mutants: &[Mutant]) -> (usize, Option<String>) {
        let mut survivors = Survivors::new(wanted);
        let count = mutants.iter().filter(|mutant| survivors.is_shown(mutant, &Outcome::Live)).count();
        (count, survivors.rest())
    }

    #[test]
    fn few_are_one_a_line_and_ten_a_file_and_a_note_counts_the_rest() {
        let (count, rest) = shown(Wanted::Few, &mutants("a.c", 3));
        assert_eq!(count, 3);
        assert!(rest.unwrap().starts_with("6 live mutants, 3 of them shown (one a line"));
        assert_eq!(shown(Wanted::Few, &mutants("a.c", 100)).0, MOST_IN_A_FILE);
        let many: Vec<Mutant> = (0..20).flat_map(|file| mutants(&format!("{file}.c"), 9)).collect();
        assert_eq!(shown(Wanted::Few, &many).0, MOST);
    }

    #[test]
    fn one_difference_in_output_is_shown_for_each_function() {
        let all = mutants("a.c", 1);
        let shown = |kind| Witness { kind, by: Tier::Native, input: Vec::new(), changes: Vec::new() };
        let count = |wanted, kind| {
            let mut survivors = Survivors::new(wanted);
            all.iter().filter(|mutant| survivors.is_witness_shown(mutant, &shown(kind))).count()
        };
        assert_eq!([Wanted::Few, Wanted::All, Wanted::None].map(|wanted| count(wanted, Kind::Output)), [1, 2, 0]);
        assert_eq!([Wanted::Few, Wanted::All].map(|wanted| count(wanted, Kind::Undefined)), [0, 2]);
    }

    #[test]
    fn a_mutant_that_is_decided_on_twice_is_counted_once() {
        let mut survivors = Survivors::new(Wanted::All);
        let all = mutants("a.c", 1);
        let shown = [Outcome::Live, Outcome::LikelyEquivalent, Outcome::Live]
            .map(|outcome| survivors.is_shown(&all[0], &outcome));
        assert_eq!(shown, [true, false, false]);
    }

    #[test]
    fn all_and_none_are_what_they_say() {
        assert_eq!(shown(Wanted::All, &mutants("a.c", 30)), (60, None));
        let (count, rest) = shown(Wanted::None, &mutants("a.c", 1));
        assert_eq!(count, 0);
        assert!(rest.unwrap().starts_with("2 live mutants, none of them shown: "));
        assert_eq!(shown(Wanted::None, &[]), (0, None));
    }

    #[test]
    fn only_what_no_test_noticed_is_shown() {
        let mut survivors = Survivors::new(Wanted::All);
        let all = mutants("a.c", 1);
        for outcome in [Outcome::NotCovered, Outcome::NotInfected, Outcome::CompileError, Outcome::Pending] {
            assert!(!survivors.is_shown(&all[0], &outcome), "{outcome}");
        }
        assert_eq!(survivors.rest(), None);
    }
}
