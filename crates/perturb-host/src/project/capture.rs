//! Captures any build: runs the build command in our copy with wrapped compilers, and makes a compile database of their
//! calls.
//!
//! Never runs in the user's tree. A build that fails half-way still yields the commands it ran; one that calls no
//! wrapped compiler runs again under bear, if that is installed.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use serde::{Deserialize, Serialize};

use crate::cache_key::CacheKey;
use crate::command_line::{absolute, compile_only, expand_response_files, items, InputKind, Item};
use crate::error::HostError;
use crate::process::tools::{self, find_program, jobs, run_logged};
use crate::progress::DiscoveryProgress;
use crate::project::build_guess::BuildPlan;
use crate::project::compile_database::{self, drop_repeated};
use crate::project::description::CompileCommand;
use crate::project::options::DiscoverOptions;
use crate::project::recipe::compiling_lines;
use crate::project::roles::Product;
use crate::project::wrappers::{is_archiver_name, quoted, RecordedCall, Wrappers};
use crate::tree::copy::{self, Origin, TreeCopy};
use crate::tree::manifest::fnv1a;
use perturb_model::Notice;

/// The result of a captured build.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct CapturedBuild {
    pub commands: Vec<CompileCommand>,
    pub products: Vec<Product>,
    by_bear: bool,
    #[serde(skip)]
    pub notices: Vec<Notice>,
}

/// The cache of a capture, for the next run.
#[derive(Serialize, Deserialize)]
struct Cache {
    fingerprint: u64,
    plan: u64,
    captured: CapturedBuild,
}

impl CapturedBuild {
    /// A product that is linked only when the tests are built is a test.
    fn mark_tests(&mut self, without_tests: &CapturedBuild) {
        for product in &mut self.products {
            product.run_as_test = !without_tests.products.iter().any(|other| other.output == product.output);
        }
    }
}

/// A build command and where it is run.
pub(crate) struct BuildCapture<'a> {
    pub origin: Origin<'a>,
    pub tree: &'a TreeCopy,
    /// The folder of the copy, for all that is kept of the build.
    pub home: &'a Path,
    pub plan: &'a BuildPlan,
    pub options: &'a DiscoverOptions,
}

