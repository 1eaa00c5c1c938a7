//! Classifies the words of a compile command: those that decide what the code means, and those that only say where the
//! output goes or how it is observed.

use super::CodeOptions;
use crate::command_line::{absolute, items, Item};
use crate::compiler::probe::{CompilerFacts, CompilerFamily};
use crate::project::description::CompileCommand;
use perturb_model::{Assumption, Level};
use std::path::Path;

/// Options that stand alone and go.
#[rustfmt::skip]
const DROPPED: &[&str] = &[
    "-c", "-S", "-E", "-fsyntax-only", "-pg", "-p", "--coverage", "-coverage", "-ftest-coverage", "-fverbose-asm",
    "-dA", "-v", "-###", "-H", "-Q", "-time", "-fwhole-program", "-ffunction-sections", "-fdata-sections",
    "-fsection-anchors", "-Wfatal-errors", "-pedantic-errors", "-fstack-usage", "-fcallgraph-info",
    "-ffat-lto-objects", "-fmem-report", "-ftime-report", "-fbranch-probabilities", "-fsave-optimization-record",
    "-fcoverage-mapping", "-fembed-bitcode", "-save-stats",
];

/// Flags that are dropped with any ending: outputs, debugging, profiles, sanitizers, the format of errors.
#[rustfmt::skip]
const DROPPED_PREFIXES: &[&str] = &[
    "-o", "--output", "-O", "-M", "-Wp,-M", "-flto", "-fno-lto", "-fprofile", "-fauto-profile", "-fsanitize",
    "-fno-sanitize", "-save-temps", "--save-temps", "-fdump-", "-fdiagnostics-", "-fmax-errors", "-ferror-limit",
    "-Werror", "-fopt-info", "-dump", "-fmessage-length", "-frandom-seed", "-ftime-trace", "-fcs-profile",
    "-finstrument-functions", "-fplugin-arg-annobin", "-aux-info", "-fcallgraph-info=", "-save-stats=", "-ftrack-macro",
];

/// Passes of GCC over instructions, which come after all that decides what is computed.
#[rustfmt::skip]
const ARRANGING: &[&str] = &[
    "-fno-gcse", "-fno-rerun-cse-after-loop", "-fno-cse-follow-jumps", "-fno-schedule-insns", "-fno-schedule-insns2",
    "-fno-peephole2", "-fno-crossjumping", "-fno-ree", "-fno-shrink-wrap", "-fno-split-wide-types",
    "-fno-combine-stack-adjustments", "-fno-compare-elim", "-fno-dse",
    "-fno-forward-propagate", "-fno-cprop-registers", "-fno-reorder-blocks", "-fno-reorder-blocks-and-partition",
];
/// The first version of GCC that surely knows all of them.
const FIRST_ROUGH: u32 = 8;

/// The words behind the compiler's name that have it write assembly, and nothing else, at a level of ours.
pub(super) fn for_code(arguments: &[String], facts: &CompilerFacts, options: CodeOptions) -> Vec<String> {
    let mut words = kept(arguments);
    let mut add = |word: &str| words.push(word.to_string());
    add(&options.level.to_string());
    if options.level == Level::Ofast && !options.fast_floats {
        // All that -Ofast does but for numbers: what equates `x != x` with `x > x` proves nothing.
        add("-fno-fast-math");
    }
    let common = ["-g0", "-w", "-fno-lto", "-fno-function-sections", "-fno-data-sections", "-fno-verbose-asm"];
    common.iter().for_each(|word| add(word));
    // Tables for debuggers only. Where exceptions need them, they are written all the same.
    add("-fno-asynchronous-unwind-tables");
    match facts.family {
        CompilerFamily::Clang => ["-ferror-limit=0", "-Qunused-arguments"].iter().for_each(|word| add(word)),
        CompilerFamily::Gcc | CompilerFamily::Other => {
            // Equal functions must not become one; variables must not be found from their neighbours'.
            ["-fmax-errors=0", "-fno-ipa-icf", "-fno-section-anchors"].iter().for_each(|word| add(word));
            let is_costly = !matches!(options.level, Level::O0);
            if options.rough && is_costly && facts.version.0 >= FIRST_ROUGH {
                ARRANGING.iter().for_each(|word| add(word));
            }
            if options.check_only {
                // An error in what a macro makes is one of who uses it.
                add("-ftrack-macro-expansion=0");
            }
        }
    }
    if let Some(option) = options.without.and_then(Assumption::option) {
        add(option);
    }
    add(if options.check_only { "-fsyntax-only" } else { "-S" });
    words
}

