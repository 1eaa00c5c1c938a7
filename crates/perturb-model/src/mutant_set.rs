//! Sets of mutants by their index in a run's list: which ones a test reaches, which ones it infects.

use crate::MutantIdx;

/// A set of mutants with one bit for each index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MutantSet {
    /// The last word is never 0, so that the derived equality is that of sets.
    words: Vec<u64>,
}

const BITS: usize = u64::BITS as usize;

impl MutantSet {
    /// Adds a mutant; returns whether it was not in the set before.
    pub fn insert(&mut self, mutant: MutantIdx) -> bool {
        let index = mutant.get();
        if self.words.len() <= index / BITS {
            self.words.resize(index / BITS + 1, 0);
        }
        let word = &mut self.words[index / BITS];
        let bit = 1 << (index % BITS);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    pub fn contains(&self, mutant: MutantIdx) -> bool {
        let index = mutant.get();
        self.words.get(index / BITS).is_some_and(|word| word >> (index % BITS) & 1 == 1)
    }

    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The mutants in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = MutantIdx> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            let rest = std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)));
            let index = move |word: u64| MutantIdx::new(at * BITS + word.trailing_zeros() as usize);
            rest.take_while(|word| *word != 0).map(index)
        })
    }
}

impl FromIterator<MutantIdx> for MutantSet {
    fn from_iter<I: IntoIterator<Item = MutantIdx>>(mutants: I) -> Self {
        let mut set = Self::default();
        set.extend(mutants);
        set
    }
}

impl Extend<MutantIdx> for MutantSet {
    fn extend<I: IntoIterator<Item = MutantIdx>>(&mut self, mutants: I) {
        for mutant in mutants {
            self.insert(mutant);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in_in_order() {
        let mut set: MutantSet = [130, 0, 63, 64].map(MutantIdx::new).into_iter().collect();
        assert!(!set.insert(MutantIdx::new(63)) && set.insert(MutantIdx::new(7)));
        assert_eq!(set.iter().map(MutantIdx::get).collect::<Vec<_>>(), [0, 7, 63, 64, 130]);
        assert_eq!(set.len(), 5);
        let contains = |index| set.contains(MutantIdx::new(index));
        assert!(contains(130) && !contains(129) && !contains(9999));
        assert!(MutantSet::default().is_empty() && MutantSet::default().iter().next().is_none());
    }
}
