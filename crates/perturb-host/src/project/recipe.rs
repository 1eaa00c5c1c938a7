//! Reads the output of `make -n`: which programs of the project it would run, in their order.
//!
//! Understands sequences, `for` loops, `cd`, assignments and the launchers in front of a program. Any other shell
//! syntax makes the recipe unclear.

use std::path::{Path, PathBuf};

use super::shell_words::{self, Statement, Word};
use crate::command_line::normalise;
use crate::process::tools::is_executable;
use crate::project::wrappers::{is_archiver_name, is_compiler_name};

/// One program that the recipe would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecipeCommand {
    pub directory: PathBuf,
    pub environment: Vec<(String, String)>,
    /// The program and its arguments.
    pub words: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Recipe {
    Runs(Vec<RecipeCommand>),
    Unclear,
}

/// Programs that only run another one.
const LAUNCHERS: &[&str] = &[
    "valgrind", "env", "timeout", "time", "nice", "sh", "bash", "dash", "python3", "python", "perl", "ruby", "stdbuf",
    "setsid", "libtool",
];

/// Commands that make no difference to the tests that follow.
const HARMLESS: &[&str] =
    &["echo", "printf", "set", "true", ":", "rm", "test", "[", "exit", "false", "make", "gmake", "ranlib", "strip"];

/// Reads all lines.
pub(crate) fn read(text: &str, tree: &Path) -> Recipe {
    let mut runs = Vec::new();
    for (directory, line) in lines(text, tree) {
        let Some(statements) = shell_words::parse(&line) else { return Recipe::Unclear };
        let mut reader = RecipeReader { tree, directory, variable: None, runs: &mut runs };
        if reader.statements(&statements).is_none() {
            return Recipe::Unclear;
        }
    }
    Recipe::Runs(runs)
}

/// The lines that compile, link or archive and do nothing else, each with its folder.
pub(crate) fn compiling_lines(text: &str, tree: &Path) -> Vec<(PathBuf, String)> {
    let mut found = lines(text, tree);
    found.retain(|(_, line)| shell_words::parse(line).is_some_and(|statements| only_compiles(&statements)));
    found
}

fn only_compiles(statements: &[Statement]) -> bool {
    let mut compiles = false;
    let is_harmless = |statement: &Statement| {
        let Statement::Simple { words, .. } = statement else { return false };
        let Some(mut words) = words.iter().map(|word| word.text(|_| None)).collect::<Option<Vec<_>>>() else {
            return false;
        };
        take_settings(&mut words);
        let Some(program) = words.first() else { return true };
        let name = program.rsplit('/').next().unwrap_or_default();
        let makes = is_compiler_name(name) || is_archiver_name(name);
        compiles |= makes;
        makes || matches!(program.as_str(), "mkdir" | "ranlib" | "echo" | "printf" | "true" | ":")
    };
    statements.iter().all(is_harmless) && compiles
}

/// The commands that the shell would get, each in the folder that `make -w` has entered.
fn lines(text: &str, tree: &Path) -> Vec<(PathBuf, String)> {
    let mut folders = vec![tree.to_path_buf()];
    let mut lines = Vec::new();
    for line in text.replace("\\\n", " ").lines() {
        if let Some(folder) = entered(line) {
            folders.push(folder);
        } else if line.contains(": Leaving directory '") {
            folders.pop();
        } else if !is_talk_of_make(line) {
            lines.push((folders.last().cloned().unwrap_or_else(|| tree.to_path_buf()), line.to_string()));
        }
    }
    lines
}

fn entered(line: &str) -> Option<PathBuf> {
    let (start, folder) = line.split_once(": Entering directory '")?;
    start.starts_with("make").then(|| PathBuf::from(folder.trim_end_matches('\'')))
}

/// `make[1]: Nothing to be done for 'check'.`
fn is_talk_of_make(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(start, _)| start == "make" || start.starts_with("make["))
}

struct RecipeReader<'a> {
    tree: &'a Path,
    directory: PathBuf,
    /// The variable of the current loop, with its value.
    variable: Option<(&'a str, String)>,
    runs: &'a mut Vec<RecipeCommand>,
}

impl<'a> RecipeReader<'a> {
    /// `None` where something is unclear.
    fn statements(&mut self, statements: &'a [Statement]) -> Option<()> {
        for statement in statements {
            match statement {
                Statement::Simple { words, or_else } => self.simple(words, *or_else)?,
                Statement::For { variable, values, body } => {
                    // Loops within loops have not been seen.
                    if self.variable.is_some() {
                        return None;
                    }
                    for value in values {
                        self.variable = Some((variable, self.text(value)?));
                        self.statements(body)?;
                    }
                    self.variable = None;
                }
            }
        }
        Some(())
    }

