//! The mutation score confidence of Nequivack: the share of mutants shown not to be equivalent, for a function, a file
//! or a project.
//!
//! The paper defines it over all mutants, and reports figures over those that compile; both are computed here. An
//! unknown mutant may differ as well, so the true share lies in an interval.

use super::{Equivalence, Judged};
use perturb_model::{Kind, Mutant};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The default baseline, in percent.
pub const BASELINE: f64 = 80.0;

/// How many mutants came to which verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verdicts {
    /// Different by their output.
    pub output: usize,
    /// Different by undefined behaviour.
    pub undefined: usize,
    /// Different because they do not terminate.
    pub endless: usize,
    pub equivalent: usize,
    pub unknown: usize,
    /// They do not compile.
    pub refused: usize,
}

/// On which side of a baseline a share lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// At the baseline or above, whatever the unknown mutants are.
    Above,
    /// Below the baseline, whatever the unknown mutants are.
    Below,
    /// The unknown mutants decide.
    Open,
}

impl Standing {
    pub fn word(self) -> &'static str {
        match self {
            Self::Above => "above",
            Self::Below => "below",
            Self::Open => "open",
        }
    }
}

impl Verdicts {
    pub fn mutants(&self) -> usize {
        self.compilable() + self.refused
    }

    /// Mutants of functions that cannot be compared are counted here: they were not compiled.
    pub fn compilable(&self) -> usize {
        self.different() + self.equivalent + self.unknown
    }

    pub fn different(&self) -> usize {
        self.output + self.undefined + self.endless
    }

    /// The confidence as defined: the share of all mutants that are different. `None` without any mutant.
    pub fn of_all(&self) -> Option<f64> {
        share(self.different(), self.mutants())
    }

    /// The confidence over those that compile.
    pub fn of_compilable(&self) -> Option<f64> {
        share(self.different(), self.compilable())
    }

    /// The share of compiling mutants that have a verdict.
    pub fn decided(&self) -> Option<f64> {
        share(self.different() + self.equivalent, self.compilable())
    }

    /// The interval that contains the true share of different mutants.
    pub fn interval(&self) -> Option<(f64, f64)> {
        Some((self.of_all()?, share(self.different() + self.unknown, self.mutants())?))
    }

    /// Compares the interval with a baseline in percent.
    pub fn standing(&self, baseline: f64) -> Option<Standing> {
        let (low, high) = self.interval()?;
        Some(match (100.0 * low >= baseline, 100.0 * high >= baseline) {
            (true, _) => Standing::Above,
            (false, true) => Standing::Open,
            (false, false) => Standing::Below,
        })
    }

    fn add(&mut self, verdict: &Equivalence) {
        *match verdict {
            Equivalence::Different(witness) => match witness.by.kind {
                Kind::Output | Kind::Ended => &mut self.output,
                Kind::Undefined => &mut self.undefined,
                Kind::Endless => &mut self.endless,
            },
            Equivalence::Equivalent { .. } => &mut self.equivalent,
            Equivalence::Unknown { .. } => &mut self.unknown,
            Equivalence::Refused => &mut self.refused,
        } += 1;
    }
}

fn share(part: usize, of: usize) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}

impl<'v> FromIterator<&'v Equivalence> for Verdicts {
    fn from_iter<I: IntoIterator<Item = &'v Equivalence>>(verdicts: I) -> Self {
        let mut counts = Self::default();
        verdicts.into_iter().for_each(|verdict| counts.add(verdict));
        counts
    }
}

