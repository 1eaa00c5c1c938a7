//! What the store has about one mutant: its outcome in the last run that decided on it, and the tests that reached,
//! infected or killed it.

use crate::console::last_lines;
use crate::formats::equivalence::{kind, MOST_VALUES};
use crate::formats::generated::{kill, result};
use crate::formats::why::{self, Part};
use crate::formats::{plural, time};
use crate::page::{Page, Style};
use crate::visible;
use perturb_model::{Engine, Judgement, Mutant, MutantId, MutantIdx, Outcome, Test, TestIdx, TestName, TestgenOutcome};
use perturb_store::{Execution, MutantState, StoreError, StoreReader, StoredRun};
use std::collections::BTreeMap;
use std::io::Result;
use std::path::{Path, PathBuf};

/// Of more tests than this, the first are named and the others counted, unless the user asks for all.
const MOST_NAMES: usize = 5;

/// One mutant, as the last run that decided on it left it.
#[derive(Debug)]
pub struct StoredMutant {
    pub run: StoredRun,
    index: MutantIdx,
    /// None if the run recorded nothing.
    reach: Option<Reached>,
    /// The last verdict of each test, in the order of the tests.
    executions: Vec<Execution>,
    /// The compiler's messages, if the mutant does not compile.
    refused: Option<String>,
    /// The work folder. Tests name files of the copies in it.
    work: PathBuf,
    /// Files that have changed since the run: the mutant's own first.
    changed: Vec<PathBuf>,
}

#[derive(Debug)]
struct Reached {
    by: Vec<TestName>,
    /// Those that infect it.
    infecting: Vec<TestName>,
    /// False if coverage came from counts of lines, which do not show infection: then both lists are the same.
    has_infection: bool,
}

impl StoredMutant {
    /// None if no run has listed the mutant.
    pub fn read(
        reader: &StoreReader,
        id: MutantId,
        root: &Path,
        work: &Path,
    ) -> std::result::Result<Option<Self>, StoreError> {
        let Some(run) = reader.last_of(id)? else { return Ok(None) };
        let run = reader.run(run)?;
        let Some(index) = run.mutants.iter().position(|state| state.mutant.id == id).map(MutantIdx::new) else {
            return Ok(None);
        };
        let recorded = reader.reach(&run)?;
        let names = |is_in: &dyn Fn(&perturb_model::Reach) -> bool| {
            recorded.iter().filter(|reach| is_in(reach)).map(|reach| reach.test.clone()).collect::<Vec<_>>()
        };
        let reach = (!recorded.is_empty()).then(|| Reached {
            by: names(&|reach| reach.reached.contains(index)),
            infecting: names(&|reach| reach.infected.contains(index)),
            has_infection: recorded.iter().any(|reach| reach.reached != reach.infected),
        });
        // Tests that the run does not list come last, as one.
        let mut last: BTreeMap<(bool, Option<TestIdx>), Execution> = BTreeMap::new();
        for execution in reader.executions_since(run.id, id)? {
            let test = run.tests.iter().position(|test| test.name == execution.test).map(TestIdx::new);
            last.entry((test.is_none(), test)).or_insert(execution);
        }
        let executions = last.into_values().collect();
        let refused = reader.build_failures(run.id)?.remove(&id);
        let changed = changed(&run, index, root);
        let work = work.to_path_buf();
        Ok(Some(Self { run, index, reach, executions, refused, work, changed }))
    }

    fn state(&self) -> &MutantState {
        &self.run.mutants[self.index]
    }

    pub fn mutant(&self) -> &Mutant {
        &self.state().mutant
    }

    pub fn outcome(&self) -> &Outcome {
        &self.state().outcome
    }

    /// A test to try the mutant with by hand: the one that kills it, or one that should.
    pub fn test_to_try(&self) -> Option<&Test> {
        let name = match (self.outcome(), &self.reach) {
            (Outcome::Killed { test, .. }, _) => Some(test),
            (_, Some(reach)) => reach.infecting.first().or(reach.by.first()),
            _ => self.executions.first().map(|execution| &execution.test),
        }?;
        self.run.tests.iter().find(|test| test.name == *name)
    }

