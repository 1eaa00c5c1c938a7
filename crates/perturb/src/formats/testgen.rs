//! The results of `perturb testgen`: the score before and after, the tests, and the mutants without one, with the
//! reason.

use super::generated::outcome_with;
use super::{json, plural};
use crate::config::FILE_NAME;
use crate::page::{Page, Style};
use crate::visible;
use perturb_equiv::compare::contracts::Proposal;
use perturb_equiv::testgen::{Generated, GeneratedSuite};
use perturb_model::{Judgement, Mutant, MutantId, MutantIdx, Outcome, Tally, TestgenOutcome};
use perturb_pipeline::steps::score::Scores;
use perturb_store::StoredRun;
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::io::{Result, Write};
use std::path::PathBuf;

const HEAD: Style = Style::BOLD;

/// What `perturb testgen` found.
pub struct Results<'t> {
    /// The run that left the mutants alive.
    pub run: &'t StoredRun,
    pub mutants: &'t [Mutant],
    /// The mutants that tests were wanted for, by their indices.
    pub indices: &'t [MutantIdx],
    pub generated: &'t Generated,
    /// The files that were written.
    pub files: &'t [PathBuf],
}

/// The class that a mutant is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Killed,
    /// By tests that are compiled with sanitizers.
    Sanitized,
    Equivalent,
    LikelyEquivalent,
    Undefined,
    Unconfirmed,
    Unknown,
    /// The time was up before.
    Pending,
}

impl Class {
    const ALL: [Self; 8] = [
        Self::Killed,
        Self::Sanitized,
        Self::Equivalent,
        Self::LikelyEquivalent,
        Self::Undefined,
        Self::Unconfirmed,
        Self::Unknown,
        Self::Pending,
    ];

    fn of(outcome: Option<&TestgenOutcome>) -> Self {
        match outcome {
            None => Self::Pending,
            Some(TestgenOutcome::Killed { .. }) => Self::Killed,
            Some(TestgenOutcome::Sanitized { .. }) => Self::Sanitized,
            Some(TestgenOutcome::Unconfirmed { .. }) => Self::Unconfirmed,
            Some(TestgenOutcome::Left(Judgement::Equivalent(proved))) if proved.is_unconditional() => Self::Equivalent,
            Some(TestgenOutcome::Left(Judgement::Equivalent(_))) => Self::LikelyEquivalent,
            Some(TestgenOutcome::Left(Judgement::Different(_))) => Self::Undefined,
            Some(TestgenOutcome::Left(Judgement::Unknown { .. })) => Self::Unknown,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Killed => "killed",
            Self::Sanitized => "sanitized",
            Self::Equivalent => "equivalent",
            Self::LikelyEquivalent => "likely equivalent",
            Self::Undefined => "undefined",
            Self::Unconfirmed => "unconfirmed",
            Self::Unknown => "unknown",
            Self::Pending => "pending",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::Killed => "by the new tests, which were run",
            Self::Sanitized => {
                "they differ only where they do something undefined, and the new tests notice that with sanitizers"
            }
            Self::Equivalent => "proved for all inputs: no test can kill them",
            Self::LikelyEquivalent => "proved under bounds or assumptions",
            Self::Undefined => "they differ only where they do something undefined, on which no test can rely",
            Self::Unconfirmed => "they differ on an input, but no test shows it",
            Self::Unknown => "neither a test nor a proof was found",
            Self::Pending => "the time was up before",
        }
    }
}

