//! The result of comparing functions with their mutants: for people, and as JSON.

use super::{json, plural};
use crate::page::{Page, Style};
use crate::visible;
use anstyle::AnsiColor;
use perturb_equiv::compare::confidence::Verdicts;
use perturb_equiv::compare::{Equivalence, Judged, RawWitness, WitnessOptions, WitnessProgram};
use perturb_model::{Change, Kind, Mutant, MutantIdx};
use serde_json::{json, Value};
use std::io::{Result, Write};
use std::time::Duration;

const HEAD: Style = Style::BOLD;
const DIFFERENT: Style = Style::colour(AnsiColor::Green);
const OPEN: Style = Style::colour(AnsiColor::Yellow);

/// The judgements, and where the witnesses were written, if they were.
#[derive(Debug, Clone, Copy)]
pub struct EquivResults<'f> {
    pub mutants: &'f [Mutant],
    pub judged: &'f [Judged],
    pub witnesses: Option<&'f WitnessOptions>,
}

impl EquivResults<'_> {
    /// The file of a witness, or why there is none.
    fn file(&self, index: MutantIdx, witness: &RawWitness) -> Option<std::result::Result<String, String>> {
        Some(match (witness.program.as_ref()?, self.witnesses?) {
            (WitnessProgram::Text(_), options) => Ok(visible::path(&options.file(&self.mutants[index]))),
            (WitnessProgram::None { why }, _) => Err(why.clone()),
        })
    }
}

/// The names of the two functions that are compared: in sentences, and in JSON.
#[derive(Debug, Clone, Copy)]
pub struct Sides<'s> {
    /// The second one as the subject of a sentence.
    pub it: &'s str,
    pub first: &'s str,
    pub second: &'s str,
    pub keys: [&'static str; 2],
}

const MUTANT: Sides<'_> = Sides { it: "it", first: "the original", second: "the mutant", keys: ["original", "mutant"] };

pub fn write(found: EquivResults<'_>, out: &mut Page) -> Result<()> {
    for Judged { mutant: index, verdict, .. } in found.judged {
        let mutant = &found.mutants[*index];
        write_verdict(&format!("{} [{}]", mutant.name(), mutant.id), verdict, MUTANT, out)?;
        match verdict.witness().and_then(|witness| found.file(*index, witness)) {
            Some(Ok(file)) => writeln!(out, "    shown by {file}")?,
            Some(Err(why)) => writeln!(out, "    no program shows it: {why}")?,
            None => {}
        }
    }
    write_summary(found.judged, out)
}

/// Writes the verdict on one mutant, and how it was found.
pub fn write_verdict(name: &str, verdict: &Equivalence, sides: Sides<'_>, out: &mut Page) -> Result<()> {
    let style = match verdict {
        Equivalence::Different(_) => DIFFERENT,
        Equivalence::Equivalent { .. } => HEAD,
        Equivalence::Unknown { .. } => OPEN,
        Equivalence::Refused => Style::PLAIN,
    };
    writeln!(out, "{style}{}{style:#}: {name}", verdict.word())?;
    match verdict {
        Equivalence::Different(witness) => write_witness(witness, sides, out),
        Equivalence::Equivalent { by, bound, assumptions } => {
            let bound = bound.as_ref().map(|bound| format!(", if {bound}")).unwrap_or_default();
            writeln!(out, "    {}{bound}", by.how())?;
            assumptions.iter().try_for_each(|assumption| writeln!(out, "    as long as {assumption}"))
        }
        Equivalence::Unknown { why } => writeln!(out, "    {why}"),
        Equivalence::Refused => Ok(()),
    }
}

/// A text shows so many values of an input; JSON and the program of `--witnesses` have all.
pub const MOST_VALUES: usize = 16;

/// A text shows so many changes: more tell a reader no more.
const MOST_CHANGES: usize = 4;

fn write_witness(witness: &RawWitness, sides: Sides<'_>, out: &mut Page) -> Result<()> {
    let shown = witness.witness();
    let Sides { it, first, second, .. } = sides;
    writeln!(out, "    with {}", shown.given(MOST_VALUES))?;
    match shown.kind {
        Kind::Undefined => writeln!(out, "    {it} does something undefined, and {first} does not"),
        Kind::Endless => writeln!(out, "    {it} does not come to an end, and {first} does"),
        Kind::Ended => writeln!(out, "    {it} ends the program, and {first} does not"),
        Kind::Output => shown.changes.iter().take(MOST_CHANGES).try_for_each(|Change { what, original, mutant }| {
            writeln!(out, "    {what} is {original} in {first}, {mutant} in {second}")
        }),
    }
}

/// The word of a kind of difference for programs.
pub fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Output | Kind::Ended => "output",
        Kind::Undefined => "undefined behaviour",
        Kind::Endless => "timeout",
    }
}

fn write_summary(judged: &[Judged], out: &mut Page) -> Result<()> {
    let counts: Verdicts = judged.iter().map(|judged| &judged.verdict).collect();
    let Verdicts { output, undefined, endless, equivalent, unknown, refused } = counts;
    writeln!(out)?;
    writeln!(out, "{HEAD}{}{HEAD:#}", plural(judged.len(), "mutant"))?;
    writeln!(
        out,
        "  different     {:>6}   {output} by their output, {undefined} undefined, {endless} endless",
        counts.different()
    )?;
    writeln!(out, "  equivalent    {equivalent:>6}")?;
    writeln!(out, "  unknown       {unknown:>6}")?;
    writeln!(out, "  compile error {refused:>6}")
}

fn record(found: EquivResults<'_>, judged: &Judged) -> Value {
    let mutant = &found.mutants[judged.mutant];
    let record = json!({ "id": mutant.id.to_string(), "name": mutant.name().to_string() });
    let mut record = with_verdict(record, &judged.verdict, judged.cpu, MUTANT);
    match judged.verdict.witness().and_then(|witness| found.file(judged.mutant, witness)) {
        Some(Ok(file)) => record["witness"]["file"] = json!(file),
        Some(Err(why)) => record["witness"]["no_file"] = json!(why),
        None => {}
    }
    record
}

/// Adds a verdict to a record. The names are part of the interface.
pub fn with_verdict(mut record: Value, verdict: &Equivalence, cpu: Duration, sides: Sides<'_>) -> Value {
    record["verdict"] = json!(verdict.word());
    record["cpu_ms"] = json!(cpu.as_micros() as f64 / 1000.0);
    match verdict {
        Equivalence::Different(witness) => {
            record["kind"] = json!(kind(witness.by.kind));
            record["tier"] = json!(witness.tier.to_string());
            let [first, second] = sides.keys;
            record["witness"] = json!({
                "input": witness.input(),
                first: witness.original(),
                second: witness.mutant(),
                "bytes": perturb_equiv::native::hex(&witness.by.input),
            });
        }
        Equivalence::Equivalent { by, bound, assumptions } => {
            record["tier"] = json!(by.to_string());
            record["bound"] = json!(bound);
            record["assumptions"] = json!(assumptions);
        }
        Equivalence::Unknown { why } => record["why"] = json!(why),
        Equivalence::Refused => {}
    }
    record
}

pub fn write_array(found: EquivResults<'_>, out: &mut impl Write) -> Result<()> {
    let records: Vec<Value> = found.judged.iter().map(|judged| record(found, judged)).collect();
    json::write_pretty(&records, out)
}

pub fn write_lines(found: EquivResults<'_>, out: &mut impl Write) -> Result<()> {
    found.judged.iter().try_for_each(|judged| json::write_line(&record(found, judged), out))
}
