//! Shadow builds: a copy of the project's tree and a build folder of our own, built by the project's own build system
//! with some files replaced by texts of ours.
//!
//! Never writes in the user's tree, and never trusts the files of an earlier run: it compares texts, and stamps a
//! changed file later than everything that was built from its previous text.

mod added_flags;
mod broken_off;
mod build;
mod confined;
mod fresh;
mod includers;
mod replace;
mod restored;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use perturb_cell::PristineCopies;

pub use self::build::Built;
pub use self::confined::BuildConfinement;
use self::confined::BuildPlace;
use self::includers::Includes;
use self::replace::OriginalText;
use self::restored::AsBuilt;
use crate::cache_key::CacheKey;
use crate::error::HostError;
use crate::progress::DiscoveryProgress;
use crate::project::build_guess::BuildPlan;
use crate::project::builder::{builder_of, Builder};
use crate::project::capture::output_of;
use crate::project::cmake_cache;
use crate::project::description::{BuildSystem, CompileCommand, Project, Unit};
use crate::project::discover::ask;
use crate::project::meson;
use crate::project::options::DiscoverOptions;
use crate::project::roles::Product;
use crate::tree::copy::{self, Origin, Replaced, TreeCopy};
use crate::tree::watch::TreeWatch;
use crate::tree::work_folder::{self, WorkFolderLock};

/// A copy of a project that can be built with texts of ours. It locks its folder.
#[derive(Debug)]
pub struct Shadow {
    /// Holds the tree and the build folder.
    home: PathBuf,
    work: PathBuf,
    builder: Builder,
    tree: TreeCopy,
    /// Folders of the discovery's copy, and what they are here.
    moved: Vec<(PathBuf, PathBuf)>,
    /// Its own compile commands, where the project's are of another build.
    own_commands: Option<Vec<CompileCommand>>,
    /// The products of the build here, and whether each is for the tests alone.
    products: Vec<(Product, bool)>,
    /// Object files by the source that they are compiled from; both absolute.
    objects: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    /// The original texts of files that are, or were, replaced.
    originals: BTreeMap<PathBuf, OriginalText>,
    /// The texts of the last call of `replace`; `None` before the first one, when those of an earlier run may still be
    /// there.
    texts: Option<BTreeMap<PathBuf, Vec<u8>>>,
    /// Files that no build has compiled since they changed.
    pending: BTreeSet<PathBuf>,
    /// The commands that set the build up have to run (again).
    needs_setup: bool,
    /// A key of all that decides how the build goes, except the texts of programs.
    stamp: String,
    /// The targets that `make` can build for the tests, by folder; asked once.
    make_tests: Option<BTreeMap<PathBuf, BTreeSet<String>>>,
    /// The includes of the files of the tree; read once.
    includes: Option<BTreeMap<PathBuf, Includes>>,
    /// The variables of every program of the build.
    variables: Vec<(String, OsString)>,
    /// The time that the longest build has taken.
    slowest: Duration,
    /// The place where builds run. One thread at a time builds; the others only read the copy.
    build_place: Mutex<BuildPlace>,
    /// The compilers, as the compile commands name them.
    compilers: BTreeSet<String>,
    /// Pristine copies of the folders, where jobs of cells write to them.
    pristine: Arc<PristineCopies>,
    /// Pristine copies of the folders as the build of the original left them, where mutants are built one by one.
    as_built: Option<AsBuilt>,
    _lock: WorkFolderLock,
}

