//! What was found of mutants by comparing functions: for people, and as JSON.

use super::plural;
use anstyle::{AnsiColor, Style};
use perturb_pipeline::equivalence::{
    hex, Equivalence, Judged, Kind, Layout, Leaf, LeafKind, Place, Tier, Witness, WitnessOptions, WitnessProgram,
};
use perturb_pipeline::Mutant;
use serde_json::{json, Value};
use std::io::{Result, Write};

const HEAD: Style = Style::new().bold();
const DIFFERENT: Style = AnsiColor::Green.on_default();
const OPEN: Style = AnsiColor::Yellow.on_default();

/// What was found, and where its witnesses were written, if they were.
#[derive(Debug, Clone, Copy)]
pub struct Found<'f> {
    pub mutants: &'f [Mutant],
    pub judged: &'f [Judged],
    pub witnesses: Option<&'f WitnessOptions>,
}

impl Found<'_> {
    /// The file of a witness, or why there is none.
    fn file(&self, place: usize, witness: &Witness) -> Option<std::result::Result<String, String>> {
        Some(match (witness.program.as_ref()?, self.witnesses?) {
            (WitnessProgram::Text(_), options) => Ok(options.file(&self.mutants[place]).display().to_string()),
            (WitnessProgram::None { why }, _) => Err(why.clone()),
        })
    }
}

pub fn write(found: Found<'_>, out: &mut impl Write) -> Result<()> {
    for Judged { place, verdict, .. } in found.judged {
        let mutant = &found.mutants[*place];
        let style = match verdict {
            Equivalence::Different(_) => DIFFERENT,
            Equivalence::Equivalent { .. } => HEAD,
            Equivalence::Unknown { .. } => OPEN,
            Equivalence::Refused => Style::new(),
        };
        writeln!(out, "{style}{}{style:#}: {} [{}]", verdict.word(), mutant.name(), mutant.id)?;
        match verdict {
            Equivalence::Different(witness) => {
                write_witness(witness, out)?;
                match found.file(*place, witness) {
                    Some(Ok(file)) => writeln!(out, "    shown by {file}")?,
                    Some(Err(why)) => writeln!(out, "    no program shows it: {why}")?,
                    None => {}
                }
            }
            Equivalence::Equivalent { by, bound, assumptions } => {
                let bound = bound.as_ref().map(|bound| format!(", if {bound}")).unwrap_or_default();
                writeln!(out, "    {}{bound}", how(*by))?;
                assumptions.iter().try_for_each(|assumption| writeln!(out, "    as long as {assumption}"))?;
            }
            Equivalence::Unknown { why } => writeln!(out, "    {why}")?,
            Equivalence::Refused => {}
        }
    }
    write_summary(found.judged, out)
}

fn how(tier: Tier) -> String {
    match tier {
        Tier::Native => "by calling it".to_string(),
        Tier::Exhaustive => "all inputs were tried".to_string(),
        Tier::Order => "only the order of elements counts, and all orders were tried".to_string(),
        Tier::Code { level } => format!("the same code at {level}, as long as nothing undefined happens"),
        Tier::Structural => "both compute the same terms".to_string(),
        Tier::Proof => "a solver finds no input on which they differ".to_string(),
    }
}

fn write_witness(witness: &Witness, out: &mut impl Write) -> Result<()> {
    let Witness { by, layout, .. } = witness;
    let inputs = values(layout, &layout.leaves, &by.input);
    writeln!(out, "    with {}", if inputs.is_empty() { "no input".to_string() } else { inputs.join(", ") })?;
    match by.kind {
        Kind::Undefined => writeln!(out, "    it does something undefined, and the original does not"),
        Kind::Endless => writeln!(out, "    it does not come to an end, and the original does"),
        Kind::Ended => writeln!(out, "    it ends the program, and the original does not"),
        Kind::Output => {
            let (original, other) = (views(layout, &by.original), views(layout, &by.other));
            let both = original.iter().zip(&other).filter(|(one, other)| one != other);
            both.take(4).try_for_each(|(one, other)| {
                let changed = other.split_once(" = ").map_or(other.as_str(), |(_, value)| value);
                writeln!(out, "    {one} in the original, {changed} in the mutant")
            })
        }
    }
}

