//! `perturb doctor`: checks each thing that perturb needs, says what to do, and lists the files under test.

mod machine;

use super::run::{limits, test_options, test_timeout};
use crate::args::{Doctor, Global, Select, TestArguments};
use crate::console::{last_lines, Console};
use crate::exit::Failure;
use crate::formats::{plural, time};
use crate::page::{Page, Style};
use crate::session::{self, Session};
use crate::{interrupts, terminal, visible};
use anstyle::AnsiColor;
use perturb_cell::Sandbox;
use perturb_csrc::{Libclang, OLDEST};
use perturb_host::{
    build_command, find_clang, install_hint, CompileCommand, CompilerProbe, Interrupt, Project, Role, TestSetup,
};
use perturb_model::{Event, Test};
use perturb_pipeline::analysis::{try_tests, TrialOptions};
use perturb_pipeline::PipelineError;
use perturb_store::StoreReader;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Result;
use std::path::PathBuf;
use std::sync::Arc;

const OK: Style = Style::bold(AnsiColor::Green);
const FAIR: Style = Style::bold(AnsiColor::Yellow);
const BAD: Style = Style::bold(AnsiColor::Red);
const HEAD: Style = Style::BOLD;

pub fn run(global: &Global, arguments: &Doctor, console: &Console) -> std::result::Result<(), Failure> {
    let mut report = Report::default();
    let libclang = session::load_libclang(global);
    match &libclang {
        Ok(libclang) => report.libclang(libclang)?,
        Err(failure) => report.bad("libclang", &failure.error.to_string())?,
    }
    report.clang()?;
    let select = Select::default();
    match Session::open(global, &select, console) {
        Err(failure) => {
            // A missing libclang is reported above.
            if libclang.is_ok() {
                report.bad("project", &format!("{:#}", failure.error))?;
            }
        }
        Ok(session) => {
            let system = &session.project.build_system;
            let files = session.project.files();
            report.good("project", &format!("{system}, {} compiled", plural(files, "file")))?;
            report.compilers(&session.project)?;
            let mutated = report.parsing(&session, &select, console)?;
            match build_command(&session.project, &session.discover) {
                Err(error) => report.fair("build", &format!("mutants can be listed but not run: {error}"))?,
                Ok(_) if arguments.tests => report.trial(&session, console)?,
                Ok(command) => {
                    let last = LastBaseline::read(&session);
                    let how = format!("in a copy, with `{command}`");
                    match &last {
                        Some(_) => report.good("build", &how)?,
                        None => report.untried("build", &how)?,
                    }
                    report.tests(&session, last)?;
                }
            }
            report.machine(&session)?;
            report.files(&session.project, mutated)?;
        }
    }
    match report.problems {
        0 => Ok(()),
        1 => Err(Failure::unusable_text("one thing needs attention: see above")),
        count => Err(Failure::unusable_text(format!("{count} things need attention: see above"))),
    }
}

#[derive(Default)]
struct Report {
    problems: usize,
}

impl Report {
    fn good(&mut self, what: &str, text: &str) -> Result<()> {
        self.line(OK, "ok", what, text)
    }

    /// It works, and could be better.
    fn fair(&mut self, what: &str, text: &str) -> Result<()> {
        self.line(FAIR, "--", what, text)
    }

    /// It is how perturb would do it, and nobody knows yet whether it works.
    fn untried(&mut self, what: &str, text: &str) -> Result<()> {
        self.line(FAIR, "??", what, &format!("not tried: {text}"))
    }

    fn bad(&mut self, what: &str, text: &str) -> Result<()> {
        self.problems += 1;
        self.line(BAD, "!!", what, text)
    }

    fn line(&mut self, style: Style, word: &str, what: &str, text: &str) -> Result<()> {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let mut page = Page::default();
        writeln!(page, "{style}{word}{style:#}  {what:<10} {first}")?;
        page.lines("               ", rest);
        terminal::print(&page)
    }

    fn libclang(&mut self, libclang: &Libclang) -> Result<()> {
        let (version, path) = (libclang.version(), visible::path(libclang.path()));
        match libclang.resource_include() {
            Some(_) => self.good("libclang", &format!("version {version}, {path}")),
            None => self.bad(
                "libclang",
                &format!(
                    "version {version}, {path}, but without clang's own headers: apt-get install \
                     libclang-common-{version}-dev"
                ),
            ),
        }
    }

