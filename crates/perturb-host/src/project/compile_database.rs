//! Reading `compile_commands.json`, in all the shapes that build tools give it.
//!
//! Accepts everything that can be understood: entries that are dead, repeated or of another language are dropped and
//! counted.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::command_line::{
    absolute, expand_response_files, items, normalise, without_launcher, without_outputs, InputKind, Item,
};
use crate::error::HostError;
use crate::project::description::CompileCommand;
use perturb_model::Notice;

const FILE_NAME: &str = "compile_commands.json";

/// The usable content of a database.
#[derive(Debug, Clone, Default)]
pub(crate) struct CompileDatabase {
    /// Sorted, no two alike.
    pub commands: Vec<CompileCommand>,
    pub notices: Vec<Notice>,
    /// Files that are named but do not exist (for generated sources).
    pub missing: Vec<PathBuf>,
}

#[derive(Deserialize)]
struct DatabaseEntry {
    #[serde(default)]
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

/// The database that a project carries: at its root, or in a build folder with a usual name.
pub(crate) fn find(root: &Path) -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> =
        ["", "build", "builddir", "out", "_build"].iter().map(|folder| root.join(folder)).collect();
    let mut more: Vec<PathBuf> = fs::read_dir(root).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    more.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("cmake-build-")));
    more.sort();
    folders.extend(more);
    folders.into_iter().map(|folder| folder.join(FILE_NAME)).find(|file| file.is_file())
}

/// Reads a database. An error only when it is unreadable, malformed or empty; see [`CompileDatabase::require_live`].
pub(crate) fn read(path: &Path) -> Result<CompileDatabase, HostError> {
    let text = fs::read(path).map_err(HostError::io("read", path))?;
    parse(&text, path)
}

fn parse(text: &[u8], path: &Path) -> Result<CompileDatabase, HostError> {
    let malformed = |reason: String| HostError::DatabaseMalformed { path: path.to_path_buf(), reason };
    let entries: Vec<serde_json::Value> = serde_json::from_slice(text).map_err(|error| malformed(error.to_string()))?;
    if entries.is_empty() {
        return Err(HostError::DatabaseEmpty { path: path.to_path_buf() });
    }
    // The folder of the file itself, so that `compile_commands.json -> build/compile_commands.json` still works.
    let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let folder = real.parent().unwrap_or(Path::new("/"));
    let mut sorter = Sorter::default();
    for (number, value) in entries.into_iter().enumerate() {
        match serde_json::from_value::<DatabaseEntry>(value) {
            Ok(entry) => sorter.take(entry, folder),
            Err(error) => sorter.unusable.push(format!("entry {}: {error}", number + 1)),
        }
    }
    Ok(sorter.finish(path))
}

/// Reads the database that a build system has just written: if there is none, or it is empty, nothing is compiled.
pub(crate) fn read_generated(path: &Path) -> Result<CompileDatabase, HostError> {
    match read(path) {
        Err(HostError::DatabaseEmpty { .. }) => Ok(CompileDatabase::default()),
        Err(HostError::Io { error, .. }) if error.kind() == ErrorKind::NotFound => Ok(CompileDatabase::default()),
        result => result,
    }
}

impl CompileDatabase {
    /// An error when nothing of the database can be used.
    pub fn require_live(self, path: &Path) -> Result<CompileDatabase, HostError> {
        if !self.commands.is_empty() {
            return Ok(self);
        }
        if let Some(Notice::Unusable { example, .. }) =
            self.notices.iter().find(|n| matches!(n, Notice::Unusable { .. }))
        {
            return Err(HostError::DatabaseMalformed { path: path.to_path_buf(), reason: example.clone() });
        }
        let mut entries = 0;
        let mut first = None;
        for notice in &self.notices {
            if let Notice::DeadEntries { count, example, .. } | Notice::OtherLanguages { count, example } = notice {
                entries += count;
                first = first.or(Some(example.clone()));
            }
        }
        Err(HostError::DatabaseDead { path: path.to_path_buf(), entries, example: first.unwrap_or_default() })
    }
}

/// Puts entries into their piles.
#[derive(Default)]
struct Sorter {
    commands: Vec<CompileCommand>,
    dead: Vec<PathBuf>,
    other: Vec<PathBuf>,
    unusable: Vec<String>,
}

impl Sorter {
    fn take(&mut self, entry: DatabaseEntry, folder: &Path) {
        let directory = normalise(&folder.join(&entry.directory));
        let file = absolute(&directory, &entry.file);
        let words = match (entry.arguments, entry.command) {
            (Some(arguments), _) if !arguments.is_empty() => Some(arguments),
            (_, Some(command)) => shlex::split(&command).filter(|words| !words.is_empty()),
            _ => None,
        };
        let Some(words) = words else {
            self.unusable.push(format!("{}: no command, or one with an open quote", file.display()));
            return;
        };
        let arguments = expand_response_files(without_launcher(&words), &directory);
        if arguments.is_empty() {
            self.unusable.push(format!("{}: no command behind its variables and response files", file.display()));
        } else if !is_ours(&arguments, &file) {
            self.other.push(file);
        } else if !file.is_file() {
            self.dead.push(file);
        } else {
            self.commands.push(CompileCommand { directory, file, arguments });
        }
    }

