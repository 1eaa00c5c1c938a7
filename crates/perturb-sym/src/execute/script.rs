//! Single paths: a function is executed once for each path, and follows the script at each fork.
//!
//! Together, the paths cover the function: a successor is followed unless it is known to be impossible.

/// The forks of a path, in the order in which execution comes to them.
#[derive(Debug, Clone, Default)]
pub struct Script {
    forks: Vec<Fork>,
    /// The number of forks reached.
    met: usize,
}

/// The possible successors, and the index of the chosen one.
#[derive(Debug, Clone)]
struct Fork {
    ways: Vec<usize>,
    taken: usize,
}

impl Script {
    /// The choice at the next fork, if the script has one.
    pub(super) fn next_choice(&mut self) -> Option<usize> {
        let fork = self.forks.get(self.met)?;
        self.met += 1;
        Some(fork.ways[fork.taken])
    }

    /// Adds a fork that takes the first successor.
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
