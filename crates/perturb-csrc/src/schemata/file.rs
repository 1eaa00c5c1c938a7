//! A file with all its mutants in it: its functions, each in two versions, and the tables that the runtime reads.

use super::function::{Alternative, FunctionSchema, Outline, Version};
use super::value::letter;
use super::weave::{weave, Layer, MarkNames, VariantFilter, Wrap};
use crate::lexer::has_split_directives;
use crate::operators::Mutation;
use crate::source::{SourceFile, SourceRange};
use crate::tree::Number;
use std::collections::{BTreeSet, HashMap};

/// A function of a file with the mutations that its points are made of.
#[derive(Debug, Clone)]
pub struct SchemaFunction {
    pub schema: FunctionSchema,
    pub mutations: Vec<Mutation>,
}

impl SchemaFunction {
    /// Whether another translation unit sees the same function, so that one text serves both.
    pub fn is_same(&self, other: &Self) -> bool {
        let (a, b) = (&self.schema, &other.schema);
        let edits = |function: &Self| -> Vec<_> {
            function.mutations.iter().map(|m| (m.operator, m.edit.clone(), m.constant.is_some())).collect()
        };
        let is_like = a.range == b.range && a.version == b.version && a.wraps == b.wraps && a.calls == b.calls;
        is_like && edits(self) == edits(other)
    }

    /// The floating types whose functions it calls, by their letters in the runtime.
    pub fn floating(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.schema.floating.iter().filter_map(|number| letter(*number))
    }
}

/// A function or mutant that is left out of an instrumented file: it did not compile, or the tests did not pass with
/// it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Functions, by their index in the file.
    pub functions: BTreeSet<usize>,
    /// Single points of functions.
    pub points: BTreeSet<(usize, u32)>,
    /// Single alternatives of points, by their code.
    pub alternatives: BTreeSet<(usize, u32, u8)>,
}

impl LeftOut {
    fn takes(&self, function: usize, point: u32, code: u8) -> bool {
        !self.points.contains(&(function, point)) && !self.alternatives.contains(&(function, point, code))
    }
}

/// A mutant that can be switched on in an instrumented file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch {
    /// The function, by its index in the file.
    pub function: usize,
    /// The mutation, by its index in the function's list.
    pub mutation: usize,
    pub point: u32,
    pub code: u8,
}

/// An instrumented file.
#[derive(Debug, Clone)]
pub struct Instrumented {
    /// The tables' size: what a record of it looks like.
    pub functions: u32,
    pub statements: u32,
    pub points: u32,
    /// In the order of the runtime's table.
    pub switches: Vec<Switch>,
    /// For each function its first statement; the first of those is the function as a whole.
    pub first_statement: Vec<u32>,
    /// For each function its first point.
    pub first_point: Vec<u32>,
    pub text: Vec<u8>,
}

/// Where the parts of an instrumented file find each other.
#[derive(Debug, Clone)]
pub struct FileNames<'n> {
    /// Give each variant a line of its own, beginning with [`FIRST_PROBE`]: to find out which of them does not compile.
    pub probe: bool,
    /// Eight hexadecimal digits that no other file of the project has.
    pub key: &'n str,
    /// How messages and `__FILE__` call the file, where that is not how it is included.
    pub shown: Option<&'n str>,
    /// The runtime's header.
    pub runtime: &'n str,
    /// The file in which a program says that it was started without our variables.
    pub lost: Option<&'n str>,
}

/// The first line number that no source has.
pub const FIRST_PROBE: u32 = 1_000_000_000;

/// The alternatives that have a line of their own in a probe, in the order of their lines.
pub fn probes(functions: &[SchemaFunction]) -> Vec<(usize, u32, u8)> {
    let of_function = |(index, function): (usize, &SchemaFunction)| {
        let of_point = move |(number, (_, alternatives)): (usize, &(SourceRange, Vec<Alternative>))| {
            let codes: Vec<u8> = alternatives.iter().map(|alternative| alternative.code.0).collect();
            codes.into_iter().map(move |code| (index, number as u32, code)).collect::<Vec<_>>()
        };
        function.schema.points.iter().enumerate().flat_map(of_point).collect::<Vec<_>>()
    };
    functions.iter().enumerate().flat_map(of_function).collect()
}

