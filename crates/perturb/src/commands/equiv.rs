//! `perturb equiv`: which mutants are equivalent, and which are not, without any test.

use super::show::again;
use crate::args::{Equiv, EquivFormat, Global, SandboxName, Select, TierName};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::formats;
use crate::formats::equivalence::Found;
use crate::interrupts;
use crate::out_file;
use crate::session::Session;
use anyhow::Context;
use perturb_host::{shell_word, Sandbox};
use perturb_pipeline::equivalence::{judge, EquivalenceOptions, Judged, Tiers, WitnessOptions, WitnessProgram};
use perturb_pipeline::interrupt::{Interrupt, Stop};
use perturb_pipeline::Mutant;
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
        witnesses: witnesses(global, arguments)?,
    };
    console.comparing(mutated.mutants.len());
    let stop = Stop { interrupt: &interrupt, deadline: None };
    let mut judged: Vec<Judged> = Vec::new();
    let result = judge(&session.project, &session.libclang, &mutated, &options, stop, |some| {
        console.compared(some.len());
        judged.extend(some);
    });
    console.clear();
    result?;
    judged.sort_by_key(|judged| judged.place);
    if let Some(witnesses) = &options.witnesses {
        write_witnesses(witnesses, &mutated.mutants, &judged)?;
    }
    let found = Found { mutants: &mutated.mutants, judged: &judged, witnesses: options.witnesses.as_ref() };
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout());
    match arguments.format {
        EquivFormat::Text => {
            let mut out = BufWriter::with_capacity(1 << 16, anstream::stdout());
            formats::equivalence::write(found, &mut out)?;
            out.flush()?;
        }
        EquivFormat::Json => formats::equivalence::write_array(found, &mut out)?,
        EquivFormat::Jsonl => formats::equivalence::write_lines(found, &mut out)?,
    }
    out.flush()?;
    match interrupt.is_raised() {
        true => Err(Failure { exit: Exit::Interrupted, error: anyhow::anyhow!("interrupted: not all were compared") }),
        false => Ok(()),
    }
}

/// Where witnesses go, and what has a mutant's file written again.
fn witnesses(global: &Global, arguments: &Equiv) -> Result<Option<WitnessOptions>, Failure> {
    let Some(folder) = &arguments.witnesses else { return Ok(None) };
    let failed = || format!("cannot create {}", folder.display());
    std::fs::create_dir_all(folder).with_context(failed).map_err(Failure::unusable)?;
    let folder = folder.canonicalize().with_context(failed).map_err(Failure::unusable)?;
    let here = std::env::current_dir().context("cannot tell the current folder").map_err(Failure::unusable)?;
    let Select { paths, operators, mutate_macros, flags, .. } = &arguments.select;
    let before = [vec!["perturb".to_string(), "apply".to_string()], again::globals(global)].concat();
    let mut behind: Vec<String> = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    behind.extend(operators.iter().flat_map(|set| ["--operators".to_string(), set.clone()]));
    behind.extend(mutate_macros.then(|| "--mutate-macros".to_string()));
    if !flags.is_empty() {
        behind.extend(std::iter::once("--".to_string()).chain(flags.iter().cloned()));
    }
    let behind: String = behind.iter().map(|text| format!(" {}", shell_word(text))).collect();
    let before = format!("cd {} && {}", shell_word(&here.to_string_lossy()), again::joined(&before));
    Ok(Some(WitnessOptions { folder, apply: [before, behind] }))
}

fn write_witnesses(options: &WitnessOptions, mutants: &[Mutant], judged: &[Judged]) -> Result<(), Failure> {
    for judged in judged {
        if let Some(WitnessProgram::Text(text)) = judged.verdict.witness().and_then(|witness| witness.program.as_ref())
        {
            let file = options.file(&mutants[judged.place]);
            out_file::write(&file, |out| out.write_all(text.as_bytes()))
                .with_context(|| format!("cannot write {}", file.display()))
                .map_err(Failure::unusable)?;
        }
    }
    Ok(())
}