/// The words that have a compiler preprocess, at a level that most headers are written for.
pub(super) fn for_preprocessing(arguments: &[String]) -> Vec<String> {
    let mut words = kept(arguments);
    words.extend([Level::O2.to_string(), "-w".to_string(), "-E".to_string()]);
    words
}

/// What concerns the text of a unit, its warnings or its program, and not its code.
#[rustfmt::skip]
const OF_THE_TEXT: &[&str] = &[
    "-D", "-U", "-I", "-i", "-W", "-std", "--std", "-ansi", "-x", "--language", "-pedantic", "--include",
    "--define-macro", "--undefine-macro", "-cxx-isystem", "-L", "-l", "-T", "-u", "-z", "-e", "-Xlinker",
    "-Xpreprocessor", "-Xassembler", "-fplugin", "-fdebug-prefix-map", "-fmacro-prefix-map", "-ffile-prefix-map",
    "-fpermissive", "-fno-rtti", "-fvisibility", "-fstack-protector", "-fno-stack-protector", "-pipe", "-static",
    "-shared", "-rdynamic", "-fuse-ld",
];

/// Whether the code is position-independent. Such code can also stand in code that is loaded at a fixed address.
#[rustfmt::skip]
const OF_THE_PLACE: &[&str] = &[
    "-fPIC", "-fpic", "-fPIE", "-fpie", "-fno-PIC", "-fno-pic", "-fno-PIE", "-fno-pie", "-pie", "-no-pie", "-nopie",
];

/// Outputs that a trial must not write.
#[rustfmt::skip]
const OF_THE_OUTPUT: &[&str] = &[
    "-o", "--output", "-M", "-Wp,-M", "-save-temps", "--save-temps", "-fdump-", "-dump", "-ftime-trace", "-aux-info",
    "-fstack-usage", "-fcallgraph-info", "-save-stats", "-fsave-optimization-record", "-fopt-info", "-gsplit-dwarf",
];

/// Whether code that was compiled by itself cannot stand in such a unit.
pub(super) fn refuses_graft(arguments: &[String]) -> bool {
    let mut is_linked_later = false;
    for item in items(arguments) {
        let Item::Option { text, .. } = item else { continue };
        match text {
            "-fno-lto" => is_linked_later = false,
            _ if text.starts_with("-flto") => is_linked_later = true,
            _ if text.starts_with("-fsanitize=") || text == "-emit-llvm" => return true,
            _ => {}
        }
    }
    is_linked_later
}

/// The words with which code is compiled that can stand in such a unit.
pub(super) fn for_graft(arguments: &[String], facts: &CompilerFacts) -> Vec<String> {
    let has_libraries = facts.predefined.contains_key("__linux__");
    let (mut words, mut level) = (Vec::new(), "-O2");
    for item in items(arguments) {
        let Item::Option { words: span, text, .. } = item else { continue };
        let is_of = |prefixes: &[&str]| prefixes.iter().any(|prefix| text.starts_with(prefix));
        if text.starts_with("-O") {
            // A small target has no room for more.
            level = if matches!(text, "-Os" | "-Oz") { "-Os" } else { "-O2" };
        }
        // In sections of their own, functions that nobody calls need not be linked.
        let is_section = matches!(text, "-ffunction-sections" | "-fdata-sections");
        let is_placed = has_libraries && OF_THE_PLACE.contains(&text);
        if is_section || !(is_dropped(text) || is_of(OF_THE_TEXT) || is_placed) {
            words.extend_from_slice(&arguments[span]);
        }
    }
    words.extend([level, "-g0", "-w", "-fno-lto", "-fno-verbose-asm", "-fno-stack-protector"].map(str::to_string));
    if has_libraries {
        words.push("-fPIC".to_string());
    }
    if facts.family == CompilerFamily::Clang {
        words.push("-Qunused-arguments".to_string());
    }
    words
}

