//! Sets of mutants by their place in a run's list: which ones a test reaches, which ones it infects.

/// One bit a mutant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MutantSet {
    /// The last word is never 0, so that equal sets are equal.
    words: Vec<u64>,
}

const BITS: usize = u64::BITS as usize;

impl MutantSet {
    /// Whether it is new.
    pub fn insert(&mut self, place: usize) -> bool {
        if self.words.len() <= place / BITS {
            self.words.resize(place / BITS + 1, 0);
        }
        let (word, bit) = (&mut self.words[place / BITS], 1 << (place % BITS));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    pub fn contains(&self, place: usize) -> bool {
        self.words.get(place / BITS).is_some_and(|word| word >> (place % BITS) & 1 == 1)
    }

    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// In ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            let rest = std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)));
            rest.take_while(|word| *word != 0).map(move |word| at * BITS + word.trailing_zeros() as usize)
        })
    }
}

impl FromIterator<usize> for MutantSet {
    fn from_iter<I: IntoIterator<Item = usize>>(places: I) -> Self {
        let mut set = Self::default();
        set.extend(places);
        set
    }
}

impl Extend<usize> for MutantSet {
    fn extend<I: IntoIterator<Item = usize>>(&mut self, places: I) {
        for place in places {
            self.insert(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in_in_order() {
        let mut set: MutantSet = [130, 0, 63, 64].into_iter().collect();
        assert!(!set.insert(63) && set.insert(7));
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 7, 63, 64, 130]);
        assert_eq!(set.len(), 5);
        assert!(set.contains(130) && !set.contains(129) && !set.contains(9999));
        assert!(MutantSet::default().is_empty() && MutantSet::default().iter().next().is_none());
    }
}
