//! `perturb equiv`: finds which mutants are equivalent and which differ, without any test.

use super::comparing::Compared;
use super::show::reproduce;
use crate::args::{Equiv, EquivFormat, Global, Select};
use crate::console::Console;
use crate::exit::Failure;
use crate::formats::equivalence::{write, write_array, write_lines, EquivResults};
use crate::page::Page;
use crate::{out_file, terminal, visible};
use anyhow::Context;
use perturb_equiv::compare::{Judged, WitnessOptions, WitnessProgram};
use perturb_host::{shell_path, shell_word};
use perturb_model::Mutant;

pub fn run(global: &Global, arguments: &Equiv, console: &Console) -> Result<(), Failure> {
    if arguments.annotate {
        return super::annotate::run(global, arguments, console);
    }
    if let Some(files) = &arguments.pair {
        return super::pair::run(global, arguments, files, console);
    }
    let witnesses = witnesses(global, arguments)?;
    let compared = Compared::new(global, &arguments.select, &arguments.comparing, witnesses.clone(), console)?;
    let Compared { mutants, judged, .. } = &compared;
    if let Some(witnesses) = &witnesses {
        write_witnesses(witnesses, mutants, judged)?;
    }
    let found = EquivResults { mutants, judged, witnesses: witnesses.as_ref() };
    match arguments.format {
        EquivFormat::Text => {
            let mut page = Page::default();
            write(found, &mut page)?;
            terminal::print(&page)?;
        }
        EquivFormat::Json => terminal::write_data(|out| write_array(found, out))?,
        EquivFormat::Jsonl => terminal::write_data(|out| write_lines(found, out))?,
    }
    compared.expect_whole()
}

/// The folder for witnesses, and the command in their comments that writes the mutant's file again.
fn witnesses(global: &Global, arguments: &Equiv) -> Result<Option<WitnessOptions>, Failure> {
    let Some(folder) = &arguments.witnesses else { return Ok(None) };
    let failed = || format!("cannot create {}", visible::path(folder));
    std::fs::create_dir_all(folder).with_context(failed).map_err(Failure::unusable)?;
    let folder = folder.canonicalize().with_context(failed).map_err(Failure::unusable)?;
    let here = std::env::current_dir().context("cannot find the current folder").map_err(Failure::unusable)?;
    let Select { paths, operators, mutate_macros, flags, .. } = &arguments.select;
    let before = [vec!["perturb".to_string(), "apply".to_string()], reproduce::globals(global)].concat();
    let mut after: Vec<String> = paths.iter().map(|path| visible::name(path).into_owned()).collect();
    after.extend(operators.iter().flat_map(|set| ["--operators".to_string(), set.clone()]));
    after.extend(mutate_macros.then(|| "--mutate-macros".to_string()));
    if !flags.is_empty() {
        after.extend(std::iter::once("--".to_string()).chain(flags.iter().cloned()));
    }
    let after: String = after.iter().map(|text| format!(" {}", shell_word(text))).collect();
    let before = format!("cd {} && {}", shell_path(&here), reproduce::joined(&before));
    Ok(Some(WitnessOptions { folder, apply: [before, after] }))
}

fn write_witnesses(options: &WitnessOptions, mutants: &[Mutant], judged: &[Judged]) -> Result<(), Failure> {
    for judged in judged {
        if let Some(WitnessProgram::Text(text)) = judged.verdict.witness().and_then(|witness| witness.program.as_ref())
        {
            let file = options.file(&mutants[judged.mutant]);
            out_file::write(&file, |out| out.write_all(text.as_bytes()))
                .with_context(|| format!("cannot write {}", visible::path(&file)))
                .map_err(Failure::unusable)?;
        }
    }
    Ok(())
}