    /// Looks for a clang, which only proofs need.
    fn clang(&mut self) -> Result<()> {
        let hint = install_hint("clang");
        let Some(clang) = find_clang() else {
            return self.fair("clang", &format!("none found: `perturb equiv` proves nothing without one: {hint}"));
        };
        let (directory, file) = (PathBuf::from("/"), PathBuf::from("/unit.c"));
        let command = CompileCommand { directory, file, arguments: vec![visible::name(&clang).into_owned()] };
        match CompilerProbe::new().probe(&command) {
            Ok(facts) if facts.version.0 >= OLDEST => {
                self.good("clang", &format!("{}, {}: for proofs", visible::path(&facts.program), facts.version_line))
            }
            Ok(facts) => {
                let (program, version) = (visible::path(&facts.program), &facts.version_line);
                self.fair("clang", &format!("{program}, {version}: proofs need {OLDEST} or later: {hint}"))
            }
            Err(error) => self.fair("clang", &format!("it cannot be asked: {error}")),
        }
    }

    fn compilers(&mut self, project: &Project) -> Result<()> {
        let probe = CompilerProbe::new();
        let mut failed = BTreeSet::new();
        for unit in project.units_under_test() {
            if let Err(error) = probe.probe(&unit.command) {
                failed.insert(error.to_string());
            }
        }
        let known: BTreeSet<_> = probe
            .all()
            .iter()
            .map(|facts| format!("{}, {} for {}", visible::path(&facts.program), facts.version_line, facts.target))
            .collect();
        for compiler in known {
            self.good("compiler", &compiler)?;
        }
        failed.iter().try_for_each(|error| self.bad("compiler", error))
    }

    /// Parses all files, to report what clang does not understand before a run depends on it. Returns the files that
    /// have mutants.
    fn parsing(&mut self, session: &Session, select: &Select, console: &Console) -> Result<BTreeSet<String>> {
        let mut bad = Vec::new();
        let mut flags = Vec::new();
        let mutants = session.mutants_reporting(select, &mut |event| match event {
            Event::ParseErrors { file, first, .. } => {
                let position = visible::path(first.file.as_deref().unwrap_or(&file));
                bad.push(format!("{position}:{}:{}: {}", first.line, first.column, first.message));
            }
            Event::UnitSkipped { file, reason } => bad.push(format!("{}: {reason}", visible::path(&file))),
            Event::FlagsLeftOut { flags: left_out } => flags = left_out,
            other => console.event(&other),
        });
        let mutated = mutants.iter().flatten().map(|mutant| visible::path(&mutant.file.relative)).collect();
        match (mutants, bad.first()) {
            (Err(failure), _) => self.bad("parsing", &failure.error.to_string())?,
            (Ok(mutants), None) => self.good("parsing", &format!("no errors, {}", plural(mutants.len(), "mutant")))?,
            (Ok(mutants), Some(first)) => self.bad(
                "parsing",
                &format!(
                    "{} not fully understood ({} in the rest); first:\n{first}\n\
                     usually a header is missing: build the project once, or install what it needs",
                    plural(bad.len(), "file"),
                    plural(mutants.len(), "mutant")
                ),
            )?,
        }
        if !flags.is_empty() {
            self.good("flags", &format!("left out for parsing, clang does not know them: {}", flags.join(" ")))?;
        }
        Ok(mutated)
    }

    /// Reports what is known about the tests without building them. They are well only if they passed in a run.
    fn tests(&mut self, session: &Session, last: Option<LastBaseline>) -> Result<()> {
        let setup = TestSetup::find(&session.project);
        let written = written_with(&setup);
        let more = "`perturb doctor --tests` builds the project and runs them twice";
        let how = match (&session.config.tests.command, &setup.runner) {
            (Some(command), _) => format!("run by `{command}`"),
            (None, Some(runner)) => format!("run by {runner}{written}"),
            (None, None) => format!("programs of the build{written}"),
        };
        let is_named = session.config.tests.command.is_some() || setup.runner.is_some();
        match last {
            Some(last) if last.passed > 0 => self.good("tests", &format!("{how}; {last}\n{more}")),
            Some(last) => self.fair("tests", &format!("{how}; {last}\n{more}")),
            None if is_named => self.untried("tests", &format!("{how}\n{more}")),
            None => self.fair(
                "tests",
                &format!(
                    "the build files name none{written}: `perturb doctor --tests` builds the project and looks for \
                     programs that are tests;\nif a command runs them, write it in perturb.toml: [tests] command = \
                     \"./run-test {{test}}\""
                ),
            ),
        }
    }

