//! MASS step 3, compile mutants: one build that contains all of them, made by the project's own compiler and build
//! system.
//!
//! What does not compile in this build is left out: first single points, then functions, at last files. Mutants that
//! are left out are built by themselves, each with the reason. A project in which nothing can be instrumented is no
//! error: every mutant is then built by itself.

mod runtime;
mod switchboard;
mod texts;

pub use switchboard::{FunctionShares, FunctionSwitch, Switch, Switchboard};
pub use texts::{lost_file, mutated_texts, quiet_texts};

use crate::steps::mutate::FileSchema;
use crate::PipelineError;
use perturb_csrc::schemata::{probes, LeftOut, FIRST_PROBE};
use perturb_host::{compile_errors, compiles, read_errors, CompileError, Project, Shadow};
use perturb_model::{Event, Mutant};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;
use texts::Texts;

/// The most builds that are tried. An error may hide others; in the last build, whatever fails is left out completely.
const ROUNDS: usize = 8;

/// What to build, and how.
#[derive(Debug)]
pub struct CompileOptions<'o> {
    pub jobs: usize,
    /// The folder for the runtime's headers.
    pub work: &'o Path,
    pub logs: &'o Path,
}

/// What is left out of the instrumented build. Files are given by their index in the list.
#[derive(Debug, Clone, Default)]
pub struct AllLeftOut {
    files: BTreeMap<usize, String>,
    parts: BTreeMap<usize, LeftOut>,
    /// The compiler's messages, by file and line.
    reasons: BTreeMap<(usize, u32), String>,
}

/// Builds `shadow` with all mutants in it, and returns the processor time as well. None if no part of the project can
/// be built like this.
pub fn compile(
    project: &Project,
    schemata: &[FileSchema],
    mutants: &[Mutant],
    shadow: &mut Shadow,
    options: &CompileOptions<'_>,
    events: &mut dyn FnMut(Event),
) -> Result<Option<(Switchboard, Duration)>, PipelineError> {
    let mut texts = Texts::new(project, shadow, schemata, options.work)?;
    let mut left_out = AllLeftOut::default();
    let mut cpu = texts.cpu();
    for round in 0..ROUNDS {
        let instrumented = texts.write(&left_out, &|_| false);
        if instrumented.files.is_empty() {
            break;
        }
        shadow.replace(&instrumented.texts)?;
        let log = options.logs.join("instrumented-build.log");
        let built = shadow.build(options.jobs, &log)?;
        cpu += built.cpu;
        if built.success && built.overwritten.is_empty() {
            let switchboard = Switchboard::new(schemata, mutants, instrumented.files, left_out);
            return Ok(Some((switchboard, cpu)));
        }
        for path in &built.overwritten {
            let generated = |index: &usize| schemata[*index].file.relative == *path;
            if let Some(index) = (0..schemata.len()).find(generated) {
                left_out.files.insert(index, "the build writes this file itself".to_string());
            }
        }
        if !built.success && shadow.has_confined_builds() && !builds_confined(shadow, options)? {
            shadow.release_builds();
            events(Event::BuildsNotConfined { tail: built.tail });
            continue;
        }
        if !built.success {
            let errors = find_errors(project, shadow, &built.log)?;
            let is_last = round + 2 == ROUNDS;
            let is_probed = !is_last && left_out.probe(project, schemata, shadow, &texts, &errors)?;
            // Errors that no text of the user's causes may come from the assembler.
            let is_explained =
                is_probed || left_out.add(schemata, shadow, &errors, is_last) || texts.give_up_assembly();
            if !is_explained && !left_out.add_units(project, schemata, shadow)? {
                events(Event::NotInstrumented { log: built.log, tail: built.tail });
                return Ok(None);
            }
        }
    }
    Ok(None)
}

/// Whether the original project can be built in a cell.
fn builds_confined(shadow: &mut Shadow, options: &CompileOptions<'_>) -> Result<bool, PipelineError> {
    shadow.replace(&BTreeMap::new())?;
    Ok(shadow.build(options.jobs, &options.logs.join("confined-build.log"))?.success)
}

/// The compiler's errors in each unit; if there are none, the errors in the log of the build.
fn find_errors(project: &Project, shadow: &Shadow, log: &Path) -> Result<Vec<CompileError>, PipelineError> {
    let mut errors = Vec::new();
    for unit in shadow.commands(project) {
        errors.extend(compile_errors(&unit.command)?);
    }
    if errors.is_empty() {
        let text = std::fs::read(log).unwrap_or_default();
        errors = read_errors(&String::from_utf8_lossy(&text), &shadow.build_folder());
    }
    errors.sort();
    errors.dedup();
    Ok(errors)
}