impl BuildCapture<'_> {
    /// Runs the plan in the copy, or answers from an earlier time as long as neither the plan nor what it depends on
    /// has changed. The text of sources and headers does not count: commands hardly ever depend on it.
    pub fn commands(&self, report: &mut dyn FnMut(&DiscoveryProgress)) -> Result<CapturedBuild, HostError> {
        let cache_path = self.home.join("capture.json");
        let mut key = CacheKey::default();
        self.plan.add_to(&mut key);
        self.options.add_variables(&["PATH", "CC", "CXX", "CFLAGS", "CXXFLAGS"], &mut key);
        let plan = fnv1a(key.into_text().as_bytes());
        let fingerprint = self.tree.fingerprint;
        let known = if self.options.rebuild { None } else { read_cache(&cache_path, fingerprint, plan) };
        tracing::debug!(cache = %cache_path.display(), is_known = known.is_some(), "the commands of a build");
        let mut captured = match known {
            Some(captured) => {
                report(&DiscoveryProgress::Reused { command: self.plan.command(jobs()) });
                captured
            }
            None => {
                // The copy is about to change: what is known of it must not outlive a build that is broken off.
                let _ = fs::remove_file(&cache_path);
                let (captured, complete) = self.wrapped_or_bear(report)?;
                // A failed build is not remembered: what it lacked may be there the next time.
                if complete {
                    let cache = Cache { fingerprint, plan, captured };
                    let text = serde_json::to_vec(&cache).expect("plain values are always JSON");
                    fs::write(&cache_path, text).map_err(HostError::io("write", &cache_path))?;
                    cache.captured
                } else {
                    captured
                }
            }
        };
        if captured.by_bear {
            captured.notices.push(Notice::CapturedByBear { command: self.plan.command(jobs()) });
        }
        Ok(captured)
    }

    /// The second value: the build went well to its end.
    fn wrapped_or_bear(&self, report: &mut dyn FnMut(&DiscoveryProgress)) -> Result<(CapturedBuild, bool), HostError> {
        let log = self.home.join("build.log");
        let _ = fs::remove_file(&log);
        // An object left by an earlier build would not be compiled again, and so not be seen.
        self.tree.remove_generated(self.origin)?;
        let wrappers = Wrappers::create(self.home, self.options)?;
        let variables = wrappers.environment();
        let mut run = |shown: &str, text: &str| -> Result<ExitStatus, HostError> {
            report(&DiscoveryProgress::Building { command: shown.to_string(), log: log.clone() });
            let mut command = tools::build_program(Path::new("sh"), self.home);
            command.args(["-c", text]).current_dir(&self.tree.copy);
            command.envs(self.options.variables.iter().cloned()).envs(variables.iter().cloned());
            run_logged(&command, &log)
        };
        let whole = self.plan.command(jobs());
        let status = run(&whole, &whole)?;
        let mut captured = interpret(wrappers.read_records()?, &self.tree.copy);
        if let (true, Some(then)) = (status.success(), self.plan.then(jobs())) {
            // Compiles the tests as well; that they cannot be built is for a later step to say.
            run(&then, &then)?;
            let without_tests = std::mem::replace(&mut captured, interpret(wrappers.read_records()?, &self.tree.copy));
            captured.mark_tests(&without_tests);
        } else if let (true, Some(dry)) = (status.success(), self.plan.dry_check()) {
            let lines = self.compiling_lines(dry, &variables)?;
            if !lines.is_empty() {
                run("make check, as far as it compiles", &lines)?;
                let with_tests = interpret(wrappers.read_records()?, &self.tree.copy);
                let without_tests = std::mem::replace(&mut captured, with_tests);
                captured.mark_tests(&without_tests);
            }
        }
        if captured.commands.is_empty() {
            captured = self.under_bear(status, &log, report)?;
        }
        if copy::has_changed(self.origin, self.tree)? {
            captured.notices.push(Notice::TreeChanged { command: self.plan.command(jobs()) });
        }
        if !status.success() {
            let (command, status) = (self.plan.command(jobs()), tools::shown_status(status));
            captured.notices.push(Notice::BuildFailed { command, status, log });
        }
        Ok((captured, status.success()))
    }

    /// The part of a makefile's `check` that only compiles, as a script: the rest runs tests.
    fn compiling_lines(&self, dry: &str, variables: &[(&str, OsString)]) -> Result<String, HostError> {
        let mut command = tools::build_program(Path::new("sh"), self.home);
        command.args(["-c", dry]).current_dir(&self.tree.copy).env("LC_ALL", "C");
        command.envs(self.options.variables.iter().cloned()).envs(variables.iter().cloned());
        let answer = tools::run(&mut command)?;
        let lines = compiling_lines(&answer.stdout, &self.tree.copy);
        let script = lines.into_iter().map(|(folder, line)| match folder == self.tree.copy {
            true => line,
            false => format!("(cd {} && {line}\n)", quoted(&folder)),
        });
        Ok(script.collect::<Vec<_>>().join("\n"))
    }

    fn under_bear(
        &self,
        status: ExitStatus,
        log: &Path,
        report: &mut dyn FnMut(&DiscoveryProgress),
    ) -> Result<CapturedBuild, HostError> {
        let nothing = |hint: &str| HostError::NothingCaptured {
            command: self.plan.command(jobs()),
            status: tools::shown_status(status),
            hint: hint.to_string(),
            tail: tools::tail(log),
            log: log.to_path_buf(),
        };
        // A build that fails before it compiles fails under bear too.
        if !status.success() {
            return Err(nothing("mend the build command, or give another one with `--build 'COMMAND'`"));
        }
        let Some(bear) = find_program("bear") else {
            return Err(nothing(
                "a compiler called by an absolute path can be seen with bear (apt-get install bear); \
                 if the tree is already built, give a command that builds it anew",
            ));
        };
        self.tree.remove_generated(self.origin)?;
        let output = self.home.join("bear.json");
        let _ = fs::remove_file(&output);
        let mut command = tools::build_program(&bear, self.home);
        command
            .arg("--output")
            .arg(&output)
            .args(["--", "sh", "-c", &self.plan.command(jobs())])
            .current_dir(&self.tree.copy)
            .envs(self.options.variables.iter().cloned());
        report(&DiscoveryProgress::Building {
            command: format!("bear -- {}", self.plan.command(jobs())),
            log: log.to_path_buf(),
        });
        run_logged(&command, log)?;
        let commands = compile_database::read(&output).map(|database| database.commands).unwrap_or_default();
        if commands.is_empty() {
            return Err(nothing("not even bear saw one: give a command that compiles the project from its sources"));
        }
        Ok(CapturedBuild { commands, by_bear: true, ..CapturedBuild::default() })
    }
}

fn read_cache(path: &Path, fingerprint: u64, plan: u64) -> Option<CapturedBuild> {
    let cache: Cache = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    // The sources may be missing if the user has deleted the copy.
    let usable = cache.captured.commands.iter().all(|command| command.file.is_file());
    (cache.fingerprint == fingerprint && cache.plan == plan && usable).then_some(cache.captured)
}

