//! How far a mutation score can be trusted: a table for people, JSON, CSV.

use super::csv::Rows;
use super::json;
use crate::page::{Page, Style};
use crate::visible;
use anstyle::AnsiColor;
use perturb_equiv::compare::confidence::{ProjectConfidence, Standing, Verdicts};
use serde::Serialize;
use serde_json::{json, Value};
use std::io::{Result, Write};
use std::path::Path;

const HEAD: Style = Style::BOLD;
const ABOVE: Style = Style::colour(AnsiColor::Green);
const OPEN: Style = Style::colour(AnsiColor::Yellow);
const BELOW: Style = Style::colour(AnsiColor::Red);

/// Confidences, and the baseline that they are compared with, in percent.
pub struct Table<'t> {
    pub confidence: &'t ProjectConfidence,
    pub baseline: f64,
}

/// The subject of a row.
#[derive(Debug, Clone, Copy)]
enum Subject<'t> {
    Function(&'t Path, Option<&'t str>),
    File(&'t Path),
    Project,
}

/// The figures of a row as programs read them: shares from 0 to 1, null if there are no mutants. The names are part of
/// the interface.
#[derive(Debug, Serialize)]
struct Figures {
    mutants: usize,
    compilable: usize,
    different: usize,
    different_output: usize,
    different_undefined: usize,
    different_endless: usize,
    equivalent: usize,
    unknown: usize,
    confidence: Option<f64>,
    confidence_of_compilable: Option<f64>,
    decided: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    baseline: Option<&'static str>,
}

impl Table<'_> {
    fn figures(&self, all: &Verdicts) -> Figures {
        let interval = all.interval();
        Figures {
            mutants: all.mutants(),
            compilable: all.compilable(),
            different: all.different(),
            different_output: all.output,
            different_undefined: all.undefined,
            different_endless: all.endless,
            equivalent: all.equivalent,
            unknown: all.unknown,
            confidence: all.of_all(),
            confidence_of_compilable: all.of_compilable(),
            decided: all.decided(),
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
            baseline: all.standing(self.baseline).map(Standing::word),
        }
    }

    /// Rows: each file before its functions, the whole at the end.
    fn rows(&self) -> Vec<(Subject<'_>, &Verdicts)> {
        let mut rows = Vec::new();
        for file in &self.confidence.files {
            let function = |name| Subject::Function(&file.file, name);
            rows.push((Subject::File(&file.file), &file.all));
            rows.extend(file.functions.iter().map(|own| (function(own.name.as_deref()), &own.all)));
        }
        rows.push((Subject::Project, &self.confidence.all));
        rows
    }

    pub fn write_json(&self, out: &mut dyn Write) -> Result<()> {
        let value = |all: &Verdicts| -> Result<Value> { Ok(serde_json::to_value(self.figures(all))?) };
        let mut files = Vec::new();
        for file in &self.confidence.files {
            let mut functions = Vec::new();
            for function in &file.functions {
                let mut own = value(&function.all)?;
                own["function"] = json!(function.name);
                functions.push(own);
            }
            let mut own = value(&file.all)?;
            own["file"] = json!(visible::name(&file.file));
            own["functions"] = json!(functions);
            files.push(own);
        }
        let mut whole = value(&self.confidence.all)?;
        whole["baseline_percent"] = json!(self.baseline);
        whole["files"] = json!(files);
        json::write_pretty(&whole, out)
    }

    pub fn write_csv(&self, out: &mut dyn Write) -> Result<()> {
        let mut rows = Rows::untitled(out);
        let titles = [
            "of",
            "file",
            "function",
            "mutants",
            "compilable",
            "different",
            "different_output",
            "different_undefined",
            "different_endless",
            "equivalent",
            "unknown",
            "confidence",
            "confidence_of_compilable",
            "decided",
            "low",
            "high",
            "baseline",
        ];
        rows.add(titles)?;
        for (of, all) in self.rows() {
            let (what, file, function) = match of {
                Subject::Function(file, name) => ("function", visible::path(file), name.unwrap_or_default()),
                Subject::File(file) => ("file", visible::path(file), ""),
                Subject::Project => ("project", String::new(), ""),
            };
            rows.add((what, file, function, self.figures(all)))?;
        }
        rows.finish()
    }

    pub fn write_text(&self, out: &mut Page) -> Result<()> {
        let name = |of: &Subject<'_>| match of {
            Subject::Function(_, name) => {
                let name = name.map(|name| format!("{}()", visible::line(name)));
                format!("  {}", name.as_deref().unwrap_or("outside of functions"))
            }
            Subject::File(file) => visible::path(file),
            Subject::Project => "all".to_string(),
        };
        let rows = self.rows();
        let widest = rows.iter().map(|(of, _)| name(of).chars().count()).max().unwrap_or_default();
        let baseline = self.baseline;
        writeln!(
            out,
            "{HEAD}{:widest$} {:>7} {:>10} {:>9} {:>6} {:>9} {:>7} {:>10} {:>7} {:>10} {:>13} {:>8} {:>15}  \
             baseline {baseline} %{HEAD:#}",
            "",
            "mutants",
            "compilable",
            "different",
            "output",
            "undefined",
            "endless",
            "equivalent",
            "unknown",
            "confidence",
            "of compilable",
            "decided",
            "interval"
        )?;
        for (of, all) in &rows {
            let style = if matches!(of, Subject::Function(..)) { Style::PLAIN } else { HEAD };
            let interval = all.interval().map(|(low, high)| format!("{:.1} to {:.1}", 100.0 * low, 100.0 * high));
            write!(
                out,
                "{style}{:widest$} {:>7} {:>10} {:>9} {:>6} {:>9} {:>7} {:>10} {:>7} {:>10} {:>13} {:>8} \
                 {:>15}{style:#}",
                name(of),
                all.mutants(),
                all.compilable(),
                all.different(),
                all.output,
                all.undefined,
                all.endless,
                all.equivalent,
                all.unknown,
                percent(all.of_all()),
                percent(all.of_compilable()),
                percent(all.decided()),
                interval.unwrap_or_else(nothing)
            )?;
            write_standing(all.standing(baseline), out)?;
        }
        Ok(())
    }
}

fn write_standing(standing: Option<Standing>, out: &mut Page) -> Result<()> {
    let style = match standing {
        Some(Standing::Above) => ABOVE,
        Some(Standing::Below) => BELOW,
        Some(Standing::Open) | None => OPEN,
    };
    writeln!(out, "  {style}{}{style:#}", standing.map_or("–", Standing::word))
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(nothing, |share| format!("{:.1} %", 100.0 * share))
}

/// The text for a share of no mutants.
fn nothing() -> String {
    "–".to_string()
}
