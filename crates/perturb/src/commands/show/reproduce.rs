//! The commands that reproduce what a test makes of a mutant: with perturb, and without it.

use super::stored::StoredMutant;
use crate::args::{Cli, Command, Global, TestArguments};
use crate::page::Page;
use crate::session::Session;
use crate::visible;
use clap::Parser;
use perturb_host::shell_path;
use perturb_model::{Mutant, MutantId, Outcome, ProvedBy};
use std::io::Result;
use std::path::Path;

/// Writes the commands that try a mutant again.
pub fn write(session: &Session, global: &Global, mutant: &Mutant, stored: &StoredMutant, out: &mut Page) -> Result<()> {
    let Ok(build) = perturb_host::build_command(&session.project, &session.discover) else {
        writeln!(out)?;
        return writeln!(out, "To try it by hand: {}", applied(global, mutant, "DIR"));
    };
    writeln!(out)?;
    writeln!(
        out,
        "To see it for yourself, built by itself (`perturb run` also reports what it knows about all other mutants)"
    )?;
    writeln!(out, "    {}", Rerun::new(global, &stored.run.arguments).of(mutant.id, stored.outcome()))?;
    writeln!(out, "or by hand")?;
    let root = shell_path(&session.project.root);
    writeln!(out, "    d=$(mktemp -d) && cp -a {root} \"$d/tree\"")?;
    writeln!(out, "    {}", applied(global, mutant, "\"$d/tree\""))?;
    writeln!(out, "    cd \"$d\" && {build}")?;
    if let Some(test) = stored.test_to_try() {
        writeln!(out, "    ({})", test.command)?;
    }
    write_code(global, mutant, stored, out)
}

/// Writes how to compare the compiled code of the mutant with that which it equals.
fn write_code(global: &Global, mutant: &Mutant, stored: &StoredMutant, out: &mut Page) -> Result<()> {
    let (level, other) = match stored.outcome() {
        Outcome::Equivalent { by: ProvedBy::SameFunction { level } | ProvedBy::SameUnit { level } } => (level, None),
        Outcome::Duplicate { of, level } => (level, Some(of)),
        _ => return Ok(()),
    };
    let file = visible::path(&mutant.file.relative);
    writeln!(out, "and its code: compile both files as your build does, with {level} -g0 -S, and compare")?;
    writeln!(out, "    {}", applied(global, mutant, "DIR"))?;
    match other {
        Some(other) => {
            let words = [vec!["perturb".to_string(), "apply".to_string()], globals(global), vec![other.to_string()]];
            writeln!(out, "    {} --to OTHER    # {file} is in both", joined(&words.concat()))
        }
        None => writeln!(out, "    # DIR/{file} and {file}"),
    }
}

/// The command that executes a mutant again, built by itself.
#[derive(Debug)]
pub struct Rerun {
    globals: Vec<String>,
    tests: Vec<String>,
}

impl Rerun {
    /// Takes the options that choose the project from this command line, those about tests from that of the run.
    pub fn new(global: &Global, arguments: &[String]) -> Self {
        Self { globals: globals(global), tests: test_options(arguments) }
    }

    pub fn of(&self, mutant: MutantId, outcome: &Outcome) -> String {
        let mut words = vec!["perturb".to_string(), "run".to_string()];
        words.extend_from_slice(&self.globals);
        words.extend(["--mutant".to_string(), mutant.to_string(), "--engine".to_string(), "rebuild".to_string()]);
        if outcome.lacks_infecting_test() || outcome.is_redundant() {
            // Otherwise perturb would choose no test for it.
            words.extend(["--run-tests", "all"].map(String::from));
        }
        // Only the tests decide here, not its code or its function.
        words.extend(["--tce", "off", "--equivalence", "off"].map(String::from));
        words.extend_from_slice(&self.tests);
        joined(&words)
    }
}

fn applied(global: &Global, mutant: &Mutant, to: &str) -> String {
    let words =
        [vec!["perturb".to_string(), "apply".to_string()], globals(global), vec![mutant.id.to_string()]].concat();
    format!("{} --to {to}", joined(&words))
}

/// The options of this command line that choose the project.
pub fn globals(global: &Global) -> Vec<String> {
    let Global { project, work, config, build, compile_commands, .. } = global;
    let path = |path: &Option<std::path::PathBuf>| path.as_deref().map(|path: &Path| visible::name(path).into_owned());
    let options = [
        ("-C", path(project)),
        ("--work", path(work)),
        ("--config", path(config)),
        ("--build", build.clone()),
        ("--compile-commands", path(compile_commands)),
    ];
    options.into_iter().filter_map(|(name, value)| Some([name.to_string(), value?])).flatten().collect()
}

/// The options about tests on the command line of the run.
fn test_options(arguments: &[String]) -> Vec<String> {
    let typed = std::iter::once("perturb").chain(arguments.iter().map(String::as_str));
    let Ok(Cli { command: Command::Run(run), .. }) = Cli::try_parse_from(typed) else { return Vec::new() };
    // All fields by name, so that a new option cannot be forgotten here.
    let TestArguments {
        test_command,
        names,
        list_tests,
        only_tests,
        without_tests,
        whole_programs,
        test_timeout,
        test_memory,
    } = run.tests;
    let one = |name: &str, value: Option<String>| value.map(|value| vec![name.to_string(), value]).unwrap_or_default();
    let many =
        |name: &str, values: Vec<String>| values.into_iter().flat_map(|value| [name.to_string(), value]).collect();
    [
        one("--test-command", test_command),
        many("--test", names),
        one("--list-tests", list_tests),
        many("--only-tests", only_tests),
        many("--without-tests", without_tests),
        if whole_programs { vec!["--whole-programs".to_string()] } else { Vec::new() },
        one("--test-timeout", test_timeout.map(|time| format!("{}s", time.as_secs_f64()))),
        one("--test-memory", test_memory.map(|memory| memory.to_string())),
    ]
    .concat()
}

pub fn joined(words: &[String]) -> String {
    words.iter().map(|text| word(text)).collect::<Vec<_>>().join(" ")
}

fn word(text: &str) -> String {
    shlex::try_quote(text).map_or_else(|_| text.to_string(), |word| word.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_options_about_tests_are_taken_from_the_run() {
        let typed = ["run", "--budget", "10m", "--test-command", "./t {test}", "--test", "a b", "--test-timeout", "2m"];
        let again = test_options(&typed.map(String::from));
        assert_eq!(again, ["--test-command", "./t {test}", "--test", "a b", "--test-timeout", "120s"]);
        assert_eq!(joined(&again), "--test-command './t {test}' --test 'a b' --test-timeout 120s");
        assert!(test_options(&["report".to_string()]).is_empty());
        assert!(test_options(&["run", "--an-option-of-tomorrow"].map(String::from)).is_empty());
    }
}
