//! Turns a project's compile command into arguments for libclang.
//!
//! The result is the same for every version of clang: it holds only the flags that matter for parsing, in a spelling
//! that all versions know, and the include folders of the project's compiler instead of clang's own. Flags that are
//! dropped although they might matter are reported.

use std::path::Path;

use crate::command_line::{items, normalise, Item, Language};
use crate::compiler::clang_flags::{standard, treatment, Treatment, IRRELEVANT_WITH_VALUE};
use crate::compiler::clang_target::{disguise, target_flags};
use crate::compiler::probe::{CompilerFacts, CompilerFamily};
use crate::project::description::CompileCommand;

/// Arguments for libclang (neither the program nor the file among them), and what was left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClangArguments {
    pub arguments: Vec<String>,
    /// Flags that may matter and that clang does not understand, in the order of the command, each once.
    pub filtered: Vec<String>,
}

/// Makes libclang parse as the project's compiler would. `resource_include` is the folder of clang's own headers
/// (`stddef.h`, `immintrin.h`); it takes the place of the compiler's. Looks at the outside only to see whether a
/// `-include` file is there.
pub fn clang_arguments(
    command: &CompileCommand,
    facts: &CompilerFacts,
    resource_include: Option<&Path>,
) -> ClangArguments {
    let mut reader = ArgumentReader {
        directory: &command.directory,
        passed: Vec::new(),
        filtered: Vec::new(),
        standard: None,
        optimise: None,
    };
    for item in items(&command.arguments) {
        match item {
            Item::Option { text, value: Some(value), .. } => reader.take_pair(text, value),
            Item::Option { text, value: None, .. } => reader.take(text, facts.language),
            Item::Input { .. } => {}
        }
    }
    let mut filtered = reader.filtered;
    let mut arguments = vec!["-x".to_string(), facts.language.name().to_string()];
    let default = (!facts.default_std.is_empty()).then(|| facts.default_std.clone());
    arguments.extend(reader.standard.or(default).map(|name| format!("-std={name}")));
    arguments.extend(target_flags(facts, &mut filtered));
    arguments.extend(disguise(facts));
    arguments.extend(reader.optimise.map(optimisation_macros).unwrap_or_default());
    let wants_openmp = reader.passed.iter().any(|flag| flag.starts_with("-fopenmp"));
    arguments.extend(reader.passed);
    arguments.extend(include_folders(facts, resource_include, wants_openmp));
    arguments.extend(diagnostics(facts.language));
    let mut seen = std::collections::HashSet::new();
    filtered.retain(|flag| seen.insert(flag.clone()));
    ClangArguments { arguments, filtered }
}

struct ArgumentReader<'a> {
    directory: &'a Path,
    passed: Vec<String>,
    filtered: Vec<String>,
    standard: Option<String>,
    /// What follows the last `-O`.
    optimise: Option<String>,
}

/// Options that name a folder or file, which must not depend on where we run.
const WITH_PATH: &[&str] =
    &["-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot", "--sysroot", "-cxx-isystem"];