    pub fn write(&self, all_tests: bool, out: &mut Page) -> Result<()> {
        let bold = Style::BOLD;
        let when = time::date(self.run.started);
        writeln!(out)?;
        writeln!(out, "{bold}outcome     {}{bold:#}", self.outcome())?;
        if let Some(why) = self.why() {
            writeln!(out, "why         {why}")?;
        }
        self.write_compared(out)?;
        self.write_generated(out)?;
        self.write_contradiction(out)?;
        write_output("output", self.killing_output(), out);
        if let Some(said) = &self.refused {
            write_output("compiler", said.trim().lines().map(String::from), out);
        }
        if let Some(reach) = &self.reach {
            writeln!(out, "reached by  {}", named(&reach.by, all_tests))?;
            if reach.has_infection {
                writeln!(out, "infected in {}", named(&reach.infecting, all_tests))?;
            }
        }
        self.write_verdicts(all_tests, out)?;
        self.write_engine(out)?;
        writeln!(out, "as of       run {}, {when}", self.run.id)?;
        match self.changed.split_first() {
            None => Ok(()),
            Some((first, [])) => writeln!(out, "{bold}stale{bold:#}       {} has changed since", visible::path(first)),
            Some((first, rest)) => writeln!(
                out,
                "{bold}stale{bold:#}       {} and {} have changed since",
                visible::path(first),
                plural(rest.len(), "other file")
            ),
        }
    }

    /// Writes what compiled code says, if a test refutes it.
    fn write_contradiction(&self, out: &mut Page) -> Result<()> {
        let Some(found) = &self.state().code_says else { return Ok(()) };
        let bold = Style::BOLD;
        write!(out, "{bold}but{bold:#}         by its code it is {}: ", found.says)?;
        match found.assumes {
            Some(assumption) => {
                writeln!(out, "the compiler takes for granted that")?;
                match assumption.option() {
                    Some(option) => writeln!(out, "            {assumption}, and with {option} tells them apart"),
                    None => writeln!(out, "            {assumption}"),
                }
            }
            None => {
                writeln!(out, "either something undefined happens in the test that")?;
                writeln!(out, "            tells them apart, or this is a defect of perturb")
            }
        }
    }

    fn write_compared(&self, out: &mut Page) -> Result<()> {
        let Some(judgement) = &self.state().judgement else { return Ok(()) };
        let mut lines = lines_of(judgement, self.mutant().id).into_iter();
        writeln!(out, "compared    {}", lines.next().unwrap_or_default())?;
        lines.try_for_each(|line| writeln!(out, "            {line}"))
    }

    fn write_generated(&self, out: &mut Page) -> Result<()> {
        let state = self.state();
        let Some(generated) = &state.generated else { return Ok(()) };
        writeln!(out, "generated   {}", kill(state).unwrap_or_else(|| result(state)))?;
        match &generated.outcome {
            TestgenOutcome::Killed { file, .. } | TestgenOutcome::Sanitized { file, .. } => {
                writeln!(out, "            see {}", visible::path(&generated.generation.folder.join(file)))
            }
            _ => Ok(()),
        }
    }

    fn write_verdicts(&self, all_tests: bool, out: &mut Page) -> Result<()> {
        if self.executions.is_empty() {
            return Ok(());
        }
        let is_kill = |execution: &&Execution| execution.verdict.is_kill();
        let killers: Vec<TestName> =
            self.executions.iter().filter(is_kill).map(|execution| execution.test.clone()).collect();
        let infecting = self.reach.as_ref().map_or(0, |reach| reach.infecting.len());
        let untried = infecting.saturating_sub(self.executions.len());
        let of = match (self.executions.len(), killers.len()) {
            (1, 0) => ", of 1 that was run".to_string(),
            (executed, killed) if executed > killed => format!(", of {executed} that were run"),
            _ => String::new(),
        };
        let rest = match (killers.is_empty(), untried) {
            (true, _) | (_, 0) => String::new(),
            (false, untried) => {
                format!("; {untried} more were not run, as one kill is enough (--kill-matrix runs all)")
            }
        };
        writeln!(out, "killed by   {}{of}{rest}", named(&killers, all_tests))
    }

