//! CMake projects: configures our copy in our own build folder, and reads sources and targets from CMake's file API.
//!
//! Only configures; of the build it runs just the rules that generate missing sources. It neither reads nor writes the
//! user's own build folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::de::DeserializeOwned;
use serde::Deserialize;

use crate::cache_key::CacheKey;
use crate::command_line::normalise;
use crate::error::HostError;
use crate::process::tools::{self, find_program, require_program, run_logged};
use crate::progress::DiscoveryProgress;
use crate::project::compile_database::{self, CompileDatabase};
use crate::project::options::DiscoverOptions;
use crate::project::roles::Product;
use perturb_model::Notice;

/// What a configured project says about itself.
#[derive(Debug)]
pub(crate) struct Configured {
    pub database: CompileDatabase,
    pub products: Vec<Product>,
}

#[derive(Deserialize)]
struct Index {
    objects: Vec<IndexObject>,
}

#[derive(Deserialize)]
struct IndexObject {
    kind: String,
    #[serde(rename = "jsonFile")]
    json_file: PathBuf,
}

#[derive(Deserialize)]
struct Codemodel {
    configurations: Vec<Configuration>,
}

#[derive(Deserialize)]
struct Configuration {
    targets: Vec<TargetReference>,
}

#[derive(Deserialize)]
struct TargetReference {
    #[serde(rename = "jsonFile")]
    json_file: PathBuf,
}