    fn text(&self, word: &Word) -> Option<String> {
        word.text(|name| self.variable.as_ref().filter(|(known, _)| *known == name).map(|(_, value)| value.clone()))
    }

    /// `or_else`: it runs only when what stands before it fails.
    fn simple(&mut self, words: &[Word], or_else: bool) -> Option<()> {
        let mut words: Vec<String> = words.iter().map(|word| self.text(word)).collect::<Option<_>>()?;
        let environment = take_settings(&mut words);
        let Some(program) = words.first().cloned() else { return Some(()) };
        // To go on after a failure is to expect one.
        if or_else && !matches!(program.as_str(), "exit" | "false" | "echo") {
            return None;
        }
        match program.as_str() {
            "cd" => {
                self.directory = normalise(&self.directory.join(words.get(1)?));
                (words.len() == 2 && self.directory.starts_with(self.tree) && self.directory.is_dir()).then_some(())
            }
            // A folder that the recipe makes is one that the tests need.
            "mkdir" => {
                let folders = words[1..].iter().filter(|word| !word.starts_with('-'));
                folders.into_iter().all(|folder| self.directory.join(folder).is_dir()).then_some(())
            }
            name if HARMLESS.contains(&name) || is_compiler_name(name) || is_archiver_name(name) => Some(()),
            name if is_make(name) => Some(()),
            _ => {
                let is_run =
                    self.is_ours(&program) || (LAUNCHERS.contains(&program.as_str()) && self.names_ours(&words));
                let directory = self.directory.clone();
                is_run.then(|| self.runs.push(RecipeCommand { directory, environment, words }))
            }
        }
    }

    /// Whether a word is the path of a program in the tree.
    fn is_ours(&self, word: &str) -> bool {
        let path = normalise(&self.directory.join(word));
        word.contains('/') && path.starts_with(self.tree) && is_executable(&path)
    }

    fn names_ours(&self, words: &[String]) -> bool {
        words[1..].iter().any(|word| {
            let path = normalise(&self.directory.join(word));
            path.starts_with(self.tree) && path.is_file()
        })
    }
}

/// Whatever the path by which it is called.
fn is_make(program: &str) -> bool {
    program.ends_with("/make") || program.ends_with("/gmake")
}

