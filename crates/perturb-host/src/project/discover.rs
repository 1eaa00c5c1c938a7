//! Finds a project's compile commands without asking the user: tries one method after the other, the most reliable
//! first.
//!
//! The order: a single file; what the user names; a database that is there; CMake; Meson; a build command we can guess.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command_line::{absolute, language_of, Language};
use crate::error::HostError;
use crate::process::tools::{find_program, jobs};
use crate::progress::DiscoveryProgress;
use crate::project::build_guess::BuildPlan;
use crate::project::builder::{by_build_files, given_command, has_other_way, Builder};
use crate::project::capture::BuildCapture;
use crate::project::cmake;
use crate::project::compile_database::{self, CompileDatabase};
use crate::project::description::{BuildSystem, CompileCommand, Project, Unit};
use crate::project::meson;
use crate::project::options::DiscoverOptions;
use crate::project::roles::{ExcludedBecause, Product, Role, Roles};
use crate::tree::copy::{self, Origin, Replaced, TreeCopy};
use crate::tree::text_path::require_utf8;
use crate::tree::work_folder;
use perturb_model::Notice;

/// What to do where files are compiled in a folder whose path is no text.
const IN_PLACE: &str =
    "rename that folder, or have the project built in a copy elsewhere with `--build 'COMMAND' --work DIR`";

/// How the compile commands can be had; found out without writing anything.
enum DiscoveryMethod {
    Database(PathBuf, CompileDatabase),
    InCopy(Builder),
}

/// What one of the methods found.
pub(crate) struct DiscoveredBuild {
    pub build_system: BuildSystem,
    pub source_root: PathBuf,
    pub commands: Vec<CompileCommand>,
    pub products: Vec<Product>,
    pub notices: Vec<Notice>,
}

/// Finds out how the project at `root` (a folder, or a single source file) is compiled. Writes below `work` only, one
/// run at a time, and tells what takes long before it starts.
pub fn discover(
    root: &Path,
    work: &Path,
    options: &DiscoverOptions,
    report: &mut dyn FnMut(&DiscoveryProgress),
) -> Result<Project, HostError> {
    let root = root.canonicalize().map_err(|_| HostError::NotFound { path: root.to_path_buf() })?;
    if root.is_file() {
        return single_file(&root, work, options);
    }
    let mut roles = Roles::new(&root, &options.include, &options.exclude)?;
    let (way, stale) = choose_way(&root, options)?;
    if matches!(way, DiscoveryMethod::Database(..)) {
        require_utf8(&root, IN_PLACE)?;
    }
    // A folder that is no project never gets a folder of ours.
    let work = work_folder::create(work)?;
    let mut found = match way {
        DiscoveryMethod::Database(path, database) => from_database(&root, path, database),
        DiscoveryMethod::InCopy(builder) => from_copy(&root, &work, builder, options, report)?,
    };
    found.notices.extend(stale.map(|database| Notice::StaleDatabase { database }));
    if let BuildSystem::CompileDatabase(path) = &found.build_system {
        // Sources beside a database in a build folder are generated; beside one at the root they are the project.
        if let Some(folder) = path.parent().and_then(|folder| folder.strip_prefix(&root).ok()) {
            if !folder.as_os_str().is_empty() {
                roles.add_build_folder(folder);
            }
        }
    }
    roles.set_products(found.products.clone());
    Ok(assemble(root, &work, found, roles))
}

/// The method to use, and an unusable database at the root.
fn choose_way(root: &Path, options: &DiscoverOptions) -> Result<(DiscoveryMethod, Option<PathBuf>), HostError> {
    if let Some(path) = &options.compile_database {
        let path = path.canonicalize().map_err(|_| HostError::DatabaseMissing { path: path.clone() })?;
        let database = compile_database::read(&path)?.require_live(&path)?;
        return Ok((DiscoveryMethod::Database(path, database), None));
    }
    if let Some(command) = given_command(options) {
        return Ok((DiscoveryMethod::InCopy(Builder::Command(BuildPlan::given(command))), None));
    }
    let mut stale = None;
    if let Some(path) = compile_database::find(root) {
        match compile_database::read(&path).and_then(|database| database.require_live(&path)) {
            Ok(database) => return Ok((DiscoveryMethod::Database(path, database), None)),
            // A database moved here from another place says nothing; the project itself may.
            Err(HostError::DatabaseDead { .. } | HostError::DatabaseEmpty { .. }) if has_other_way(root) => {
                stale = Some(path)
            }
            Err(error) => return Err(error),
        }
    }
    Ok((DiscoveryMethod::InCopy(by_build_files(root)?), stale))
}

fn from_database(root: &Path, path: PathBuf, database: CompileDatabase) -> DiscoveredBuild {
    DiscoveredBuild {
        build_system: BuildSystem::CompileDatabase(path),
        source_root: root.to_path_buf(),
        commands: database.commands,
        products: Vec::new(),
        notices: database.notices,
    }
}

/// Brings our copy in step with the tree and asks the build system there, while no other run does.
fn from_copy(
    root: &Path,
    work: &Path,
    builder: Builder,
    options: &DiscoverOptions,
    report: &mut dyn FnMut(&DiscoveryProgress),
) -> Result<DiscoveredBuild, HostError> {
    let _lock = work_folder::lock(work, report)?;
    let origin = Origin::Tree { root, work };
    let tree = copy::sync(origin, work, Replaced::Restore)?;
    tree.report_if_moved(work, report);
    let mut found = ask(builder, origin, &tree, work, options, report)?;
    if found.commands.is_empty() {
        return Err(HostError::NoSources { root: root.to_path_buf() });
    }
    found.notices.extend(unreadable(&tree));
    Ok(found)
}