#[derive(Deserialize)]
struct CMakeTarget {
    id: String,
    name: String,
    #[serde(rename = "type")]
    kind: String,
    paths: TargetPaths,
    #[serde(default)]
    sources: Vec<TargetSource>,
    #[serde(default)]
    artifacts: Vec<Artifact>,
    #[serde(default)]
    dependencies: Vec<Dependency>,
    install: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct TargetPaths {
    source: PathBuf,
}

#[derive(Deserialize)]
struct TargetSource {
    path: PathBuf,
}

#[derive(Deserialize)]
struct Artifact {
    path: PathBuf,
}

#[derive(Deserialize)]
struct Dependency {
    id: String,
}

/// Configures `copy` in `<work>/build` and reads what CMake knows of it.
pub(crate) fn configure(
    copy: &Path,
    work: &Path,
    options: &DiscoverOptions,
    report: &mut dyn FnMut(&DiscoveryProgress),
) -> Result<Configured, HostError> {
    let arguments = &options.configure_arguments;
    let build = work.join("build");
    let log = work.join("configure.log");
    let program = require_program("cmake")?;
    let ninja = find_program("ninja").or_else(|| find_program("ninja-build"));
    if ninja.is_none() {
        require_program("make")?;
    }
    let generator = if ninja.is_some() { "Ninja" } else { "Unix Makefiles" };
    prepare_build_folder(&build, generator, options)?;
    let query = build.join(".cmake/api/v1/query");
    fs::create_dir_all(&query).map_err(HostError::io("create", &query))?;
    fs::write(query.join("codemodel-v2"), "").map_err(HostError::io("write", &query))?;
    // CMake writes no database for a project without targets, and leaves an old one.
    let database_path = build.join("compile_commands.json");
    for stale in [&log, &database_path] {
        let _ = fs::remove_file(stale);
    }
    report(&DiscoveryProgress::Configuring { system: "CMake", log: log.clone() });
    let mut command = tools::build_program(&program, work);
    command.arg("-S").arg(copy).arg("-B").arg(&build).args(["-G", generator, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]);
    // A build need not run the programs that it has just made to see which tests they have: ctest can ask them.
    for framework in ["GTEST", "CATCH"] {
        command.arg(format!("-DCMAKE_{framework}_DISCOVER_TESTS_DISCOVERY_MODE=PRE_TEST"));
    }
    command.args(arguments).env("LC_ALL", "C").envs(options.variables.iter().cloned());
    let status = run_logged(&command, &log)?;
    if !status.success() {
        let (status, tail) = (tools::shown_status(status), tools::tail(&log));
        return Err(HostError::ConfigureFailed { system: "CMake", status, tail, log });
    }
    let products = read_products(copy, &build)?;
    let mut database = compile_database::read_generated(&database_path)?;
    if !database.missing.is_empty() {
        database = generate_missing(&database, &build, &log, ninja.as_deref(), report)?;
    }
    Ok(Configured { database, products })
}

/// A build folder configured otherwise cannot be used again: CMake refuses another generator and keeps old options.
fn prepare_build_folder(build: &Path, generator: &str, options: &DiscoverOptions) -> Result<(), HostError> {
    let stamp_path = build.join("perturb.stamp");
    let mut key = CacheKey::default();
    key.add("generator", generator);
    options.add_configuration(&mut key);
    let stamp = key.into_text();
    let fits = !options.rebuild && fs::read_to_string(&stamp_path).ok().as_ref() == Some(&stamp);
    if build.exists() && !fits {
        fs::remove_dir_all(build).map_err(HostError::io("remove", build))?;
    }
    fs::create_dir_all(build).map_err(HostError::io("create", build))?;
    fs::write(&stamp_path, stamp).map_err(HostError::io("write", &stamp_path))
}

/// Runs the rules that generate the sources which do not exist yet.
pub(crate) fn generate_missing(
    database: &CompileDatabase,
    build: &Path,
    log: &Path,
    ninja: Option<&Path>,
    report: &mut dyn FnMut(&DiscoveryProgress),
) -> Result<CompileDatabase, HostError> {
    let wanted: BTreeSet<&Path> =
        database.missing.iter().map(|file| file.strip_prefix(build).unwrap_or(file.as_path())).collect();
    // Make has no rule at the top for a file of a subfolder: there only Ninja can be asked for single files.
    if let Some(ninja) = ninja {
        report(&DiscoveryProgress::Generating { count: wanted.len(), log: log.to_path_buf() });
        let mut command = Command::new(ninja);
        command.arg("-C").arg(build).args(["-k", "0"]).args(&wanted);
        // A failure shows below as files that are still missing.
        run_logged(&command, log)?;
    }
    let mut fresh = compile_database::read(&build.join("compile_commands.json"))?;
    fresh.notices.retain(|notice| !matches!(notice, Notice::DeadEntries { .. }));
    if let Some(example) = fresh.missing.first().cloned() {
        fresh.notices.insert(0, Notice::NotGenerated { count: fresh.missing.len(), example });
    }
    Ok(fresh)
}

/// The targets of the file API's reply, as products.
fn read_products(copy: &Path, build: &Path) -> Result<Vec<Product>, HostError> {
    let reply = build.join(".cmake/api/v1/reply");
    let mut indexes: Vec<PathBuf> = fs::read_dir(&reply)
        .map_err(HostError::io("read", &reply))?
        .flatten()
        .map(|item| item.path())
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("index-")))
        .collect();
    indexes.sort();
    let unexpected =
        |reason: &str| HostError::ToolReply { tool: "CMake", path: reply.clone(), reason: reason.to_string() };
    // Names hold the time, so that the last one is the newest.
    let index: Index = read_json(indexes.last().ok_or_else(|| unexpected("no index"))?)?;
    let object =
        index.objects.iter().find(|object| object.kind == "codemodel").ok_or_else(|| unexpected("no codemodel"))?;
    let model: Codemodel = read_json(&reply.join(&object.json_file))?;
    let configuration = model.configurations.first().ok_or_else(|| unexpected("no configuration"))?;
    let mut targets = Vec::new();
    for target in &configuration.targets {
        targets.push(read_json::<CMakeTarget>(&reply.join(&target.json_file))?);
    }
    let tests = test_definitions(build)?;
    let kinds: BTreeMap<&str, &CMakeTarget> = targets.iter().map(|target| (target.id.as_str(), target)).collect();
    Ok(targets
        .iter()
        .filter(|target| target.kind == "EXECUTABLE" || target.kind.ends_with("_LIBRARY"))
        // An object library goes into others: its sources count there.
        .filter(|target| target.kind != "OBJECT_LIBRARY" || !is_used(target, &targets))
        .map(|target| product(target, &kinds, copy, build, &tests))
        .collect())
}