impl AllLeftOut {
    /// Compiles the files with errors again, with each alternative on a line of its own, and leaves out the
    /// alternatives that the errors then point at. Returns whether there are any.
    fn probe(
        &mut self,
        project: &Project,
        schemata: &[FileSchema],
        shadow: &mut Shadow,
        texts: &Texts<'_>,
        errors: &[CompileError],
    ) -> Result<bool, PipelineError> {
        let files: BTreeSet<usize> =
            errors.iter().filter_map(|error| file_of(schemata, shadow, &error.file).map(|(index, _)| index)).collect();
        shadow.replace(&texts.write(self, &|index| files.contains(&index)).texts)?;
        let mut has_changed = false;
        for unit in shadow.commands(project) {
            for error in compile_errors(&unit.command)?.into_iter().filter(|error| error.line >= FIRST_PROBE) {
                let Some((index, schema)) = file_of(schemata, shadow, &error.file) else { continue };
                let probes = probes(&schema.functions);
                let Some(&(function, point, code)) = probes.get((error.line - FIRST_PROBE) as usize) else { continue };
                has_changed |= self.parts.entry(index).or_default().alternatives.insert((function, point, code));
                let range = schema.functions[function].schema.points[point as usize].0;
                let line = schema.file.source.line_column(range.start).line;
                self.reasons.entry((index, line)).or_insert(error.message);
            }
        }
        Ok(has_changed)
    }

    /// Leaves out what the errors point at. Returns whether they point at anything that was still included.
    fn add(&mut self, schemata: &[FileSchema], shadow: &Shadow, errors: &[CompileError], is_last: bool) -> bool {
        let mut has_changed = false;
        for error in errors {
            let Some((index, schema)) = file_of(schemata, shadow, &error.file) else { continue };
            let parts = self.parts.entry(index).or_default();
            let changed = leave_out(schema, parts, error.line, is_last);
            if changed {
                self.reasons.entry((index, error.line)).or_insert_with(|| error.message.clone());
            } else if !self.files.contains_key(&index) && !is_known(schema, parts, error.line) {
                self.files.insert(index, error.message.clone());
                has_changed = true;
            }
            has_changed |= changed;
        }
        has_changed
    }

    /// Leaves out the sources of units that do not compile and whose errors point at no known file, since the compiler
    /// may print paths in a form that cannot be read. Returns whether there are any.
    fn add_units(
        &mut self,
        project: &Project,
        schemata: &[FileSchema],
        shadow: &Shadow,
    ) -> Result<bool, PipelineError> {
        let mut has_changed = false;
        for unit in shadow.commands(project) {
            let Some((index, _)) = file_of(schemata, shadow, &unit.command.file) else { continue };
            if !self.files.contains_key(&index) && !compiles(&unit.command)? {
                self.files.insert(index, "it does not compile with its mutants in it".to_string());
                has_changed = true;
            }
        }
        Ok(has_changed)
    }
}

/// Leaves out the points on a line; or the function around it, if the points are already left out. Returns whether
/// anything changed.
fn leave_out(schema: &FileSchema, parts: &mut LeftOut, line: u32, whole: bool) -> bool {
    let source = &schema.file.source;
    let lines =
        |range: perturb_csrc::SourceRange| source.line_column(range.start).line..=source.line_column(range.end).line;
    let Some(index) = schema.functions.iter().position(|f| lines(f.schema.range).contains(&line)) else { return false };
    if parts.functions.contains(&index) {
        return false;
    }
    let points = &schema.functions[index].schema.points;
    let on_line = (0..points.len() as u32).filter(|&p| lines(points[p as usize].0).contains(&line));
    let fresh: Vec<_> = on_line.map(|point| (index, point)).filter(|point| !parts.points.contains(point)).collect();
    if fresh.is_empty() || whole {
        parts.functions.insert(index);
    } else {
        parts.points.extend(fresh);
    }
    true
}

/// Whether the function around a line is already left out, so that the error has another cause.
fn is_known(schema: &FileSchema, parts: &LeftOut, line: u32) -> bool {
    let source = &schema.file.source;
    parts.functions.iter().any(|&index| {
        let range = schema.functions[index].schema.range;
        (source.line_column(range.start).line..=source.line_column(range.end).line).contains(&line)
    })
}

fn file_of<'s>(schemata: &'s [FileSchema], shadow: &Shadow, file: &Path) -> Option<(usize, &'s FileSchema)> {
    let relative = file.strip_prefix(shadow.tree()).ok()?;
    schemata.iter().enumerate().find(|(_, schema)| texts::is_of(relative, &schema.file.relative))
}
