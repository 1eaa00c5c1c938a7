//! Stopping early: because the user asks for it, or because the time is up.

use super::supervise::end_builds;
use perturb_cell::Stopper;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Asks a run to end, from any thread. Tests and builds that are running are ended at once.
#[derive(Debug, Default)]
pub struct Interrupt {
    is_raised: AtomicBool,
    running: Mutex<Vec<Stopper>>,
}

impl Interrupt {
    pub fn raise(&self) {
        self.is_raised.store(true, Ordering::SeqCst);
        self.running.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(Stopper::stop);
        end_builds();
    }

    pub fn is_raised(&self) -> bool {
        self.is_raised.load(Ordering::SeqCst)
    }

    /// What is to be stopped as well.
    pub fn watch(&self, stoppers: Vec<Stopper>) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_raised() {
            stoppers.iter().for_each(Stopper::stop);
        }
        running.extend(stoppers);
    }
}

/// Why a run ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The user asked for it.
    Interrupted,
    /// The time that the user granted is over.
    OutOfTime,
}

/// When a run ends early.
#[derive(Debug, Clone, Copy)]
pub struct Stop<'s> {
    pub interrupt: &'s Interrupt,
    /// The end of the time that the user grants.
    pub deadline: Option<Instant>,
}

impl Stop<'_> {
    pub fn is_due(&self) -> bool {
        self.reason().is_some()
    }

    /// Why it is time to stop, if it is.
    pub fn reason(&self) -> Option<StopReason> {
        match (self.interrupt.is_raised(), self.is_out_of_time()) {
            (true, _) => Some(StopReason::Interrupted),
            (false, true) => Some(StopReason::OutOfTime),
            (false, false) => None,
        }
    }

    /// The time that is left, if that is limited.
    pub fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The same with only two thirds of the time that is left: what comes behind needs the rest.
    pub fn sooner(self) -> Self {
        let now = Instant::now();
        let deadline = self.deadline.map(|deadline| now + deadline.saturating_duration_since(now) * 2 / 3);
        Self { deadline, ..self }
    }

    pub fn is_out_of_time(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