/// Writes the file. `functions` are in the order of the file and do not overlap.
pub fn assemble(
    source: &SourceFile,
    functions: &[SchemaFunction],
    left_out: &LeftOut,
    names: &FileNames<'_>,
) -> Instrumented {
    let mut file = Instrumented {
        functions: functions.len() as u32,
        statements: 0,
        points: 0,
        switches: Vec::new(),
        first_statement: Vec::new(),
        first_point: Vec::new(),
        text: Vec::new(),
    };
    let (mut first_mutants, mut codes, mut floating) = (Vec::new(), Vec::new(), BTreeSet::new());
    for (index, function) in functions.iter().enumerate() {
        file.first_statement.push(file.statements);
        file.first_point.push(file.points);
        file.statements += function.schema.statements.len() as u32;
        let is_out = left_out.functions.contains(&index);
        if !is_out {
            floating.extend(&function.schema.floating);
        }
        for (number, (_, alternatives)) in function.schema.points.iter().enumerate() {
            first_mutants.push(codes.len());
            let is_in = |code: u8| !is_out && left_out.takes(index, number as u32, code);
            for alternative in alternatives.iter().filter(|alternative| is_in(alternative.code.0)) {
                let (point, code) = (file.points + number as u32, alternative.code.0);
                codes.push(code);
                file.switches.push(Switch { function: index, mutation: alternative.mutation, point, code });
            }
        }
        file.points += function.schema.points.len() as u32;
    }
    first_mutants.push(codes.len());
    write_head(&mut file, names, &first_mutants, &codes, &floating);
    write_body(&mut file, source, functions, left_out, names);
    file
}

/// The text before the file's own first line. It is no line of the user's: warnings about it are not shown.
fn write_head(
    file: &mut Instrumented,
    names: &FileNames<'_>,
    first: &[usize],
    codes: &[u8],
    floating: &BTreeSet<Number>,
) {
    let key = names.key;
    // A header's own guard comes behind this: a unit that includes it twice must not have its tables twice.
    let mut head = format!("#pragma GCC system_header\n#ifndef PERTURB_HAS_{key}\n#define PERTURB_HAS_{key}\n");
    for letter in floating.iter().filter_map(|number| letter(*number)) {
        head += &format!("#ifndef PERTURB_NEEDS_{letter}\n#define PERTURB_NEEDS_{letter}\n#endif\n");
    }
    if let Some(lost) = names.lost {
        head += &format!("#ifndef PERTURB_LOST\n#define PERTURB_LOST \"{}\"\n#endif\n", quoted(lost));
    }
    head += &format!("#include \"{}\"\n", names.runtime);
    let numbers: Vec<String> = first.iter().map(usize::to_string).collect();
    head += &format!("static const unsigned __perturb_first{key}[] = {{{}}};\n", numbers.join(","));
    let points: Vec<String> = file.first_point.iter().chain([&file.points]).map(u32::to_string).collect();
    head += &format!("static const unsigned __perturb_points{key}[] = {{{}}};\n", points.join(","));
    let octal: String = codes.iter().map(|code| format!("\\{code:03o}")).collect();
    head += &format!("static const char __perturb_codes{key}[] = \"{octal}\";\n");
    // An array has at least one element.
    let (functions, statements, points) = (file.functions.max(1), file.statements.max(1), file.points.max(1));
    head += &format!("PERTURB_FILE({key},{functions},{statements},{points},{})\n#endif\n", codes.len());
    let shown = names.shown.map(|name| format!(" \"{}\"", quoted(name)));
    head += &format!("#line 1{}\n", shown.unwrap_or_default());
    file.text = head.into_bytes();
}

/// As it is written in a string of C.
pub fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '\\' => "\\\\".to_string(),
        '"' => "\\\"".to_string(),
        c if c.is_ascii_control() => format!("\\{:03o}", u32::from(c)),
        c => c.to_string(),
    });
    escaped.collect()
}

