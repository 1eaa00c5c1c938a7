//! Meson projects: sets our copy up in our own build folder, and reads sources and targets from `meson introspect`.
//!
//! Only sets up; of the build it runs just the rules that generate missing sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::de::DeserializeOwned;
use serde::Deserialize;

use crate::cache_key::CacheKey;
use crate::error::HostError;
use crate::process::tools::{self, require_program, run, run_logged};
use crate::progress::DiscoveryProgress;
use crate::project::cmake::{generate_missing, Configured};
use crate::project::compile_database;
use crate::project::options::DiscoverOptions;
use crate::project::roles::Product;
use crate::tree::optional_file::read_optional;

#[derive(Deserialize)]
struct MesonTarget {
    id: String,
    name: String,
    #[serde(rename = "type")]
    kind: String,
    defined_in: PathBuf,
    filename: Vec<PathBuf>,
    target_sources: Vec<TargetSources>,
    #[serde(default)]
    installed: bool,
}

#[derive(Deserialize)]
struct TargetSources {
    #[serde(default)]
    sources: Vec<PathBuf>,
}

#[derive(Deserialize)]
struct MesonTestCommand {
    cmd: Vec<PathBuf>,
    #[serde(default)]
    depends: Vec<String>,
}

/// Sets `copy` up in `<work>/build` and reads what Meson knows of it.
pub(crate) fn configure(
    copy: &Path,
    work: &Path,
    options: &DiscoverOptions,
    report: &mut dyn FnMut(&DiscoveryProgress),
) -> Result<Configured, HostError> {
    let arguments = &options.configure_arguments;
    let build = work.join("build");
    let log = work.join("configure.log");
    let meson = require_program("meson")?;
    let ninja = require_program("ninja")?;
    let stamp_path = work.join("meson.stamp");
    let mut key = CacheKey::default();
    options.add_configuration(&mut key);
    let stamp = key.into_text();
    let again = !options.rebuild
        && build.join("meson-private/coredata.dat").is_file()
        && fs::read_to_string(&stamp_path).ok().as_ref() == Some(&stamp);
    if !again && build.exists() {
        fs::remove_dir_all(&build).map_err(HostError::io("remove", &build))?;
    }
    let _ = fs::remove_file(&log);
    report(&DiscoveryProgress::Configuring { system: "Meson", log: log.clone() });
    let mut command = tools::build_program(&meson, work);
    command
        .arg("setup")
        .args(again.then_some("--reconfigure"))
        .arg(&build)
        .arg(copy)
        .args(arguments)
        .env("LC_ALL", "C")
        .envs(options.variables.iter().cloned());
    let status = run_logged(&command, &log)?;
    if !status.success() {
        let (status, tail) = (tools::shown_status(status), tools::tail(&log));
        return Err(HostError::ConfigureFailed { system: "Meson", status, tail, log });
    }
    fs::write(&stamp_path, stamp).map_err(HostError::io("write", &stamp_path))?;
    let targets: Vec<MesonTarget> = introspect(&meson, "--targets", &build)?;
    let tests: Vec<MesonTestCommand> = introspect(&meson, "--tests", &build)?;
    let mut database = compile_database::read_generated(&build.join("compile_commands.json"))?;
    if !database.missing.is_empty() {
        database = generate_missing(&database, &build, &log, Some(&ninja), report)?;
    }
    Ok(Configured { database, products: products(targets, &tests, copy) })
}

/// Arguments that set a copy up as the user has set up `build`: Meson keeps what it was given on its command line.
pub(crate) fn arguments(build: &Path) -> Result<Vec<String>, HostError> {
    let text = read_optional(&build.join("meson-private/cmd_line.txt"))?.unwrap_or_default();
    Ok(options_of(&String::from_utf8_lossy(&text)))
}

fn options_of(text: &str) -> Vec<String> {
    let options = text.lines().skip_while(|line| line.trim() != "[options]").skip(1);
    let options = options.take_while(|line| !line.starts_with('['));
    let options = options.filter_map(|line| line.split_once('='));
    options.map(|(name, value)| format!("-D{}={}", name.trim(), value.trim())).collect()
}

