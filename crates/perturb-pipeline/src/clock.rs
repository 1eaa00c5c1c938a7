//! What a step takes: the time on the wall, and of the processors.

use perturb_host::own_cpu;
use perturb_model::{Step, StepTime};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What threads of ours took that work beside the steps, in microseconds. It is of the whole process, as what it is
/// taken from is.
static BESIDE: AtomicU64 = AtomicU64::new(0);

/// A thread that works beside the steps tells what it took.
pub(crate) fn add_beside(cpu: Duration) {
    BESIDE.fetch_add(u64::try_from(cpu.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
}

/// What the steps themselves took.
fn cpu_of_steps() -> Duration {
    own_cpu().saturating_sub(Duration::from_micros(BESIDE.load(Ordering::Relaxed)))
}

/// Runs while a step does. What is logged meanwhile belongs to the step.
#[derive(Debug)]
pub(crate) struct StepClock {
    step: Step,
    _span: tracing::span::EnteredSpan,
    start: Instant,
    cpu: Duration,
}

impl StepClock {
    pub fn start(step: Step) -> Self {
        let span = tracing::info_span!("step", name = %step);
        Self { step, _span: span.entered(), start: Instant::now(), cpu: cpu_of_steps() }
    }

    /// `others` is what programs that we started took.
    pub fn stop(self, others: Duration) -> StepTime {
        let cpu = cpu_of_steps().saturating_sub(self.cpu) + others;
        StepTime { step: self.step, wall: self.start.elapsed(), cpu }
    }
}