    fn write_engine(&self, out: &mut Page) -> Result<()> {
        let Some(plan) = self.state().plan.as_deref() else { return Ok(()) };
        let what = match plan.engine {
            Engine::Split => "one run of each test serves it and others",
            Engine::Switched => "it is switched on in the one build that contains all mutants",
            Engine::Rebuild => "it is built by itself",
        };
        let why = if plan.why.is_empty() { String::new() } else { format!(": {}", plan.why) };
        writeln!(out, "engine      {}, {what}{why}", plan.engine)
    }

    /// Why the mutant lives, or is not decided.
    fn why(&self) -> Option<String> {
        let (reaching, infecting) = match &self.reach {
            Some(reach) if reach.has_infection => (reach.by.len(), reach.infecting.len()),
            Some(reach) => (reach.by.len(), 0),
            None => (0, 0),
        };
        let part = Part { reaching, infecting, executed: self.executions.len() };
        why::why(self.state(), part, self.run.finished.is_some())
    }

    /// The last lines of output of the killing test. Paths in copies become paths in the project.
    fn killing_output(&self) -> Vec<String> {
        let Outcome::Killed { test, .. } = self.outcome() else { return Vec::new() };
        let Some(execution) = self.executions.iter().find(|execution| execution.test == *test) else {
            return Vec::new();
        };
        last_lines(&execution.output).into_iter().map(|line| without_copies(&line, &self.work)).collect()
    }
}

/// What comparing the mutant's function with the original's found, a line each.
fn lines_of(judgement: &Judgement, id: MutantId) -> Vec<String> {
    match judgement {
        Judgement::Different(shown) => {
            let first = format!("different ({}) with {}", kind(shown.kind), shown.given(MOST_VALUES));
            let mut lines: Vec<String> = std::iter::once(first).chain(shown.effects()).collect();
            if shown.input.len() > MOST_VALUES {
                lines.push(format!("`perturb equiv --mutant {id} --witnesses DIR` writes a program with all values"));
            }
            lines
        }
        Judgement::Equivalent(proved) => {
            let first = format!("equivalent: {}", proved.by.how());
            let bound = proved.bound.iter().map(|bound| format!("if {bound}"));
            let assumptions = proved.assumptions.iter().map(|assumption| format!("as long as {assumption}"));
            std::iter::once(first).chain(bound).chain(assumptions).collect()
        }
        Judgement::Unknown { why } => vec![format!("unknown: {why}")],
    }
}

/// Writes lines of a program's output, each behind a mark.
fn write_output(what: &str, lines: impl IntoIterator<Item = String>, out: &mut Page) {
    for (at, line) in lines.into_iter().enumerate() {
        out.lines(&format!("{:<11} | ", if at == 0 { what } else { "" }), &line);
    }
}

/// `tests/t.c:3: failed` for `/w/.perturb/shadow/instrumented/tree/tests/t.c:3: failed`.
fn without_copies(line: &str, work: &Path) -> String {
    let work = format!("{}/", visible::name(work));
    let mut parts = line.split(work.as_str());
    let mut text = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let in_copy = part.strip_prefix("shadow/").and_then(|rest| rest.split_once('/')).map_or(part, |(_, rest)| rest);
        match in_copy.strip_prefix("tree/") {
            Some(file) => text.push_str(file),
            None => text.extend([work.as_str(), part]),
        }
    }
    text
}

