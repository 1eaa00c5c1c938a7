//! Starts threads for workers. Where memory or the number of processes is limited, the machine may refuse some of them:
//! then fewer workers do the work. Only if it refuses the first thread is that an error.

use std::io;
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// The machine does not grant a single thread.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot start a thread: {error}: memory or processes are limited (`ulimit -v`, `ulimit -u`): raise the \
     limit, or have less done at a time with `--jobs 1`"
)]
pub struct NoThread {
    // Not called `source`: code that prints the chain of causes would print it twice.
    pub error: io::Error,
}

/// The stack that threads have unless more is asked for.
pub const USUAL_STACK: usize = 2 << 20;

/// Starts a thread for each worker, in their order, until the machine grants no more. An error if it does not grant the
/// first.
pub fn start<'s, T: Send + 's, W: FnOnce() -> T + Send + 's>(
    scope: &'s Scope<'s, '_>,
    stack: usize,
    workers: impl IntoIterator<Item = W>,
) -> Result<Vec<ScopedJoinHandle<'s, T>>, NoThread> {
    let mut started = Vec::new();
    // What a worker logs belongs to the step that started it.
    let span = tracing::Span::current();
    for worker in workers {
        let span = span.clone();
        let worker = move || span.in_scope(worker);
        match Builder::new().stack_size(stack).spawn_scoped(scope, worker) {
            Ok(thread) => started.push(thread),
            Err(error) if started.is_empty() => return Err(NoThread { error }),
            Err(_) => break,
        }
    }
    Ok(started)
}

/// The results of threads that [`start`] has started.
pub fn join<T>(threads: Vec<ScopedJoinHandle<'_, T>>) -> Vec<T> {
    threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_that_no_machine_has_is_an_error_and_no_panic() {
        std::thread::scope(|scope| {
            let none = start(scope, usize::MAX >> 1, [|| 1]);
            assert!(matches!(none, Err(NoThread { .. })));
            let two = start(scope, USUAL_STACK, [1, 2].map(|number| move || number)).unwrap();
            assert_eq!(join(two), [1, 2]);
        });
    }
}
