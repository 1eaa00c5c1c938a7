//! Why a list of mutants is empty: which option of the selection left none.

use crate::args::Select;
use crate::console::Console;
use crate::exit::Failure;
use crate::session::Session;
use crate::visible;
use perturb_host::Role;
use perturb_model::{Event, Mutant, Selection};
use std::collections::BTreeSet;
use std::path::Path;

/// The error for an empty list. Lists the mutants again without filters, to find the filter that removed them all.
pub fn explain(session: &Session, select: &Select, console: &Console) -> Failure {
    let project = &session.project;
    if project.units_under_test().count() == 0 {
        let tests = project.units.iter().filter(|unit| matches!(unit.role, Role::Test(_))).count();
        return Failure::nothing(format!(
            "nothing to mutate: of {} compiled files {tests} count as tests and none is under test; \
             see `perturb doctor`, and name the files under test with `include` in perturb.toml",
            project.files()
        ));
    }
    let everything = Select { flags: select.flags.clone(), mutate_macros: select.mutate_macros, ..Select::default() };
    let mut report = |event| match event {
        Event::MutateStarted { .. } | Event::UnitMutated { .. } | Event::MutateFinished { .. } => console.event(&event),
        // All other events were reported the first time.
        _ => {}
    };
    let all = match session.mutants_in(&everything, Selection::default(), &mut report) {
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
            format!("no mutant that is selected has the id {}", visible::line(&select.mutant.join(" or ")))
        }
        0 => "no mutant is on those lines".to_string(),
        count => {
            let operators = select.operators.as_deref().unwrap_or("the configured operators");
            format!("{count} mutants are selected, but none of {}", visible::line(operators))
        }
    }
}

/// Why a file or folder has no mutant.
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
            "{shown} has no code that is compiled, and no inline function that is used; \
             `perturb doctor` lists the files"
        ),
    }
}

fn no_function(asked: &[String], known: &BTreeSet<&str>) -> String {
    let is_similar = |name: &&&str| {
        let name = name.to_lowercase();
        asked.iter().any(|asked| name.contains(&asked.to_lowercase()) || asked.to_lowercase().contains(&name))
    };
    let similar: Vec<_> = known.iter().filter(is_similar).take(5).copied().collect();
    let hint = match similar.is_empty() {
        true => String::new(),
        false => format!("; there is {}", visible::line(&similar.join(", "))),
    };
    format!("no function {} has a mutant{hint}", visible::line(&asked.join(", ")))
}