impl ArgumentReader<'_> {
    /// An option whose value is a word of its own.
    fn take_pair(&mut self, option: &str, value: &str) {
        match option {
            "-I" | "--include-directory" => self.passed.push(format!("-I{}", self.folder(value))),
            "-D" | "--define-macro" => self.define(value),
            "-U" | "--undefine-macro" => self.passed.push(format!("-U{value}")),
            "--std" => self.set_standard(value),
            "--include" => self.take_pair("-include", value),
            "-include" | "-imacros" => {
                let value = self.forced_include(value);
                self.passed.extend([option.to_string(), value]);
            }
            "--sysroot" => self.passed.push(format!("--sysroot={}", self.folder(value))),
            _ if WITH_PATH.contains(&option) => {
                let folder = self.folder(value);
                self.passed.extend([option.to_string(), folder]);
            }
            _ if IRRELEVANT_WITH_VALUE.contains(&option) => {}
            _ => self.filtered.push(format!("{option} {value}")),
        }
    }

    /// An option in one word.
    fn take(&mut self, flag: &str, language: Language) {
        // The longer names first: -isystem and -include start like -I only in another case, but -I and -D are prefixes
        // of nothing.
        let joined = WITH_PATH
            .iter()
            .filter(|name| name.starts_with("-i"))
            .find_map(|name| Some((*name, flag.strip_prefix(name)?)));
        if let Some((name, value)) = joined.filter(|(_, value)| !value.is_empty()) {
            self.take_pair(name, value.trim_start_matches('='));
        } else if let Some(folder) = flag.strip_prefix("-I") {
            self.take_pair("-I", folder);
        } else if let Some(definition) = flag.strip_prefix("-D") {
            self.define(definition);
        } else if let Some(name) = flag.strip_prefix("-U") {
            self.take_pair("-U", name);
        } else if let Some(name) = flag.strip_prefix("-std=").or_else(|| flag.strip_prefix("--std=")) {
            self.set_standard(name);
        } else if flag == "-ansi" {
            self.set_standard(if language == Language::C { "c89" } else { "c++98" });
        } else if let Some(folder) = flag.strip_prefix("--sysroot=") {
            self.take_pair("--sysroot", folder);
        } else if let Some(options) = flag.strip_prefix("-Wp,") {
            self.take_preprocessor(options, language);
        } else if let Some(level) = flag.strip_prefix("-O") {
            self.optimise = Some(level.to_string());
        } else if flag == "-fplan9-extensions" {
            // The part of it that clang has.
            self.passed.push("-fms-extensions".to_string());
            self.filtered.push(flag.to_string());
        } else {
            match treatment(flag) {
                Treatment::Pass => self.passed.push(flag.to_string()),
                Treatment::DropSilently => {}
                Treatment::DropAndTell => self.filtered.push(flag.to_string()),
            }
        }
    }

    /// `-Wp,-DX=1,-MD,x.d`: only definitions matter.
    fn take_preprocessor(&mut self, options: &str, language: Language) {
        for option in options.split(',').filter(|option| option.starts_with("-D") || option.starts_with("-U")) {
            self.take(option, language);
        }
    }

    fn define(&mut self, definition: &str) {
        // glibc's checked inline functions use built-ins that clang lacks, and change nothing in the project's own
        // text.
        if definition.split('=').next() != Some("_FORTIFY_SOURCE") {
            self.passed.push(format!("-D{definition}"));
        }
    }

    fn set_standard(&mut self, name: &str) {
        match standard(name) {
            Some(name) => self.standard = Some(name),
            None => {
                // A standard newer than our list is nearest to the newest one on it.
                let newest = match (name.contains("++"), name.starts_with("gnu")) {
                    (true, true) => "gnu++2b",
                    (true, false) => "c++2b",
                    (false, true) => "gnu2x",
                    (false, false) => "c2x",
                };
                self.standard = Some(newest.to_string());
                self.filtered.push(format!("-std={name}"));
            }
        }
    }

    fn folder(&self, value: &str) -> String {
        // `=` and `$SYSROOT` in front stand for the system root; clang knows them too.
        if value.starts_with('=') || value.starts_with("$SYSROOT") {
            return value.to_string();
        }
        normalise(&self.directory.join(value)).to_string_lossy().into_owned()
    }

    /// Looked for in the folder of the command first, then along the include path.
    fn forced_include(&self, value: &str) -> String {
        let here = normalise(&self.directory.join(value));
        if here.is_file() {
            here.to_string_lossy().into_owned()
        } else {
            value.to_string()
        }
    }
}

/// Headers ask for `__OPTIMIZE__`; the optimiser itself has no place in parsing.
fn optimisation_macros(level: String) -> Vec<String> {
    let names: &[&str] = match level.as_str() {
        "0" => &[],
        "s" | "z" => &["-D__OPTIMIZE__=1", "-D__OPTIMIZE_SIZE__=1", "-U__NO_INLINE__"],
        "fast" => &["-D__OPTIMIZE__=1", "-U__NO_INLINE__", "-ffast-math"],
        _ => &["-D__OPTIMIZE__=1", "-U__NO_INLINE__"],
    };
    names.iter().map(ToString::to_string).collect()
}