    fn finish(mut self, path: &Path) -> CompileDatabase {
        let mut notices = Vec::new();
        if let Some(example) = self.dead.first().cloned() {
            notices.push(Notice::DeadEntries { database: path.to_path_buf(), count: self.dead.len(), example });
        }
        if let Some(example) = self.other.first().cloned() {
            notices.push(Notice::OtherLanguages { count: self.other.len(), example });
        }
        if let Some(example) = self.unusable.first().cloned() {
            notices.push(Notice::Unusable { count: self.unusable.len(), example });
        }
        notices.extend(drop_repeated(&mut self.commands));
        CompileDatabase { commands: self.commands, notices, missing: self.dead }
    }
}

/// Sorts the commands and keeps one of those that differ at most in the names of their outputs.
pub(crate) fn drop_repeated(commands: &mut Vec<CompileCommand>) -> Option<Notice> {
    commands.sort();
    let before = commands.len();
    let mut seen = std::collections::HashSet::new();
    let mut example = None;
    commands.retain(|command| {
        let key = (command.directory.clone(), command.file.clone(), without_outputs(&command.arguments).join("\0"));
        let new = seen.insert(key);
        if !new && example.is_none() {
            example = Some(command.file.clone());
        }
        new
    });
    example.map(|example| Notice::Duplicates { count: before - commands.len(), example })
}

