//! What a step takes: the time on the wall, and of the processors.

use crate::steps::Step;
use crate::store::StepTime;
use perturb_host::own_cpu;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub(crate) struct StepClock {
    step: Step,
    start: Instant,
    cpu: Duration,
}

impl StepClock {
    pub fn start(step: Step) -> Self {
        Self { step, start: Instant::now(), cpu: own_cpu() }
    }

    /// `others` is what programs that we started took.
    pub fn stop(&self, others: Duration) -> StepTime {
        let cpu = own_cpu().saturating_sub(self.cpu) + others;
        StepTime { step: self.step, wall: self.start.elapsed(), cpu }
    }
}