/// Asks the build system about a copy in `home`.
pub(crate) fn ask(
    builder: Builder,
    origin: Origin,
    tree: &TreeCopy,
    home: &Path,
    options: &DiscoverOptions,
    report: &mut dyn FnMut(&DiscoveryProgress),
) -> Result<DiscoveredBuild, HostError> {
    let began = tree.clock.begin()?;
    let found = match builder {
        Builder::CMake => configured(tree, BuildSystem::CMake, cmake::configure(&tree.copy, home, options, report)?),
        Builder::Meson => configured(tree, BuildSystem::Meson, meson::configure(&tree.copy, home, options, report)?),
        Builder::Command(plan) => {
            let captured = BuildCapture { origin, tree, home, plan: &plan, options }.commands(report)?;
            DiscoveredBuild {
                build_system: BuildSystem::Command(plan.command(jobs())),
                source_root: tree.copy.clone(),
                commands: captured.commands,
                products: captured.products,
                notices: captured.notices,
            }
        }
    };
    tree.clock.end(began)?;
    Ok(found)
}

fn configured(tree: &TreeCopy, build_system: BuildSystem, configured: cmake::Configured) -> DiscoveredBuild {
    let CompileDatabase { commands, mut notices, .. } = configured.database;
    // A source in several targets is no oddity here.
    notices.retain(|notice| !matches!(notice, Notice::Duplicates { .. }));
    DiscoveredBuild { build_system, source_root: tree.copy.clone(), commands, products: configured.products, notices }
}

fn unreadable(tree: &TreeCopy) -> Option<Notice> {
    let example = tree.unreadable.first()?.clone();
    Some(Notice::Unreadable { count: tree.unreadable.len(), example })
}

/// Gives each command its role.
fn assemble(root: PathBuf, work: &Path, found: DiscoveredBuild, roles: Roles) -> Project {
    let DiscoveredBuild { build_system, source_root, commands, mut notices, .. } = found;
    let mut units: Vec<Unit> = commands
        .into_iter()
        .map(|mut command| {
            // A tree reached through a symbolic link: use the one spelling that is below the root.
            if !command.file.starts_with(&source_root) {
                if let Some(real) = command.file.canonicalize().ok().filter(|real| real.starts_with(&source_root)) {
                    command.file = real;
                }
            }
            let role = match command.file.strip_prefix(&source_root) {
                Err(_) if command.file.starts_with(work) => Role::Excluded(ExcludedBecause::Generated),
                relative => roles.role_of_source(relative.ok()),
            };
            Unit { command, role }
        })
        .collect();
    units.sort_by(|a, b| a.command.file.cmp(&b.command.file).then_with(|| a.command.cmp(&b.command)));
    if !units.iter().any(|unit| unit.role == Role::UnderTest) {
        notices.push(Notice::NothingUnderTest);
    }
    Project { root, source_root, build_system, units, roles, notices }
}

/// A bare file is a project of one file.
fn single_file(file: &Path, work: &Path, options: &DiscoverOptions) -> Result<Project, HostError> {
    let not_a_source = |reason| HostError::NotASource { path: file.to_path_buf(), reason };
    require_utf8(file, "rename it, or the folder that it is in")?;
    let extension = file.extension().unwrap_or_default().to_string_lossy().into_owned();
    let (language, is_header) = match (language_of(file), extension.as_str()) {
        (Some(language), _) => (language, false),
        (None, "h") => (Language::C, true),
        (None, "hpp" | "hh" | "hxx" | "h++" | "H") => (Language::Cxx, true),
        _ => return Err(not_a_source("its name does not end like one (.c, .cc, .cpp, .cxx …)")),
    };
    let start = fs::read(file).map_err(HostError::io("read", file))?;
    if start.iter().take(8192).any(|byte| *byte == 0) {
        return Err(not_a_source("it is binary"));
    }
    let directory = file.parent().expect("a file has a folder").to_path_buf();
    let default = if language == Language::C { ["cc", "gcc", "clang"] } else { ["c++", "g++", "clang++"] };
    let found = || default.into_iter().find(|name| find_program(name).is_some()).unwrap_or(default[0]).to_string();
    let mut arguments = vec![options.compiler.clone().unwrap_or_else(found)];
    arguments.extend(options.single_file_flags.iter().cloned());
    if is_header {
        arguments.extend(["-x", language.name()].map(str::to_string));
    }
    arguments.extend(["-c".to_string(), file.display().to_string()]);
    let command = CompileCommand { file: absolute(&directory, file), directory: directory.clone(), arguments };
    // The user named this file: it is under test whatever its name looks like.
    let include = vec![globset::escape(&file.file_name().unwrap_or_default().to_string_lossy())];
    let roles = Roles::new(&directory, &include, &[])?;
    let found = DiscoveredBuild {
        build_system: BuildSystem::SingleFile,
        source_root: directory.clone(),
        commands: vec![command],
        products: Vec::new(),
        notices: Vec::new(),
    };
    Ok(assemble(directory, work, found, roles))
}
