//! The functions that are compared: each with its mutants, its signature, and what its contract says it is given.

use super::{Equivalence, Judged};
use crate::analysis::Subject;
use crate::mutant::MutatedFile;
use crate::steps::mutate::{parse_input, CopyableFile, Mutated};
use crate::PipelineError;
use perturb_csrc::copies::Copyable;
use perturb_csrc::{Signature, Signatures};
use perturb_host::{CompileCommand, CompilerFacts, CompilerProbe, Language};
use perturb_sym::contract::{self, Contract};
use perturb_sym::native::Layout;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// A function with mutants.
#[derive(Debug)]
pub struct FunctionSubject {
    pub file: Arc<MutatedFile>,
    /// All functions of the file that can be copied.
    pub functions: Arc<Vec<Copyable>>,
    /// This one, in that list.
    pub at: usize,
    pub signatures: Arc<Signatures>,
    /// In the list of signatures.
    pub signature: usize,
    pub layout: Arc<Layout>,
    pub command: CompileCommand,
    pub facts: Arc<CompilerFacts>,
    /// The same for clang.
    pub clang: Arc<Vec<String>>,
    /// Its mutants, by place.
    pub places: Vec<usize>,
}

impl FunctionSubject {
    pub fn signature(&self) -> &Signature {
        &self.signatures.functions[self.signature]
    }
}

/// What runs in the program itself, or answers the same for the same arguments: it may be called.
#[rustfmt::skip]
const KNOWN: &[&str] = &[
    "memcpy", "memmove", "memset", "memcmp", "memchr", "strlen", "strnlen", "strcmp", "strncmp", "strcpy", "strncpy", "strcat", "strncat",
    "strchr", "strrchr", "strstr", "strspn", "strcspn", "strpbrk", "abs", "labs", "llabs", "isalpha", "isdigit", "isalnum", "isspace", "isupper",
    "islower", "isxdigit", "ispunct", "isprint", "iscntrl", "isgraph", "toupper", "tolower", "fabs", "fabsf", "sqrt", "sqrtf", "floor", "floorf", "ceil",
    "ceilf", "trunc", "truncf", "round", "roundf", "fmin", "fmax", "fminf", "fmaxf", "fmod", "fmodf", "copysign", "copysignf", "pow", "exp", "log", "sin", "cos",
    "tan", "atan", "atan2", "asin", "acos", "ldexp", "frexp", "modf", "abort", "exit", "__assert_fail", "atoi", "atol", "strtol", "strtoul", "strtod", "lround", "lrint", "rint",
    "nearbyint", "hypot", "cbrt", "log2", "log10", "exp2", "expf", "logf", "sinf", "cosf", "powf", "qsort", "bsearch",
];

/// The functions of these mutants that can be compared; and of all others why they cannot.
pub fn subjects(subject: Subject<'_>, places: &[usize]) -> Result<(Vec<FunctionSubject>, Vec<Judged>), PipelineError> {
    let Subject { project, mutated, libclang } = subject;
    let probe = CompilerProbe::new();
    let mut by_file: BTreeMap<&std::path::Path, Vec<usize>> = BTreeMap::new();
    for place in places {
        by_file.entry(&mutated.mutants[*place].file.relative).or_default().push(*place);
    }
    let (mut subjects, mut others) = (Vec::new(), Vec::new());
    for (relative, places) in by_file {
        let unknown = |why: &str, places: &[usize]| places.iter().map(|place| unknown(*place, why)).collect::<Vec<_>>();
        let copyable = mutated.copyable.iter().find(|file| file.file.relative == relative);
        let unit = project.units_under_test().find(|unit| project.relative(&unit.command.file) == Some(relative));
        let (Some(copyable), Some(unit)) = (copyable, unit) else {
            others.extend(unknown("it is not in a source file of its own", &places));
            continue;
        };
        let (input, _) = parse_input(&probe, libclang, unit)?;
        let facts = probe.probe(&unit.command)?;
        if facts.language != Language::C {
            others.extend(unknown("it is no C", &places));
            continue;
        }
        if !is_for_this_machine(&facts) {
            others.extend(unknown("its code is not for this machine", &places));
            continue;
        }
        let signatures = match Signatures::read(libclang, &input) {
            Ok(signatures) => Arc::new(signatures),
            Err(error) => {
                others.extend(unknown(&error.to_string(), &places));
                continue;
            }
        };
        let clang = Arc::new(input.arguments);
        let of_file = OfFile { copyable, signatures, command: &unit.command, facts, clang };
        of_file.split(mutated, &places, &mut subjects, &mut others);
    }
    Ok((subjects, others))
}