/// All words of a unit that may matter to a text which includes nothing of the project's.
pub(super) fn for_trial(arguments: &[String]) -> Vec<String> {
    const OF_THE_PROJECT: &[&str] = &["-D", "-U", "-I", "-i", "--include", "-cxx-isystem", "-L", "-l", "-x", "-c"];
    let mut words = Vec::new();
    for item in items(arguments) {
        let Item::Option { words: span, text, .. } = item else { continue };
        let is_of = |prefixes: &[&str]| prefixes.iter().any(|prefix| text.starts_with(prefix));
        if !is_of(OF_THE_PROJECT) && !is_of(OF_THE_OUTPUT) {
            words.extend_from_slice(&arguments[span]);
        }
    }
    words.push("-w".to_string());
    words
}

/// As [`kept`], without the unit itself: the words for a text that includes it.
pub(super) fn for_including(arguments: &[String]) -> Vec<String> {
    let options = items(arguments).into_iter().filter_map(|item| match item {
        Item::Option { words: span, text, .. } if !is_dropped(text) => Some(&arguments[span]),
        _ => None,
    });
    options.flatten().cloned().collect()
}

/// Options that name what is to be found below the folder in which they are typed, joined with it or before it.
const NAMING: [&str; 6] = ["-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-I"];

/// The same words for wherever they are typed: what they name is there by its whole path.
pub(super) fn anywhere(words: &[String], directory: &Path) -> Vec<String> {
    let whole = |path: &str| match directory.join(path) {
        named if named.exists() => absolute(directory, Path::new(path)).to_string_lossy().into_owned(),
        // Headers are found elsewhere, too.
        _ => path.to_string(),
    };
    let mut is_named = false;
    let word = |word: &String| {
        if std::mem::replace(&mut is_named, NAMING.contains(&word.as_str())) {
            return whole(word);
        }
        let joined = NAMING.iter().find_map(|option| Some((option, word.strip_prefix(option)?)));
        joined
            .filter(|(_, path)| !path.is_empty())
            .map_or(word.clone(), |(option, path)| option.to_string() + &whole(path))
    };
    words.iter().map(word).collect()
}

/// How it is optimised: the last that is said of it counts.
pub(super) fn optimisation(arguments: &[String]) -> Option<String> {
    arguments.iter().rev().find(|word| word.starts_with("-O")).cloned()
}

/// The words of a unit without those that say what is written and how it is optimised.
pub(super) fn kept(arguments: &[String]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for item in items(arguments) {
        match item {
            Item::Input { path, .. } => words.push(path.to_string()),
            Item::Option { words: span, text, .. } if !is_dropped(text) => words.extend_from_slice(&arguments[span]),
            Item::Option { .. } => {}
        }
    }
    words
}

/// Whether two commands make of a text what does the same: they differ in what is written where, how it is optimised,
/// and whether it may be loaded anywhere, as libtool compiles everything twice.
pub fn mean_the_same(one: &CompileCommand, other: &CompileCommand) -> bool {
    let meaning = |command: &CompileCommand| -> Vec<String> {
        let is_of_the_place = |word: &String| OF_THE_PLACE.contains(&word.as_str()) || word == "-DPIC";
        kept(&command.arguments).into_iter().filter(|word| !is_of_the_place(word)).collect()
    };
    let is_same_compiler = one.arguments.first() == other.arguments.first();
    is_same_compiler && one.directory == other.directory && meaning(one) == meaning(other)
}