impl Results<'_> {
    fn outcome(&self, index: MutantIdx) -> Option<&TestgenOutcome> {
        self.generated.outcomes.get(&index)
    }

    fn counts(&self) -> BTreeMap<Class, usize> {
        let mut counts = BTreeMap::new();
        self.indices.iter().for_each(|index| *counts.entry(Class::of(self.outcome(*index))).or_default() += 1);
        counts
    }

    /// The scores of the run without and with the new tests.
    fn scores(&self) -> [Option<Scores>; 2] {
        let ids: BTreeMap<MutantId, MutantIdx> =
            self.indices.iter().map(|index| (self.mutants[*index].id, *index)).collect();
        let outcome = |id: &MutantId| ids.get(id).and_then(|index| self.outcome(*index));
        let after = self.run.mutants.iter().map(|state| outcome_with(&state.outcome, outcome(&state.mutant.id)));
        let after: Vec<Outcome> = after.collect();
        let tally: Tally = after.iter().collect();
        let before: Tally = self.run.mutants.iter().map(|state| &state.outcome).collect();
        [Scores::of(&before, None), Scores::of(&tally, None)]
    }
}

pub fn write_text(results: &Results<'_>, out: &mut Page) -> Result<()> {
    let tests: usize = results.generated.suites.iter().map(|suite| suite.tests.len()).sum();
    let counts = results.counts();
    let [killed, sanitized] =
        [Class::Killed, Class::Sanitized].map(|class| counts.get(&class).copied().unwrap_or_default());
    writeln!(
        out,
        "{HEAD}{} for {} of {}{HEAD:#}, each of which passes on the original and fails with its mutants",
        plural(tests, "test"),
        killed + sanitized,
        plural(results.indices.len(), "mutant")
    )?;
    for file in results.files {
        writeln!(out, "  {}", visible::path(file))?;
    }
    writeln!(out)?;
    for class in Class::ALL.into_iter().filter(|class| counts.contains_key(class)) {
        writeln!(out, "  {:<18} {:>6}   {}", class.word(), counts[&class], class.meaning())?;
    }
    write_reasons(results, out)?;
    write_proposals(results, out)?;
    let [before, after] = results.scores();
    let percent = |scores: &Option<Scores>, of: fn(&Scores) -> f64| match scores {
        Some(scores) => super::summary::percent(of(scores)),
        None => "-".to_string(),
    };
    writeln!(out)?;
    for (name, of) in [
        ("score, covered", (|scores: &Scores| scores.covered.share) as fn(&Scores) -> f64),
        ("score, all", |scores| scores.all.share),
    ] {
        writeln!(out, "{HEAD}{name:<16}{HEAD:#} {:>8} -> {}", percent(&before, of), percent(&after, of))?;
    }
    Ok(())
}

/// The text lists so many reasons.
const MOST_REASONS: usize = 12;

/// Writes why there is no test for the others, the most frequent reasons first.
fn write_reasons(results: &Results<'_>, out: &mut Page) -> Result<()> {
    let mut reasons: BTreeMap<&str, Vec<&Mutant>> = BTreeMap::new();
    for index in results.indices {
        if let Some(TestgenOutcome::Left(Judgement::Unknown { why }) | TestgenOutcome::Unconfirmed { why, .. }) =
            results.outcome(*index)
        {
            reasons.entry(why).or_default().push(&results.mutants[*index]);
        }
    }
    let mut reasons: Vec<(&str, Vec<&Mutant>)> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, mutants)| std::cmp::Reverse(mutants.len()));
    if reasons.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(out, "Why there is no test for the others:")?;
    for (why, mutants) in reasons.iter().take(MOST_REASONS) {
        let first = mutants[0];
        writeln!(out, "  {:>6}   {why} (such as {} [{}])", mutants.len(), first.name(), first.id)?;
    }
    match reasons.len().saturating_sub(MOST_REASONS) {
        0 => Ok(()),
        more => writeln!(out, "           and {}; --format json has all", plural(more, "other reason")),
    }
}

/// The text proposes so many contracts.
const MOST_PROPOSALS: usize = 8;

