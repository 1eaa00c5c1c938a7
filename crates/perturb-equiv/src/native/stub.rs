//! Stubs, which replace functions of unknown behaviour: those of other files, and the targets of function pointers.
//!
//! The values that a stub returns in its first calls are inputs, so they are the same for original and mutant. Its
//! arguments are observed, call by call. So two functions that make different calls differ, and two that make the same
//! calls get the same answers.

use super::stream::is_streaming;
use perturb_csrc::{Shape, Signatures, TypeId};

/// The limit on calls of each stub: inputs on which the original exceeds it are excluded.
pub const CALLS: u64 = 3;
/// The size of the call trace in words.
pub const WORDS: u64 = 40;
/// The size of the memory that a stub returns from each call, if it has no type.
pub const ROOM: u64 = 128;
/// The length of recorded strings, in words of eight characters.
pub const TEXT_WORDS: u64 = 3;

/// Functions that may be called for real: they act within the program, and return the same for the same arguments.
#[rustfmt::skip]
const KNOWN: &[&str] = &[
    "memcpy", "memmove", "memset", "memcmp", "memchr", "strlen", "strnlen", "strcmp", "strncmp", "strcpy", "strncpy",
    "strcat", "strncat", "strchr", "strrchr", "strstr", "strspn", "strcspn", "strpbrk", "strcasecmp", "strncasecmp",
    "abs", "labs", "llabs", "isalpha", "isdigit", "isalnum", "isspace", "isupper", "islower", "isxdigit", "ispunct",
    "isprint", "iscntrl", "isgraph", "isblank", "toupper", "tolower", "__ctype_b_loc", "__ctype_tolower_loc",
    "__ctype_toupper_loc", "fabs", "fabsf", "sqrt", "sqrtf", "floor", "floorf", "ceil", "ceilf", "trunc", "truncf",
    "round", "roundf", "fmin", "fmax", "fminf", "fmaxf", "fmod", "fmodf", "copysign", "copysignf", "pow", "exp", "log",
    "sin", "cos", "tan", "atan", "atan2", "asin", "acos", "sinh", "cosh", "tanh", "ldexp", "frexp", "modf", "atoi",
    "atol", "atof", "strtol", "strtoul", "strtoll", "strtoull", "strtod", "lround", "lrint", "rint", "nearbyint",
    "hypot", "cbrt", "log2", "log10", "log1p", "exp2", "expm1", "expf", "logf", "sinf", "cosf", "tanf", "atanf",
    "atan2f", "powf", "scalbn", "scalbnf", "qsort", "bsearch", "snprintf", "sprintf", "sscanf", "vsnprintf",
    "__fpclassify", "__fpclassifyf", "__isnan", "__isnanf", "__isinf", "__isinff", "__finite", "__finitef", "__signbit",
    "__signbitf",
];

/// Functions that no stub can replace, as they create memory or transfer control.
#[rustfmt::skip]
const BEYOND: &[&str] = &[
    "aligned_alloc", "posix_memalign", "alloca", "mmap", "setjmp", "_setjmp", "sigsetjmp",
    "__sigsetjmp", "longjmp", "_longjmp", "siglongjmp", "fork", "vfork", "pthread_create",
];

/// Functions whose calls compilers replace by calls of others, such as `puts`, at every optimisation level.
const REPLACED: &[&str] =
    &["printf", "fprintf", "printf_unlocked", "fprintf_unlocked", "__printf_chk", "__fprintf_chk"];

/// The reason why no stub can replace a function, whatever its type.
pub fn why_not(name: &str) -> Option<&'static str> {
    match name {
        _ if BEYOND.contains(&name) => Some("it does what no function can"),
        _ if REPLACED.contains(&name) => Some("compilers call another one in its place"),
        _ => None,
    }
}

/// Whether a function is called for real.
pub fn is_known(name: &str) -> bool {
    KNOWN.contains(&name) || is_streaming(name) || name.starts_with("__builtin_")
}

/// A function that replaces another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stub {
    /// The name of the replaced function or pointer.
    pub name: String,
    /// Its symbol in the program.
    pub symbol: String,
    pub result: TypeId,
    pub parameters: Vec<TypeId>,
    /// The variadic arguments are recorded as the string that `printf` would make of them, if the last parameter is a
    /// string.
    pub is_variadic: bool,
    /// It is only called through a pointer.
    pub is_callback: bool,
    /// A linked file has the real function: only calls of the unit are redirected.
    pub is_beside: bool,
    pub returns: bool,
    pub answers: Option<Answers>,
    /// The parameters that it writes through, each with the object that has the values to write.
    pub writes: Vec<(usize, usize)>,
}

/// The objects that hold its answers, call by call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    Values(usize),
    Pointers {
        /// Whether each answer is null.
        nulls: usize,
        to: usize,
    },
    /// Untyped memory. Its integer arguments are taken for the requested size; a request beyond the available room
    /// returns null.
    Memory {
        nulls: usize,
        /// The byte that the memory is filled with.
        fills: usize,
        to: usize,
    },
    /// The variable behind `errno`.
    Errno(usize),
}

impl Stub {
    /// A stub for a function type, without answers yet.
    pub fn new(name: &str, symbol: String, ty: &Shape) -> Option<Self> {
        let Shape::Function { result, parameters, is_variadic } = ty.clone() else { return None };
        let (name, answers, writes) = (name.to_string(), None, Vec::new());
        let (is_callback, is_beside, returns) = (false, false, true);
        Some(Self { name, symbol, result, parameters, is_variadic, is_callback, is_beside, returns, answers, writes })
    }

    pub fn is_errno(&self) -> bool {
        self.name == "__errno_location"
    }

    /// Whether it takes variadic arguments, not all of which can be observed.
    pub fn takes_variable(&self, signatures: &Signatures) -> bool {
        self.is_variadic || self.parameters.iter().any(|parameter| signatures.list(*parameter).is_some())
    }

    /// The objects that hold its answers.
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

    /// The text before the unit's own that redirects its calls to the stub, whatever the program has of that name.
    pub fn redirection(&self) -> Option<String> {
        (!self.is_callback).then(|| format!("#pragma redefine_extname {} {}\n", self.name, self.symbol))
    }
}
