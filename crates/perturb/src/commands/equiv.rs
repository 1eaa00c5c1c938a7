//! `perturb equiv`: which mutants are equivalent, and which are not, without any test.

use crate::args::{Equiv, EquivFormat, Global, SandboxName, TierName};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::formats;
use crate::interrupts;
use crate::session::Session;
use perturb_host::Sandbox;
use perturb_pipeline::analysis::Subject;
use perturb_pipeline::equivalence::{judge, EquivalenceOptions, Judged, Tiers};
use perturb_pipeline::interrupt::{Interrupt, Stop};
use std::io::{BufWriter, Write};
use std::sync::Arc;

pub fn run(global: &Global, arguments: &Equiv, console: &Console) -> Result<(), Failure> {
    let interrupt = Arc::new(Interrupt::default());
    interrupts::watch(interrupt.clone()).map_err(Failure::unusable)?;
    let session = Session::open(global, &arguments.select, console)?;
    let mutated = session.mutated(&arguments.select, &mut |event| console.event(&event))?;
    if mutated.mutants.is_empty() {
        return Err(super::nothing::explain(&session, &arguments.select, console));
    }
    let options = EquivalenceOptions {
        work: session.work.clone(),
        jobs: session.jobs,
        seed: arguments.seed,
        inputs: arguments.inputs,
        exhaust: arguments.exhaust,
        steps: arguments.steps,
        tiers: Tiers {
            native: arguments.tiers.contains(&TierName::Native),
            exhaustive: arguments.tiers.contains(&TierName::Exhaustive),
            code: arguments.tiers.contains(&TierName::Tce),
            proof: arguments.tiers.contains(&TierName::Proof),
        },
        sandbox: match arguments.sandbox {
            SandboxName::On => Sandbox::FULL,
            SandboxName::Off => Sandbox::OFF,
        },
    };
    console.comparing(mutated.mutants.len());
    let stop = Stop { interrupt: &interrupt, deadline: None };
    let mut judged: Vec<Judged> = Vec::new();
    let subject = Subject { project: &session.project, mutated: &mutated, libclang: &session.libclang };
    let places: Vec<usize> = (0..mutated.mutants.len()).collect();
    let result = judge(subject, &places, &options, stop, |some| {
        console.compared(some.len());
        judged.extend(some);
        Ok(())
    });
    console.clear();
    result?;
    judged.sort_by_key(|judged| judged.place);
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout());
    match arguments.format {
        EquivFormat::Text => {
            let mut out = BufWriter::with_capacity(1 << 16, anstream::stdout());
            formats::equivalence::write(&mutated.mutants, &judged, &mut out)?;
            out.flush()?;
        }
        EquivFormat::Json => formats::equivalence::write_array(&mutated.mutants, &judged, &mut out)?,
        EquivFormat::Jsonl => formats::equivalence::write_lines(&mutated.mutants, &judged, &mut out)?,
    }
    out.flush()?;
    match interrupt.is_raised() {
        true => Err(Failure { exit: Exit::Interrupted, error: anyhow::anyhow!("interrupted: not all were compared") }),
        false => Ok(()),
    }
}