/// The compiler's own search path, in its order, with clang's headers in place of the compiler's.
fn include_folders(facts: &CompilerFacts, resource_include: Option<&Path>, wants_openmp: bool) -> Vec<String> {
    // A compiler that says nothing about itself: clang's own idea is better than no headers at all.
    if facts.family == CompilerFamily::Other && facts.system_includes.is_empty() {
        return Vec::new();
    }
    let mut arguments = vec!["-nostdinc".to_string()];
    if facts.language == Language::Cxx {
        arguments.push("-nostdinc++".to_string());
    }
    let mut add =
        |option: &str, path: &Path| arguments.extend([option.to_string(), path.to_string_lossy().into_owned()]);
    let mut replacement = resource_include;
    let mut last = Vec::new();
    for folder in &facts.system_includes {
        match (folder.compiler_internal, resource_include) {
            (true, Some(_)) => {
                if let Some(path) = replacement.take() {
                    add("-isystem", path);
                }
                last.push(folder.path.as_path());
            }
            _ => add("-isystem", &folder.path),
        }
    }
    // omp.h is one of the compiler's own headers, and clang's are without it. Not for everybody: clang's stdatomic.h
    // prefers another one further along the path, and GCC's is full of built-ins that clang lacks.
    if wants_openmp {
        last.into_iter().for_each(|path| add("-idirafter", path));
    }
    arguments
}

