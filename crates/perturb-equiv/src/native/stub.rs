//! Functions that stand in for those of which nothing is known: the ones of other files, and what pointers to functions
//! lead to.
//!
//! Each answers its first, second and further calls with values that are inputs, so that they are the same for whoever
//! calls; and what it is given, call by call, can be seen afterwards. So two functions that call differently are
//! different, and those that call alike are told the same.

use super::stream::is_streaming;
use perturb_csrc::{Shape, Signatures, TypeId};

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
