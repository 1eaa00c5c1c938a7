//! Reading compiler command lines of the GCC kind: which words are options, which are inputs, in which language.
//!
//! Knows the shape of the options, not their meaning; other modules decide what matters to them.

use std::fs;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

/// The languages we mutate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    C,
    Cxx,
}

impl Language {
    /// The name that `-x` has for it.
    pub fn name(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Cxx => "c++",
        }
    }
}

/// What an input of the compiler driver is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputKind {
    Source(Language),
    /// Compiled, but not a language of ours: assembler, Fortran, CUDA, Objective-C.
    OtherLanguage,
    /// Objects, archives, linker scripts.
    Linkable,
}

/// One thing on a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Item<'a> {
    Input {
        index: usize,
        path: &'a str,
        kind: InputKind,
    },
    /// An option, with its value where that is a word of its own.
    Option {
        words: Range<usize>,
        text: &'a str,
        value: Option<&'a str>,
    },
}

/// Options whose value is the next word; those that also exist joined are here for their separate form.
#[rustfmt::skip]
const WITH_VALUE: &[&str] = &[
    "-o", "-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-D", "-U", "-x", "-MF", "-MT", "-MQ",
    "-MJ", "-Xlinker", "-Xassembler", "-Xpreprocessor", "-Xclang", "-L", "-l", "-T", "-u", "-z", "-e", "-arch",
    "-target", "-isysroot", "--sysroot", "-A", "-B", "-aux-info", "-dumpbase", "-dumpdir", "--param", "-imultilib",
    "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-mllvm", "-wrapper", "-framework", "-G", "-F", "-cxx-isystem",
    "-include-pch", "-gcc-toolchain", "--include", "--define-macro", "--undefine-macro", "--include-directory",
    "--output", "--std", "--language",
];

/// Splits a command line (compiler first) into its options and inputs.
pub(crate) fn items(arguments: &[String]) -> Vec<Item<'_>> {
    let mut items = Vec::new();
    let mut forced: Option<&str> = None;
    let mut index = 1;
    while index < arguments.len() {
        let text = arguments[index].as_str();
        if text == "-" || !text.starts_with('-') {
            items.push(Item::Input { index, path: text, kind: input_kind(text, forced) });
            index += 1;
            continue;
        }
        let value = WITH_VALUE.contains(&text).then(|| arguments.get(index + 1)).flatten().map(String::as_str);
        let words = index..index + 1 + usize::from(value.is_some());
        if let Some(language) = (text == "-x").then_some(value).flatten().or(text.strip_prefix("-x")) {
            forced = (language != "none").then_some(language);
        }
        index = words.end;
        items.push(Item::Option { words, text, value });
    }
    items
}

/// The language of a file by its name alone.
pub fn language_of(path: &Path) -> Option<Language> {
    match input_kind(&path.to_string_lossy(), None) {
        InputKind::Source(language) => Some(language),
        _ => None,
    }
}

/// The language a command compiles `file` as: `-x`, the name, or the driver (`g++` takes `.c` for C++).
pub fn language_of_command(arguments: &[String], file: &Path) -> Language {
    let mut forced = None;
    for item in items(arguments) {
        match item {
            Item::Input { kind: InputKind::Source(language), path, .. } if path.ends_with(&*file_name(file)) => {
                forced = Some(language);
                break;
            }
            _ => {}
        }
    }
    let language = forced.or_else(|| language_of(file)).unwrap_or(Language::C);
    let explicit = arguments.iter().any(|word| word.starts_with("-x"));
    match arguments.first() {
        Some(driver) if !explicit && is_cxx_driver(driver) => Language::Cxx,
        _ => language,
    }
}