/// Whether the entry compiles its file as C or C++. The file may be spelt otherwise in the arguments, or be missing
/// there.
fn is_ours(arguments: &[String], file: &Path) -> bool {
    let inputs: Vec<(&str, InputKind)> = items(arguments)
        .into_iter()
        .filter_map(|item| match item {
            Item::Input { path, kind, .. } => Some((path, kind)),
            Item::Option { .. } => None,
        })
        .collect();
    let same_name = |path: &str| Path::new(path).file_name() == file.file_name();
    match inputs.iter().find(|(path, _)| same_name(path)) {
        Some((_, kind)) => matches!(kind, InputKind::Source(_)),
        None => crate::command_line::language_of(file).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::prelude::*;
    use perturb_fuzz::Share;

    struct Fixture {
        folder: tempfile::TempDir,
    }

    impl Fixture {
        fn new(files: &[&str], json: &str) -> Fixture {
            let folder = tempfile::tempdir().unwrap();
            for file in files {
                let path = folder.path().join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, "int x;\n").unwrap();
            }
            fs::write(folder.path().join(FILE_NAME), json).unwrap();
            Fixture { folder }
        }

        fn read(&self) -> Result<CompileDatabase, HostError> {
            read(&self.folder.path().join(FILE_NAME))
        }
    }

    #[test]
    fn both_forms_and_relative_folders_are_understood() {
        let fixture = Fixture::new(
            &["src/a b.c", "src/c.cpp", "out/x"],
            r#"[{"directory":"src","file":"a b.c","command":"ccache gcc -DNAME=\\\"q\\ r\\\" -c 'a b.c'"},
                {"directory":"out","file":"../src/c.cpp","arguments":["g++","-c","../src/c.cpp"]}]"#,
        );
        let database = fixture.read().unwrap();
        assert!(database.notices.is_empty(), "{:?}", database.notices);
        let root = fixture.folder.path().canonicalize().unwrap();
        assert_eq!(database.commands[0].directory, root.join("out"));
        assert_eq!(database.commands[0].file, root.join("src/c.cpp"));
        assert_eq!(database.commands[1].arguments, ["gcc", "-DNAME=\"q r\"", "-c", "a b.c"]);
    }

    #[test]
    fn distinct_entries_of_a_file_stay_and_repeated_ones_go() {
        let fixture = Fixture::new(
            &["a.c"],
            r#"[{"directory":".","file":"a.c","command":"gcc -DX -c a.c -o x.o"},
                {"directory":".","file":"a.c","command":"gcc -DY -c a.c -o y.o"},
                {"directory":".","file":"./a.c","command":"gcc -DX -c a.c -o z.o"}]"#,
        );
        let database = fixture.read().unwrap();
        assert_eq!(database.commands.len(), 2);
        assert!(matches!(database.notices[..], [Notice::Duplicates { count: 1, .. }]), "{:?}", database.notices);
    }

    #[test]
    fn dead_and_foreign_entries_are_counted_with_an_example() {
        let fixture = Fixture::new(
            &["a.c", "b.S", "m.m"],
            r#"[{"directory":"/nowhere","file":"gone.c","command":"gcc -c gone.c"},
                {"directory":"/nowhere","file":"gone2.c","command":"gcc -c gone2.c"},
                {"directory":".","file":"b.S","command":"gcc -c b.S"},
                {"directory":".","file":"m.m","command":"gcc -c m.m"},
                {"directory":".","file":"a.c"},
                {"directory":".","file":"a.c","command":"gcc -c a.c"}]"#,
        );
        let database = fixture.read().unwrap();
        assert_eq!(database.commands.len(), 1);
        let told: Vec<String> = database.notices.iter().map(ToString::to_string).collect();
        assert!(told[0].contains("2 entries dropped") && told[0].contains("/nowhere/gone.c"), "{told:?}");
        assert!(told[1].contains("2 entries neither C nor C++"), "{told:?}");
        assert!(told[2].contains("no command"), "{told:?}");
    }

    #[test]
    fn bad_databases_are_errors_that_name_the_file() {
        for (json, expected) in [
            ("[", "not a compile database"),
            ("{}", "not a compile database"),
            ("[]", "is empty"),
            (r#"[{"directory":"/nowhere","file":"a.c","command":"cc a.c"}]"#, "none of the 1 entries"),
            (r#"[{"directory":"/nowhere"}]"#, "entry 1: missing field `file`"),
        ] {
            let fixture = Fixture::new(&[], json);
            let path = fixture.folder.path().join(FILE_NAME);
            let error = read(&path).and_then(|database| database.require_live(&path)).unwrap_err().to_string();
            assert!(error.contains(expected) && error.contains(FILE_NAME), "{json}: {error}");
        }
    }

    #[test]
    fn a_database_is_found_at_the_root_first_then_in_build_folders() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(find(folder.path()), None);
        for place in ["cmake-build-debug", "builddir", ""] {
            fs::create_dir_all(folder.path().join(place)).unwrap();
            let file = folder.path().join(place).join(FILE_NAME);
            fs::write(&file, "[]").unwrap();
            assert_eq!(find(folder.path()), Some(file));
        }
    }

    #[test]
    fn a_command_of_variables_alone_is_told() {
        let fixture = Fixture::new(
            &["a.c", "empty"],
            r#"[{"directory":".","file":"a.c","command":"env CC=gcc"},
                {"directory":".","file":"a.c","command":"@empty"}]"#,
        );
        fs::write(fixture.folder.path().join("empty"), "").unwrap();
        let told = fixture.read().unwrap().notices.iter().map(ToString::to_string).collect::<String>();
        assert!(told.contains("2 compile entries") && told.contains("no command behind"), "{told}");
    }

    const FILES: [&str; 3] = ["a.c", "b c.cpp", "d\u{e9}\"'\\.cc"];

    #[test]
    fn fuzzed_databases_are_read_or_refused() {
        let fixture = Fixture::new(&FILES, "[]");
        let path = fixture.folder.path().join(FILE_NAME);
        let examples = [
            r#"[{"directory":".","file":"a.c","command":"gcc -DX=\\\"1\\\" -Iinc -c a.c -o x.o"},
                {"directory":".","file":"a.c","command":"ccache env A=B gcc @flags -c a.c"}]"#,
            r#"[{"directory":".","file":"b c.cpp","arguments":["g++","-x","c++","-c","b c.cpp"],"output":"x.o"},
                {"directory":"/nowhere","file":"gone.c","command":"cc gone.c"},{"file":"m.m","command":"cc m.m"}]"#,
            r#"[{"directory":".","file":"a.c","command":"env A=B"}]"#,
        ];
        perturb_fuzz::survives("compile database", Share::All, &examples, |text| {
            let _ = parse(text, &path).and_then(|database| database.require_live(&path));
        });
    }

    /// Commands with any flags, each in one of the two forms.
    fn generated() -> impl Strategy<Value = Vec<(usize, Vec<String>, bool)>> {
        let flag = any::<String>().prop_map(|text| format!("-D{}", text.replace('\0', "")));
        let command = (0..FILES.len(), prop::collection::vec(flag, 0..4), any::<bool>());
        prop::collection::vec(command, 1..6)
    }

    #[test]
    fn fuzzed_commands_come_out_of_a_database_as_they_went_in() {
        let fixture = Fixture::new(&FILES, "[]");
        let path = fixture.folder.path().join(FILE_NAME);
        let folder = fixture.folder.path().canonicalize().unwrap();
        perturb_fuzz::holds("compile database, round trip", Share::All, generated(), |commands| {
            let (mut entries, mut expected) = (Vec::new(), Vec::new());
            for (file, flags, is_list) in commands {
                let name = FILES[file].to_string();
                let arguments: Vec<String> =
                    ["gcc".to_string()].into_iter().chain(flags).chain(["-c".to_string(), name.clone()]).collect();
                let joined = shlex::try_join(arguments.iter().map(String::as_str)).unwrap();
                let form = if is_list { ("arguments", arguments.clone().into()) } else { ("command", joined.into()) };
                let entry: [(&str, serde_json::Value); 3] = [("directory", ".".into()), ("file", name.into()), form];
                entries.push(entry.into_iter().collect::<std::collections::BTreeMap<_, _>>());
                let file = folder.join(FILES[file]);
                expected.push(CompileCommand { directory: folder.clone(), file, arguments });
            }
            expected.sort();
            expected.dedup();
            let database = parse(&serde_json::to_vec(&entries).unwrap(), &path).unwrap();
            assert_eq!(database.commands, expected);
        });
    }
}
