//! The C code of stubs: each counts its calls, records its arguments and returns values of the input.

use super::kept::{Behind, PartKind, RecordedPart};
use super::layout::{Layout, ObjectKind};
use super::macros::without_macros;
use super::stub::{Answers, Stub, CALLS, ROOM, TEXT_WORDS, WORDS};
use perturb_csrc::{ListBy, Shape, Signatures, TypeId};
use std::fmt::Write;

/// All stubs, as C.
pub fn stubs(signatures: &Signatures, layout: &Layout) -> String {
    let mut out = String::new();
    for object in layout.objects.iter().filter(|object| object.kind == ObjectKind::Made) {
        // An alignment of 16 suffices for all types here.
        let _ =
            writeln!(out, "static unsigned char {}[{}] __attribute__((aligned(16)));", object.name, object.size.max(1));
    }
    if layout.trace.is_some() {
        for (name, value) in [("WORDS", WORDS), ("CALLS", CALLS), ("TEXT", TEXT_WORDS), ("ROOM", ROOM)] {
            let _ = writeln!(out, "#define PERTURB_{name} {value}");
        }
        out.push_str(&without_macros(NOTING));
    }
    for (number, stub) in layout.stubs.iter().enumerate() {
        StubWriter { signatures, layout, stub, number }.write(&mut out);
    }
    out
}

/// Inputs on which the original exceeds the trace are excluded.
pub const CHECK: &str = "if (perturb_chosen == 0 && perturb_words[0] > PERTURB_WORDS) __builtin_trap();";

/// Counts calls and records arguments; in C90, as units may be.
const NOTING: &str = "\
#define perturb_words ((unsigned long long *)(void *)perturb_trace)
static void perturb_note(unsigned long long word)
{ unsigned long long at = perturb_words[0];
if (at < PERTURB_WORDS) { perturb_words[at + 1] = word; perturb_words[0] = at + 1; } else perturb_words[0] = \
PERTURB_WORDS + 1; }
static unsigned perturb_count(unsigned stub)
{ unsigned *calls = (unsigned *)(void *)perturb_calls + stub, call = *calls;
perturb_note(stub + 1);
if (call < PERTURB_CALLS) { *calls = call + 1; return call; }
perturb_words[0] = PERTURB_WORDS + 1; return PERTURB_CALLS - 1; }
static void perturb_note_float(double value)
{ unsigned long long bits = 0x7ff8000000000000ull;
if (value == value) __builtin_memcpy(&bits, &value, sizeof bits);
perturb_note(bits); }
static void perturb_note_text(const char *text)
{ int words, more = 1, i;
for (words = 0; more && words < PERTURB_TEXT; words++) {
unsigned long long word = 0;
for (i = 0; i < 8 && more; i++) { unsigned char letter = (unsigned char)*text; word = word << 8 | letter; if (letter) \
text++; else more = 0; }
perturb_note(word); } }
static unsigned long long perturb_room(unsigned long long room, unsigned long long times)
{ return room > PERTURB_ROOM || times > PERTURB_ROOM ? PERTURB_ROOM + 1 : room * times; }
extern void perturb_end(void);
";

struct StubWriter<'w> {
    signatures: &'w Signatures,
    layout: &'w Layout,
    stub: &'w Stub,
    number: usize,
}