/// What the project's compiler takes with a warning must not be an error here, and no error may end the parse.
fn diagnostics(language: Language) -> Vec<String> {
    let both = ["-w", "-ferror-limit=0", "-fno-spell-checking", "-Wno-unknown-warning-option", "-Wno-return-type"];
    let own: &[&str] = match language {
        Language::C => &[
            "-Wno-implicit-function-declaration",
            "-Wno-implicit-int",
            "-Wno-int-conversion",
            "-Wno-incompatible-function-pointer-types",
            "-Wno-incompatible-pointer-types",
            "-Wno-return-mismatch",
        ],
        Language::Cxx => {
            &["-Wno-narrowing", "-Wno-register", "-Wno-reserved-user-defined-literal", "-Wno-enum-constexpr-conversion"]
        }
    };
    both.iter().chain(own).map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::probe::IncludeDir;
    use perturb_fuzz::prelude::*;
    use perturb_fuzz::Share;
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    fn facts(language: Language, family: CompilerFamily) -> CompilerFacts {
        let folder = |path: &str, compiler_internal| IncludeDir { path: PathBuf::from(path), compiler_internal };
        CompilerFacts {
            program: "/usr/bin/gcc".into(),
            language,
            family,
            version: (12, 2, 0),
            version_line: String::new(),
            target: "x86_64-linux-gnu".to_string(),
            system_includes: vec![folder("/lib/gcc/t/12/include", true), folder("/usr/include", false)],
            default_std: if language == Language::C { "gnu17" } else { "gnu++17" }.to_string(),
            predefined: BTreeMap::from([
                ("__x86_64__".to_string(), "1".to_string()),
                ("__SSE2__".to_string(), "1".to_string()),
            ]),
            complaint: None,
        }
    }

    fn arguments(line: &str, family: CompilerFamily) -> ClangArguments {
        let command = CompileCommand {
            directory: "/p/build".into(),
            file: "/p/a.c".into(),
            arguments: line.split_whitespace().map(str::to_string).collect(),
        };
        clang_arguments(&command, &facts(Language::C, family), Some(Path::new("/clang/include")))
    }

    fn has(found: &ClangArguments, sequence: &str) -> bool {
        format!(" {} ", found.arguments.join(" ")).contains(&format!(" {sequence} "))
    }

    #[test]
    fn paths_become_absolute_and_definitions_stay_in_order() {
        let found = arguments(
            "gcc -I ../inc -I. -isystem/sys -iquote q -DA=1 -D B -UA -include x.h -c ../a.c",
            CompilerFamily::Clang,
        );
        assert!(
            has(&found, "-I/p/inc -I/p/build -isystem /sys -iquote /p/build/q -DA=1 -DB -UA -include x.h"),
            "{found:?}"
        );
        assert!(found.filtered.is_empty());
    }

    #[test]
    fn the_compilers_folders_follow_with_clangs_headers_in_their_place() {
        let found = arguments("gcc -c a.c", CompilerFamily::Gcc);
        assert!(has(&found, "-nostdinc -isystem /clang/include -isystem /usr/include -w"), "{found:?}");
        assert!(
            has(&found, "-x c -std=gnu17 --target=x86_64-linux-gnu -msse2 -fgnuc-version=12.2.0 -U__clang__"),
            "{found:?}"
        );
    }

    #[test]
    fn a_project_built_with_clang_gets_no_disguise() {
        let found = arguments("clang -c a.c", CompilerFamily::Clang);
        assert!(!found
            .arguments
            .iter()
            .any(|word| word.contains("gnuc") || word.starts_with("-U") || word.contains("__malloc__")));
    }

    #[test]
    fn what_clang_does_not_know_is_told_once_and_the_irrelevant_is_not_told() {
        let line = "gcc -O2 -Wall -g -fpermissive -fpermissive -flto -MD -MF a.d -Xpreprocessor -q \
                    -o a.o -Wp,-D_FORTIFY_SOURCE=2,-DY -c a.c";
        let found = arguments(line, CompilerFamily::Gcc);
        assert_eq!(found.filtered, ["-fpermissive", "-Xpreprocessor -q"]);
        assert!(has(&found, "-D__OPTIMIZE__=1 -U__NO_INLINE__ -DY"), "{found:?}");
        assert!(!found.arguments.iter().any(|word| word.contains("FORTIFY")));
    }

    #[test]
    fn standards_get_the_spelling_that_every_clang_knows() {
        for (line, expected, told) in [
            ("gcc -std=c23 -c a.c", "-std=c2x", 0),
            ("gcc -std=iso9899:1999 -c a.c", "-std=c99", 0),
            ("gcc -std=c11 -ansi -c a.c", "-std=c89", 0),
            ("gcc -std=gnu3000 -c a.c", "-std=gnu2x", 1),
        ] {
            let found = arguments(line, CompilerFamily::Gcc);
            assert!(has(&found, expected), "{line}: {found:?}");
            assert_eq!(found.filtered.len(), told, "{line}");
        }
    }

    #[test]
    fn an_architecture_that_clang_lacks_gets_a_stand_in_and_is_told() {
        let mut facts = facts(Language::C, CompilerFamily::Gcc);
        facts.target = "xtensa-esp32-elf".to_string();
        facts.predefined = BTreeMap::from([("__SIZEOF_POINTER__".to_string(), "4".to_string())]);
        let command = CompileCommand { directory: "/".into(), file: "/a.c".into(), arguments: vec!["gcc".to_string()] };
        let found = clang_arguments(&command, &facts, None);
        assert!(has(&found, "--target=riscv32-unknown-elf"));
        assert_eq!(found.filtered, ["--target=xtensa-esp32-elf"]);
    }

    #[test]
    fn fuzzed_flags_become_arguments_of_clang() {
        const WORDS: &[&str] = &[
            "-std=c99",
            "-std=",
            "-include",
            "x.h",
            "-I",
            "-Iinc",
            "-D",
            "-DX=1",
            "-U",
            "-O2",
            "-march=native",
            "-Wp,-DX,-UY",
            "-x",
            "c++",
            "-isystem",
            "-m32",
            "-fopenmp",
            "-Wall",
            "-Xclang",
            "-imacros",
            "--sysroot",
            "-mcpu=",
            "-f",
            "-",
            "",
        ];
        let word = prop_oneof![4 => prop::sample::select(WORDS).prop_map(str::to_string), 1 => any::<String>()];
        let line = prop::collection::vec(word, 0..12);
        perturb_fuzz::holds("flags for clang", Share::All, line, |words| {
            let arguments = ["gcc".to_string()].into_iter().chain(words).collect();
            let command = CompileCommand { directory: "/p".into(), file: "/p/a.c".into(), arguments };
            for family in [CompilerFamily::Gcc, CompilerFamily::Clang, CompilerFamily::Other] {
                clang_arguments(&command, &facts(Language::C, family), Some(Path::new("/clang")));
            }
        });
    }
}