impl Shadow {
    /// Without a `name`, the copy that discovery made; with one, `<work>/shadow/<name>`, with a configure of its own.
    ///
    /// All copies are of the tree as it was discovered, or of a project with a database as it was when the one without
    /// a name was opened, whatever the user has changed since. As long as that one is open, no other process can
    /// discover in this work folder: hold it for as long as `project` is used, and open it first.
    pub fn open(
        project: &Project,
        work: &Path,
        name: Option<&str>,
        options: &DiscoverOptions,
        report: &mut dyn FnMut(&DiscoveryProgress),
    ) -> Result<Shadow, HostError> {
        let builder = builder_of(project, options)?;
        let work = work_folder::create(work)?;
        let home = name.map_or(work.clone(), |name| work.join("shadow").join(plain_name(name)));
        fs::create_dir_all(&home).map_err(HostError::io("create", &home))?;
        let lock = work_folder::lock(&home, report)?;
        let origin = origin(project, &work, name);
        let options = &added_flags::applied(options, &home)?;
        // How a project with a database is built is found out by building it: that must be the user's text.
        let is_database = matches!(project.build_system, BuildSystem::CompileDatabase(_));
        let tree = copy::sync(origin, &home, if is_database { Replaced::Restore } else { Replaced::Keep })?;
        if home == work {
            tree.report_if_moved(&work, report);
        }
        let stamp = stamp(&tree, &builder, options);
        let moved = ["tree", "build"].map(|folder| (work.join(folder), home.join(folder))).to_vec();
        let moved = if home == work { Vec::new() } else { moved };
        let mut shadow = Shadow {
            builder,
            tree,
            moved,
            own_commands: None,
            products: Vec::new(),
            objects: BTreeMap::new(),
            originals: BTreeMap::new(),
            texts: None,
            pending: BTreeSet::new(),
            needs_setup: false,
            stamp,
            make_tests: None,
            includes: None,
            variables: options.variables.clone(),
            slowest: Duration::ZERO,
            build_place: Mutex::new(BuildPlace::NotSaid),
            compilers: compilers_of(project),
            pristine: Arc::new(PristineCopies::new(&home)),
            as_built: None,
            _lock: lock,
            home,
            work: work.clone(),
        };
        shadow.tidy_up()?;
        shadow.prepare(project, origin, options, report)?;
        shadow.learn_objects(project);
        shadow.learn_originals(origin)?;
        // A source of which nothing was made before need not be one that the build wants.
        let was_compiled = |path: &&PathBuf| {
            let objects = shadow.objects.get(&shadow.tree.copy.join(path));
            objects.is_some_and(|objects| objects.iter().any(|object| object.exists()))
        };
        shadow.pending = shadow.tree.changed.iter().filter(was_compiled).cloned().collect();
        Ok(shadow)
    }

    pub fn tree(&self) -> &Path {
        &self.tree.copy
    }

    /// To see later what the user has changed since this copy was made.
    pub fn watch(&self, project: &Project) -> TreeWatch {
        TreeWatch::new(&project.root, &self.work, &self.tree)
    }

    /// Removes the temporary files of this run, or of one that was killed, from the work folder. Only for the copy
    /// without a name, whose lock is that of the work folder.
    pub fn clear_temporary(&self) {
        debug_assert!(self.home == self.work, "another copy has no right to the work folder");
        work_folder::clear_temporary(&self.work);
    }

    /// The folders that hold all that is built and read here.
    pub fn folders(&self) -> Vec<PathBuf> {
        let build = self.build_folder();
        if build == self.tree.copy {
            vec![build]
        } else {
            vec![self.tree.copy.clone(), build]
        }
    }

    /// The pristine copies, for cells that are open on the folders: every job finds them as they were built.
    pub fn pristine(&self) -> Arc<PristineCopies> {
        self.pristine.clone()
    }

