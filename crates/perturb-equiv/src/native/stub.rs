//! Functions that stand in for those of which nothing is known: the ones of other files, and what pointers to functions
//! lead to.
//!
//! Each answers its first, second and further calls with values that are inputs, so that they are the same for whoever
//! calls; and what it is given, call by call, can be seen afterwards. So two functions that call differently are
//! different, and those that call alike are told the same.

use super::glue::without_macros;
use super::kept::{Behind, Part, PartKind};
use super::layout::{Layout, ObjectKind};
use super::stream::is_streaming;
use perturb_csrc::{ListBy, Shape, Signatures, TypeId};
use std::fmt::Write;

/// How often each may be called: on inputs on which the original does so more often, nothing is compared.
pub const CALLS: u64 = 3;
/// So many words of what they are given are kept.
pub const WORDS: u64 = 40;
/// So many bytes a function that answers memory of no type has for each call.
pub const ROOM: u64 = 128;
/// Of texts, so many words of eight characters.
pub const TEXT_WORDS: u64 = 3;

/// What runs in the program itself, or answers the same for the same arguments: it may be called.
#[rustfmt::skip]
const KNOWN: &[&str] = &[
    "memcpy", "memmove", "memset", "memcmp", "memchr", "strlen", "strnlen", "strcmp", "strncmp", "strcpy", "strncpy", "strcat", "strncat", "strchr", "strrchr",
    "strstr", "strspn", "strcspn", "strpbrk", "strcasecmp", "strncasecmp", "abs", "labs", "llabs", "isalpha", "isdigit", "isalnum", "isspace", "isupper", "islower",
    "isxdigit", "ispunct", "isprint", "iscntrl", "isgraph", "isblank", "toupper", "tolower", "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc",
    "fabs", "fabsf", "sqrt", "sqrtf", "floor", "floorf", "ceil", "ceilf", "trunc", "truncf", "round", "roundf", "fmin", "fmax", "fminf", "fmaxf", "fmod", "fmodf",
    "copysign", "copysignf", "pow", "exp", "log", "sin", "cos", "tan", "atan", "atan2", "asin", "acos", "sinh", "cosh", "tanh", "ldexp", "frexp", "modf", "atoi",
    "atol", "atof", "strtol", "strtoul", "strtoll", "strtoull", "strtod", "lround", "lrint", "rint", "nearbyint", "hypot", "cbrt", "log2", "log10", "log1p", "exp2", "expm1",
    "expf", "logf", "sinf", "cosf", "tanf", "atanf", "atan2f", "powf", "scalbn", "scalbnf", "qsort", "bsearch", "snprintf", "sprintf", "sscanf", "vsnprintf",
    "__fpclassify", "__fpclassifyf", "__isnan", "__isnanf", "__isinf", "__isinff", "__finite", "__finitef", "__signbit", "__signbitf",
];

/// What nothing can stand in for: it makes memory, or control, that is not there.
#[rustfmt::skip]
const BEYOND: &[&str] = &[
    "aligned_alloc", "posix_memalign", "alloca", "mmap", "setjmp", "_setjmp", "sigsetjmp",
    "__sigsetjmp", "longjmp", "_longjmp", "siglongjmp", "fork", "vfork", "pthread_create",
];

/// What compilers put calls of others in place of, such as `puts`, whatever level they are told.
const REPLACED: &[&str] =
    &["printf", "fprintf", "printf_unlocked", "fprintf_unlocked", "__printf_chk", "__fprintf_chk"];

/// Why nothing can stand in for a function, whatever it takes.
pub fn why_not(name: &str) -> Option<&'static str> {
    match name {
        _ if BEYOND.contains(&name) => Some("it does what no function can"),
        _ if REPLACED.contains(&name) => Some("compilers call another one in its place"),
        _ => None,
    }
}

/// Whether it may be called as it is.
pub fn is_known(name: &str) -> bool {
    KNOWN.contains(&name) || is_streaming(name) || name.starts_with("__builtin_")
}

/// A function that stands in for another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stub {
    /// As people know it.
    pub name: String,
    /// In the program.
    pub symbol: String,
    pub result: TypeId,
    pub parameters: Vec<TypeId>,
    /// What comes behind its parameters is seen by what `printf` would make of it, if the last of them is a text.
    pub is_variadic: bool,
    /// Only a pointer leads to it.
    pub is_callback: bool,
    /// A file that comes along has the real one: only calls of the unit's lead here.
    pub is_beside: bool,
    pub returns: bool,
    pub answers: Option<Answers>,
    /// Parameters that it writes through, each with the object that has what it writes.
    pub writes: Vec<(usize, usize)>,
}

/// The objects with what it answers, call by call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    Values(usize),
    Pointers {
        /// Whether it is null.
        nulls: usize,
        to: usize,
    },
    /// Memory of no type. What it is given as numbers says how much is asked for: more than there is is not answered.
    Memory {
        nulls: usize,
        /// What it is filled with.
        fills: usize,
        to: usize,
    },
    /// The variable that `errno` is.
    Errno(usize),
}