    /// Builds the project and runs its tests twice.
    fn trial(&mut self, session: &Session, console: &Console) -> Result<()> {
        let interrupt = Arc::new(Interrupt::default());
        interrupts::watch(interrupt.clone())?;
        let none = TestArguments::default();
        let confinement = match session.config.sandbox.confinement(Sandbox::FULL, &session.project.root) {
            Ok(confinement) => confinement,
            Err(error) => return self.bad("sandbox", &error.to_string()),
        };
        let options = TrialOptions {
            work: session.work.clone(),
            discover: session.discover.clone(),
            tests: test_options(&none, &session.config),
            jobs: session.jobs,
            test_timeout: test_timeout(&none, &session.config),
            limits: limits(&none, &session.config),
            confinement,
        };
        let mut left_out = Vec::new();
        let mut notices = Vec::new();
        let mut built = None;
        let tests = try_tests(&session.project, &options, &interrupt, &mut |event| match event {
            Event::TestLeftOut { test, why, output } => {
                let output: String = last_lines(&output).iter().map(|line| format!("\n  | {line}")).collect();
                left_out.push(format!("{}: {why}{output}", visible::line(test.as_str())));
            }
            Event::TestsFound { notices: found, .. } => notices = found,
            Event::BuildFinished { wall, .. } => {
                built = Some(wall);
                console.clear();
            }
            Event::BaselineFinished { .. } => console.clear(),
            other => console.event(&other),
        });
        console.clear();
        if let Some(wall) = built.filter(|_| !matches!(tests, Err(PipelineError::BuildFailed { .. }))) {
            self.good("build", &format!("took {}", time::duration(wall)))?;
        }
        notices.iter().try_for_each(|notice| self.fair("tests", &notice.to_string()))?;
        match tests {
            Err(error @ PipelineError::BuildFailed { .. }) => self.bad("build", &error.to_string()),
            Err(error) => self.bad("tests", &error.to_string()),
            Ok(tests) => self.tried(&session.project, &tests, &left_out),
        }
    }

    fn tried(&mut self, project: &Project, tests: &[Test], left_out: &[String]) -> Result<()> {
        let passing = || tests.iter().filter(|test| test.takes_part());
        let passed = passing().count();
        let of = plural(tests.len(), "test");
        let round = time::duration(passing().map(|test| test.wall).sum());
        let setup = TestSetup::find(project);
        let runner = setup.runner.as_ref().map(|runner| format!(", run by {runner}")).unwrap_or_default();
        let written = format!("{runner}{}", written_with(&setup));
        let rest = left_out.join("\n");
        match passed {
            0 => self.bad("tests", &format!("{of}{written}, and none passes twice:\n{rest}")),
            _ if left_out.is_empty() => {
                self.good("tests", &format!("{of}{written}, passing twice; one round takes {round}"))
            }
            _ => self.fair(
                "tests",
                &format!("{passed} of {of}{written} pass twice; one round takes {round}; a run leaves out:\n{rest}"),
            ),
        }
    }

    /// Lists compiled files by their role. Headers are under test if they have mutants.
    fn files(&mut self, project: &Project, mutated: BTreeSet<String>) -> Result<()> {
        let mut roles: BTreeMap<String, String> = BTreeMap::new();
        let mut under_test = mutated;
        for unit in &project.units {
            let file = visible::path(project.relative(&unit.command.file).unwrap_or(&unit.command.file));
            match &unit.role {
                Role::UnderTest => {
                    under_test.insert(file);
                }
                role => {
                    roles.insert(file, role.to_string());
                }
            }
        }
        if under_test.is_empty() {
            self.bad("files", "nothing is under test: name the files with `include` in perturb.toml")?;
        }
        let mut page = Page::default();
        writeln!(page)?;
        writeln!(page, "{HEAD}under test ({}){HEAD:#}", under_test.len())?;
        for file in &under_test {
            writeln!(page, "    {file}")?;
        }
        writeln!(page, "{HEAD}not under test ({}){HEAD:#}", roles.len())?;
        let widest = roles.keys().map(|file| file.chars().count()).max().unwrap_or_default();
        for (file, role) in &roles {
            writeln!(page, "    {file:widest$}  {role}")?;
        }
        terminal::print(&page)
    }
}

fn written_with(setup: &TestSetup) -> String {
    let frameworks: Vec<_> = setup.frameworks.iter().map(ToString::to_string).collect();
    if frameworks.is_empty() {
        String::new()
    } else {
        format!(", written with {}", frameworks.join(", "))
    }
}

/// The baseline of the last run.
struct LastBaseline {
    passed: usize,
    tests: usize,
    when: String,
}

impl LastBaseline {
    /// None if there was no run, or it ran no tests.
    fn read(session: &Session) -> Option<Self> {
        let reader = StoreReader::open(&session.work).ok()?;
        let run = reader.run(reader.latest().ok()??).ok()?;
        let passed = run.tests.iter().filter(|test| test.takes_part()).count();
        let when = time::date(run.started);
        (!run.tests.is_empty()).then_some(Self { passed, tests: run.tests.len(), when })
    }
}

impl std::fmt::Display for LastBaseline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} passed in the run of {}", self.passed, plural(self.tests, "test"), self.when)
    }
}