/// Of everything that was compared.
#[derive(Debug, PartialEq, Eq)]
pub struct ProjectConfidence {
    pub all: Verdicts,
    /// By their paths.
    pub files: Vec<FileConfidence>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct FileConfidence {
    pub file: PathBuf,
    pub all: Verdicts,
    /// The functions with mutants, in the order of the file.
    pub functions: Vec<FunctionConfidence>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct FunctionConfidence {
    /// `None` for mutants outside of functions.
    pub name: Option<String>,
    pub all: Verdicts,
}

impl ProjectConfidence {
    /// Counts mutants and their verdicts.
    pub fn of(mutants: &[Mutant], judged: &[Judged]) -> Self {
        let mut by_file: BTreeMap<&Path, Vec<&Judged>> = BTreeMap::new();
        for judged in judged {
            by_file.entry(&mutants[judged.mutant].file.relative).or_default().push(judged);
        }
        let files = by_file.into_iter().map(|(file, judged)| FileConfidence {
            file: file.to_path_buf(),
            all: count(&judged),
            functions: functions(mutants, &judged),
        });
        Self { all: judged.iter().map(|judged| &judged.verdict).collect(), files: files.collect() }
    }
}

fn functions(mutants: &[Mutant], judged: &[&Judged]) -> Vec<FunctionConfidence> {
    let mut by_function: BTreeMap<(Option<&str>, &str), Vec<&Judged>> = BTreeMap::new();
    for judged in judged {
        let mutant = &mutants[judged.mutant];
        by_function.entry((mutant.function(), &mutant.scope.parameters)).or_default().push(judged);
    }
    let first = |judged: &[&Judged]| judged.iter().map(|judged| mutants[judged.mutant].range.start).min();
    let mut functions: Vec<_> = by_function.into_iter().collect();
    functions.sort_by_key(|(_, judged)| first(judged));
    let function = |((name, _), judged): ((Option<&str>, _), Vec<&Judged>)| FunctionConfidence {
        name: name.map(str::to_string),
        all: count(&judged),
    };
    functions.into_iter().map(function).collect()
}

fn count(judged: &[&Judged]) -> Verdicts {
    judged.iter().map(|judged| &judged.verdict).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Output, undefined, endless, equivalent, unknown, refused.
    fn verdicts([output, undefined, endless, equivalent, unknown, refused]: [usize; 6]) -> Verdicts {
        Verdicts { output, undefined, endless, equivalent, unknown, refused }
    }

    #[test]
    fn the_figures_of_the_paper_come_out_both_ways() {
        // 1352 mutants, 949 of them compilable, 517 not equivalent.
        let paper = verdicts([500, 10, 7, 0, 432, 403]);
        assert_eq!((paper.mutants(), paper.compilable(), paper.different()), (1352, 949, 517));
        let percent = |share: Option<f64>| (100.0 * share.unwrap()).round() as u32;
        assert_eq!((percent(paper.of_all()), percent(paper.of_compilable())), (38, 54));
        assert_eq!(percent(paper.decided()), 54);
        let (low, high) = paper.interval().unwrap();
        assert_eq!((percent(Some(low)), percent(Some(high))), (38, 70));
    }

    #[test]
    fn nothing_has_no_share() {
        let none = verdicts([0; 6]);
        assert_eq!((none.of_all(), none.of_compilable(), none.decided()), (None, None, None));
        assert_eq!((none.interval(), none.standing(80.0)), (None, None));
        let refused = verdicts([0, 0, 0, 0, 0, 3]);
        assert_eq!((refused.of_all(), refused.of_compilable(), refused.decided()), (Some(0.0), None, None));
        assert_eq!(refused.standing(80.0), Some(Standing::Below));
    }

    #[test]
    fn a_baseline_is_reached_or_not_or_those_that_are_unknown_decide() {
        for (counts, standing) in [
            ([80, 0, 0, 0, 20, 0], Standing::Above),
            ([79, 0, 0, 20, 1, 0], Standing::Open),
            ([79, 0, 0, 21, 0, 0], Standing::Below),
            ([70, 5, 5, 10, 0, 10], Standing::Above),
            ([0, 0, 0, 0, 1, 0], Standing::Open),
        ] {
            assert_eq!(verdicts(counts).standing(80.0), Some(standing), "{counts:?}");
        }
        assert_eq!(verdicts([0, 0, 0, 5, 0, 0]).standing(0.0), Some(Standing::Above));
        assert_eq!(verdicts([5, 0, 0, 0, 0, 0]).standing(100.0), Some(Standing::Above));
    }
}
