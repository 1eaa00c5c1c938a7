//! JUnit's XML, which every build server reads: a suite for each file, a case for each mutant. The case of a live
//! mutant has failed; that of a mutant outside the score was skipped.

use super::generated::kill;
use super::why::evidence;
use crate::page::Page;
use crate::visible;
use perturb_model::{MutantId, Outcome};
use perturb_store::{ExecutionTotals, MutantState, StoreError, StoreReader, StoredRun};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Duration;

#[derive(Debug)]
pub struct Report<'r> {
    run: &'r StoredRun,
    executed: HashMap<MutantId, ExecutionTotals>,
}

/// The result of a case.
enum Case {
    Passed,
    Failed,
    Skipped,
}

impl<'r> Report<'r> {
    pub fn read(reader: &StoreReader, run: &'r StoredRun) -> Result<Self, StoreError> {
        Ok(Self { run, executed: reader.executed(run.id)? })
    }

    pub fn write(&self, out: &mut Page) -> std::io::Result<()> {
        let mut files: BTreeMap<&Path, Vec<&MutantState>> = BTreeMap::new();
        for state in &self.run.mutants {
            files.entry(&state.mutant.file.relative).or_default().push(state);
        }
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(out, "<testsuites name=\"perturb\"{}>", self.counts(&self.run.mutants.iter().collect::<Vec<_>>()))?;
        for (file, states) in files {
            let name = escaped(&visible::path(file));
            writeln!(out, "  <testsuite name=\"{name}\"{}>", self.counts(&states))?;
            states.iter().try_for_each(|state| self.write_case(state, &name, out))?;
            writeln!(out, "  </testsuite>")?;
        }
        writeln!(out, "</testsuites>")
    }

    fn counts(&self, states: &[&MutantState]) -> String {
        let count = |is: fn(&Case) -> bool| states.iter().filter(|state| is(&case(&state.outcome))).count();
        let (failed, skipped) =
            (count(|case| matches!(case, Case::Failed)), count(|case| matches!(case, Case::Skipped)));
        let time: Duration = states.iter().map(|state| self.wall(state)).sum();
        format!(
            " tests=\"{}\" failures=\"{failed}\" errors=\"0\" skipped=\"{skipped}\" time=\"{:.3}\"",
            states.len(),
            time.as_secs_f64()
        )
    }

    fn wall(&self, state: &MutantState) -> Duration {
        self.executed.get(&state.mutant.id).map(|executed| executed.wall).unwrap_or_default()
    }

    fn write_case(&self, state: &MutantState, file: &str, out: &mut Page) -> std::io::Result<()> {
        let MutantState { mutant, outcome, .. } = state;
        let start = mutant.start();
        let name =
            escaped(&visible::line(&format!("{}:{}: {} [{}]", start.line, start.column, mutant.what(), mutant.id)));
        let time = self.wall(state).as_secs_f64();
        write!(out, "    <testcase classname=\"{file}\" name=\"{name}\" time=\"{time:.3}\"")?;
        let outcome_text = escaped(&outcome.to_string());
        match case(outcome) {
            Case::Passed => writeln!(out, "/>"),
            Case::Skipped => writeln!(out, "><skipped message=\"{outcome_text}\"/></testcase>"),
            Case::Failed => {
                let kind = escaped(outcome.word());
                let notes: String =
                    evidence(state).into_iter().chain(kill(state)).map(|text| format!("; {text}")).collect();
                let text = format!("{}: {}{notes}; perturb show {}", mutant.place(), mutant.what(), mutant.id);
                let text = escaped(&text);
                writeln!(out, "><failure type=\"{kind}\" message=\"{outcome_text}\">{text}</failure></testcase>")
            }
        }
    }
}

fn case(outcome: &Outcome) -> Case {
    match outcome {
        Outcome::Killed { .. } => Case::Passed,
        Outcome::Live | Outcome::NotInfected => Case::Failed,
        // That no test executes a mutant is a gap in coverage, which the report counts.
        Outcome::NotCovered
        | Outcome::Equivalent { .. }
        | Outcome::LikelyEquivalent
        | Outcome::Duplicate { .. }
        | Outcome::CompileError
        | Outcome::Unstable { .. }
        | Outcome::Skipped(_)
        | Outcome::Pending => Case::Skipped,
    }
}

/// Escapes text and values of attributes. XML cannot contain most control characters: the page escapes them.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' => escaped.push_str(&format!("&#{};", character as u32)),
            character => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_of_a_source_can_be_in_the_report() {
        let mut page = Page::default();
        write!(page, "{}", escaped("a < b && \"c\"\n\x01\u{fffe}\r.")).unwrap();
        assert_eq!(page.plain(), "a &lt; b &amp;&amp; &quot;c&quot;&#10;\\x01\\u{fffe}\\r.");
    }
}
