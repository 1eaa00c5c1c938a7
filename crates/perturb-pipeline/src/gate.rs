//! The gate: tests that share something take turns, and a test that must not be disturbed runs alone.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The gate for all workers of a run.
#[derive(Debug, Default)]
pub struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    running: usize,
    /// The words of the tests that run.
    words: BTreeSet<String>,
    is_alone: bool,
    /// How many tests wait to run alone. They come first: no other test enters while they wait.
    waiting_alone: usize,
}

/// The right to run, which ends when it is dropped.
#[derive(Debug)]
pub struct Pass<'g> {
    gate: &'g Gate,
    words: Vec<String>,
    is_alone: bool,
}

impl Gate {
    /// Waits until no running test has one of these words.
    pub fn enter(&self, words: &[String]) -> Pass<'_> {
        let mut state = self.lock();
        while state.is_alone || state.waiting_alone > 0 || words.iter().any(|word| state.words.contains(word)) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.running += 1;
        state.words.extend(words.iter().cloned());
        Pass { gate: self, words: words.to_vec(), is_alone: false }
    }

    /// Waits until no test runs, and keeps all others out.
    pub fn enter_alone(&self) -> Pass<'_> {
        let mut state = self.lock();
        state.waiting_alone += 1;
        while state.is_alone || state.running > 0 {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting_alone -= 1;
        state.running += 1;
        state.is_alone = true;
        Pass { gate: self, words: Vec::new(), is_alone: true }
    }

    /// Ignores poisoning: a worker that panics still drops its pass, so that the state is consistent.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        let mut state = self.gate.lock();
        state.running -= 1;
        for word in &self.words {
            state.words.remove(word);
        }
        if self.is_alone {
            state.is_alone = false;
        }
        self.gate.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Runs many tests on several threads, and checks that tests which must not meet do not.
    #[test]
    fn tests_with_the_same_word_take_turns_and_a_lone_test_runs_alone() {
        let gate = Gate::default();
        let of_word = AtomicUsize::new(0);
        let all = AtomicUsize::new(0);
        let word = vec!["port".to_string()];
        std::thread::scope(|scope| {
            for worker in 0..4 {
                let gate = &gate;
                let of_word = &of_word;
                let all = &all;
                let word = &word;
                scope.spawn(move || {
                    for turn in 0..200 {
                        if (worker + turn) % 7 == 0 {
                            let _pass = gate.enter_alone();
                            assert_eq!(all.fetch_add(1, Ordering::SeqCst), 0);
                            all.fetch_sub(1, Ordering::SeqCst);
                        } else {
                            let _pass = gate.enter(word);
                            all.fetch_add(1, Ordering::SeqCst);
                            assert_eq!(of_word.fetch_add(1, Ordering::SeqCst), 0);
                            of_word.fetch_sub(1, Ordering::SeqCst);
                            all.fetch_sub(1, Ordering::SeqCst);
                        }
                    }
                });
            }
        });
        assert_eq!(gate.lock().running, 0);
    }
}