pub(crate) fn introspect<T: DeserializeOwned>(meson: &Path, what: &str, build: &Path) -> Result<T, HostError> {
    let finished = run(Command::new(meson).args(["introspect", what]).arg(build).env("LC_ALL", "C"))?;
    serde_json::from_str(&finished.stdout).map_err(|error| HostError::ToolReply {
        tool: "Meson",
        path: build.to_path_buf(),
        reason: format!("{what}: {error}"),
    })
}

fn products(targets: Vec<MesonTarget>, tests: &[MesonTestCommand], copy: &Path) -> Vec<Product> {
    let has_library = targets.iter().any(|target| target.kind.contains("library"));
    let below = |path: &Path| path.strip_prefix(copy).map(Path::to_path_buf).unwrap_or_else(|_| path.to_path_buf());
    let is_run = |target: &MesonTarget| {
        tests.iter().any(|test| test.cmd.first().is_some_and(|program| target.filename.contains(program)))
            || tests.iter().any(|test| {
                test.depends.contains(&target.id) && test.cmd.iter().any(|word| target.filename.contains(word))
            })
    };
    let compiled = |target: &&MesonTarget| {
        target.kind == "executable" || target.kind.contains("library") || target.kind == "shared module"
    };
    targets
        .iter()
        .filter(compiled)
        .map(|target| Product {
            name: target.name.clone(),
            is_executable: target.kind == "executable",
            output: target.filename.first().cloned(),
            folder: below(target.defined_in.parent().unwrap_or(copy)),
            sources: target
                .target_sources
                .iter()
                .flat_map(|group| &group.sources)
                .map(|path| below(path))
                .collect::<BTreeSet<_>>(),
            run_as_test: is_run(target),
            installed: target.installed,
            // Meson 1.0 does not report what a target links; where the project has a library, its tests use it.
            uses_library: has_library,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    #[test]
    fn a_command_line_that_cannot_be_read_is_an_error_and_not_an_empty_one() {
        let build = tempfile::tempdir().unwrap();
        assert_eq!(arguments(build.path()).unwrap(), [""; 0]);
        fs::create_dir_all(build.path().join("meson-private/cmd_line.txt")).unwrap();
        assert!(arguments(build.path()).is_err());
    }

    #[test]
    fn fuzzed_command_lines_of_meson_are_read() {
        let example = "[options]\nbuildtype = debug\nc_args = -DX=1\n\n[properties]\nnative_file = []\n";
        assert_eq!(options_of(example), ["-Dbuildtype=debug", "-Dc_args=-DX=1"]);
        perturb_fuzz::survives("meson command line", Share::All, &[example], |text| {
            assert!(options_of(&String::from_utf8_lossy(text)).iter().all(|option| option.starts_with("-D")));
        });
    }

    #[test]
    fn fuzzed_introspection_is_read_or_refused() {
        let target = r#"[{"id":"a@exe","name":"a","type":"executable","defined_in":"/p/meson.build","filename":["/b/a"],
            "target_sources":[{"sources":["/p/a.c"]},{"linker":[]}],"installed":false}]"#;
        let tests = r#"[{"name":"t","cmd":["/b/a","x"],"depends":["a@exe"],"env":{"A":"b"},"timeout":30}]"#;
        perturb_fuzz::survives("meson introspection", Share::All, &[target, tests], |text| {
            let read_tests: Vec<MesonTestCommand> = serde_json::from_slice(text).unwrap_or_default();
            if let Ok(targets) = serde_json::from_slice::<Vec<MesonTarget>>(text) {
                products(targets, &read_tests, Path::new("/p"));
            }
            let read_targets: Vec<MesonTarget> = serde_json::from_str(target).unwrap();
            products(read_targets, &read_tests, Path::new("/p"));
        });
    }
}
