//! Compares functions with their mutants, for the commands that present the result in different ways.

use crate::args::{Comparing, Global, SandboxName, Select, TierName};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::interrupts;
use crate::session::Session;
use perturb_cell::Sandbox;
use perturb_equiv::compare::{judge, EquivalenceOptions, Judged, Tiers, WitnessOptions};
use perturb_equiv::EquivError;
use perturb_host::{Interrupt, Stop};
use perturb_model::{Mutant, MutantIdx};
use std::path::Path;
use std::sync::Arc;

/// Mutants and their judgements, in the order of the mutants.
pub struct Compared {
    pub mutants: Vec<Mutant>,
    pub judged: Vec<Judged>,
    interrupt: Arc<Interrupt>,
}

impl Compared {
    /// Compares all selected mutants.
    pub fn new(
        global: &Global,
        select: &Select,
        comparing: &Comparing,
        witnesses: Option<WitnessOptions>,
        console: &Console,
    ) -> Result<Self, Failure> {
        let interrupt = Arc::new(Interrupt::default());
        interrupts::watch(interrupt.clone()).map_err(Failure::unusable)?;
        let session = Session::open(global, select, console)?;
        let mutated = session.mutated(select, &mut |event| console.event(&event))?;
        if mutated.mutants.is_empty() {
            return Err(super::no_mutants::explain(&session, select, console));
        }
        console.comparing(mutated.mutants.len());
        let stop = Stop { interrupt: &interrupt, deadline: None };
        let mut judged: Vec<Judged> = Vec::new();
        let contracts = session.contracts()?;
        let options = EquivalenceOptions { witnesses, contracts, ..options(&session.work, session.jobs, comparing) };
        let subject = session.compared(&mutated);
        let all: Vec<MutantIdx> = MutantIdx::all(mutated.mutants.len()).collect();
        let result = judge(subject, &all, &options, stop, |some| -> Result<(), EquivError> {
            console.compared(some.len());
            judged.extend(some);
            Ok(())
        });
        console.clear();
        result?;
        judged.sort_by_key(|judged| judged.mutant);
        Ok(Self { mutants: mutated.mutants, judged, interrupt })
    }

    /// Fails if the user interrupted the comparison.
    pub fn expect_whole(&self) -> Result<(), Failure> {
        expect_whole(&self.interrupt)
    }
}

/// Fails if the user interrupted the comparison.
pub fn expect_whole(interrupt: &Interrupt) -> Result<(), Failure> {
    match interrupt.is_raised() {
        true => Err(Failure { exit: Exit::Interrupted, error: anyhow::anyhow!("interrupted: not all were compared") }),
        false => Ok(()),
    }
}

/// The options of the comparison, from those of the command line.
pub fn options(work: &Path, jobs: usize, comparing: &Comparing) -> EquivalenceOptions {
    EquivalenceOptions {
        work: work.to_path_buf(),
        jobs,
        seed: comparing.seed,
        inputs: comparing.inputs,
        exhaust: comparing.exhaust,
        steps: comparing.steps,
        tiers: Tiers {
            native: comparing.tiers.contains(&TierName::Native),
            exhaustive: comparing.tiers.contains(&TierName::Exhaustive),
            code: comparing.tiers.contains(&TierName::Tce),
            clang: comparing.tiers.contains(&TierName::Clang),
            proof: comparing.tiers.contains(&TierName::Proof),
            paths: comparing.tiers.contains(&TierName::Paths),
        },
        sandbox: match comparing.sandbox {
            SandboxName::On => Sandbox::FULL,
            SandboxName::Off => Sandbox::OFF,
        },
        contracts: Arc::default(),
        witnesses: None,
    }
}
