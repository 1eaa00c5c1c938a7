//! Asks a compiler for its family, version, target, default standard, predefined macros and include folders.
//!
//! Each distinct combination of program, language and flags that matter is asked once. Compiles nothing. For a compiler
//! that cannot answer, the facts say so.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use crate::command_line::{items, language_of_command, normalise, Item, Language};
use crate::error::HostError;
use crate::process::tools::{find_program, install_hint, run, Finished};
use crate::project::description::{CompileCommand, Project};

/// The command-line dialect of a compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompilerFamily {
    Gcc,
    Clang,
    /// It does not answer the way GCC does; nothing is known but its name.
    Other,
}

/// A folder that the compiler searches by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncludeDir {
    pub path: PathBuf,
    /// The compiler's own headers (`stddef.h`, `immintrin.h`), which fit no other compiler.
    pub compiler_internal: bool,
}

/// What a compiler says about itself, for one language and set of flags.
#[derive(Debug, Clone)]
pub struct CompilerFacts {
    pub program: PathBuf,
    pub language: Language,
    pub family: CompilerFamily,
    /// Major, minor, patch.
    pub version: (u32, u32, u32),
    /// The first line of `--version`'s kind, for people: `gcc version 12.2.0 (Debian …)`.
    pub version_line: String,
    /// The target triple as the compiler spells it, empty when unknown.
    pub target: String,
    /// In the order of the search.
    pub system_includes: Vec<IncludeDir>,
    /// The standard in force with these flags, so the default one where none is named: `gnu17`, `gnu++17`; empty when
    /// unknown.
    pub default_std: String,
    /// Predefined macros with their values.
    pub predefined: BTreeMap<String, String>,
    /// Why the compiler did not answer, where it did not.
    pub complaint: Option<String>,
}

/// Asks compilers, and remembers; may be shared by threads.
#[derive(Debug, Default)]
pub struct CompilerProbe {
    known: Mutex<HashMap<Question, Answer>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Question {
    program: PathBuf,
    language: Language,
    flags: Vec<String>,
}

/// Filled by the first thread that asks; others wait for it without holding up different questions.
type Answer = Arc<Mutex<Option<Arc<CompilerFacts>>>>;

impl CompilerProbe {
    pub fn new() -> CompilerProbe {
        CompilerProbe::default()
    }

    /// The facts about the compiler of this command. An error only when the compiler is missing or cannot be started.
    pub fn probe(&self, command: &CompileCommand) -> Result<Arc<CompilerFacts>, HostError> {
        let question = Question {
            program: find_compiler(command)?,
            language: language_of_command(&command.arguments, &command.file),
            flags: flags_that_matter(&command.arguments),
        };
        let answer = {
            let mut known = self.known.lock().expect("no holder of this lock can panic");
            Arc::clone(known.entry(question.clone()).or_default())
        };
        let mut answer = answer.lock().expect("no holder of this lock can panic");
        if let Some(facts) = answer.as_ref() {
            return Ok(Arc::clone(facts));
        }
        let facts = Arc::new(ask(&question, &command.directory)?);
        *answer = Some(Arc::clone(&facts));
        Ok(facts)
    }