impl Stub {
    /// Of a type, so that it answers nothing yet.
    pub fn new(name: &str, symbol: String, ty: &Shape) -> Option<Self> {
        let Shape::Function { result, parameters, is_variadic } = ty.clone() else { return None };
        let (name, answers, writes) = (name.to_string(), None, Vec::new());
        let (is_callback, is_beside, returns) = (false, false, true);
        Some(Self { name, symbol, result, parameters, is_variadic, is_callback, is_beside, returns, answers, writes })
    }

    pub fn is_errno(&self) -> bool {
        self.name == "__errno_location"
    }

    /// Whether it takes variable arguments, of which not all can be seen.
    pub fn takes_variable(&self, signatures: &Signatures) -> bool {
        self.is_variadic || self.parameters.iter().any(|parameter| signatures.list(*parameter).is_some())
    }

    /// The objects that its answers are in.
    pub fn objects(&self) -> impl Iterator<Item = usize> + '_ {
        let answers = match self.answers {
            Some(Answers::Values(object)) => [Some(object), None],
            Some(Answers::Pointers { nulls, to }) => [Some(nulls), Some(to)],
            Some(Answers::Memory { nulls, fills, .. }) => [Some(nulls), Some(fills)],
            Some(Answers::Errno(_)) | None => [None, None],
        };
        answers.into_iter().flatten().chain(self.writes.iter().map(|(_, object)| *object))
    }

    pub fn assumption(&self) -> String {
        let name = &self.name;
        if !self.returns {
            return format!("the original does not end the program by {name}");
        }
        let anything = match self.answers {
            Some(Answers::Memory { .. }) => format!("null or at most {ROOM} bytes that are alike"),
            _ => "which may be anything".to_string(),
        };
        format!("{name} does nothing that matters but answer, {anything}, and is called {CALLS} times at most")
    }

    /// What the unit's own text has to begin with: its calls lead to the stub, whatever the program has of that name.
    pub fn redirection(&self) -> Option<String> {
        (!self.is_callback).then(|| format!("#pragma redefine_extname {} {}\n", self.name, self.symbol))
    }
}

/// All that stands in for others, as C.
pub fn stubs(signatures: &Signatures, layout: &Layout) -> String {
    let mut out = String::new();
    for object in layout.objects.iter().filter(|object| object.kind == ObjectKind::Made) {
        // Sixteen is enough for all that is put there.
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
        Writer { signatures, layout, stub, number }.write(&mut out);
    }
    out
}

/// On inputs on which the original goes beyond what is kept, nothing is compared.
pub const CHECK: &str = "if (perturb_chosen == 0 && perturb_words[0] > PERTURB_WORDS) __builtin_trap();";

/// How calls are counted, and what they are given is kept; in C90, as units may be.
const NOTING: &str = "\
#define perturb_words ((unsigned long long *)(void *)perturb_trace)
static void perturb_note(unsigned long long word)
{ unsigned long long at = perturb_words[0];
if (at < PERTURB_WORDS) { perturb_words[at + 1] = word; perturb_words[0] = at + 1; } else perturb_words[0] = PERTURB_WORDS + 1; }
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
for (i = 0; i < 8 && more; i++) { unsigned char letter = (unsigned char)*text; word = word << 8 | letter; if (letter) text++; else more = 0; }
perturb_note(word); } }
static unsigned long long perturb_room(unsigned long long room, unsigned long long times)
{ return room > PERTURB_ROOM || times > PERTURB_ROOM ? PERTURB_ROOM + 1 : room * times; }
extern void perturb_end(void);
";

struct Writer<'w> {
    signatures: &'w Signatures,
    layout: &'w Layout,
    stub: &'w Stub,
    number: usize,
}

impl Writer<'_> {
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
                writeln!(out, "{result} perturb_value; __builtin_memcpy((void *)&perturb_value, {from}, sizeof perturb_value); return perturb_value;")
            }
            Some(Answers::Pointers { nulls, to }) => {
                let (nulls, size) = (self.object(nulls), self.layout.objects[to].size / CALLS);
                let to = self.object(to);
                writeln!(out, "return ({nulls}[perturb_call_number] & 1) ? 0 : ({result})(void *)({to} + perturb_call_number * {size});")
            }
            Some(Answers::Memory { nulls, fills, to }) => {
                let (nulls, fills, to) = (self.object(nulls), self.object(fills), self.object(to));
                let is_number = |ty: &TypeId| matches!(self.signatures.ty(*ty).shape, Shape::Integer { .. });
                let numbers = self.stub.parameters.iter().enumerate().filter(|(_, ty)| is_number(ty));
                let room = numbers.fold("1".to_string(), |room, (at, _)| {
                    format!("perturb_room({room}, (unsigned long long)perturb_{at})")
                });
                writeln!(out, "return (({nulls}[perturb_call_number] & 1) || {room} > PERTURB_ROOM) ? 0 : __builtin_memset({to} + perturb_call_number * PERTURB_ROOM, {fills}[perturb_call_number], PERTURB_ROOM);")
            }
            Some(Answers::Errno(_)) | None => Ok(()),
        };
    }

    /// Keeps a part of what was given.
    fn keep(&self, part: &Part, parameter: &str, out: &mut String) {
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
                     __builtin_vsnprintf(perturb_message, sizeof perturb_message, (const char *)({value}), perturb_behind);\n\
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
