//! Writes witnesses as C programs. Each is compiled and run with the original and with the mutant before it is
//! reported.

mod start;

use super::comparison::Comparison;
use super::elsewhere::LinkedUnit;
use super::tool::Tool;
use super::{Equivalence, FunctionSubject, Layout, WitnessProgram};
use crate::native::{witness, wraps, Differing, UNIT_MACRO};
use crate::EquivError;
use perturb_cell::{End, Job, Limits};
use perturb_host::{shell_word, Beside, HostError, Including, Made, Watched};
use perturb_model::{Difference, Kind, Mutant};
use start::why_hidden;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The CPU time limit of a run: far more than a call of the original needs.
const LONGEST: Duration = Duration::from_secs(1);

/// Options for witnesses.
#[derive(Debug, Clone)]
pub struct WitnessOptions {
    /// The folder of their files.
    pub folder: PathBuf,
    /// The parts of the command that writes the file, before and after the mutant's id.
    pub apply: [String; 2],
}

impl WitnessOptions {
    /// The file of a mutant's witness.
    pub fn file(&self, mutant: &Mutant) -> PathBuf {
        self.folder.join(format!("{}-{}.c", mutant.function().unwrap_or("function"), mutant.id))
    }
}

impl Tool<'_> {
    /// Writes a program for every witness that a program can show.
    pub(super) fn write_witnesses(&mut self, comparison: &mut Comparison<'_>) -> Result<(), EquivError> {
        let Some(options) = &self.options.witnesses else { return Ok(()) };
        self.move_to_start(comparison)?;
        let subject = comparison.subject;
        for (mutant, verdict) in &mut comparison.verdicts {
            let Equivalence::Different(found) = verdict else { continue };
            if self.stop.is_due() {
                break;
            }
            let (mutant, by, layout) = (&self.mutants[*mutant], &found.by, found.layout.as_ref());
            found.program = Some(self.witness(&ShownDifference { subject, mutant, by, layout, options })?);
        }
        self.code.mirror.restore(&subject.file.relative)?;
        Ok(())
    }

    /// The first kind of program with which the original passes and the mutant fails.
    fn witness(&mut self, shown: &ShownDifference<'_>) -> Result<WitnessProgram, EquivError> {
        if let Some(why) = why_hidden(shown.layout, shown.by) {
            return Ok(WitnessProgram::None { why });
        }
        let mut why = "it does not compile".to_string();
        let ways: &[Watched] = match shown.by.kind {
            Kind::Output | Kind::Ended | Kind::Endless => &[Watched::Plainly],
            Kind::Undefined => &[Watched::BySanitizers, Watched::ByTraps, Watched::ByPattern],
        };
        for watched in ways {
            for is_alone in [false, true] {
                let way = Way::new(shown, *watched, is_alone);
                let text = shown.text(&way);
                let Some(ends) = self.try_witness(shown, &way, &text)? else { continue };
                match (ends, shown.by.kind) {
                    ([End::Exited(0), End::Exited(1)], _) => return Ok(WitnessProgram::Text(text)),
                    ([End::Exited(0), End::Exited(0)], kind) => why = hidden(kind).to_string(),
                    ([End::Exited(0), other], Kind::Output) => why = format!("the mutant ends in it with {other:?}"),
                    ([End::Exited(0), _], _) => return Ok(WitnessProgram::Text(text)),
                    ([other, _], _) => why = format!("the original ends in it with {other:?}"),
                }
                break;
            }
        }
        Ok(WitnessProgram::None { why })
    }

    /// How the program ends with the original and with the mutant, if it can be built.
    fn try_witness(
        &mut self,
        shown: &ShownDifference<'_>,
        way: &Way,
        text: &str,
    ) -> Result<Option<[End; 2]>, EquivError> {
        let source = self.folder.join("witness.c");
        std::fs::write(&source, text).map_err(HostError::io("write", &source))?;
        let relative = &shown.subject.file.relative;
        self.code.mirror.restore(relative)?;
        let Some(original) = self.run_witness(shown, way, &source)? else { return Ok(None) };
        self.code.mirror.put(relative, &shown.mutant.mutated_text())?;
        Ok(self.run_witness(shown, way, &source)?.map(|mutant| [original, mutant]))
    }

    fn run_witness(
        &mut self,
        shown: &ShownDifference<'_>,
        way: &Way,
        source: &Path,
    ) -> Result<Option<End>, EquivError> {
        let (program, interrupt) = (self.folder.join("witness"), self.stop.interrupt);
        let mut objects = Vec::new();
        for (number, beside) in &way.beside {
            match self.object_beside(*number, beside, way.watched)? {
                Some(object) => objects.push(object),
                None => return Ok(None),
            }
        }
        let unit = format!("-D{UNIT_MACRO}=\"{}\"", shown.subject.command.file.display());
        let including = way.including.clone().with_files(objects);
        let (made, _) = including.make(&self.code.mirror, Some(&unit), source, &program, &|| interrupt.is_raised())?;
        if made != Made::Made {
            return Ok(None);
        }
        let limits = Limits { cpu: LONGEST, wall: 20 * LONGEST, ..Limits::default() };
        // The leak checker needs ptrace, which the sandbox denies.
        let environment = [("ASAN_OPTIONS".into(), Some("detect_leaks=0".into()))];
        let job = Job { program: &program, arguments: &[], directory: &self.folder, environment: &environment, limits };
        Ok(Some(self.cell.run(&job)?.how))
    }

    /// The object of another unit, compiled once for all programs with the same checks.
    fn object_beside(
        &mut self,
        number: usize,
        beside: &Beside,
        watched: Watched,
    ) -> Result<Option<PathBuf>, EquivError> {
        let object = self.folder.join(format!("witness-{number}-{watched:?}.o"));
        if !object.exists() {
            let interrupt = self.stop.interrupt;
            let (made, _) = beside.make(&self.code.mirror, &object, &|| interrupt.is_raised())?;
            if made != Made::Made {
                let _ = std::fs::remove_file(&object);
                return Ok(None);
            }
        }
        Ok(Some(object))
    }
}

