//! The comparison of two versions of a file: for people, and as JSON.

use super::equivalence::{with_verdict, write_verdict, Sides};
use super::json;
use crate::page::Page;
use perturb_equiv::compare::pair::{Paired, PairedFunction};
use serde_json::{json, Value};
use std::io::{Result, Write};

pub struct Table<'t> {
    pub paired: &'t Paired,
    /// The names of the files.
    pub names: [String; 2],
}

impl Table<'_> {
    fn sides(&self) -> Sides<'_> {
        let [first, second] = &self.names;
        Sides { it: second, first, second, keys: ["first", "second"] }
    }

    pub fn write_text(&self, out: &mut Page) -> Result<()> {
        let write = |one: &PairedFunction| write_verdict(&format!("{}()", one.name), &one.verdict, self.sides(), out);
        self.paired.functions.iter().try_for_each(write)
    }

    pub fn write_array(&self, out: &mut impl Write) -> Result<()> {
        json::write_pretty(&self.records(), out)
    }

    pub fn write_lines(&self, out: &mut impl Write) -> Result<()> {
        self.records().iter().try_for_each(|record| json::write_line(record, out))
    }

    fn records(&self) -> Vec<Value> {
        let record =
            |one: &PairedFunction| with_verdict(json!({ "function": one.name }), &one.verdict, one.cpu, self.sides());
        self.paired.functions.iter().map(record).collect()
    }
}