/// Writes lines for the configuration, about functions whose mutants are still unknown: a user may know what these
/// functions are given.
fn write_proposals(results: &Results<'_>, out: &mut Page) -> Result<()> {
    let proposals = &results.generated.proposals;
    if proposals.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(
        out,
        "perturb does not know what these functions are given. Write what you know into {FILE_NAME}, such as how many"
    )?;
    writeln!(out, "elements a pointer points to:\n")?;
    writeln!(out, "  [contracts]")?;
    for proposal in proposals.iter().take(MOST_PROPOSALS) {
        let names = proposal.parameters.join(", ");
        let mutants = plural(proposal.mutants.len(), "mutant");
        writeln!(out, "  {}  # {}({names}): {mutants}", line(proposal), proposal.function)?;
    }
    match proposals.len().saturating_sub(MOST_PROPOSALS) {
        0 => Ok(()),
        more => writeln!(out, "  # and {}; --format json has all", plural(more, "other function")),
    }
}

/// `"src/ring.c:put" = "@perturb(sym[6], sym)"`
fn line(Proposal { file, function, contract, .. }: &Proposal) -> String {
    let key = format!("{}:{function}", visible::name(file));
    format!("{} = {}", toml::Value::from(key), toml::Value::from(contract.as_str()))
}

fn proposal(proposal: &Proposal) -> Value {
    let Proposal { file, function, parameters, contract, mutants } = proposal;
    json!({
        "file": visible::name(file),
        "function": function,
        "parameters": parameters,
        "contract": contract,
        "line": line(proposal),
        "mutants": mutants.len(),
    })
}

pub fn write_json(results: &Results<'_>, out: &mut impl Write) -> Result<()> {
    let [before, after] = results.scores();
    let scores = |scores: Option<Scores>| {
        scores.map(|scores| json!({ "covered": scores.covered.share, "all": scores.all.share }))
    };
    let counts: BTreeMap<&str, usize> =
        results.counts().into_iter().map(|(class, count)| (class.word(), count)).collect();
    let suite = |suite: &GeneratedSuite| {
        let test = |test: &perturb_equiv::testgen::GeneratedTest| {
            let kills: Vec<String> = test.kills.iter().map(|index| results.mutants[*index].id.to_string()).collect();
            json!({ "name": test.name, "function": test.function, "kills": kills })
        };
        let sources: Vec<_> = suite.sources.iter().map(|source| visible::name(source)).collect();
        let files: Vec<&str> = suite.files.iter().map(|file| file.name.as_str()).collect();
        json!({ "unit": visible::name(&suite.unit), "files": files, "sources": sources, "sanitized": suite.is_sanitized,
                "tests": suite.tests.iter().map(test).collect::<Vec<_>>() })
    };
    let value = json!({
        "before": scores(before),
        "after": scores(after),
        "counts": counts,
        "known": results.generated.known,
        "cpu_ms": results.generated.cpu.as_millis() as u64,
        "suites": results.generated.suites.iter().map(suite).collect::<Vec<_>>(),
        "proposals": results.generated.proposals.iter().map(proposal).collect::<Vec<_>>(),
        "mutants": results.indices.iter().map(|index| mutant(results, *index)).collect::<Vec<_>>(),
    });
    json::write_pretty(&value, out)
}

fn mutant(results: &Results<'_>, index: MutantIdx) -> Value {
    let mutant = &results.mutants[index];
    let outcome = results.outcome(index);
    let mut value = json!({ "id": mutant.id.to_string(), "name": mutant.name(), "result": Class::of(outcome).word() });
    match outcome {
        Some(TestgenOutcome::Killed { tests, .. }) => value["tests"] = json!(tests),
        Some(TestgenOutcome::Sanitized { judgement, tests, .. }) => {
            value["tests"] = json!(tests);
            value["judgement"] = json!(judgement.to_string());
        }
        Some(TestgenOutcome::Unconfirmed { judgement, why }) => {
            value["why"] = json!(why);
            value["judgement"] = json!(judgement.to_string());
        }
        Some(TestgenOutcome::Left(Judgement::Unknown { why })) => value["why"] = json!(why),
        Some(TestgenOutcome::Left(judgement)) => value["judgement"] = json!(judgement.to_string()),
        None => {}
    }
    value
}