/// One kind of program.
struct Way {
    watched: Watched,
    including: Including,
    /// The units whose functions are called, each with its number.
    beside: Vec<(usize, Beside)>,
}

impl Way {
    fn new(shown: &ShownDifference<'_>, watched: Watched, is_alone: bool) -> Self {
        let FunctionSubject { command, facts, linked, .. } = shown.subject;
        let wraps = shown.layout.heap.as_ref().filter(|heap| heap.allocates).map(|_| wraps());
        let beside = |unit: &LinkedUnit| (unit.number, Beside::new(&unit.command, &unit.facts, watched));
        Self {
            watched,
            including: Including::new(command, facts, watched, is_alone).with_libraries(wraps.into_iter().flatten()),
            beside: linked.iter().map(|unit| beside(unit)).collect(),
        }
    }
}

/// The reason why a difference cannot show in a program.
fn hidden(kind: Kind) -> &'static str {
    match kind {
        Kind::Output => "nothing that C has a name for shows it",
        Kind::Undefined => "neither sanitizers nor traps show it",
        Kind::Ended => "the mutant ends it as if nothing were wrong",
        Kind::Endless => "it comes to an end after all, and does the same",
    }
}

/// A difference to show.
struct ShownDifference<'s> {
    subject: &'s FunctionSubject,
    mutant: &'s Mutant,
    by: &'s Difference,
    layout: &'s Layout,
    options: &'s WitnessOptions,
}

impl ShownDifference<'_> {
    fn text(&self, way: &Way) -> String {
        let FunctionSubject { signatures, command, .. } = self.subject;
        let unit = command.file.to_string_lossy();
        let (signature, layout, by) = (self.subject.signature(), self.layout, self.by);
        let differing = Differing { signatures, signature, layout, by, unit: &unit, tolerance: None };
        witness(differing, &self.head(way))
    }

    /// What the program shows, and the command to run it.
    fn head(&self, way: &Way) -> Vec<String> {
        let mutant = self.mutant;
        let (ends, without) = match (self.by.kind, way.watched) {
            (Kind::Output, _) => ("returns or leaves behind something else, and ends with status 1", None),
            (Kind::Ended, _) => ("ends the program", None),
            (Kind::Endless, _) => ("does not come to an end, or only after very long", None),
            (Kind::Undefined, Watched::BySanitizers) => ("does something undefined, as sanitizers tell", Some("them")),
            (Kind::Undefined, Watched::ByPattern) => ("reads what was never written", Some("the option that fills it")),
            (Kind::Undefined, _) => ("does something undefined, and traps", Some("the options that have it trap")),
        };
        let mut lines = vec![
            format!("{} differs from its mutant {}.", self.subject.signature().name, mutant.id),
            String::new(),
            mutant.name(),
        ];
        lines.extend(self.changed_lines());
        lines.extend([String::new(), format!("The mutant {ends}.")]);
        lines.extend(without.map(|what| format!("Without {what}, it may not show.")));
        lines.extend(self.commands(way));
        // A comment in the text would end the generated comment.
        lines.iter().map(|line| line.replace("*/", "* /")).collect()
    }

    /// The command to type.
    fn commands(&self, way: &Way) -> Vec<String> {
        let file = self.options.file(self.mutant);
        let directory = shell_word(&way.including.directory().to_string_lossy());
        let [apply, behind] = &self.options.apply;
        let out = "\"$M/witness\"";
        let objects: Vec<String> = way.beside.iter().map(|(number, _)| format!("\"$M/unit-{number}.o\"")).collect();
        let compile = way.beside.iter().zip(&objects).map(|((_, beside), object)| format!("  {}", beside.line(object)));
        let mut lines = vec![
            String::new(),
            "With the original, which ends with status 0:".to_string(),
            format!("  M=$(mktemp -d) && cd {directory}"),
        ];
        lines.extend(compile);
        lines.extend([
            format!("  {} && {out}", way.including.line("", &file, &objects, out)),
            "With the mutant:".to_string(),
            format!("  ({apply} {} --to \"$M\"{behind})", self.mutant.id),
            format!("  {} && {out}", way.including.line(&self.mutant_flags(), &file, &objects, out)),
        ]);
        lines
    }

    /// The differing lines, as in a diff.
    fn changed_lines(&self) -> Vec<String> {
        let original = self.mutant.file.source.text();
        let mutated = self.mutant.mutated_text();
        let first = self.mutant.start().line as usize - 1;
        let last = self.mutant.end().line as usize;
        let split = |text: &[u8]| String::from_utf8_lossy(text).lines().map(String::from).collect::<Vec<_>>();
        let (before, after) = (split(original), split(&mutated));
        let last_after = (last + after.len()).saturating_sub(before.len());
        let of = |sign: char, lines: &[String], last: usize| {
            let own = lines.get(first..last).unwrap_or_default();
            own.iter().map(|line| format!("{sign} {line}")).collect::<Vec<_>>()
        };
        [of('-', &before, last), of('+', &after, last_after)].concat()
    }

    /// The mutated file, which finds its includes where the original does.
    fn mutant_flags(&self) -> String {
        let relative = self.mutant.file.relative.display();
        let folder = self.subject.command.file.parent().unwrap_or(Path::new("/"));
        format!("-iquote {} -D{UNIT_MACRO}=\"\\\"$M/{relative}\\\"\"", shell_word(&folder.to_string_lossy()))
    }
}