/// Makes compile commands and products of the records.
fn interpret(records: Vec<RecordedCall>, copy: &Path) -> CapturedBuild {
    let calls: Vec<ToolCall> = records.into_iter().map(ToolCall::read).collect();
    let mut commands: Vec<CompileCommand> = calls.iter().flat_map(ToolCall::commands).collect();
    commands.retain(|command| !is_scratch(&command.file));
    // Libtool compiles each file twice and automake's tests again: not worth telling.
    let _ = drop_repeated(&mut commands);
    let objects: BTreeMap<PathBuf, PathBuf> = calls.iter().flat_map(ToolCall::objects).collect();
    let products = products(&calls, &objects, copy);
    CapturedBuild { commands, products, ..CapturedBuild::default() }
}

/// Sources that a configure step writes to try the compiler: most have been deleted since.
fn is_scratch(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    !file.is_file()
        || name.starts_with("conftest")
        || file
            .components()
            .any(|part| matches!(part.as_os_str().to_str(), Some("CMakeFiles" | "meson-private" | ".conf_check_0")))
}

/// One call of a compiler or an archiver.
struct ToolCall {
    directory: PathBuf,
    arguments: Vec<String>,
    /// Position and absolute path of each C or C++ source.
    sources: Vec<(usize, PathBuf)>,
    /// Objects and archives among the inputs, absolute.
    linkables: Vec<PathBuf>,
    /// `-lx`.
    libraries: Vec<String>,
    output: Option<PathBuf>,
    mode: ToolCallMode,
}

#[derive(PartialEq, Eq)]
enum ToolCallMode {
    /// Preprocesses or answers questions; makes nothing.
    Nothing,
    Compile,
    LinkExecutable,
    LinkLibrary,
    Archive,
}

impl ToolCall {
    fn read(record: RecordedCall) -> ToolCall {
        let RecordedCall { directory, arguments } = record;
        let directory = directory.canonicalize().unwrap_or(directory);
        let arguments = expand_response_files(&arguments, &directory);
        let name = Path::new(&arguments[0]).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut call = ToolCall {
            directory,
            arguments: Vec::new(),
            sources: Vec::new(),
            linkables: Vec::new(),
            libraries: Vec::new(),
            output: None,
            mode: ToolCallMode::LinkExecutable,
        };
        if is_archiver_name(&name) {
            call.read_archiver(&arguments);
        } else {
            call.read_compiler(&arguments);
        }
        call.arguments = arguments;
        call
    }

    fn read_archiver(&mut self, arguments: &[String]) {
        self.mode = ToolCallMode::Archive;
        let mut files = arguments[1..].iter().filter(|word| !word.starts_with('-') && word.contains('.'));
        self.output = files.next().map(|archive| absolute(&self.directory, Path::new(archive)));
        self.linkables = files.map(|member| absolute(&self.directory, Path::new(member))).collect();
    }

    fn read_compiler(&mut self, arguments: &[String]) {
        for item in items(arguments) {
            match item {
                Item::Input { path: "-", .. } => {}
                Item::Input { index, path, kind } => {
                    let file = absolute(&self.directory, Path::new(path));
                    match kind {
                        InputKind::Source(_) => self.sources.push((index, file)),
                        InputKind::Linkable => self.linkables.push(file),
                        InputKind::OtherLanguage => {}
                    }
                }
                Item::Option { text, value, .. } => self.read_option(text, value),
            }
        }
    }

    fn read_option(&mut self, text: &str, value: Option<&str>) {
        match text {
            "-E" | "-M" | "-MM" | "-###" | "--version" | "-dumpversion" | "-dumpmachine" => {
                self.mode = ToolCallMode::Nothing
            }
            "-c" | "-S" | "-fsyntax-only" if self.mode != ToolCallMode::Nothing => self.mode = ToolCallMode::Compile,
            "-shared" | "--shared" | "-r" | "-dynamiclib" if self.mode == ToolCallMode::LinkExecutable => {
                self.mode = ToolCallMode::LinkLibrary
            }
            "-l" => self.libraries.extend(value.map(str::to_string)),
            "-o" => self.output = value.map(|file| absolute(&self.directory, Path::new(file))),
            _ => {
                if let Some(library) = text.strip_prefix("-l") {
                    self.libraries.push(library.to_string());
                } else if let Some(file) = text.strip_prefix("-o").filter(|file| !file.starts_with("bj")) {
                    self.output = Some(absolute(&self.directory, Path::new(file)));
                }
            }
        }
    }

    fn commands(&self) -> Vec<CompileCommand> {
        if matches!(self.mode, ToolCallMode::Nothing | ToolCallMode::Archive) {
            return Vec::new();
        }
        let command = |(index, file): &(usize, PathBuf)| CompileCommand {
            directory: self.directory.clone(),
            file: file.clone(),
            arguments: compile_only(&self.arguments, *index),
        };
        self.sources.iter().map(command).collect()
    }