fn write_body(
    file: &mut Instrumented,
    source: &SourceFile,
    functions: &[SchemaFunction],
    left_out: &LeftOut,
    names: &FileNames<'_>,
) {
    let text = source.text();
    let lines: HashMap<(usize, u32, u8), u32> =
        if names.probe { probes(functions).into_iter().zip(FIRST_PROBE..).collect() } else { HashMap::new() };
    // A mark of the encoding is one only at the very start of a file.
    let mut at = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    for (index, function) in functions.iter().enumerate() {
        let schema = &function.schema;
        if left_out.functions.contains(&index) {
            continue;
        }
        file.text.extend_from_slice(&text[at..schema.range.start as usize]);
        at = schema.range.end as usize;
        let writer = FunctionWriter {
            text,
            functions,
            schema,
            left_out,
            lines: &lines,
            names: MarkNames {
                key: names.key,
                first_point: file.first_point[index],
                first_statement: file.first_statement[index],
            },
            index,
            twins: twins_called(text, functions, left_out, index),
            line_of: &|offset| source.line_column(offset).line,
        };
        writer.write(&mut file.text);
    }
    file.text.extend_from_slice(&text[at..]);
}

/// The functions that have a plain twin and that the plain text of another calls: there it calls the twin. The compiler
/// then sees what it saw before, and the caller's entry asks for all of them.
fn twins_called(text: &[u8], functions: &[SchemaFunction], left_out: &LeftOut, caller: usize) -> Vec<usize> {
    let schema = &functions[caller].schema;
    let is_called = |twin: &usize| {
        let Some(outline) = functions[*twin].schema.twin().filter(|_| !left_out.functions.contains(twin)) else {
            return false;
        };
        let name = outline.name.as_bytes();
        // Whether the twin is there may not depend on more than whether the caller is.
        let between = functions[*twin].schema.range.start as usize..schema.range.start as usize;
        schema.calls.iter().any(|call| call.text(text) == name) && !has_split_directives(&text[between])
    };
    (0..caller).filter(is_called).collect()
}

struct FunctionWriter<'w> {
    text: &'w [u8],
    functions: &'w [SchemaFunction],
    schema: &'w FunctionSchema,
    left_out: &'w LeftOut,
    lines: &'w HashMap<(usize, u32, u8), u32>,
    names: MarkNames<'w>,
    index: usize,
    /// The functions that have a plain twin and are called by this one.
    twins: Vec<usize>,
    line_of: &'w dyn Fn(u32) -> u32,
}

