//! The time that a step takes: wall-clock time and processor time.

use perturb_host::own_cpu;
use perturb_model::{Step, StepTime};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Processor time of threads that work in parallel with the steps, in microseconds. It is a value of the whole process,
/// like the processor time that it is subtracted from.
static BESIDE: AtomicU64 = AtomicU64::new(0);

/// Adds the processor time of a thread that works in parallel with the steps.
pub(crate) fn add_beside(cpu: Duration) {
    BESIDE.fetch_add(u64::try_from(cpu.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
}

/// The processor time of the steps themselves.
fn cpu_of_steps() -> Duration {
    own_cpu().saturating_sub(Duration::from_micros(BESIDE.load(Ordering::Relaxed)))
}

/// Measures a step. Everything that is logged while it exists belongs to the step.
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

    /// Ends the step. `others` is the processor time of programs that the step started.
    pub fn stop(self, others: Duration) -> StepTime {
        let cpu = cpu_of_steps().saturating_sub(self.cpu) + others;
        StepTime { step: self.step, wall: self.start.elapsed(), cpu }
    }
}