    /// The shared libraries that were built here, sorted: programs of the tests may load them.
    pub fn shared_libraries(&self) -> Vec<PathBuf> {
        let is_library = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.ends_with(".so") || name.contains(".so.")
        };
        let walk = ignore::WalkBuilder::new(self.build_folder()).standard_filters(false).build();
        let files = walk.flatten().filter(|item| item.file_type().is_some_and(|kind| kind.is_file()));
        let mut found: Vec<PathBuf> = files.map(|item| item.into_path()).filter(|path| is_library(path)).collect();
        found.sort();
        found
    }

    /// Files of the project that are no program text, relative: data, scripts, build files.
    pub fn data_files(&self) -> Vec<PathBuf> {
        self.tree.data_files()
    }

    /// The programs that the build makes; absolute.
    pub fn programs(&self) -> Vec<PathBuf> {
        let programs = self.products.iter().filter(|(product, _)| product.is_executable);
        programs.filter_map(|(product, _)| product.output.clone()).collect()
    }

    /// Where CMake and Meson build; other build commands build in the tree.
    pub fn build_folder(&self) -> PathBuf {
        match self.builder {
            Builder::CMake | Builder::Meson => self.home.join("build"),
            Builder::Command(_) => self.tree.copy.clone(),
        }
    }

    /// The compile commands as they are here, with their roles.
    pub fn commands(&self, project: &Project) -> Vec<Unit> {
        let moved = |unit: &Unit| Unit { command: self.here(&unit.command), role: unit.role.clone() };
        match &self.own_commands {
            None => project.units.iter().map(moved).collect(),
            Some(commands) => {
                let role = |file: &Path| project.roles.role_of_source(file.strip_prefix(self.tree()).ok());
                commands.iter().map(|command| Unit { command: command.clone(), role: role(&command.file) }).collect()
            }
        }
    }

    /// Configures where that is still to be done, and learns what the build makes.
    fn prepare(
        &mut self,
        project: &Project,
        origin: Origin,
        options: &DiscoverOptions,
        report: &mut dyn FnMut(&DiscoveryProgress),
    ) -> Result<(), HostError> {
        if let BuildSystem::CompileDatabase(database) = &project.build_system {
            let mut options = options.clone();
            let folder = database.parent().unwrap_or(&project.root);
            let known = match self.builder {
                Builder::CMake => cmake_cache::arguments(folder, &project.root, self.tree())?,
                Builder::Meson => meson::arguments(folder)?,
                Builder::Command(_) => Vec::new(),
            };
            // What the user says to us comes last, and so counts more than what was said to the other build.
            options.configure_arguments.splice(..0, known);
            let options = added_flags::applied(&options, &self.home)?;
            let found = ask(self.builder.clone(), origin, &self.tree, &self.home, &options, report)?;
            let mut roles = project.roles.clone();
            roles.set_products(found.products);
            self.products = roles.products().map(|(product, is_test)| (product.clone(), is_test)).collect();
            self.own_commands = Some(found.commands);
            return Ok(());
        }
        let is_discovered = self.moved.is_empty();
        let is_set_up = is_discovered || self.is_set_up(options);
        match &self.builder {
            Builder::CMake | Builder::Meson if is_set_up && self.home.join("build").is_dir() => {}
            Builder::CMake | Builder::Meson => {
                ask(self.builder.clone(), origin, &self.tree, &self.home, options, report)?;
                self.note_set_up()?;
            }
            Builder::Command(_) if is_set_up => {}
            Builder::Command(_) => {
                // Objects that were made by other rules would be taken for those of the new ones.
                self.tree.remove_generated(origin)?;
                self.needs_setup = true;
            }
        }
        self.products = project
            .roles
            .products()
            .map(|(product, is_test)| {
                let output = product.output.as_ref().map(|path| self.path_here(path));
                (Product { output, ..product.clone() }, is_test)
            })
            .collect();
        Ok(())
    }

    /// Whether an earlier run has set the build up for what decides how it goes.
    fn is_set_up(&self, options: &DiscoverOptions) -> bool {
        !options.rebuild && fs::read_to_string(self.home.join("setup.stamp")).is_ok_and(|stamp| stamp == self.stamp)
    }

    fn note_set_up(&self) -> Result<(), HostError> {
        let path = self.home.join("setup.stamp");
        fs::write(&path, &self.stamp).map_err(HostError::io("write", &path))
    }

    fn learn_objects(&mut self, project: &Project) {
        for unit in self.commands(project) {
            if let Some(object) = output_of(&unit.command) {
                self.objects.entry(unit.command.file).or_default().insert(object);
            }
        }
    }

    /// A command of the discovery's copy, as it is in this one.
    fn here(&self, command: &CompileCommand) -> CompileCommand {
        CompileCommand {
            directory: self.path_here(&command.directory),
            file: self.path_here(&command.file),
            arguments: command.arguments.iter().map(|word| self.text_here(word)).collect(),
        }
    }

    pub(crate) fn path_here(&self, path: &Path) -> PathBuf {
        let moved = self.moved.iter().find_map(|(from, to)| path.strip_prefix(from).ok().map(|rest| to.join(rest)));
        moved.unwrap_or_else(|| path.to_path_buf())
    }

    /// `-I<work>/tree/include` and `-DDATA="<work>/tree/data"`.
    fn text_here(&self, text: &str) -> String {
        let mut result = text.to_string();
        for (from, to) in &self.moved {
            result = replace_path(&result, &from.to_string_lossy(), &to.to_string_lossy());
        }
        result
    }

    /// Whether a path is in the tree or in the build folder.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        ["tree", "build"].iter().any(|folder| path.starts_with(self.home.join(folder)))
    }

    /// A path of this shadow, as it is in another one of the same project.
    pub(crate) fn path_in(&self, other: &Shadow, path: &Path) -> PathBuf {
        let moved = |folder: &str| Some(other.home.join(folder).join(path.strip_prefix(self.home.join(folder)).ok()?));
        moved("tree").or_else(|| moved("build")).unwrap_or_else(|| path.to_path_buf())
    }

    /// A text with paths of this shadow, as it is in another one.
    pub(crate) fn text_in(&self, other: &Shadow, text: &str) -> String {
        let moved = |text: String, folder: &str| {
            let [from, to] = [self, other].map(|shadow| shadow.home.join(folder).to_string_lossy().into_owned());
            replace_path(&text, &from, &to)
        };
        moved(moved(text.to_string(), "tree"), "build")
    }

    pub(crate) fn builder(&self) -> &Builder {
        &self.builder
    }

    fn build_place(&mut self) -> &mut BuildPlace {
        self.build_place.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn plan(&self) -> Option<&BuildPlan> {
        match &self.builder {
            Builder::Command(plan) => Some(plan),
            _ => None,
        }
    }
}