impl FunctionWriter<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        let FunctionSchema { range, body, version, .. } = self.schema;
        let before_body = SourceRange::new(range.start, body.start);
        let (key, entry) = (self.names.key, self.names.first_statement);
        let asked = self.twins.iter().map(|twin| format!("|__perturb_o{key}[{twin}]")).collect::<String>();
        let is_on =
            format!("if(__builtin_expect(__perturb_o{key}[{}]{asked},0)){{__perturb_n{key}[{entry}]++;", self.index);
        match version {
            Version::Outlined(outline) => self.write_outlined(outline, &is_on, out),
            Version::Inside => {
                self.woven(before_body, out);
                out.extend_from_slice(format!("{{{is_on}").as_bytes());
                self.woven(*body, out);
                out.extend_from_slice(format!("}}else\n#line {}\n", (self.line_of)(body.start)).as_bytes());
                out.extend_from_slice(&self.text[body.start as usize..body.end as usize]);
                out.push(b'}');
                out.extend_from_slice(&self.text[body.end as usize..range.end as usize]);
            }
            Version::Alone => {
                self.woven(before_body, out);
                out.extend_from_slice(format!("{{__perturb_n{key}[{entry}]++;").as_bytes());
                self.woven(*body, out);
                out.push(b'}');
                out.extend_from_slice(&self.text[body.end as usize..range.end as usize]);
            }
        }
    }

    fn write_outlined(&self, outline: &Outline, is_on: &str, out: &mut Vec<u8>) {
        let FunctionSchema { range, body, .. } = self.schema;
        let line = |offset| format!("\n#line {}\n", (self.line_of)(offset));
        let call = |name: String| {
            let arguments = outline.arguments.join(",");
            let (before, after) = if outline.result == "void" { ("", "return;") } else { ("return ", "") };
            format!("{before}{name}({arguments});{after}")
        };
        let instrumented = self.signature(outline, self.instrumented(outline));
        let twin = self.schema.twin().map(|outline| twin_name(self.names.key, outline));
        out.extend_from_slice(format!("{instrumented} PERTURB_OUTLINED;").as_bytes());
        if let Some(twin) = twin {
            let signature = self.signature(outline, twin);
            out.extend_from_slice(format!("__inline__ {signature}{}", line(body.start)).as_bytes());
            self.plain(*body, out);
            out.extend_from_slice(line(range.start).as_bytes());
        }
        if outline.inlining.is_static {
            out.extend_from_slice(b"__inline__ ");
        }
        self.woven(SourceRange::new(range.start, body.start), out);
        out.extend_from_slice(format!("{{{is_on}{}}}", call(self.instrumented(outline))).as_bytes());
        // Once more where there is a twin: a call of that would cost as much as all it does.
        self.plain(*body, out);
        out.extend_from_slice(&self.text[body.end as usize..range.end as usize]);
        out.extend_from_slice(format!("}}{}{instrumented}", line(body.start)).as_bytes());
        self.woven(*body, out);
        if let Some(outline) = self.schema.twin().filter(|outline| !outline.inlining.is_static) {
            // In a shared library another one may take its place, and who calls it must call that one.
            let (twin, name) = (twin_name(self.names.key, outline), &outline.name);
            let condition = "#if defined __PIC__ && !defined __PIE__";
            out.extend_from_slice(format!("\n{condition}\n#define {twin} {name}\n#endif").as_bytes());
        }
        out.extend_from_slice(line(range.end).as_bytes());
    }

    fn instrumented(&self, outline: &Outline) -> String {
        format!("__perturb_i{}_{}", self.names.key, outline.name)
    }

    fn signature(&self, outline: &Outline, name: String) -> String {
        let parameters = String::from_utf8_lossy(&outline.parameters);
        format!("static {} {name}({parameters})", outline.result)
    }

    /// The text as it is, but that it calls twins.
    fn plain(&self, range: SourceRange, out: &mut Vec<u8>) {
        let twins: HashMap<&[u8], String> = self
            .twins
            .iter()
            .filter_map(|twin| self.functions[*twin].schema.twin())
            .map(|outline| (outline.name.as_bytes(), twin_name(self.names.key, outline)))
            .collect();
        let mut at = range.start as usize;
        for call in self.schema.calls.iter().filter(|call| range.contains(**call)) {
            if let Some(twin) = twins.get(call.text(self.text)) {
                out.extend_from_slice(&self.text[at..call.start as usize]);
                out.extend_from_slice(twin.as_bytes());
                at = call.end as usize;
            }
        }
        out.extend_from_slice(&self.text[at..range.end as usize]);
    }

    fn woven(&self, range: SourceRange, out: &mut Vec<u8>) {
        let wraps = &self.schema.wraps;
        let is_taken = |wrap: &Wrap| !self.left_out.points.contains(&(self.index, wrap.number));
        let is_in = |wrap: &&Wrap| match wrap.layer {
            Layer::Counter => true,
            // It is there as long as a point is inside.
            Layer::Decision => wraps.iter().any(|w| w.is_inside && wrap.range.contains(w.range) && is_taken(w)),
            _ => is_taken(wrap),
        };
        weave(self.text, range, wraps.iter().filter(is_in), self.names, self, out);
    }
}

fn twin_name(key: &str, outline: &Outline) -> String {
    format!("__perturb_p{key}_{}", outline.name)
}

impl VariantFilter for FunctionWriter<'_> {
    fn takes(&self, point: u32, code: u8) -> bool {
        self.left_out.takes(self.index, point, code)
    }

    fn line_of(&self, point: u32, code: u8) -> Option<u32> {
        self.lines.get(&(self.index, point, code)).copied()
    }

    fn source_line(&self, offset: u32) -> u32 {
        (self.line_of)(offset)
    }
}
