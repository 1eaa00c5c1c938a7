//! The tests of one file, as C: one for each chosen input of its functions.

use super::choose::Chosen;
use super::framework::{FileText, TestText};
use super::MARK;
use crate::compare::FunctionSubject;
use crate::native::{Differing, Stage, Tolerance};
use perturb_model::{Difference, Mutant, MutantIdx};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A candidate for a test.
#[derive(Debug)]
pub(crate) struct TestCandidate {
    pub subject: Arc<FunctionSubject>,
    pub chosen: Chosen,
    pub name: String,
    /// Before it is tried, the mutants that it should kill; afterwards those that it was seen to kill.
    pub kills: BTreeSet<MutantIdx>,
    /// The distance within which floats count as the same.
    pub tolerance: Option<Tolerance>,
}

impl TestCandidate {
    pub fn new(
        subject: Arc<FunctionSubject>,
        chosen: Chosen,
        mutants: &[Mutant],
        tolerance: Option<Tolerance>,
    ) -> Self {
        let kills: BTreeSet<MutantIdx> = chosen.kills.keys().copied().collect();
        let name = format!("test_{}_{:.8}", subject.signature().name, mutants[chosen.own].id.to_string());
        Self { subject, chosen, name, kills, tolerance }
    }

    /// Whether it fails only when it is compiled with sanitizers.
    pub fn is_for_sanitizers(&self) -> bool {
        self.chosen.is_for_sanitizers()
    }

    /// The name of the function that it calls.
    pub fn function(&self) -> &str {
        &self.subject.signature().name
    }

    /// The difference that describes the test: one in the output, if there is one.
    fn shown(&self) -> Option<&Difference> {
        let own = || self.kills.iter().filter_map(|mutant| self.chosen.kills.get(mutant));
        own().find(|by| !by.other.is_empty()).or_else(|| own().next())
    }

    /// The input and the checks, as C.
    fn stage(&self) -> Option<(Stage<'_>, &Difference)> {
        let by = self.shown()?;
        let FunctionSubject { signatures, layout, .. } = &*self.subject;
        let (signature, tolerance) = (self.subject.signature(), self.tolerance);
        let differing = Differing { signatures, signature, layout, by, unit: "", tolerance };
        Some((Stage::new(differing, &[]), by))
    }

    pub fn text(&self, mutants: &[Mutant]) -> Option<TestText> {
        let (stage, by) = self.stage()?;
        let others: Vec<&Difference> = self.kills.iter().filter_map(|mutant| self.chosen.kills.get(mutant)).collect();
        let memory = stage.memory(by, &others).filter(|memory| memory.is_needed);
        let mut statements = stage.stand_ins.resets();
        statements.extend(stage.statements.iter().cloned());
        statements.extend(memory.iter().flat_map(|memory| memory.before.clone()));
        statements.push(stage.call.clone());
        statements.extend(stage.after_call());
        statements.extend(memory.iter().flat_map(|memory| memory.after.clone()));
        let kills = if self.is_for_sanitizers() { "Kills, with sanitizers:" } else { "Kills:" };
        let mut comment = vec![kills.to_string()];
        comment.extend(self.kills.iter().map(|mutant| kill(&mutants[*mutant])));
        let mut checks = stage.telling_checks(by, &others);
        if checks.is_empty() && self.is_for_sanitizers() {
            // That it changes nothing is worth a check, too.
            checks = stage.checks(by);
        }
        let uses_memory = memory.is_some();
        checks.extend(memory.into_iter().flat_map(|memory| memory.checks));
        let at_end = stage.at_end();
        Some(TestText { name: self.name.clone(), comment, statements, checks, at_end, uses_memory })
    }
}

/// `e1898e03ff09dcd2 31:30 AOR '+' -> '-'`
fn kill(mutant: &Mutant) -> String {
    let start = mutant.start();
    format!("  {} {}:{} {} {}", mutant.id, start.line, start.column, mutant.operator, mutant.change())
}

/// The complete file of these tests, which all belong to one unit.
pub(crate) fn file_text(tests: &[TestCandidate], mutants: &[Mutant], suite: &str) -> Option<FileText> {
    let TestCandidate { subject, tolerance, .. } = tests.first()?;
    let unit = subject.file.relative.to_string_lossy().into_owned();
    let has_main = subject.signatures.functions.iter().any(|function| function.name == "main");
    let mut comment = vec![format!("Tests of {unit}, {MARK} from mutants that no other test kills.")];
    if tests[0].is_for_sanitizers() {
        let lines = [
            "",
            "These mutants only do something undefined that the code does not do, such as reading behind an",
            "array: compile this with -fsanitize=address,undefined, which notices it.",
        ];
        comment.extend(lines.map(String::from));
    }
    let lines = [
        "",
        "Each test expects what the code does today. That is not always what it should do:",
        "look at it with the specification at hand before you keep it.",
    ];
    comment.extend(lines.map(String::from));
    let stages: Vec<Stage<'_>> = tests.iter().filter_map(|test| Some(test.stage()?.0)).collect();
    let before = each_once(stages.iter().flat_map(|stage| stage.stand_ins.redirections()));
    let before = before.iter().map(|line| format!("{line}\n")).collect();
    let options = tests[0].is_for_sanitizers().then(|| SANITIZER_OPTIONS.to_string());
    let definitions = stages.iter().flat_map(|stage| stage.stand_ins.definitions());
    let definitions = each_once(options.into_iter().chain(definitions)).join("\n");
    let tolerance = *tolerance;
    let tests: Vec<TestText> = tests.iter().filter_map(|test| test.text(mutants)).collect();
    Some(FileText { suite: suite.to_string(), comment, before, unit, has_main, definitions, tolerance, tests })
}

/// Memory that a function leaves to its caller is no leak.
const SANITIZER_OPTIONS: &str = "/* What is left allocated is no mistake of the code: nobody takes it over here. */
__attribute__((visibility(\"default\"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return \"detect_leaks=0\";
}
";

/// The definitions that tests share, in the order in which they are first needed.
fn each_once(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    texts.filter(|text| seen.insert(text.clone())).collect()
}