    /// Which object comes of which source.
    fn objects(&self) -> Vec<(PathBuf, PathBuf)> {
        if self.mode != ToolCallMode::Compile {
            return Vec::new();
        }
        let object = |source: &Path| match &self.output {
            Some(output) => output.clone(),
            None => self.directory.join(source.file_name().unwrap_or_default()).with_extension("o"),
        };
        self.sources.iter().map(|(_, source)| (object(source), source.clone())).collect()
    }
}

/// The object that a command makes of its source.
pub(crate) fn output_of(command: &CompileCommand) -> Option<PathBuf> {
    let CompileCommand { directory, arguments, .. } = command.clone();
    let call = ToolCall::read(RecordedCall { directory, arguments });
    match call.objects().as_slice() {
        [(object, _)] => Some(object.clone()),
        _ => None,
    }
}

fn products(calls: &[ToolCall], objects: &BTreeMap<PathBuf, PathBuf>, copy: &Path) -> Vec<Product> {
    let mut products: BTreeMap<PathBuf, Product> = BTreeMap::new();
    for call in calls.iter().filter(|call| !matches!(call.mode, ToolCallMode::Nothing | ToolCallMode::Compile)) {
        let output = call.output.clone().unwrap_or_else(|| call.directory.join("a.out"));
        let linked = call.linkables.iter().filter_map(|object| objects.get(object));
        let sources: BTreeSet<PathBuf> = call
            .sources
            .iter()
            .map(|(_, source)| source)
            .chain(linked)
            .filter(|source| !is_scratch(source))
            .map(|source| source.strip_prefix(copy).unwrap_or(source).to_path_buf())
            .collect();
        if sources.is_empty() {
            continue;
        }
        let folder = output.parent().unwrap_or(copy);
        let folder = if folder.ends_with(".libs") { folder.parent().unwrap_or(copy) } else { folder };
        let is_library = |file: &Path| file.extension().is_some_and(|extension| extension == "a" || extension == "so");
        let name = output.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let product = products.entry(output.clone()).or_insert_with(|| Product {
            name,
            is_executable: call.mode == ToolCallMode::LinkExecutable,
            output: Some(output.clone()),
            folder: folder.strip_prefix(copy).unwrap_or(folder).to_path_buf(),
            sources: BTreeSet::new(),
            run_as_test: false,
            installed: false,
            uses_library: false,
        });
        // `ar` may be called several times for one archive.
        product.sources.extend(sources);
        product.uses_library |= call.linkables.iter().any(|file| is_library(file) && file.starts_with(copy));
    }
    products.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(directory: &Path, line: &str) -> RecordedCall {
        RecordedCall {
            directory: directory.to_path_buf(),
            arguments: line.split_whitespace().map(str::to_string).collect(),
        }
    }

    #[test]
    fn compile_link_and_archive_calls_become_commands_and_products() {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().canonicalize().unwrap();
        for file in ["a.c", "b.c", "main.c", "t.c"] {
            fs::write(copy.join(file), "").unwrap();
        }
        let captured = interpret(
            vec![
                record(&copy, "/usr/bin/gcc -c a.c"),
                record(&copy, "/usr/bin/gcc -c b.c -o obj/b.o"),
                record(&copy, "/usr/bin/gcc -M a.c"),
                record(&copy, "/usr/bin/gcc -c conftest.c"),
                record(&copy, "/usr/bin/ar rcs libab.a a.o obj/b.o"),
                record(&copy, "/usr/bin/gcc -O2 main.c -o prog libab.a"),
                record(&copy, "/usr/bin/gcc t.c a.o -o tests/t"),
            ],
            &copy,
        );
        let files: Vec<_> =
            captured.commands.iter().map(|command| command.file.strip_prefix(&copy).unwrap().to_path_buf()).collect();
        assert_eq!(files, ["a.c", "b.c", "main.c", "t.c"].map(PathBuf::from));
        assert_eq!(captured.commands[2].arguments, ["/usr/bin/gcc", "-O2", "-c", "main.c"]);
        let products: Vec<(String, bool, Vec<String>)> = captured
            .products
            .iter()
            .map(|p| (p.name.clone(), p.is_executable, p.sources.iter().map(|s| s.display().to_string()).collect()))
            .collect();
        assert_eq!(products[0], ("libab.a".to_string(), false, vec!["a.c".to_string(), "b.c".to_string()]));
        assert_eq!(products[1], ("prog".to_string(), true, vec!["main.c".to_string()]));
        assert_eq!(products[2], ("t".to_string(), true, vec!["a.c".to_string(), "t.c".to_string()]));
        assert!(captured.products[1].uses_library && !captured.products[2].uses_library);
    }
}
