//! Writes the build files of the tests, for CMake and for Make: the commands that confirmed them.

use super::framework::TestFile;
use super::{GeneratedSuite, MARK};
use perturb_host::shell_word;
use std::fmt::Write;
use std::path::Path;

/// The names of the build files.
pub const BUILD_FILES: [&str; 2] = ["CMakeLists.txt", "Makefile"];

/// The folders involved.
#[derive(Debug, Clone, Copy)]
pub struct Places<'p> {
    /// The root of the project.
    pub root: &'p Path,
    /// The build folder: generated headers may be there, which users have in theirs.
    pub build: &'p Path,
    /// The folder of the build files and the tests.
    pub folder: &'p Path,
}

/// The files that build these suites.
pub fn build_files(suites: &[GeneratedSuite], places: Places<'_>) -> Vec<TestFile> {
    if suites.is_empty() {
        return Vec::new();
    }
    let texts = [cmake(suites, places), makefile(suites, places)];
    let file = |(name, text): (&str, String)| TestFile { name: name.to_string(), text };
    BUILD_FILES.into_iter().zip(texts).map(file).collect()
}

/// The variables that replace folders, the inner ones first.
struct Variables([(String, &'static str); 2]);

impl Variables {
    fn new(places: Places<'_>, build: &'static str, root: &'static str) -> Self {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        Self([(path(places.build), build), (path(places.root), root)])
    }

    fn within(&self, word: &str) -> String {
        self.0.iter().fold(word.to_string(), |word, (path, variable)| put_in(&word, path, variable))
    }

    /// A word in CMake, to be put in quotes.
    fn for_cmake(&self, word: &str) -> String {
        self.within(&escaped(word, &['\\', '"', '$']))
    }

    /// A word of the shell in a recipe of Make; the values of variables may contain spaces.
    fn for_make(&self, word: &str) -> String {
        let quoted = match self.0.iter().any(|(path, _)| word.contains(path)) {
            true => format!("\"{}\"", escaped(word, &['\\', '"', '`', '$'])),
            false => shell_word(word),
        };
        self.within(&quoted.replace('$', "$$"))
    }
}

/// Replaces the start of a path by a variable. A sibling folder may have a longer name.
fn put_in(word: &str, path: &str, variable: &str) -> String {
    let mut parts = word.split(path);
    let mut out = parts.next().unwrap_or_default().to_string();
    for rest in parts {
        let is_whole = rest.chars().next().is_none_or(|next| matches!(next, '/' | '"' | '\'' | '\\' | ':' | ','));
        out.push_str(if is_whole { variable } else { path });
        out.push_str(rest);
    }
    out
}

/// Puts a backslash before each of these characters.
fn escaped(text: &str, letters: &[char]) -> String {
    text.chars().flat_map(|letter| letters.contains(&letter).then_some('\\').into_iter().chain([letter])).collect()
}

fn cmake(suites: &[GeneratedSuite], places: Places<'_>) -> String {
    let mut out = format!(
        "# Builds and runs the tests that were {MARK}. In the CMakeLists.txt at the top of the project, behind \
         enable_testing():\n\
         #   add_subdirectory(THIS_FOLDER)\n"
    );
    let variables = Variables::new(places, "${CMAKE_BINARY_DIR}", "${CMAKE_SOURCE_DIR}");
    if suites.iter().any(|suite| suite.cases().is_some()) {
        out.push_str("\nenable_language(CXX)\n");
    }
    for suite in suites {
        let name = program(suite);
        let quoted = |words: &[String]| -> String { words.iter().map(|word| format!("\n    \"{word}\"")).collect() };
        // The flags are those of the unit, which is C.
        let flag = |flag: &String| match suite.cases() {
            Some(_) => format!("$<$<COMPILE_LANGUAGE:C>:{}>", variables.for_cmake(flag)),
            None => variables.for_cmake(flag),
        };
        let flags: Vec<String> = suite.flags.iter().map(flag).collect();
        let files = suite.files.iter().map(|file| file.name.clone());
        let sources = suite.sources.iter().map(|path| variables.for_cmake(&path.to_string_lossy()));
        let _ = write!(
            out,
            "\nadd_executable({name}{})\n\
             target_compile_options({name} PRIVATE{})\n\
             target_link_libraries({name} PRIVATE{})\n\
             add_test(NAME {name} COMMAND {name})\n",
            quoted(&files.chain(sources).collect::<Vec<_>>()),
            quoted(&flags),
            quoted(&suite.linked_with()),
        );
    }
    out
}

fn makefile(suites: &[GeneratedSuite], places: Places<'_>) -> String {
    let Places { root, build, folder } = places;
    let path = root.to_string_lossy();
    // Works from any folder, and after the project was moved.
    let relative = folder.strip_prefix(root).ok().map(|below| vec![".."; below.components().count()].join("/"));
    let home = relative.unwrap_or_else(|| escaped(&path, &['#']).replace('$', "$$"));
    // Prerequisites are separated by spaces.
    let top = match home.contains(' ') {
        true => "$(subst $(subst x,,x x),\\ ,$(ROOT))",
        false => "$(ROOT)",
    };
    let prerequisite = |path: &Path| {
        let name = |path: &Path| escaped(&path.to_string_lossy(), &[' ', '#']).replace('$', "$$");
        path.strip_prefix(root).map_or_else(|_| name(path), |below| format!("{top}/{}", name(below)))
    };
    let names: Vec<String> = suites.iter().map(program).collect();
    let with_cases = suites.iter().filter(|suite| suite.cases().is_some());
    let objects: String = with_cases.map(|suite| format!(" {}_cases.o", program(suite))).collect();
    let mut out = format!(
        "# Builds and runs the tests that were {MARK}: make check\n\
         ROOT = {home}\n{}\nPROGRAMS = {}\n\n\
         .PHONY: all check clean\n\n\
         all: $(PROGRAMS)\n\n\
         check: all\n\t@for program in $(PROGRAMS); do ./$$program || exit 1; done\n\n\
         clean:\n\trm -f $(PROGRAMS){}\n",
        build_line(suites, build),
        names.join(" "),
        objects
    );
    let variables = Variables::new(places, "$(BUILD)", "$(ROOT)");
    for suite in suites {
        let name = program(suite);
        let words = |words: &[String]| words.iter().map(|word| variables.for_make(word)).collect::<Vec<_>>().join(" ");
        let unit = root.join(&suite.unit);
        // All files that are compiled: the program depends on each of them.
        let compiled: Vec<String> =
            std::iter::once(&unit).chain(&suite.sources).map(|path| prerequisite(path)).collect();
        let files = match suite.cases() {
            Some(_) => format!("{name}.c {name}_cases.o"),
            None => format!("{name}.c"),
        };
        let sources: Vec<String> = suite.sources.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        let _ = write!(
            out,
            "\n{name}: {} {}\n\t{} {} -o $@ {} {} {}\n",
            files,
            compiled.join(" "),
            shell_word(&suite.compiler.to_string_lossy()),
            words(&suite.flags),
            files,
            words(&sources),
            words(&suite.libraries)
        );
        if let Some(cases) = suite.cases() {
            let _ = write!(out, "\n{name}_cases.o: {cases}\n\t$(CXX) -c -o $@ {cases}\n");
        }
    }
    out
}

/// The variable with the build folder, if any of the tests needs it.
fn build_line(suites: &[GeneratedSuite], build: &Path) -> &'static str {
    let build = build.to_string_lossy();
    match suites.iter().flat_map(|suite| &suite.flags).any(|flag| flag.contains(&*build)) {
        true => "# Where you build the project: it may make headers there.\nBUILD = $(ROOT)/build\n",
        false => "",
    }
}

fn program(suite: &GeneratedSuite) -> String {
    format!("test_{}", suite.name)
}

impl GeneratedSuite {
    /// The arguments of the linker, with those for sanitizers if the compile command does not link.
    fn linked_with(&self) -> Vec<String> {
        let sanitizers = self.flags.iter().filter(|flag| flag.starts_with("-fsanitize=")).filter(|_| self.is_sanitized);
        self.libraries.iter().chain(sanitizers).cloned().collect()
    }

    /// The C++ file, for a framework that needs one.
    fn cases(&self) -> Option<&str> {
        self.files.iter().map(|file| file.name.as_str()).find(|name| name.ends_with(".cpp"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_made_again_when_any_of_what_is_compiled_into_it_changes() {
        let places = Places { root: Path::new("/p"), build: Path::new("/w"), folder: Path::new("/p/tests") };
        let suite = GeneratedSuite {
            name: "a".to_string(),
            unit: "src/a b.c".into(),
            files: Vec::new(),
            tests: Vec::new(),
            sources: vec!["/p/src/c.c".into(), "/lib/unity.c".into()],
            compiler: "cc".into(),
            flags: Vec::new(),
            libraries: Vec::new(),
            is_sanitized: false,
        };
        let made = makefile(&[suite], places);
        assert!(made.contains("\ntest_a: test_a.c $(ROOT)/src/a\\ b.c $(ROOT)/src/c.c /lib/unity.c\n"), "{made}");
    }

    #[test]
    fn paths_become_variables_and_words_stay_words() {
        let places = Places { root: Path::new("/my p"), build: Path::new("/my p/w/build"), folder: Path::new("/t") };
        let make = Variables::new(places, "$(BUILD)", "$(ROOT)");
        for (word, expected) in [
            ("-I/my p/inc", "\"-I$(ROOT)/inc\""),
            ("-I/my p", "\"-I$(ROOT)\""),
            ("-I/my p/w/build/x", "\"-I$(BUILD)/x\""),
            ("-I/my place", "\"-I/my place\""),
            ("-DA=\"x $1\"", "'-DA=\"x $$1\"'"),
            ("-DA=\"/my p\"", "\"-DA=\\\"$(ROOT)\\\"\""),
            ("-O2", "-O2"),
        ] {
            assert_eq!(make.for_make(word), expected, "{word}");
        }
        let cmake = Variables::new(places, "${CMAKE_BINARY_DIR}", "${CMAKE_SOURCE_DIR}");
        assert_eq!(cmake.for_cmake("-DA=\"$x\\\" -I/my p/inc"), "-DA=\\\"\\$x\\\\\\\" -I${CMAKE_SOURCE_DIR}/inc");
    }
}
