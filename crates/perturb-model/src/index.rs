//! Indices of the lists of a run, each with a type of its own, so that the index of one list does not fit another list.
//!
//! No number becomes an index without a call of `new`.

use std::ops::{Index, IndexMut};

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(usize);

        impl $name {
            pub const fn new(index: usize) -> Self {
                Self(index)
            }

            pub const fn get(self) -> usize {
                self.0
            }

            /// All indices of a list of this length, in ascending order.
            pub fn all(length: usize) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
                (0..length).map(Self)
            }

            /// The items of a list, each with its index.
            pub fn enumerate<'l, T: 'l>(
                list: impl IntoIterator<Item = T, IntoIter: 'l>,
            ) -> impl Iterator<Item = (Self, T)> + 'l {
                list.into_iter().enumerate().map(|(index, item)| (Self(index), item))
            }
        }

        impl<T> Index<$name> for [T] {
            type Output = T;

            fn index(&self, index: $name) -> &T {
                &self[index.0]
            }
        }

        impl<T> IndexMut<$name> for [T] {
            fn index_mut(&mut self, index: $name) -> &mut T {
                &mut self[index.0]
            }
        }

        impl<T> Index<$name> for Vec<T> {
            type Output = T;

            fn index(&self, index: $name) -> &T {
                &self[index.0]
            }
        }

        impl<T> IndexMut<$name> for Vec<T> {
            fn index_mut(&mut self, index: $name) -> &mut T {
                &mut self[index.0]
            }
        }
    };
}

index! {
    /// The index of a mutant in the run's list of mutants.
    MutantIdx
}

index! {
    /// The index of a test in the run's list of tests.
    TestIdx
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_indexed_by_the_indices_of_its_length() {
        let mut list = vec!['a', 'b', 'c'];
        assert_eq!(MutantIdx::all(3).map(|index| list[index]).collect::<String>(), "abc");
        assert_eq!(MutantIdx::all(3).rev().map(MutantIdx::get).collect::<Vec<_>>(), [2, 1, 0]);
        list[TestIdx::new(1)] = 'x';
        assert_eq!(TestIdx::enumerate(&list).last(), Some((TestIdx::new(2), &'c')));
        assert_eq!(list.as_slice()[TestIdx::new(1)], 'x');
    }
}