/// Whether this driver takes C files for C++.
fn is_cxx_driver(program: &str) -> bool {
    let name = file_name(Path::new(program));
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    base.ends_with("++")
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn input_kind(path: &str, forced: Option<&str>) -> InputKind {
    use InputKind::{Linkable, OtherLanguage, Source};
    match forced {
        Some("c" | "c-header" | "cpp-output") => return Source(Language::C),
        Some("c++" | "c++-header" | "c++-cpp-output") => return Source(Language::Cxx),
        Some(_) => return OtherLanguage,
        None => {}
    }
    match Path::new(path).extension().and_then(|extension| extension.to_str()).unwrap_or("") {
        "c" | "i" => Source(Language::C),
        "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" | "ii" | "tcc" | "ixx" | "cppm" => Source(Language::Cxx),
        "s" | "S" | "sx" | "asm" | "m" | "mm" | "M" | "mi" | "mii" | "cu" | "cl" | "hip" | "f" | "F" | "for"
        | "ftn" | "f77" | "f90" | "F90" | "f95" | "F95" | "f03" | "F03" | "f08" | "F08" | "fpp" | "FPP" | "d"
        | "di" | "go" | "adb" | "ads" | "rs" | "swift" | "rc" | "zig" => OtherLanguage,
        _ => Linkable,
    }
}

/// Programs that only pass a command on.
#[rustfmt::skip]
const LAUNCHERS: &[&str] =
    &[
    "ccache", "sccache", "distcc", "icecc", "buildcache", "nice", "time", "cachecc1", "gomacc", "colorgcc",
];

/// Drops `ccache`, `env X=Y` and the like in front of the compiler.
pub(crate) fn without_launcher(arguments: &[String]) -> &[String] {
    let mut rest = arguments;
    while rest.len() > 1 {
        let name = file_name(Path::new(&rest[0]));
        if name == "env" {
            let skip = rest[1..].iter().take_while(|word| word.contains('=') && !word.starts_with('-')).count();
            rest = &rest[1 + skip..];
        } else if LAUNCHERS.contains(&name.as_str()) && !rest[1].starts_with('-') {
            rest = &rest[1..];
        } else {
            break;
        }
    }
    rest
}

/// Whether the program is a launcher, which must not be taken for the compiler itself.
pub(crate) fn is_launcher(program: &Path) -> bool {
    LAUNCHERS.contains(&file_name(program).as_str())
}

/// Replaces each `@file` by the words in it, as GCC does; a file that cannot be read stays as it is.
pub(crate) fn expand_response_files(arguments: &[String], directory: &Path) -> Vec<String> {
    // Response files may name each other, and themselves more than once: depth alone would let them grow without end.
    const MOST_FILES: usize = 200;
    let mut words = Vec::with_capacity(arguments.len());
    expand(arguments, directory, 0, &mut { MOST_FILES }, &mut words);
    words
}

fn expand(arguments: &[String], directory: &Path, depth: usize, files_left: &mut usize, words: &mut Vec<String>) {
    const MAX_DEPTH: usize = 8;
    for word in arguments {
        let file = word.strip_prefix('@').filter(|_| depth < MAX_DEPTH && *files_left > 0);
        match file.and_then(|file| fs::read(directory.join(file)).ok()) {
            Some(bytes) => {
                *files_left -= 1;
                let inner = split_response(&String::from_utf8_lossy(&bytes));
                expand(&inner, directory, depth + 1, files_left, words);
            }
            None => words.push(word.clone()),
        }
    }
}

/// The words of a response file: white space separates, quotes group, a backslash takes the next character as it is.
fn split_response(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (_, '\\') => word.get_or_insert_default().extend(characters.next()),
            (Some(open), _) if open == c => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The arguments that compile `source` (at `index`) alone: other inputs gone, `-c` there, no output of the link.
pub(crate) fn compile_only(arguments: &[String], index: usize) -> Vec<String> {
    let items = items(arguments);
    let compiles_only =
        items.iter().any(|item| matches!(item, Item::Option { text: "-c" | "-S" | "-fsyntax-only", .. }));
    let sources = items.iter().filter(|item| matches!(item, Item::Input { kind: InputKind::Source(_), .. })).count();
    let keep_output = compiles_only && sources == 1;
    let mut words = vec![arguments[0].clone()];
    for item in &items {
        match item {
            Item::Input { index: at, .. } if *at == index => {
                if !compiles_only {
                    words.push("-c".to_string());
                }
                words.push(arguments[*at].clone());
            }
            Item::Input { .. } => {}
            Item::Option { text, words: span, .. } if keep_output || !text.starts_with("-o") => {
                words.extend_from_slice(&arguments[span.clone()]);
            }
            Item::Option { .. } => {}
        }
    }
    words
}

/// The command without what only names its outputs: two commands that agree here parse alike.
pub(crate) fn without_outputs(arguments: &[String]) -> Vec<&str> {
    let mut words = vec![arguments[0].as_str()];
    for item in items(arguments) {
        match item {
            Item::Input { path, .. } => words.push(path),
            Item::Option { text, words: span, .. } => {
                let names_output =
                    matches!(text, "-MF" | "-MT" | "-MQ" | "-MJ" | "-MD" | "-MMD" | "-MP" | "--output" | "-c")
                        || text.starts_with("-o")
                        || text.starts_with("-Wp,-M");
                if !names_output {
                    words.extend(arguments[span].iter().map(String::as_str));
                }
            }
        }
    }
    words
}

/// `path` below `directory`, without `.` and `..`; symbolic links are followed only where the plain reading names
/// nothing.
pub(crate) fn absolute(directory: &Path, path: &Path) -> PathBuf {
    let joined = directory.join(path);
    let plain = normalise(&joined);
    if !plain.exists() {
        // `link/../x` means the folder above the link's target.
        if let Ok(real) = joined.canonicalize() {
            return real;
        }
    }
    plain
}

/// Takes `.` and `..` out of a path by its text.
pub(crate) fn normalise(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if !result.pop() {
                    result.push("..");
                }
            }
            other => result.push(other),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::prelude::*;
    use perturb_fuzz::Share;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_string).collect()
    }

    fn sources(line: &str) -> Vec<(String, InputKind)> {
        items(&words(line))
            .into_iter()
            .filter_map(|item| match item {
                Item::Input { path, kind, .. } => Some((path.to_string(), kind)),
                Item::Option { .. } => None,
            })
            .collect()
    }

    #[test]
    fn values_of_options_are_not_taken_for_inputs() {
        let found = sources("gcc -o out.c -I inc.c -include pre.c -MF d.c -c main.c x.o");
        assert_eq!(
            found,
            [("main.c".to_string(), InputKind::Source(Language::C)), ("x.o".to_string(), InputKind::Linkable)]
        );
    }

    #[test]
    fn the_language_option_holds_for_what_follows() {
        let found = sources("gcc a.c -x c++ b.c -x none c.c -xassembler d.c");
        let kinds: Vec<_> = found.into_iter().map(|(_, kind)| kind).collect();
        let (c, cxx) = (InputKind::Source(Language::C), InputKind::Source(Language::Cxx));
        assert_eq!(kinds, [c, cxx, c, InputKind::OtherLanguage]);
    }

    #[test]
    fn a_cxx_driver_takes_c_files_for_cxx() {
        assert_eq!(language_of_command(&words("g++-12 -c a.c"), Path::new("/x/a.c")), Language::Cxx);
        assert_eq!(language_of_command(&words("g++ -x c -c a.c"), Path::new("/x/a.c")), Language::C);
        assert_eq!(language_of_command(&words("cc -c a.cpp"), Path::new("/x/a.cpp")), Language::Cxx);
    }

    #[test]
    fn launchers_and_environment_settings_are_dropped() {
        for line in
            ["ccache gcc -c a.c", "env A=1 B=2 distcc gcc -c a.c", "/usr/bin/ccache distcc gcc -c a.c", "gcc -c a.c"]
        {
            assert_eq!(without_launcher(&words(line)), words("gcc -c a.c"), "{line}");
        }
    }

    #[test]
    fn response_files_are_read_with_quotes_and_nesting() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.rsp"), "-DX=\\\"q\\\" '-DY=a b'\n@b.rsp @missing").unwrap();
        fs::write(folder.path().join("b.rsp"), "-I\"in c\" @b.rsp").unwrap();
        let expanded = expand_response_files(&words("gcc @a.rsp"), folder.path());
        assert_eq!(expanded[..4], ["gcc", "-DX=\"q\"", "-DY=a b", "-Iin c"]);
        assert_eq!(expanded.last().unwrap(), "@missing");
    }

    #[test]
    fn a_command_for_many_sources_is_split_without_the_program_it_links() {
        let line = words("gcc -O2 a.c b.c x.o -o prog -lm");
        assert_eq!(compile_only(&line, 3).join(" "), "gcc -O2 -c b.c -lm");
        let line = words("gcc -c a.c -o a.o");
        assert_eq!(compile_only(&line, 2).join(" "), "gcc -c a.c -o a.o");
    }

    #[test]
    fn paths_are_normalised_by_their_text() {
        assert_eq!(normalise(Path::new("/a/./b/../c")), Path::new("/a/c"));
        assert_eq!(normalise(Path::new("../a/../b")), Path::new("../b"));
    }

    #[test]
    fn response_files_that_name_themselves_come_to_an_end() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("r"), "-DX @r @r @r @r @r @r @r @r @r @r @r @r").unwrap();
        let words = expand_response_files(&["gcc".to_string(), "@r".to_string()], folder.path());
        assert!(words.contains(&"-DX".to_string()) && words.len() < 10_000, "{}", words.len());
    }

    #[test]
    fn fuzzed_response_files_are_expanded_in_little_time() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("r");
        let examples = ["-DX='a b' \"q\\\" r\" -I inc\\ c @r\n", "-c a.c @missing @@r -o x.o", "@r @r @r @r"];
        perturb_fuzz::survives("response file", Share::OneIn(10), &examples, |text| {
            fs::write(&file, text).unwrap();
            let words = expand_response_files(&["gcc".to_string(), "@r".to_string()], folder.path());
            assert_eq!(words[0], "gcc");
        });
    }

    #[test]
    fn fuzzed_words_come_out_of_a_response_file_as_they_went_in() {
        let words = prop::collection::vec(any::<String>(), 0..8);
        perturb_fuzz::holds("response file, round trip", Share::All, words, |words| {
            let escaped = |word: &String| -> String { word.chars().flat_map(|c| ['\\', c]).collect() };
            let written = |word: &String| if word.is_empty() { "''".to_string() } else { escaped(word) };
            assert_eq!(split_response(&words.iter().map(written).collect::<Vec<_>>().join("\n\t ")), words);
        });
    }

    #[test]
    fn fuzzed_command_lines_are_taken_apart_without_a_gap() {
        const WORDS: &[&str] =
            &["-o", "-x", "-xc++", "none", "c", "a.c", "-", "-I", "-MF", "--", "-Wp,-MD,x", "b.o", ""];
        let word = prop_oneof![4 => prop::sample::select(WORDS).prop_map(str::to_string), 1 => any::<String>()];
        let line = prop::collection::vec(word, 1..12);
        perturb_fuzz::holds("command line", Share::All, line, |line: Vec<String>| {
            let mut at = 1;
            for item in items(&line) {
                let words = match &item {
                    Item::Input { index, .. } => *index..*index + 1,
                    Item::Option { words, .. } => words.clone(),
                };
                assert_eq!(words.start, at);
                at = words.end;
                if let Item::Input { index, .. } = item {
                    assert!(compile_only(&line, index).contains(&line[index]));
                }
            }
            assert_eq!(at, line.len());
            assert_eq!(without_outputs(&line)[0], line[0]);
            language_of_command(&line, Path::new(line.last().unwrap()));
            without_launcher(&line);
        });
    }
}