impl StubWriter<'_> {
    fn spelling(&self, ty: TypeId) -> String {
        match self.signatures.list(ty) {
            Some(ListBy::Itself) => return "__builtin_va_list".to_string(),
            Some(ListBy::Pointer) => return "__builtin_va_list *".to_string(),
            None => {}
        }
        format!("__typeof__({})", self.signatures.ty(ty).spelling)
    }

    fn object(&self, object: usize) -> &str {
        &self.layout.objects[object].name
    }

    fn write(&self, out: &mut String) {
        let Stub { name, symbol, result, parameters, is_variadic, is_callback, returns, answers, writes, .. } =
            self.stub;
        let is_void = self.signatures.ty(*result).shape == Shape::Void;
        let result = if is_void { "void".to_string() } else { self.spelling(*result) };
        let mut written: Vec<String> =
            parameters.iter().enumerate().map(|(at, ty)| format!("{} perturb_{at}", self.spelling(*ty))).collect();
        written.extend(is_variadic.then(|| "...".to_string()));
        let written = if written.is_empty() { "void".to_string() } else { written.join(", ") };
        let head = if *is_callback { format!("static {result} {symbol}") } else { format!("{result} ({name})") };
        let _ = writeln!(out, "{head}({written})\n{{");
        match answers {
            Some(Answers::Errno(to)) => {
                let _ = writeln!(out, "return (int *)(void *){}; }}", self.object(*to));
                return;
            }
            _ if !returns => {
                out.push_str("perturb_end(); __builtin_trap(); }\n");
                return;
            }
            _ => {}
        }
        let _ =
            writeln!(out, "unsigned perturb_call_number = perturb_count({}); (void)perturb_call_number;", self.number);
        for (at, kept) in self.layout.kept[self.number].iter().enumerate() {
            kept.parts.iter().for_each(|part| self.keep(part, &format!("perturb_{at}"), out));
        }
        for (at, object) in writes {
            let from = format!("{} + perturb_call_number * sizeof *perturb_{at}", self.object(*object));
            let _ = writeln!(out, "if (perturb_{at}) __builtin_memcpy(perturb_{at}, {from}, sizeof *perturb_{at});");
        }
        self.answer(&result, out);
        out.push_str("}\n");
    }

    fn answer(&self, result: &str, out: &mut String) {
        let _ = match self.stub.answers {
            Some(Answers::Values(object)) => {
                let from = format!("{} + perturb_call_number * sizeof perturb_value", self.object(object));
                writeln!(
                    out,
                    "{result} perturb_value; __builtin_memcpy((void *)&perturb_value, {from}, sizeof \
                    perturb_value); return perturb_value;"
                )
            }
            Some(Answers::Pointers { nulls, to }) => {
                let (nulls, size) = (self.object(nulls), self.layout.objects[to].size / CALLS);
                let to = self.object(to);
                writeln!(
                    out,
                    "return ({nulls}[perturb_call_number] & 1) ? 0 : ({result})(void *)({to} + \
                    perturb_call_number * {size});"
                )
            }
            Some(Answers::Memory { nulls, fills, to }) => {
                let (nulls, fills, to) = (self.object(nulls), self.object(fills), self.object(to));
                let is_number = |ty: &TypeId| matches!(self.signatures.ty(*ty).shape, Shape::Integer { .. });
                let numbers = self.stub.parameters.iter().enumerate().filter(|(_, ty)| is_number(ty));
                let room = numbers.fold("1".to_string(), |room, (at, _)| {
                    format!("perturb_room({room}, (unsigned long long)perturb_{at})")
                });
                writeln!(
                    out,
                    "return (({nulls}[perturb_call_number] & 1) || {room} > PERTURB_ROOM) ? 0 : \
                    __builtin_memset({to} + perturb_call_number * PERTURB_ROOM, {fills}[perturb_call_number], \
                    PERTURB_ROOM);"
                )
            }
            Some(Answers::Errno(_)) | None => Ok(()),
        };
    }

    /// Records a part of an argument.
    fn keep(&self, part: &RecordedPart, parameter: &str, out: &mut String) {
        let value = part.expression(parameter);
        let _ = match &part.kind {
            PartKind::Integer { .. } => writeln!(out, "perturb_note((unsigned long long)({value}));"),
            PartKind::Float { .. } => writeln!(out, "perturb_note_float({value});"),
            PartKind::Text => writeln!(out, "perturb_note_text((const char *)({value}));"),
            PartKind::Message(behind) => {
                let start = match behind {
                    Behind::Parameters => format!("__builtin_va_start(perturb_behind, {parameter})"),
                    Behind::List(list) => format!("__builtin_va_copy(perturb_behind, perturb_{list})"),
                };
                writeln!(
                    out,
                    "{{ char perturb_message[8 * PERTURB_TEXT + 1]; __builtin_va_list perturb_behind; {start};\n\
                     __builtin_vsnprintf(perturb_message, sizeof perturb_message, (const char *)({value}), \
                     perturb_behind);\n\
                     __builtin_va_end(perturb_behind); perturb_note_text(perturb_message); }}"
                )
            }
            PartKind::Pointer { behind } => {
                let _ = writeln!(out, "perturb_note(({value}) != 0);");
                if behind.is_empty() {
                    return;
                }
                let _ = writeln!(out, "if ({value}) {{");
                behind.iter().for_each(|part| self.keep(part, parameter, out));
                writeln!(out, "}}")
            }
        };
    }
}
