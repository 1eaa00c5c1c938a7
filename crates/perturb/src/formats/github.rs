//! Annotations for GitHub's workflows, which GitHub shows beside the lines of a change: live mutants.

use super::generated::{kill, WithTests};
use super::plural;
use super::summary::Headline;
use super::why::evidence;
use crate::page::Page;
use crate::visible;
use perturb_store::{MutantState, StoredRun};
use std::io::Result;

/// GitHub shows no more annotations of each kind for a step.
const MOST: usize = 10;

/// Writes the annotations to a page of commands.
pub fn write(run: &StoredRun, out: &mut Page) -> Result<()> {
    let ranked = run.ranked();
    let live: Vec<&MutantState> =
        ranked.iter().map(|one| one.state).filter(|state| state.outcome.is_missed()).collect();
    for state in live.iter().take(MOST) {
        let MutantState { mutant, outcome, .. } = state;
        let (start, end) = (mutant.start(), mutant.end());
        let file = property(&visible::name(&mutant.file.relative));
        let title = property(&format!("mutant {} is {}", mutant.id, outcome.word()));
        // GitHub accepts columns only within one line.
        let columns = match start.line == end.line {
            true => format!(",col={},endColumn={}", start.column, end.column),
            false => String::new(),
        };
        let kill = kill(state).map(|kill| format!("Now {kill}"));
        let notes: String = evidence(state).into_iter().chain(kill).map(|text| format!(" {text}.")).collect();
        let what = message(&format!("{}: no test notices it.{notes} `perturb show {}`", mutant.what(), mutant.id));
        writeln!(out, "::warning file={file},line={},endLine={}{columns},title={title}::{what}", start.line, end.line)?;
    }
    let more = live.len().saturating_sub(MOST);
    let rest = if more > 0 { format!("; {} more live than are shown", plural(more, "mutant")) } else { String::new() };
    let with_tests = WithTests::of(run).map(|with| format!(". {}", with.sentence())).unwrap_or_default();
    writeln!(out, "::notice title=perturb::{}", message(&format!("{}{rest}{with_tests}", Headline::of(run))))
}

fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_end_a_command_are_escaped() {
        assert_eq!(property("a:b,c%\n"), "a%3Ab%2Cc%25%0A");
        assert_eq!(message("a:b,c%\r"), "a:b,c%25%0D");
    }
}
