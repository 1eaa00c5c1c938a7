//! `perturb doctor`: each thing perturb needs, with ok or what to do, and which files are under test.

use crate::args::{Global, Select};
use crate::console::Console;
use crate::exit::Failure;
use crate::session::{self, Session};
use anstyle::{AnsiColor, Style};
use perturb_csrc::Libclang;
use perturb_host::{CompilerProbe, Project, Role, TestSetup};
use perturb_pipeline::Event;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Result, Write};

const OK: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const HEAD: Style = Style::new().bold();

pub fn run(global: &Global, console: &Console) -> std::result::Result<(), Failure> {
    let mut report = Report { out: anstream::stdout(), problems: 0 };
    let libclang = session::load_libclang(global);
    match &libclang {
        Ok(libclang) => report.libclang(libclang)?,
        Err(failure) => report.bad("libclang", &failure.error.to_string())?,
    }
    let select = Select::default();
    match Session::open(global, &select, console) {
        Err(failure) => {
            // Already told above if libclang is what is missing.
            if libclang.is_ok() {
                report.bad("project", &format!("{:#}", failure.error))?;
            }
        }
        Ok(session) => {
            report.good(
                "project",
                &format!("{}, {} files compiled", session.project.build_system, session.project.files()),
            )?;
            report.compilers(&session.project)?;
            let mutated = report.parsing(&session, &select, console)?;
            report.tests(&session.project)?;
            report.files(&session.project, mutated)?;
        }
    }
    match report.problems {
        0 => Ok(()),
        1 => Err(Failure::unusable_text("one thing needs attention: see above")),
        count => Err(Failure::unusable_text(format!("{count} things need attention: see above"))),
    }
}

struct Report<W> {
    out: W,
    problems: usize,
}

impl<W: Write> Report<W> {
    fn good(&mut self, what: &str, text: &str) -> Result<()> {
        writeln!(self.out, "{OK}ok{OK:#}  {what:<10} {text}")
    }

    fn bad(&mut self, what: &str, text: &str) -> Result<()> {
        self.problems += 1;
        writeln!(self.out, "{BAD}!!{BAD:#}  {what:<10} {text}")
    }

    fn libclang(&mut self, libclang: &Libclang) -> Result<()> {
        let (version, path) = (libclang.version(), libclang.path().display());
        match libclang.resource_include() {
            Some(_) => self.good("libclang", &format!("version {version}, {path}")),
            None => self.bad(
                "libclang",
                &format!("version {version}, {path}, but without clang's own headers: apt-get install libclang-common-{version}-dev"),
            ),
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
            .map(|facts| format!("{}, {} for {}", facts.program.display(), facts.version_line, facts.target))
            .collect();
        for compiler in known {
            self.good("compiler", &compiler)?;
        }
        failed.iter().try_for_each(|error| self.bad("compiler", error))
    }

    /// Parses everything, so that what clang does not understand is known before anything depends on it.
    /// Returns the files that hold mutants.
    fn parsing(&mut self, session: &Session, select: &Select, console: &Console) -> Result<BTreeSet<String>> {
        let (mut bad, mut flags) = (Vec::new(), Vec::new());
        let mutants = session.mutants_telling(select, &mut |event| match event {
            Event::ParseErrors { file, first, .. } => {
                let place = first.file.as_deref().unwrap_or(&file).display().to_string();
                bad.push(format!("{place}:{}:{}: {}", first.line, first.column, first.message));
            }
            Event::UnitSkipped { file, reason } => bad.push(format!("{}: {reason}", file.display())),
            Event::FlagsLeftOut { flags: left_out } => flags = left_out,
            other => console.event(&other),
        });
        let mutated = mutants.iter().flatten().map(|mutant| mutant.file.relative.display().to_string()).collect();
        match (mutants, bad.first()) {
            (Err(failure), _) => self.bad("parsing", &failure.error.to_string())?,
            (Ok(mutants), None) => self.good("parsing", &format!("no errors, {} mutants", mutants.len()))?,
            (Ok(mutants), Some(first)) => self.bad(
                "parsing",
                &format!(
                    "{} files are not understood whole ({} mutants in the rest); first:\n               {first}\n               \
                     usually a header is missing: build the project once, or install what it needs",
                    bad.len(),
                    mutants.len()
                ),
            )?,
        }
        if !flags.is_empty() {
            self.good("flags", &format!("left out for parsing, clang does not know them: {}", flags.join(" ")))?;
        }
        Ok(mutated)
    }

    fn tests(&mut self, project: &Project) -> Result<()> {
        let setup = TestSetup::find(project);
        let frameworks: Vec<_> = setup.frameworks.iter().map(ToString::to_string).collect();
        let written =
            if frameworks.is_empty() { String::new() } else { format!(", written with {}", frameworks.join(", ")) };
        match setup.runner {
            Some(runner) => self.good("tests", &format!("run by {runner}{written}")),
            None => self.good("tests", &format!("no runner found{written}; listing mutants needs none")),
        }
    }

    /// What is compiled by its role; headers are under test where they hold mutants.
    fn files(&mut self, project: &Project, mutated: BTreeSet<String>) -> Result<()> {
        let mut roles: BTreeMap<String, String> = BTreeMap::new();
        let mut under_test = mutated;
        for unit in &project.units {
            let file = project.relative(&unit.command.file).unwrap_or(&unit.command.file).display().to_string();
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
        writeln!(self.out, "\n{HEAD}under test ({}){HEAD:#}", under_test.len())?;
        for file in &under_test {
            writeln!(self.out, "    {file}")?;
        }
        writeln!(self.out, "{HEAD}not under test ({}){HEAD:#}", roles.len())?;
        let widest = roles.keys().map(|file| file.chars().count()).max().unwrap_or_default();
        for (file, role) in &roles {
            writeln!(self.out, "    {file:widest$}  {role}")?;
        }
        Ok(())
    }
}
