//! Computes which mutants are the same, from their codes in each unit and at each level.
//!
//! In one unit, two mutants are the same if their codes are equal at any level, or if a chain of such pairs connects
//! them. In the project, they are the same if they are the same in every unit that contains them.

use perturb_model::{Code, Level, MutantIdx};
use std::collections::{BTreeMap, HashMap};

/// The codes of the mutants of one function in one unit, by level.
pub type UnitCodes = BTreeMap<MutantIdx, BTreeMap<Level, Code>>;

/// What a mutant was found to be the same as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Same {
    AsOriginal { level: Level },
    AsMutant { mutant: MutantIdx, level: Level },
}

impl Same {
    pub fn level(self) -> Level {
        match self {
            Self::AsOriginal { level } | Self::AsMutant { level, .. } => level,
        }
    }
}

/// The equivalence classes of one unit, as a union-find structure, with the level that joined each member.
struct Classes {
    /// Index 0 is the original; the mutants follow.
    parents: Vec<usize>,
    levels: Vec<Option<Level>>,
}

impl Classes {
    fn of(mutants: &[MutantIdx], codes: &UnitCodes) -> Self {
        let count = mutants.len() + 1;
        let mut classes = Self { parents: (0..count).collect(), levels: vec![None; count] };
        let levels: Vec<Level> = {
            let all = codes.values().flat_map(|codes| codes.keys().copied());
            let mut all: Vec<Level> = all.collect();
            all.sort();
            all.dedup();
            all
        };
        for level in levels {
            let mut first: HashMap<Code, usize> = HashMap::from([(Code::Original, 0)]);
            for (at, mutant) in mutants.iter().enumerate() {
                let Some(code) = codes.get(mutant).and_then(|codes| codes.get(&level)) else { continue };
                match code {
                    Code::Unknown | Code::Absent | Code::Settled => {}
                    Code::Original | Code::Other(_) => {
                        classes.join(*first.entry(*code).or_insert(at + 1), at + 1, level)
                    }
                }
            }
        }
        classes
    }

    fn find(&self, mut at: usize) -> usize {
        while self.parents[at] != at {
            at = self.parents[at];
        }
        at
    }

    /// Joins two classes. The smaller root represents both, so that the original, or else the first mutant, represents
    /// its class.
    fn join(&mut self, a: usize, b: usize, level: Level) {
        let a_root = self.find(a);
        let b_root = self.find(b);
        if a_root == b_root {
            return;
        }
        let small = a_root.min(b_root);
        let large = a_root.max(b_root);
        self.parents[large] = small;
        for at in [a, b, large] {
            self.levels[at].get_or_insert(level);
        }
    }
}

/// Which of a function's mutants (in order) are the same as the original, or as a mutant before them.
pub fn same(mutants: &[MutantIdx], units: &[&UnitCodes]) -> BTreeMap<MutantIdx, Same> {
    let contains_function =
        |codes: &&&UnitCodes| codes.values().flat_map(BTreeMap::values).any(|code| *code != Code::Absent);
    let classes: Vec<Classes> =
        units.iter().filter(contains_function).map(|codes| Classes::of(mutants, codes)).collect();
    let Some(first_unit) = classes.first() else { return BTreeMap::new() };
    let signature = |at: usize| classes.iter().map(|unit| unit.find(at)).collect::<Vec<usize>>();
    let mut first: HashMap<Vec<usize>, usize> = HashMap::from([(signature(0), 0)]);
    let mut same = BTreeMap::new();
    for at in 1..=mutants.len() {
        let representative = *first.entry(signature(at)).or_insert(at);
        // The level is recorded at the mutant, or at its representative.
        let level = first_unit.levels[at].or(first_unit.levels[representative]);
        let Some(level) = level.filter(|_| representative != at) else { continue };
        let what = match representative.checked_sub(1) {
            None => Same::AsOriginal { level },
            Some(position) => Same::AsMutant { mutant: mutants[position], level },
        };
        same.insert(mutants[at - 1], what);
    }
    same
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_model::CodeHash;

    fn code(letter: char) -> Code {
        match letter {
            '=' => Code::Original,
            '?' => Code::Unknown,
            '-' => Code::Absent,
            letter => Code::Other(CodeHash([letter as u8; 16])),
        }
    }

    /// One row for each level: the codes of the mutants 10, 11, 12, …
    fn unit(rows: &[(Level, &str)]) -> UnitCodes {
        let mut codes = UnitCodes::new();
        for (level, row) in rows {
            for (at, letter) in row.chars().enumerate() {
                codes.entry(MutantIdx::new(at + 10)).or_default().insert(*level, code(letter));
            }
        }
        codes
    }

    fn found(units: &[UnitCodes]) -> String {
        let mutants: Vec<MutantIdx> = units[0].keys().copied().collect();
        let same = same(&mutants, &units.iter().collect::<Vec<_>>());
        let first_unit = |(mutant, same): (&MutantIdx, &Same)| match same {
            Same::AsOriginal { level } => format!("{}={level}", mutant.get()),
            Same::AsMutant { mutant: other, level } => format!("{}~{}{level}", mutant.get(), other.get()),
        };
        same.iter().map(first_unit).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn any_one_level_is_enough_and_levels_join() {
        assert_eq!(found(&[unit(&[(Level::O1, "=aab?")])]), "10=-O1 12~11-O1");
        assert_eq!(found(&[unit(&[(Level::O1, "aab"), (Level::Os, "dee")])]), "11~10-O1 12~10-Os");
        assert_eq!(found(&[unit(&[(Level::O1, "aab"), (Level::Os, "de=")])]), "11~10-O1 12=-Os");
        assert_eq!(found(&[unit(&[(Level::O1, "aab"), (Level::Os, "d==")])]), "10=-O1 11=-O1 12=-Os");
    }

    #[test]
    fn unknown_code_is_equal_to_nothing() {
        assert_eq!(found(&[unit(&[(Level::O1, "??")])]), "");
        assert_eq!(found(&[unit(&[(Level::O1, "==")]), unit(&[(Level::O1, "?=")])]), "11=-O1");
    }

    #[test]
    fn units_must_agree_and_those_without_the_function_do_not_count() {
        let both = unit(&[(Level::O1, "=aa")]);
        assert_eq!(found(&[both.clone(), unit(&[(Level::O1, "bcc")])]), "12~11-O1");
        assert_eq!(found(&[both.clone(), unit(&[(Level::O1, "=bc")])]), "10=-O1");
        assert_eq!(found(&[both, unit(&[(Level::O1, "---")])]), "10=-O1 12~11-O1");
    }
}
