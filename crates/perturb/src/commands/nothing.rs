//! Why a list of mutants is empty: which part of what was asked for emptied it.

use crate::args::Select;
use crate::console::Console;
use crate::exit::Failure;
use crate::session::Session;
use crate::visible;
use perturb_host::Role;
use perturb_model::{Event, Mutant, Selection};
use std::collections::BTreeSet;
use std::path::Path;

/// The error for an empty list. Lists once more without filters, to see what they took away.
pub fn explain(session: &Session, select: &Select, console: &Console) -> Failure {
    let project = &session.project;
    if project.units_under_test().count() == 0 {
        let tests = project.units.iter().filter(|unit| matches!(unit.role, Role::Test(_))).count();
        return Failure::nothing(format!(
            "nothing to mutate: of {} compiled files {tests} count as tests and none is under test; see `perturb doctor`, \
             and name the files under test with `include` in perturb.toml",
            project.files()
        ));
    }
    let everything = Select { flags: select.flags.clone(), mutate_macros: select.mutate_macros, ..Select::default() };
    let mut tell = |event| match event {
        Event::MutateStarted { .. } | Event::UnitMutated { .. } | Event::MutateFinished { .. } => console.event(&event),
        // All else was told the first time.
        _ => {}
    };
    let all = match session.mutants_in(&everything, Selection::default(), &mut tell) {
        Ok(all) => all,
        Err(failure) => return failure,
    };
    Failure::nothing(format!("nothing to mutate: {}", reason(session, select, &all)))
}

fn reason(session: &Session, select: &Select, all: &[Mutant]) -> String {
    if all.is_empty() {
        let files = session.project.units_under_test().count();
        return format!("no operator applies in the {files} files under test");
    }
    let Ok(selection) = session.selection(select) else { return "see `perturb doctor`".to_string() };
    let in_paths = |mutant: &&Mutant| selection.takes_file(&mutant.file.relative);
    if !all.iter().any(|mutant| in_paths(&mutant)) {
        let asked: Vec<_> = selection.paths.iter().map(|path| no_mutant_in(session, path)).collect();
        return if asked.is_empty() { "no mutant is on those lines".to_string() } else { asked.join("; ") };
    }
    let in_functions = |mutant: &&Mutant| selection.takes_function(mutant.function());
    if !all.iter().filter(in_paths).any(|mutant| in_functions(&mutant)) {
        let known: BTreeSet<_> = all.iter().filter(in_paths).filter_map(|mutant| mutant.function()).collect();
        return no_function(&select.function, &known);
    }
    match all.iter().filter(|mutant| selection.takes(mutant)).count() {
        0 if !select.mutant.is_empty() => {
            format!("no mutant that was asked for has the id {}", visible::line(&select.mutant.join(" or ")))
        }
        0 => "no mutant is on those lines".to_string(),
        count => {
            let operators = select.operators.as_deref().unwrap_or("the configured operators");
            format!("{count} mutants are in what was asked for, none of {}", visible::line(operators))
        }
    }
}

/// What a file or folder is, when it holds no mutant.
fn no_mutant_in(session: &Session, path: &Path) -> String {
    let project = &session.project;
    let shown = visible::path(path);
    let mut roles = project.units.iter().filter_map(|unit| {
        let relative = project.relative(&unit.command.file)?;
        relative.starts_with(path).then_some(&unit.role)
    });
    match roles.next() {
        Some(Role::UnderTest) => format!("no operator applies in {shown}"),
        Some(role) => format!("{shown} is not under test ({role}); `include` in perturb.toml changes that"),
        None => format!(
            "{shown} holds no code that is compiled, nor an inline function that is; `perturb doctor` lists what is"
        ),
    }
}

fn no_function(asked: &[String], known: &BTreeSet<&str>) -> String {
    let alike = |name: &&&str| {
        let name = name.to_lowercase();
        asked.iter().any(|asked| name.contains(&asked.to_lowercase()) || asked.to_lowercase().contains(&name))
    };
    let near: Vec<_> = known.iter().filter(alike).take(5).copied().collect();
    let near = if near.is_empty() { String::new() } else { format!("; there is {}", visible::line(&near.join(", "))) };
    format!("no function {} has a mutant{near}", visible::line(&asked.join(", ")))
}
