//! Paths one by one: a function is executed once for each, and goes where the script says at each fork.
//!
//! Together, the paths are all that the function can do: what is not known to be impossible is followed.

/// The forks of a path, in the order in which execution comes to them.
#[derive(Debug, Clone, Default)]
pub struct Script {
    forks: Vec<Fork>,
    /// How many were come to.
    met: usize,
}

/// The ways that can be gone, and which of them is.
#[derive(Debug, Clone)]
struct Fork {
    ways: Vec<usize>,
    taken: usize,
}

impl Script {
    /// The choice at the next fork, if it is known.
    pub(super) fn next_choice(&mut self) -> Option<usize> {
        let fork = self.forks.get(self.met)?;
        self.met += 1;
        Some(fork.ways[fork.taken])
    }

    /// A new fork, where the first way is taken.
    pub(super) fn fork(&mut self, ways: Vec<usize>) -> usize {
        let first = ways[0];
        self.forks.push(Fork { ways, taken: 0 });
        self.met += 1;
        first
    }

    /// The script of the next path, depth first.
    pub fn next(mut self) -> Option<Self> {
        self.met = 0;
        while let Some(mut last) = self.forks.pop() {
            last.taken += 1;
            if last.taken < last.ways.len() {
                self.forks.push(last);
                return Some(self);
            }
        }
        None
    }
}