/// Whether functions can be called here, with pointers of the size that layouts have.
fn is_for_this_machine(facts: &CompilerFacts) -> bool {
    let is = |name: &str, value: &str| facts.predefined.get(name).is_some_and(|known| known == value);
    let is_linux = facts.predefined.contains_key("__linux__");
    is_linux && facts.target.starts_with(std::env::consts::ARCH) && is("__SIZEOF_POINTER__", "8")
}

fn unknown(place: usize, why: &str) -> Judged {
    Judged { place, verdict: Equivalence::Unknown { why: why.to_string() }, cpu: Duration::ZERO }
}

struct OfFile<'f> {
    copyable: &'f CopyableFile,
    signatures: Arc<Signatures>,
    command: &'f CompileCommand,
    facts: Arc<CompilerFacts>,
    clang: Arc<Vec<String>>,
}

impl OfFile<'_> {
    fn split(
        &self,
        mutated: &Mutated,
        places: &[usize],
        subjects: &mut Vec<FunctionSubject>,
        others: &mut Vec<Judged>,
    ) {
        let functions = Arc::new(self.copyable.functions.clone());
        let mut left: BTreeSet<usize> = places.iter().copied().collect();
        for (at, function) in functions.iter().enumerate() {
            let is_inside = |place: &&usize| function.body.contains(mutated.mutants[**place].range);
            let own: Vec<usize> = places.iter().filter(is_inside).copied().collect();
            left.retain(|place| !own.contains(place));
            if own.is_empty() {
                continue;
            }
            match self.subject(&functions, at, own.clone()) {
                Ok(subject) => subjects.push(subject),
                Err(why) => others.extend(own.iter().map(|place| unknown(*place, &why))),
            }
        }
        others.extend(left.iter().map(|place| unknown(*place, "it is in no function that can be copied")));
    }

    fn subject(
        &self,
        functions: &Arc<Vec<Copyable>>,
        at: usize,
        places: Vec<usize>,
    ) -> Result<FunctionSubject, String> {
        let file = self.copyable.file.clone();
        let name = file.source.lossy(functions[at].name);
        let found = self.signatures.functions.iter().position(|signature| signature.name == name);
        let signature = found.ok_or("its function is not understood")?;
        let known = &self.signatures.functions[signature];
        let contract = known.comment.as_deref().and_then(contract::parse).unwrap_or_else(|| Ok(Contract::default()));
        let contract = contract.map_err(|error| format!("the contract of {name}: {error}"))?;
        let external =
            known.externals.iter().find(|name| !KNOWN.contains(&name.as_str()) && !name.starts_with("__builtin_"));
        if let Some(external) = external {
            return Err(perturb_sym::native::Unsupported::External(external.clone()).to_string());
        }
        let mut layout = Layout::of(&self.signatures, known, &contract).map_err(|error| error.to_string())?;
        if layout.leaves.iter().any(|leaf| leaf.range.is_some()) {
            layout.assumptions.push(format!("the contract of {name} holds: {contract}"));
        }
        Ok(FunctionSubject {
            file,
            functions: functions.clone(),
            at,
            signatures: self.signatures.clone(),
            signature,
            layout: Arc::new(layout),
            command: self.command.clone(),
            facts: self.facts.clone(),
            clang: self.clang.clone(),
            places,
        })
    }
}
