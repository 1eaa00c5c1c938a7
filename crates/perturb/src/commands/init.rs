//! `perturb init`: writes a commented configuration with what it found.

use crate::args::{Global, Select};
use crate::config::{self, Config};
use crate::console::Console;
use crate::exit::Failure;
use crate::page::Page;
use crate::target::Target;
use crate::{session, terminal, visible};
use anyhow::Context;
use perturb_host::{BuildSystem, Project, Role, TestSetup};

pub fn run(global: &Global, console: &Console) -> Result<(), Failure> {
    let target = Target::find(global, &Select::default(), console)?;
    let file = target.folder.join(config::FILE_NAME);
    if file.exists() {
        let file = visible::path(&file);
        return Err(Failure::usage_text(format!("{file} is already there: edit it, or move it away to start anew")));
    }
    let project = session::discover(global, &Config::default(), &target, &Select::default(), console)?;
    console.notices(&project.notices);
    let tests = TestSetup::find(&project);
    let text = configuration(&project, &tests, global);
    std::fs::write(&file, text)
        .with_context(|| format!("cannot write {}", visible::path(&file)))
        .map_err(Failure::unusable)?;
    let mut page = Page::default();
    let under_test = project.units_under_test().count();
    let test_files = project.units.iter().filter(|unit| matches!(unit.role, Role::Test(_))).count();
    writeln!(page, "build       {}", project.build_system)?;
    writeln!(page, "tests       {}", described(&tests))?;
    writeln!(page, "files       {under_test} under test, {test_files} of tests")?;
    writeln!(page, "wrote       {}", visible::path(&file))?;
    writeln!(page, "next        perturb run")?;
    Ok(terminal::print(&page)?)
}

fn described(tests: &TestSetup) -> String {
    let frameworks: Vec<_> = tests.frameworks.iter().map(ToString::to_string).collect();
    match (&tests.runner, frameworks.is_empty()) {
        (None, true) => "none found".to_string(),
        (None, false) => frameworks.join(", "),
        (Some(runner), true) => runner.to_string(),
        (Some(runner), false) => format!("{runner} ({})", frameworks.join(", ")),
    }
}

/// The sections about functions and generated tests.
const FUNCTIONS: &str = "[testgen]
# How far floats may be from what a generated test expects; 0 compares all bits.
# float_tolerance = 0

[contracts]
# What functions may be given, for `perturb equiv`, `testgen` and `run`; `perturb testgen` proposes lines.
# \"src/ring.c:ring_put\" = \"@perturb(sym[1], 0..255)\"
";

/// The section about the sandbox, which is the same for all projects.
const SANDBOX: &str = "[sandbox]
# Tests run in a sandbox: no network, no devices, and no writing but in a copy of this project.
# What all tests need nonetheless, and how much they may write:
# network = true
# write = [\"/var/lib/thing\"]
# devices = [\"/dev/ttyUSB0\"]
# scratch = \"1G\"
# What only some tests need, by patterns of their names:
# [[sandbox.test]]
# names = [\"net_*\"]
# network = true
";

fn configuration(project: &Project, tests: &TestSetup, global: &Global) -> String {
    let build = match &project.build_system {
        BuildSystem::Command(command) => format!("build = {}", toml::Value::from(command.as_str())),
        _ => "# build = \"make -j2\"".to_string(),
    };
    let database = match &project.build_system {
        BuildSystem::CompileDatabase(path) if global.compile_commands.is_some() => {
            format!("compile_commands = {}", toml::Value::from(visible::name(path).into_owned()))
        }
        _ => "# compile_commands = \"build/compile_commands.json\"".to_string(),
    };
    format!(
        "\
# Configuration of perturb. Everything here is optional: perturb finds out what is not set.
# Found by `perturb init`: {system}; tests: {tests}.

[project]
# The command that builds the project, if it uses neither CMake nor Meson. It runs in a copy, never in this folder.
{build}
# A compile database to use, instead of one from the build.
{database}
# Further arguments for cmake or meson, such as [\"-DENABLE_TESTS=ON\"].
# configure = []
# perturb finds out which files are under test: not those that only test programs link, and not those in folders that
# are named for tests. Patterns (relative to this file) correct that; `exclude` has the last word. `perturb doctor`
# lists the result.
# include = [\"src/**\"]
# exclude = [\"third_party/**\"]

[mutants]
# mass (all 13 operators), sufficient, oodl, sdl, sdl+oodl, or acronyms such as \"ROR,AOR,SDL\".
operators = \"mass\"
# Calls and macros that are not mutated, nor their arguments; assertions never are. For example logging:
# never_in = [\"LOG_*\"]
# Mutate the bodies of the project's own macros too.
# mutate_macros = true

[tests]
# Found: {tests}. `perturb doctor --tests` builds the project, counts its tests and runs them twice.
# Patterns of names: only these tests are run, or all but these.
# only = [\"ring_*\"]
# exclude = [\"*_slow\"]
# A GoogleTest or Catch2 program is one test for each of its cases; this takes it as one.
# whole_programs = true
# How long a test may take on the original, in seconds, unless the project says so itself.
# timeout = 300
# How much memory each process of a test may use on a mutant; \"unlimited\" for no limit.
# memory = \"2G\"
# If perturb does not find the tests: a command that runs the test named {{test}} in a copy of this folder ({{build}}
# is the build folder), with the names of the tests or a command that prints them, one per line.
# command = \"./run-tests {{test}}\"
# names = [\"push\", \"pop\"]
# list = \"./run-tests --list\"

[run]
# A mutant that only makes the compiler warn is a mutant, even if the project builds with -Werror; with \"errors\" it
# counts as one that does not compile.
# warnings = \"ignored\"
# Compare the code that the compiler makes of mutants, to find equivalent ones and duplicates: \"on\", \"live\" (only
# live mutants), or \"off\".
# tce = \"on\"
# Compare mutants that live with the original, function by function: \"live\", or \"off\".
# equivalence = \"live\"

{FUNCTIONS}
{SANDBOX}",
        system = project.build_system,
        tests = described(tests),
    )
}
