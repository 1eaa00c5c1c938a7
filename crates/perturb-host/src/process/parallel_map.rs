//! A parallel map: workers, each with a tool of its own, take items from one list.

use super::interrupt::Stop;
use super::workers::{self, NoThread};
use crate::error::MayBeStop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// Calls `work` on each item with one of the tools, and `done` on this thread with each result as it arrives. Stops
/// early when `stop` is due, and after the first error, which it returns.
pub fn parallel_map<T: Send, I: Copy + Send + Sync, R: Send, E: From<NoThread> + MayBeStop + Send>(
    tools: &mut [T],
    items: &[I],
    stop: Stop<'_>,
    work: impl Fn(&mut T, I) -> Result<R, E> + Sync,
    mut done: impl FnMut(I, R) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let has_failed = AtomicBool::new(false);
    // Bounded, so that results are stored about as fast as they are made.
    let (sender, results) = mpsc::sync_channel(tools.len() * 4);
    std::thread::scope(|scope| {
        let (worker_sender, next, has_failed, work) = (sender.clone(), &next, &has_failed, &work);
        let threads = tools.iter_mut().map(|tool| {
            let sender = worker_sender.clone();
            move || {
                while !stop.is_due() && !has_failed.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&item) = items.get(index) else { break };
                    let result = work(tool, item);
                    let is_error = result.is_err();
                    if sender.send((item, result)).is_err() || is_error {
                        break;
                    }
                }
            }
        });
        workers::start(scope, workers::USUAL_STACK, threads)?;
        drop((sender, worker_sender));
        let mut outcome = Ok(());
        for (item, result) in results {
            let handled = result.and_then(|result| if outcome.is_ok() { done(item, result) } else { Ok(()) });
            match handled {
                // A test that was stopped on the way is no failure.
                Err(error) if error.is_stop() => {}
                Err(error) if outcome.is_ok() => {
                    outcome = Err(error);
                    has_failed.store(true, Ordering::Relaxed);
                }
                _ => {}
            }
        }
        outcome
    })
}
