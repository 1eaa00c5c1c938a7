//! What was found of two versions of a file: for people, and as JSON.

use super::equivalence::{with_verdict, write_verdict, Sides};
use perturb_pipeline::equivalence::pair::{Paired, PairedFunction};
use serde_json::{json, Value};
use std::io::{Result, Write};

pub struct Table<'t> {
    pub paired: &'t Paired,
    /// What the files are called.
    pub names: [String; 2],
}

impl Table<'_> {
    fn sides(&self) -> Sides<'_> {
        let [first, second] = &self.names;
        Sides { it: second, first, second, keys: ["first", "second"] }
    }

    pub fn write_text(&self, out: &mut impl Write) -> Result<()> {
        let each = |own: &PairedFunction| write_verdict(&format!("{}()", own.name), &own.verdict, self.sides(), out);
        self.paired.functions.iter().try_for_each(each)
    }

    pub fn write_array(&self, out: &mut impl Write) -> Result<()> {
        serde_json::to_writer_pretty(&mut *out, &self.records())?;
        writeln!(out)
    }

    pub fn write_lines(&self, out: &mut impl Write) -> Result<()> {
        self.records().iter().try_for_each(|record| writeln!(out, "{record}"))
    }

    fn records(&self) -> Vec<Value> {
        let record =
            |own: &PairedFunction| with_verdict(json!({ "function": own.name }), &own.verdict, own.cpu, self.sides());
        self.paired.functions.iter().map(record).collect()
    }
}