fn is_used(target: &CMakeTarget, all: &[CMakeTarget]) -> bool {
    all.iter().any(|other| other.dependencies.iter().any(|dependency| dependency.id == target.id))
}

fn product(
    target: &CMakeTarget,
    all: &BTreeMap<&str, &CMakeTarget>,
    copy: &Path,
    build: &Path,
    tests: &str,
) -> Product {
    let dependencies = || target.dependencies.iter().filter_map(|dependency| all.get(dependency.id.as_str()));
    let mut sources: BTreeSet<PathBuf> = relative_sources(target, copy).collect();
    for objects in dependencies().filter(|other| other.kind == "OBJECT_LIBRARY") {
        sources.extend(relative_sources(objects, copy));
    }
    let is_run = |artifact: &Artifact| {
        let path = normalise(&build.join(&artifact.path));
        tests.contains(&format!("\"{}\"", path.display()))
    };
    Product {
        name: target.name.clone(),
        is_executable: target.kind == "EXECUTABLE",
        output: target.artifacts.first().map(|artifact| normalise(&build.join(&artifact.path))),
        folder: normalise(&target.paths.source),
        sources,
        // GoogleTest's discovery names a target that is not built yet `<target>_NOT_BUILT`.
        run_as_test: target.artifacts.iter().any(is_run) || tests.contains(&format!("{}_NOT_BUILT", target.name)),
        installed: target.install.is_some(),
        uses_library: dependencies().any(|other| other.kind.ends_with("_LIBRARY")),
    }
}

/// The file API gives paths relative to the top folder, absolute ones for what is elsewhere.
fn relative_sources<'a>(target: &'a CMakeTarget, copy: &'a Path) -> impl Iterator<Item = PathBuf> + 'a {
    target.sources.iter().map(move |source| {
        let path = normalise(&copy.join(&source.path));
        path.strip_prefix(copy).map(Path::to_path_buf).unwrap_or(path)
    })
}

/// All `add_test` lines that CMake wrote. `ctest --show-only` leaves out the command of a program that is not built
/// yet, and nothing is built yet.
fn test_definitions(build: &Path) -> Result<String, HostError> {
    let mut text = String::new();
    let mut folders = vec![build.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for item in fs::read_dir(&folder).map_err(HostError::io("read", &folder))? {
            let item = item.map_err(HostError::io("read", &folder))?;
            let path = item.path();
            let name = item.file_name().to_string_lossy().into_owned();
            if item.file_type().is_ok_and(|kind| kind.is_dir()) && name != "CMakeFiles" && name != ".cmake" {
                folders.push(path);
            } else if name == "CTestTestfile.cmake"
                || name.ends_with("_include.cmake")
                || name.ends_with("_tests.cmake")
            {
                let content = fs::read(&path).map_err(HostError::io("read", &path))?;
                let content = String::from_utf8_lossy(&content);
                let lines = content.lines().filter(|line| line.trim_start().starts_with("add_test("));
                lines.for_each(|line| {
                    text.push_str(line);
                    text.push('\n');
                });
            }
        }
    }
    Ok(text)
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, HostError> {
    let text = fs::read(path).map_err(HostError::io("read", path))?;
    serde_json::from_slice(&text).map_err(|error| HostError::ToolReply {
        tool: "CMake",
        path: path.to_path_buf(),
        reason: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_of_tests_are_read_whatever_their_bytes_and_a_file_that_cannot_be_read_is_an_error() {
        let build = tempfile::tempdir().unwrap();
        let file = build.path().join("CTestTestfile.cmake");
        fs::write(&file, b"# \xff\nadd_test(a \"/b/a\")\n").unwrap();
        assert_eq!(test_definitions(build.path()).unwrap(), "add_test(a \"/b/a\")\n");
        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("CTestTestfile.cmake", &file).unwrap();
        assert!(test_definitions(build.path()).is_err());
    }
}
