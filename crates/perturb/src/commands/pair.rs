//! `perturb equiv --pair A.c B.c`: do the functions of two versions of a file do the same?

use super::comparing::{expect_whole, options};
use crate::args::{Equiv, EquivFormat, Global};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::formats::{pair, plural};
use crate::page::Page;
use crate::session::{jobs, load_libclang};
use crate::target::existing;
use crate::{interrupts, terminal, visible};
use perturb_equiv::compare::pair::{compare, LeftOut, NotCompared, PairError, PairOptions, Paired};
use perturb_equiv::compare::Equivalence;
use perturb_host::{DiscoverOptions, Interrupt, Stop};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub fn run(global: &Global, arguments: &Equiv, files: &[PathBuf], console: &Console) -> Result<(), Failure> {
    let interrupt = Arc::new(Interrupt::default());
    interrupts::watch(interrupt.clone()).map_err(Failure::unusable)?;
    let files = [existing(&files[0])?, existing(&files[1])?];
    for file in &files {
        perturb_host::require_utf8(file, "rename it, or the folder that it is in")?;
    }
    let beside = files[0].parent().unwrap_or(Path::new("/"));
    let work = global.work.clone().unwrap_or_else(|| beside.join(crate::target::WORK_FOLDER));
    let work = perturb_host::create_work_folder(&work)?;
    let compile = DiscoverOptions {
        single_file_flags: arguments.select.flags.clone(),
        compiler: arguments.cc.clone(),
        ..DiscoverOptions::default()
    };
    let libclang = load_libclang(global)?;
    let options = PairOptions {
        files,
        functions: &arguments.select.function,
        compile,
        directory: existing(Path::new("."))?,
        how: options(&work, jobs(global), &arguments.comparing),
    };
    let stop = Stop { interrupt: &interrupt, deadline: None };
    let paired = compare(&libclang, &options, stop).map_err(failure)?;
    for LeftOut { name, why } in &paired.left_out {
        console.note(format_args!("{name}() is not compared: {why}"));
    }
    let names = options.files.each_ref().map(|file| visible::path(Path::new(file.file_name().unwrap_or_default())));
    let table = pair::Table { paired: &paired, names: shown(&names, &options.files) };
    match arguments.format {
        EquivFormat::Text => {
            let mut page = Page::default();
            table.write_text(&mut page)?;
            terminal::print(&page)?;
        }
        EquivFormat::Json => terminal::write_data(|out| table.write_array(out))?,
        EquivFormat::Jsonl => terminal::write_data(|out| table.write_lines(out))?,
    }
    expect_whole(&interrupt)?;
    verdict(&paired)
}

/// The names of the files, or their paths if the names are the same.
fn shown(names: &[String; 2], files: &[PathBuf; 2]) -> [String; 2] {
    match names[0] == names[1] {
        true => files.each_ref().map(|file| visible::path(file)),
        false => names.clone(),
    }
}

fn failure(error: PairError) -> Failure {
    match error {
        PairError::Equiv(error) => error.into(),
        PairError::NoFunction { .. } | PairError::Signature { .. } => Failure::usage(error),
        PairError::NothingInCommon { .. } => Failure::nothing(error),
        PairError::DoesNotCompile { .. } | PairError::Unreadable { .. } => Failure::unusable(error),
    }
}

/// The exit code: that for a difference, if there is one, before that for an unknown function.
fn verdict(paired: &Paired) -> Result<(), Failure> {
    let count = |is: &dyn Fn(&Equivalence) -> bool| paired.functions.iter().filter(|one| is(&one.verdict)).count();
    let different = count(&|verdict| matches!(verdict, Equivalence::Different(_)));
    let unknown = count(&|verdict| matches!(verdict, Equivalence::Unknown { .. } | Equivalence::Refused));
    let other = paired.left_out.iter().filter(|one| matches!(one.why, NotCompared::Signature { .. })).count();
    let all = plural(paired.functions.len() + other, "function");
    let ended = |exit: Exit, count: usize, what: &str| {
        let is = if count == 1 { "is" } else { "are" };
        Err(Failure { exit, error: anyhow::anyhow!("{count} of {all} {is} {what}") })
    };
    match (different, unknown + other) {
        (0, 0) => Ok(()),
        (0, open) => ended(Exit::Undecided, open, "neither different nor equivalent as far as is known"),
        (different, _) => ended(Exit::BelowThreshold, different, "different"),
    }
}