fn is_dropped(option: &str) -> bool {
    let is_debugging = option.starts_with("-g") && !option.starts_with("-gcc-toolchain");
    is_debugging || DROPPED.contains(&option) || DROPPED_PREFIXES.iter().any(|prefix| option.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gcc() -> CompilerFacts {
        CompilerFacts {
            program: "gcc".into(),
            language: crate::command_line::Language::C,
            family: CompilerFamily::Gcc,
            version: (12, 2, 0),
            version_line: String::new(),
            target: String::new(),
            system_includes: Vec::new(),
            default_std: String::new(),
            predefined: Default::default(),
            complaint: None,
        }
    }

    #[test]
    fn what_options_name_below_their_folder_is_named_from_the_top() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().canonicalize().unwrap();
        std::fs::create_dir(here.join("inc")).unwrap();
        std::fs::write(here.join("all.h"), "").unwrap();
        let words = |line: &str| line.split(' ').map(String::from).collect::<Vec<_>>();
        let found =
            anywhere(&words("-Iinc -I inc -isystem inc -include all.h -include stdio.h -I/usr -Inone -Dinc"), &here);
        let path = here.display();
        let expected = format!(
            "-I{path}/inc -I {path}/inc -isystem {path}/inc -include {path}/all.h -include stdio.h -I/usr -Inone -Dinc"
        );
        assert_eq!(found.join(" "), expected);
    }

    #[test]
    fn commands_that_differ_only_in_where_code_goes_and_stands_mean_the_same() {
        let command = |line: &str| CompileCommand {
            directory: "/p".into(),
            file: "/p/a.c".into(),
            arguments: line.split(' ').map(String::from).collect(),
        };
        let plain = command("gcc -DX=1 -O2 -g -c a.c -o a.o");
        assert!(mean_the_same(&plain, &command("gcc -DX=1 -O0 -c a.c -fPIC -DPIC -o .libs/a.o -MD -MF a.d")));
        for other in ["gcc -DX=2 -c a.c", "clang -DX=1 -c a.c", "gcc -DX=1 -funsigned-char -c a.c", "gcc -DX=1 -c b.c"]
        {
            assert!(!mean_the_same(&plain, &command(other)), "{other}");
        }
    }

    #[test]
    fn what_the_command_says_of_outputs_and_levels_goes_and_what_decides_the_meaning_stays() {
        let line =
            "gcc -O3 -g3 -flto=auto --coverage -fprofile-arcs -MD -MF a.d -MT a.o -Wall -Werror -DX=1 -Iinc -m32 \
                    -ffast-math -fwrapv -fsanitize=address -save-temps=obj -include pre.h -c src/a.c -o a.o -pipe";
        let arguments: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        let options =
            CodeOptions { level: Level::Os, fast_floats: false, check_only: false, rough: false, without: None };
        let words = for_code(&arguments, &gcc(), options).join(" ");
        let kept = "-Wall -DX=1 -Iinc -m32 -ffast-math -fwrapv -include pre.h src/a.c -pipe -Os -g0 -w";
        assert!(words.starts_with(kept), "{words}");
        assert!(words.ends_with("-S"), "{words}");
    }

    #[test]
    fn the_fastest_level_leaves_numbers_alone_unless_asked() {
        let arguments: Vec<String> = ["gcc", "-c", "a.c"].map(str::to_string).to_vec();
        let words = |fast_floats| {
            let options =
                CodeOptions { level: Level::Ofast, fast_floats, check_only: false, rough: false, without: None };
            for_code(&arguments, &gcc(), options)
        };
        assert!(words(false).contains(&"-fno-fast-math".to_string()));
        assert!(!words(true).contains(&"-fno-fast-math".to_string()));
    }

    #[test]
    fn code_for_many_units_is_compiled_with_what_decides_how_functions_call_each_other() {
        let words = |line: &str| line.split_whitespace().map(str::to_string).collect::<Vec<_>>();
        let mut facts = gcc();
        let line =
            words("gcc -O0 -g -DX -Ii -include p.h -std=c99 -Wall -fpie -m32 -mregparm=3 -fpack-struct -c a.c -o a.o");
        let own = "-m32 -mregparm=3 -fpack-struct -O2";
        assert!(for_graft(&line, &facts).join(" ").starts_with(&format!("-fpie {own}")));
        facts.predefined.insert("__linux__".into(), "1".into());
        let found = for_graft(&line, &facts).join(" ");
        assert!(found.starts_with(own) && found.ends_with("-fPIC"), "{found}");
        assert!(for_graft(&words("gcc -Os -ffunction-sections -c a.c"), &facts)
            .join(" ")
            .starts_with("-ffunction-sections -Os"));
        assert_eq!(for_trial(&line).join(" "), "-O0 -g -std=c99 -Wall -fpie -m32 -mregparm=3 -fpack-struct -w");
    }

    #[test]
    fn a_unit_that_is_more_than_its_own_code_takes_none_of_others() {
        let refuses = |line: &str| refuses_graft(&line.split_whitespace().map(str::to_string).collect::<Vec<_>>());
        assert!(refuses("gcc -flto=auto -c a.c") && refuses("gcc -fsanitize=memory -c a.c"));
        assert!(!refuses("gcc -flto -fno-lto -c a.c") && !refuses("gcc -fno-sanitize=all -O2 -c a.c"));
    }
}