/// The programs that the units of a project are compiled with.
fn compilers_of(project: &Project) -> BTreeSet<String> {
    project.units.iter().filter_map(|unit| unit.command.arguments.first()).cloned().collect()
}

fn stamp(tree: &TreeCopy, builder: &Builder, options: &DiscoverOptions) -> String {
    let mut key = CacheKey::default();
    key.add("tree", tree.fingerprint.to_string());
    builder.add_to(&mut key);
    key.add_all("argument", &options.configure_arguments);
    options.add_variables(&["PATH", "CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS"], &mut key);
    key.into_text()
}

/// Replaces a path in a text where it is not the start of a longer name.
fn replace_path(text: &str, from: &str, to: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let after = &rest[at + from.len()..];
        let is_whole = !after.starts_with(|c: char| c.is_alphanumeric() || "._-".contains(c));
        result.push_str(&rest[..at]);
        result.push_str(if is_whole { to } else { from });
        rest = after;
    }
    result.push_str(rest);
    result
}

/// All copies of a project are of the same time: they are made from the discovery's copy. With a compile database,
/// which refers to the tree itself, the first copy is made from the tree.
fn origin<'a>(project: &'a Project, work: &'a Path, name: Option<&str>) -> Origin<'a> {
    let is_copied = name.is_some() && work.join("tree.manifest").is_file();
    if project.source_root == project.root && !is_copied {
        Origin::Tree { root: &project.root, work }
    } else {
        Origin::Snapshot { root: &project.root, work }
    }
}

/// The name of a shadow: one of ours, never a user's, and valid as the name of a folder.
fn plain_name(name: &str) -> &Path {
    let path = Path::new(name);
    let is_plain = matches!(path.components().collect::<Vec<_>>()[..], [Component::Normal(_)]);
    assert!(is_plain, "`{name}` cannot be the name of a shadow");
    path
}