    /// Everything asked so far, in a fixed order, for a report.
    pub fn all(&self) -> Vec<Arc<CompilerFacts>> {
        let answers: Vec<Answer> =
            self.known.lock().expect("no holder of this lock can panic").values().cloned().collect();
        let now = |answer: &Answer| answer.lock().expect("no holder of this lock can panic").clone();
        let mut facts: Vec<_> = answers.iter().filter_map(now).collect();
        facts.sort_by(|a, b| (&a.program, a.language, &a.target).cmp(&(&b.program, b.language, &b.target)));
        facts
    }
}

/// The compilers of a project that can be found, each once.
pub fn compilers_of(project: &Project) -> Vec<PathBuf> {
    let found: BTreeSet<PathBuf> = project.units.iter().filter_map(|unit| find_compiler(&unit.command).ok()).collect();
    found.into_iter().collect()
}

fn find_compiler(command: &CompileCommand) -> Result<PathBuf, HostError> {
    let name = &command.arguments[0];
    let found = match name.contains('/') {
        true => find_program(&normalise(&command.directory.join(name)).to_string_lossy()),
        false => find_program(name),
    };
    found.ok_or_else(|| HostError::CompilerMissing { compiler: name.clone(), hint: install_hint(name) })
}

/// The flags that change what the compiler says about itself.
fn flags_that_matter(arguments: &[String]) -> Vec<String> {
    #[rustfmt::skip]
    const EXACT: &[&str] = &[
        "-ansi", "-nostdinc", "-nostdinc++", "-pthread", "-fopenmp", "-ffreestanding", "-fhosted", "-funsigned-char",
        "-fshort-enums", "-fshort-wchar", "-fexceptions", "-fno-exceptions", "-frtti", "-fno-rtti",
    ];
    #[rustfmt::skip]
    const PREFIXES: &[&str] = &[
        "-m", "--sysroot", "-isysroot", "-std=", "--std=", "-specs=", "--specs=", "-B", "--target=", "-stdlib=",
        "--gcc-toolchain",
    ];
    const WITH_VALUE: &[&str] = &["--sysroot", "-isysroot", "-target", "-B", "-arch"];
    let mut flags = Vec::new();
    for item in items(arguments) {
        let Item::Option { words, text, value } = item else { continue };
        let matters = match value {
            Some(_) => WITH_VALUE.contains(&text),
            None => EXACT.contains(&text) || PREFIXES.iter().any(|prefix| text.starts_with(prefix)),
        };
        if matters && !text.starts_with("-mllvm") {
            flags.extend_from_slice(&arguments[words]);
        }
    }
    flags
}

fn ask(question: &Question, directory: &Path) -> Result<CompilerFacts, HostError> {
    let finished = run_probe(question, &question.flags, directory)?;
    if finished.status.success() && finished.stdout.contains("#define ") {
        return Ok(read_facts(question, &finished));
    }
    // A flag it does not take must not cost us everything else.
    let bare = run_probe(question, &[], directory)?;
    let complaint = finished
        .stderr
        .lines()
        .find(|line| line.contains("error"))
        .unwrap_or("it does not answer -E -v -dM")
        .to_string();
    if bare.status.success() && bare.stdout.contains("#define ") {
        let facts = read_facts(question, &bare);
        return Ok(CompilerFacts { complaint: Some(complaint), ..facts });
    }
    Ok(CompilerFacts {
        program: question.program.clone(),
        language: question.language,
        family: CompilerFamily::Other,
        version: (0, 0, 0),
        version_line: String::new(),
        target: String::new(),
        system_includes: Vec::new(),
        default_std: String::new(),
        predefined: BTreeMap::new(),
        complaint: Some(complaint),
    })
}

fn run_probe(question: &Question, flags: &[String], directory: &Path) -> Result<Finished, HostError> {
    let mut command = Command::new(&question.program);
    command.args(flags).args(["-E", "-v", "-dM", "-x", question.language.name(), "/dev/null"]);
    // The folder matters for a relative --sysroot; a database may name one that is gone.
    if directory.is_dir() {
        command.current_dir(directory);
    }
    run(command.env("LC_ALL", "C"))
}

fn read_facts(question: &Question, finished: &Finished) -> CompilerFacts {
    let predefined = read_macros(&finished.stdout);
    let number = |name: &str| predefined.get(name).and_then(|value| value.parse().ok()).unwrap_or(0);
    let (family, version) = if predefined.contains_key("__clang__") {
        (CompilerFamily::Clang, ["__clang_major__", "__clang_minor__", "__clang_patchlevel__"].map(number))
    } else if predefined.contains_key("__GNUC__") {
        (CompilerFamily::Gcc, ["__GNUC__", "__GNUC_MINOR__", "__GNUC_PATCHLEVEL__"].map(number))
    } else {
        (CompilerFamily::Other, [0; 3])
    };
    let line = |wanted: &str| finished.stderr.lines().find(|line| line.contains(wanted)).unwrap_or_default().trim();
    CompilerFacts {
        program: question.program.clone(),
        language: question.language,
        family,
        version: version.into(),
        version_line: line(" version ").to_string(),
        target: line("Target: ").trim_start_matches("Target: ").to_string(),
        system_includes: read_includes(&finished.stderr),
        default_std: standard(&predefined, question.language),
        predefined,
        complaint: None,
    }
}

fn read_macros(text: &str) -> BTreeMap<String, String> {
    let definitions = text.lines().filter_map(|line| line.strip_prefix("#define "));
    definitions
        .map(|definition| definition.split_once(' ').unwrap_or((definition, "")))
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect()
}

/// The name of the standard that these macros belong to, in the spelling that all clangs know.
fn standard(macros: &BTreeMap<String, String>, language: Language) -> String {
    let value = |name: &str| macros.get(name).map(|value| value.trim_end_matches('L').parse::<u32>().unwrap_or(0));
    let dialect = if macros.contains_key("__STRICT_ANSI__") { "c" } else { "gnu" };
    match language {
        Language::C => {
            let year = match value("__STDC_VERSION__") {
                None | Some(0..199_901) => "89",
                Some(199_901..201_112) => "99",
                Some(201_112..201_710) => "11",
                Some(201_710..202_000) => "17",
                Some(202_000..) => "2x",
            };
            format!("{dialect}{year}")
        }
        Language::Cxx => {
            let year = match value("__cplusplus").unwrap_or(0) {
                0..201_103 => "98",
                201_103..201_402 => "11",
                201_402..201_703 => "14",
                201_703..202_002 => "17",
                202_002..202_101 => "20",
                202_101.. => "2b",
            };
            format!("{dialect}++{year}")
        }
    }
}

fn read_includes(stderr: &str) -> Vec<IncludeDir> {
    stderr
        .lines()
        .skip_while(|line| !line.starts_with("#include <...>"))
        .skip(1)
        .take_while(|line| line.starts_with(' '))
        .map(|line| {
            let given = Path::new(line.trim().trim_end_matches(" (framework directory)"));
            let path = fs::canonicalize(given).unwrap_or_else(|_| normalise(given));
            // As spelt, too: a distribution may keep the headers elsewhere and link to them.
            let compiler_internal = is_compiler_internal(&path) || is_compiler_internal(&normalise(given));
            IncludeDir { path, compiler_internal }
        })
        .collect()
}

/// `…/gcc/<target>/<version>/include[-fixed]` and `…/clang/<version>/include`.
fn is_compiler_internal(path: &Path) -> bool {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    match parts.iter().rev().map(AsRef::as_ref).collect::<Vec<&str>>()[..] {
        ["include" | "include-fixed", _, _, "gcc" | "gcc-cross", ..] => true,
        ["include", version, "clang", ..] => version.starts_with(|c: char| c.is_ascii_digit()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_string).collect()
    }

    #[test]
    fn only_flags_that_change_the_answers_are_asked_with() {
        let line =
            "gcc -O2 -Wall -m32 -MD -MF x.d -std=c99 -Iinc -isysroot /s --sysroot=/r -DX -c a.c -mthumb -nostdinc";
        assert_eq!(
            flags_that_matter(&words(line)).join(" "),
            "-m32 -std=c99 -isysroot /s --sysroot=/r -mthumb -nostdinc"
        );
    }

    #[test]
    fn the_standard_follows_from_the_macros() {
        let macros = |text: &str| read_macros(text);
        for (text, language, expected) in [
            ("#define __STDC_VERSION__ 201710L\n", Language::C, "gnu17"),
            ("#define __STDC_VERSION__ 202311L\n", Language::C, "gnu2x"),
            ("#define __STRICT_ANSI__ 1\n", Language::C, "c89"),
            ("#define __cplusplus 201703L\n", Language::Cxx, "gnu++17"),
            ("#define __cplusplus 202002L\n#define __STRICT_ANSI__ 1\n", Language::Cxx, "c++20"),
        ] {
            assert_eq!(standard(&macros(text), language), expected);
        }
    }

    #[test]
    fn the_compilers_own_headers_are_recognised_by_their_place() {
        for path in [
            "/usr/lib/gcc/x86_64-linux-gnu/12/include",
            "/opt/t/lib/gcc/arm-none-eabi/10.3.1/include-fixed",
            "/usr/lib/llvm-16/lib/clang/16/include",
        ] {
            assert!(is_compiler_internal(Path::new(path)), "{path}");
        }
        for path in ["/usr/include", "/usr/lib/arm-none-eabi/include", "/usr/include/c++/12", "/srv/clang/src/include"]
        {
            assert!(!is_compiler_internal(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn a_missing_compiler_is_named_with_the_line_that_installs_it() {
        let command = CompileCommand {
            directory: "/".into(),
            file: "/a.c".into(),
            arguments: words("sparc64-nowhere-linux-gnu-gcc -c a.c"),
        };
        let error = CompilerProbe::new().probe(&command).unwrap_err().to_string();
        assert!(
            error.contains("sparc64-nowhere-linux-gnu-gcc") && error.contains("apt-get install gcc-sparc64"),
            "{error}"
        );
    }

    #[test]
    fn a_program_that_is_no_compiler_gives_facts_that_say_so() {
        let command = CompileCommand { directory: "/".into(), file: "/a.c".into(), arguments: words("true -c a.c") };
        let facts = CompilerProbe::new().probe(&command).unwrap();
        assert_eq!(facts.family, CompilerFamily::Other);
        assert!(facts.complaint.is_some());
    }

    #[test]
    fn fuzzed_answers_of_compilers_are_read() {
        let question = Question { program: "cc".into(), language: Language::Cxx, flags: Vec::new() };
        let examples = [
            "#define __GNUC__ 12\n#define __cplusplus 201703L\n#define X\n",
            "gcc version 12.2.0 (x)\nTarget: x86_64-linux-gnu\n#include <...> search starts here:\n /usr/include\n\n\
             End\n",
        ];
        perturb_fuzz::survives("answers of compilers", Share::All, &examples, |text| {
            let text = String::from_utf8_lossy(text).into_owned();
            let finished = Finished { status: Default::default(), stdout: text.clone(), stderr: text };
            read_facts(&question, &finished);
        });
    }
}
