//! The formats of mutants and runs, one per file. All of them are data, for standard output.

pub mod annotations;
pub mod caret;
pub mod compare;
pub mod confidence;
pub mod csv;
pub mod diff;
pub mod elements;
pub mod equivalence;
pub mod events;
pub mod generated;
pub mod github;
pub mod html;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod pair;
pub mod report;
pub mod sarif;
pub mod scores;
pub mod stats;
pub mod summary;
pub mod tables;
pub mod testgen;
pub mod tests;
pub mod text;
pub mod time;
pub mod why;

use crate::visible;
use perturb_csrc::Operator;
use perturb_model::{AuditCount, Mutant};
use serde::Serialize;
use std::borrow::Cow;

/// `1 file`, `2 files`.
pub fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Sentences about the verdicts that rest on an engine and a test that the audit contradicts.
pub fn doubts(audit: &AuditCount) -> Vec<String> {
    let AuditCount { confirmed, changed, in_doubt, .. } = *audit;
    let found = (confirmed + changed > 0).then(|| {
        format!(
            "{} of the same engine and test were found again by a slower engine, which changed {changed}.",
            plural(confirmed + changed, "other verdict")
        )
    });
    let doubted = (in_doubt > 0)
        .then(|| format!("In doubt: {} of the same engine and test, not found again.", plural(in_doubt, "verdict")));
    found.into_iter().chain(doubted).collect()
}

/// The comment that suppresses the mutants of an operator on its line, in the syntax of every standard of C.
pub fn suppression_comment(operator: Operator) -> String {
    format!("/* perturb: ignore[{operator}] REASON */")
}

/// A mutant as programs read it. The names are part of the interface.
#[derive(Debug, Serialize)]
pub struct Record<'m> {
    pub id: String,
    pub name: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    pub function: Option<&'m str>,
    pub operator: &'static str,
    pub original: String,
    pub replacement: Cow<'m, str>,
    pub switchable: bool,
    /// Why it is not switchable.
    pub not_switchable_because: Option<&'static str>,
    pub suppressed: bool,
    pub suppression_reason: Option<&'m str>,
}

impl<'m> Record<'m> {
    pub fn of(mutant: &'m Mutant) -> Self {
        let (start, end) = (mutant.start(), mutant.end());
        Self {
            id: mutant.id.to_string(),
            name: mutant.name(),
            file: visible::name(&mutant.file.relative).into_owned(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            function: mutant.function(),
            operator: mutant.operator.acronym(),
            original: mutant.original(),
            replacement: mutant.replacement(),
            switchable: mutant.is_switchable(),
            not_switchable_because: mutant.constant.map(|context| context.reason()),
            suppressed: mutant.suppression.is_some(),
            suppression_reason: mutant.suppression.as_ref().map(|suppression| suppression.reason()),
        }
    }
}