fn views(layout: &Layout, bytes: &[u8]) -> Vec<String> {
    let leaves: Vec<Leaf> = layout.result.iter().chain(&layout.views).cloned().collect();
    values(layout, &leaves, bytes)
}

/// `a = 3`
fn values(layout: &Layout, leaves: &[Leaf], bytes: &[u8]) -> Vec<String> {
    let mut at = 0;
    let mut found = Vec::new();
    for leaf in leaves {
        let Some(own) = bytes.get(at..at + leaf.size as usize) else { break };
        at += leaf.size as usize;
        found.push(format!("{} = {}", leaf.name, value(layout, leaf, own)));
    }
    found
}

fn value(layout: &Layout, leaf: &Leaf, bytes: &[u8]) -> String {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(wide);
    match (leaf.kind, leaf.size) {
        (LeafKind::Float, 4) => format!("{:?}", f32::from_bits(bits as u32)),
        (LeafKind::Float, _) => format!("{:?}", f64::from_bits(bits)),
        (LeafKind::Bool | LeafKind::Choice, _) => (bits != 0).to_string(),
        (LeafKind::Unsigned, _) => bits.to_string(),
        (LeafKind::Pointer, _) => match Place::of(bits) {
            Place::Null => "NULL".to_string(),
            Place::Inside { object, offset } => {
                let object = layout.objects.get(object).map_or("an object", |object| &object.name);
                format!("{offset} bytes from the start of {object}")
            }
            Place::Elsewhere(_) => "elsewhere".to_string(),
        },
        (LeafKind::Signed, size) => {
            let shift = 64 - 8 * size;
            (((bits << shift) as i64) >> shift).to_string()
        }
    }
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
    let output = of_kind(Kind::Output) + of_kind(Kind::Ended);
    writeln!(
        out,
        "  different     {different:>6}   {output} by their output, {undefined} undefined, {endless} endless"
    )?;
    writeln!(out, "  equivalent    {equivalent:>6}")?;
    writeln!(out, "  unknown       {unknown:>6}")?;
    writeln!(out, "  compile error {refused:>6}")
}

fn record(found: Found<'_>, judged: &Judged) -> Value {
    let mutant = &found.mutants[judged.place];
    let mut record = json!({
        "id": mutant.id.to_string(),
        "name": mutant.name().to_string(),
        "verdict": judged.verdict.word(),
        "cpu_ms": judged.cpu.as_micros() as f64 / 1000.0,
    });
    match &judged.verdict {
        Equivalence::Different(witness) => {
            let Witness { by, layout, .. } = witness;
            let kind = match by.kind {
                Kind::Output | Kind::Ended => "output",
                Kind::Undefined => "undefined behaviour",
                Kind::Endless => "timeout",
            };
            record["kind"] = json!(kind);
            record["tier"] = json!(Tier::Native.to_string());
            record["witness"] = json!({
                "input": values(layout, &layout.leaves, &by.input),
                "original": views(layout, &by.original),
                "mutant": if by.kind == Kind::Ended { vec!["it ends the program".to_string()] } else { views(layout, &by.other) },
                "bytes": hex(&by.input),
            });
            match found.file(judged.place, witness) {
                Some(Ok(file)) => record["witness"]["file"] = json!(file),
                Some(Err(why)) => record["witness"]["no_file"] = json!(why),
                None => {}
            }
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

pub fn write_array(found: Found<'_>, out: &mut impl Write) -> Result<()> {
    let records: Vec<Value> = found.judged.iter().map(|judged| record(found, judged)).collect();
    serde_json::to_writer_pretty(&mut *out, &records)?;
    writeln!(out)
}

pub fn write_lines(found: Found<'_>, out: &mut impl Write) -> Result<()> {
    found.judged.iter().try_for_each(|judged| writeln!(out, "{}", record(found, judged)))
}
