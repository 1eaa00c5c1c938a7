//! What was found of mutants by comparing functions: for people, and as JSON.

use super::plural;
use anstyle::{AnsiColor, Style};
use perturb_pipeline::equivalence::{hex, Equivalence, Judged, Kind, Tier, Witness};
use perturb_pipeline::Mutant;
use serde_json::{json, Value};
use std::io::{Result, Write};

const HEAD: Style = Style::new().bold();
const DIFFERENT: Style = AnsiColor::Green.on_default();
const OPEN: Style = AnsiColor::Yellow.on_default();

pub fn write(mutants: &[Mutant], judged: &[Judged], out: &mut impl Write) -> Result<()> {
    for Judged { place, verdict, .. } in judged {
        let mutant = &mutants[*place];
        let style = match verdict {
            Equivalence::Different(_) => DIFFERENT,
            Equivalence::Equivalent { .. } => HEAD,
            Equivalence::Unknown { .. } => OPEN,
            Equivalence::Refused => Style::new(),
        };
        writeln!(out, "{style}{}{style:#}: {} [{}]", verdict.word(), mutant.name(), mutant.id)?;
        match verdict {
            Equivalence::Different(witness) => write_witness(witness, out)?,
            Equivalence::Equivalent { by, bound, assumptions } => {
                let bound = bound.as_ref().map(|bound| format!(", if {bound}")).unwrap_or_default();
                writeln!(out, "    {}{bound}", by.how())?;
                assumptions.iter().try_for_each(|assumption| writeln!(out, "    as long as {assumption}"))?;
            }
            Equivalence::Unknown { why } => writeln!(out, "    {why}")?,
            Equivalence::Refused => {}
        }
    }
    write_summary(judged, out)
}

/// More changes than this say no more.
const MOST_CHANGES: usize = 4;

fn write_witness(witness: &Witness, out: &mut impl Write) -> Result<()> {
    let shown = witness.shown();
    writeln!(out, "    with {}", shown.given(usize::MAX))?;
    shown.told().iter().take(MOST_CHANGES).try_for_each(|told| writeln!(out, "    {told}"))
}

fn write_summary(judged: &[Judged], out: &mut impl Write) -> Result<()> {
    let count = |is: &dyn Fn(&Equivalence) -> bool| judged.iter().filter(|judged| is(&judged.verdict)).count();
    let of_kind = |kind: Kind| count(&|verdict| verdict.kind() == Some(kind));
    let different = count(&|verdict| matches!(verdict, Equivalence::Different(_)));
    let equivalent = count(&|verdict| matches!(verdict, Equivalence::Equivalent { .. }));
    let unknown = count(&|verdict| matches!(verdict, Equivalence::Unknown { .. }));
    let refused = count(&|verdict| matches!(verdict, Equivalence::Refused));
    writeln!(out, "\n{HEAD}{}{HEAD:#}", plural(judged.len(), "mutant"))?;
    let (undefined, endless) = (of_kind(Kind::Undefined), of_kind(Kind::Endless));
    let output = of_kind(Kind::Output);
    writeln!(
        out,
        "  different     {different:>6}   {output} by their output, {undefined} undefined, {endless} endless"
    )?;
    writeln!(out, "  equivalent    {equivalent:>6}")?;
    writeln!(out, "  unknown       {unknown:>6}")?;
    writeln!(out, "  compile error {refused:>6}")
}

/// The word of a kind of difference for programs.
pub fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Output => "output",
        Kind::Undefined => "undefined behaviour",
        Kind::Endless => "timeout",
    }
}

fn record(mutants: &[Mutant], judged: &Judged) -> Value {
    let mutant = &mutants[judged.place];
    let mut record = json!({
        "id": mutant.id.to_string(),
        "name": mutant.name().to_string(),
        "verdict": judged.verdict.word(),
        "cpu_ms": judged.cpu.as_micros() as f64 / 1000.0,
    });
    match &judged.verdict {
        Equivalence::Different(witness) => {
            record["kind"] = json!(kind(witness.by.kind));
            record["tier"] = json!(Tier::Native.to_string());
            record["witness"] = json!({
                "input": witness.input(),
                "original": witness.original(),
                "mutant": witness.mutant(),
                "bytes": hex(&witness.by.input),
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

pub fn write_array(mutants: &[Mutant], judged: &[Judged], out: &mut impl Write) -> Result<()> {
    let records: Vec<Value> = judged.iter().map(|judged| record(mutants, judged)).collect();
    serde_json::to_writer_pretty(&mut *out, &records)?;
    writeln!(out)
}

pub fn write_lines(mutants: &[Mutant], judged: &[Judged], out: &mut impl Write) -> Result<()> {
    judged.iter().try_for_each(|judged| writeln!(out, "{}", record(mutants, judged)))
}