/// `3 tests: a, b, c`, `no test`, or the first of many and how many more there are.
fn named(names: &[TestName], all: bool) -> String {
    if names.is_empty() {
        return "no test".to_string();
    }
    let shown = if all || names.len() <= MOST_NAMES + 1 { names.len() } else { MOST_NAMES };
    let first = names[..shown].iter().map(TestName::as_str).collect::<Vec<_>>().join(", ");
    let more = match names.len() - shown {
        0 => String::new(),
        more => format!(" and {more} more (--all-tests names them)"),
    };
    format!("{}: {first}{more}", plural(names.len(), "test"))
}

/// The files of a run that have changed since, the mutant's own first.
fn changed(run: &StoredRun, index: MutantIdx, root: &Path) -> Vec<PathBuf> {
    let own = &run.mutants[index].mutant.file;
    let mut files: BTreeMap<(bool, &PathBuf), &[u8]> = BTreeMap::new();
    for state in &run.mutants {
        let file = &state.mutant.file;
        files.entry((file.relative != own.relative, &file.relative)).or_insert(file.source.text());
    }
    // Files that the build generates are not in the user's tree.
    let has_changed = |path: &Path, text: &[u8]| std::fs::read(root.join(path)).is_ok_and(|now| now != text);
    files.into_iter().filter(|((_, path), text)| has_changed(path, text)).map(|((_, path), _)| path.clone()).collect()
}

/// The one mutant of the last run whose id starts with these digits.
pub fn stored_id(reader: &StoreReader, digits: &str) -> std::result::Result<Option<MutantId>, StoreError> {
    let Some(latest) = reader.latest()? else { return Ok(None) };
    let run = reader.run(latest)?;
    let mut fitting = run.mutants.iter().map(|state| state.mutant.id).filter(|id| id.to_string().starts_with(digits));
    Ok(fitting.next().filter(|_| fitting.next().is_none()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_our_copies_are_named_as_the_user_knows_them() {
        for (line, expected) in [
            ("/p/.perturb/shadow/instrumented/tree/tests/t.c:3: failed", "tests/t.c:3: failed"),
            ("at /p/.perturb/tree/a.c:1 and /p/.perturb/tree/b.c:2", "at a.c:1 and b.c:2"),
            ("wrote /p/.perturb/build/out", "wrote /p/.perturb/build/out"),
            ("/p/tree/a.c", "/p/tree/a.c"),
        ] {
            assert_eq!(without_copies(line, Path::new("/p/.perturb")), expected);
        }
    }

    #[test]
    fn of_many_values_the_first_are_shown_with_how_to_get_all() {
        let id = "00000000000000ff".parse().unwrap();
        let lines = |values: usize| {
            let input = (0..values).map(|at| format!("p[{at}] = 0")).collect();
            let by = perturb_model::Tier::Native;
            let shown = perturb_model::Witness { kind: perturb_model::Kind::Endless, by, input, changes: Vec::new() };
            lines_of(&Judgement::Different(shown), id)
        };
        let many = lines(260);
        assert!(many[0].starts_with("different (timeout) with p[0] = 0, p[1] = 0, "), "{many:?}");
        assert!(many[0].ends_with("p[15] = 0 and 244 more"), "{many:?}");
        assert_eq!(many[1], "it does not come to an end, and the original does");
        assert_eq!(
            many[2],
            "`perturb equiv --mutant 00000000000000ff --witnesses DIR` writes a program with all values"
        );
        let few = lines(MOST_VALUES);
        assert!(few.len() == 2 && few[0].ends_with("p[15] = 0"), "{few:?}");
    }

    #[test]
    fn many_tests_are_counted_and_the_first_are_named() {
        let names: Vec<TestName> = (0..9).map(|n| TestName::from(format!("t{n}"))).collect();
        assert_eq!(named(&[], false), "no test");
        assert_eq!(named(&names[..1], false), "1 test: t0");
        assert_eq!(named(&names[..6], false), "6 tests: t0, t1, t2, t3, t4, t5");
        assert_eq!(named(&names, false), "9 tests: t0, t1, t2, t3, t4 and 4 more (--all-tests names them)");
        assert!(named(&names, true).ends_with("t7, t8"));
    }
}
