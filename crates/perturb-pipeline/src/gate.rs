//! Who may run at the same time: tests that share something take turns, and what must not be disturbed runs alone.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// One gate for all workers of a run.
#[derive(Debug, Default)]
pub struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    running: usize,
    /// What those who run hold.
    held: BTreeSet<String>,
    is_alone: bool,
    /// They come first: nobody else enters while they wait.
    waiting_alone: usize,
}

/// The right to run; ends when it is dropped.
#[derive(Debug)]
pub struct Pass<'g> {
    gate: &'g Gate,
    words: Vec<String>,
    is_alone: bool,
}

impl Gate {
    /// Waits until nobody runs who holds one of these words.
    pub fn enter(&self, words: &[String]) -> Pass<'_> {
        let mut state = self.lock();
        while state.is_alone || state.waiting_alone > 0 || words.iter().any(|word| state.held.contains(word)) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.running += 1;
        state.held.extend(words.iter().cloned());
        Pass { gate: self, words: words.to_vec(), is_alone: false }
    }

    /// Waits until nobody runs, and keeps all others out.
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

    /// A worker that panicked leaves the state as it is: passes are given back on the way.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        let mut state = self.gate.lock();
        state.running -= 1;
        for word in &self.words {
            state.held.remove(word);
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

    /// Runs many entries on several threads, and looks that those who must not meet do not.
    #[test]
    fn words_are_held_by_one_at_a_time_and_the_lonely_meet_nobody() {
        let gate = Gate::default();
        let (of_word, all) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let word = vec!["port".to_string()];
        std::thread::scope(|scope| {
            for worker in 0..4 {
                let (gate, of_word, all, word) = (&gate, &of_word, &all, &word);
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