/// Takes `NAME=value` in front of a command away.
fn take_settings(words: &mut Vec<String>) -> Vec<(String, String)> {
    let is_setting = |word: &&String| {
        word.split_once('=')
            .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
    };
    let count = words.iter().take_while(is_setting).count();
    let settings = words.drain(..count);
    settings
        .filter_map(|word| word.split_once('=').map(|(name, value)| (name.to_string(), value.to_string())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::prelude::*;
    use perturb_fuzz::Share;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn read_in_tree(text: &str) -> Option<Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path();
        fs::create_dir_all(tree.join("sub/out")).unwrap();
        for program in ["a", "b", "sub/t", "sub/t2", "run.sh"] {
            fs::write(tree.join(program), "").unwrap();
            fs::set_permissions(tree.join(program), fs::Permissions::from_mode(0o755)).unwrap();
        }
        match read(&text.replace("TREE", &tree.display().to_string()), tree) {
            Recipe::Unclear => None,
            Recipe::Runs(runs) => Some(
                runs.iter()
                    .map(|run| {
                        let below = run.directory.strip_prefix(tree).unwrap().display().to_string();
                        let settings: Vec<_> = run.environment.iter().map(|(a, b)| format!("{a}={b} ")).collect();
                        let words = run.words.join(" ").replace(&tree.display().to_string(), "TREE");
                        format!("{below}: {}{words}", settings.concat())
                    })
                    .collect(),
            ),
        }
    }

    #[test]
    fn programs_that_follow_each_other_are_told_apart() {
        let entered = "make -C sub check\nmake[1]: Entering directory 'TREE/sub'\n./t\n\
                       make[1]: Leaving directory 'TREE/sub'\n./a\n";
        for (text, expected) in [
            ("cc -o a a.c\n./a\n./b -x 'y z'\n", ": ./a|: ./b -x y z"),
            ("set -e; for t in a b; do echo \"$t:\"; ./${t} || exit 1; done\n", ": ./a|: ./b"),
            (entered, "sub: ./t|: ./a"),
            ("cd sub && X=1 ./t >/dev/null 2>&1\n./a\n", "sub: X=1 ./t|: ./a"),
            ("valgrind -q ./a\nsh run.sh\n", ": valgrind -q ./a|: sh run.sh"),
            ("mkdir -p sub/out; TREE/a \\\n  b\n", ": TREE/a b"),
            ("make: Nothing to be done for 'check'.\n", ""),
        ] {
            assert_eq!(read_in_tree(text).map(|runs| runs.join("|")).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_only_compiles_is_told_from_what_runs_a_test() {
        let text = "cc -c -o t.o t.c\nmkdir -p out && gcc -o out/t t.o # link\n./t\ncc -o u u.c && ./u\n\
                    make[1]: Entering directory '/p/sub'\nLANG=C ar rc x.a t.o\ncc -o v v.c; rm -rf x\n$(cc) x\ncc x \
                    | tee y\n";
        let found = compiling_lines(text, Path::new("/p"));
        let expected = [
            ("/p", "cc -c -o t.o t.c"),
            ("/p", "mkdir -p out && gcc -o out/t t.o # link"),
            ("/p/sub", "LANG=C ar rc x.a t.o"),
        ];
        assert_eq!(found, expected.map(|(folder, line)| (PathBuf::from(folder), line.to_string())));
    }

    #[test]
    fn only_a_redirection_is_taken_away_not_what_looks_like_one() {
        for (text, expected) in [
            ("./a 'x >/dev/null' \"2>&1\"\n", ": ./a x >/dev/null 2>&1"),
            ("sub/t 2>/dev/null; ./a>/dev/null 2>&1\n", ": sub/t|: ./a"),
            ("sub/t2>/dev/null\n", ": sub/t2"),
        ] {
            assert_eq!(read_in_tree(text).map(|runs| runs.join("|")).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(read_in_tree("./a >/dev/nullable\n"), None);
    }

    #[test]
    fn what_does_more_than_run_programs_is_unclear() {
        for text in [
            "./a >out\ndiff out expected\n",
            "./a | grep ok\n",
            "if ./a; then echo; fi\n",
            "./a <in\n",
            "./a $(cat words)\n",
            "./a || true\n",
            "mkdir new; ./a\n",
            "cp x y; ./a\n",
            "./a &\n",
            "frobnicate ./a\n",
            "./a `date`\n",
            "cd nowhere && ./a\n",
            "for t in *.sh; do ./$t; done\n",
        ] {
            assert_eq!(read_in_tree(text), None, "{text}");
        }
    }

    #[test]
    fn fuzzed_recipes_are_read_or_unclear() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("sub")).unwrap();
        let examples = [
            "cc -o a a.c\n./a\n./b -x 'y z' >/dev/null 2>&1\nmkdir -p sub/out; cd sub && X=1 ./t\n",
            "set -e; for t in a \"b c\"; do echo \"$t:\"; ./${t} || exit 1; done\n",
            "make[1]: Entering directory '/p'\nvalgrind -q ./a \\\n  b\nmake[1]: Leaving directory '/p'\n",
        ];
        perturb_fuzz::survives("recipe of make", Share::All, &examples, |text| {
            if let Recipe::Runs(runs) = read(&String::from_utf8_lossy(text), folder.path()) {
                assert!(runs.iter().all(|run| !run.words.is_empty()));
            }
        });
    }

    #[test]
    fn fuzzed_words_in_quotes_are_what_a_shell_takes_them_for() {
        let other = any::<String>().prop_map(|text| text.replace(['\0', '\n', '\r'], ""));
        let silence = prop::sample::select(&["2>&1", ">/dev/null", "x 2>/dev/null;", "$t", "\\", "\""][..]);
        let word = || prop_oneof![4 => other.clone(), 1 => silence.clone().prop_map(str::to_string)];
        let words = prop::collection::vec(word(), 1..6);
        perturb_fuzz::holds("words of a shell, round trip", Share::All, words, |words: Vec<String>| {
            let quoted = |word: &String| format!("'{}'", word.replace('\'', "'\\''"));
            let line = words.iter().map(quoted).collect::<Vec<_>>().join(" ");
            let statements = shell_words::parse(&format!("run {line} 2>&1")).expect("plain words");
            let [Statement::Simple { words: found, .. }] = statements.as_slice() else { panic!("{statements:?}") };
            let found: Vec<_> = found[1..].iter().map(|word| word.text(|_| None).expect("no variable")).collect();
            assert_eq!(found, words);
        });
    }
}
