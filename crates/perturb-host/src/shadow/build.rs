//! Builds a shadow: runs the commands that a user would type, incrementally.
//!
//! A build that fails is an answer, not an error. Compiler caches are passed by: a mutant's object is made by the
//! compiler, and the user's cache is not filled with mutants.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::confined::{BuildCell, BuildConfinement, BuildPlace};
use super::Shadow;
use crate::error::HostError;
use crate::process::tools::{self, require_program, run_measured};
use crate::project::automake;
use crate::project::build_guess::BuildPlan;
use crate::project::builder::Builder;
use crate::project::roles::Product;

/// How a build went.
#[derive(Debug, Clone)]
pub struct Built {
    /// All of its commands ended with status 0.
    pub success: bool,
    /// The status of the last command: `exit status: 2`, `signal: 9 (SIGKILL)`.
    pub status: String,
    /// The processor time of all its processes.
    pub cpu: Duration,
    pub wall: Duration,
    /// The build was ended because it took much longer than those before it: a mutant in a program that runs during the
    /// build may never end.
    pub is_over: bool,
    /// The last lines that it wrote.
    pub tail: String,
    pub log: PathBuf,
    /// Files that have changed, though a build that went well has made nothing of them: what is there was built from
    /// another text, or the build does not need them. Relative, sorted.
    pub not_compiled: Vec<PathBuf>,
    /// Replaced files that the build has overwritten. Relative, sorted.
    pub overwritten: Vec<PathBuf>,
}

impl Built {
    /// Whether what was built is what was asked for.
    pub fn is_faithful(&self) -> bool {
        self.success && self.not_compiled.is_empty() && self.overwritten.is_empty()
    }
}

/// The commands of one build, and what they took so far.
struct BuildRun<'a> {
    /// The cell in which the commands run; `None` outside of any.
    cell: Option<&'a mut BuildCell>,
    log: &'a Path,
    limit: Option<Duration>,
    is_over: bool,
    status: String,
    success: bool,
    cpu: Duration,
    wall: Duration,
}

impl BuildRun<'_> {
    /// Runs one more command, unless one has failed.
    fn step(&mut self, command: &Command) -> Result<bool, HostError> {
        if self.success {
            let measured = match &mut self.cell {
                Some(cell) => cell.run(command, self.log, self.limit)?,
                None => run_measured(command, self.log, self.limit)?,
            };
            self.is_over = measured.is_over;
            self.success = measured.status.success();
            self.status = tools::shown_status(measured.status);
            self.cpu += measured.cpu;
            self.wall += measured.wall;
        }
        Ok(self.success)
    }
}

impl Shadow {
    /// From now on all builds of this copy run in a cell. A copy with texts of ours in it is not built before either
    /// this or [`Shadow::release_builds`] was called.
    pub fn confine_builds(&mut self, confinement: &BuildConfinement) -> Result<(), HostError> {
        let compilers: BTreeSet<PathBuf> = self.compilers.iter().filter_map(|name| tools::find_program(name)).collect();
        let compilers = compilers.into_iter().collect();
        let cell = BuildCell::open(confinement, &self.work, self.folders(), compilers)?;
        *self.build_place() = BuildPlace::Confined(Box::new(cell));
        Ok(())
    }

    /// From now on all builds of this copy run outside of any cell, with all that the user may do. Whether they ran in
    /// one.
    pub fn release_builds(&mut self) -> bool {
        let was_confined = self.has_confined_builds();
        *self.build_place() = BuildPlace::Outside;
        was_confined
    }

    pub fn has_confined_builds(&mut self) -> bool {
        matches!(self.build_place(), BuildPlace::Confined(_))
    }

    /// Builds all that the tests need, in as many jobs, over what earlier builds have left. What it writes goes to
    /// `log`. An error only if it could not be run.
    pub fn build(&mut self, jobs: usize, log: &Path) -> Result<Built, HostError> {
        self.build_within(None, jobs, log)
    }

    /// The same with a mutant in it, once the original was built: for far longer than that took it does not go on.
    pub fn build_mutant(&mut self, jobs: usize, log: &Path) -> Result<Built, HostError> {
        const LEAST: Duration = Duration::from_secs(30);
        self.build_within(Some((20 * self.slowest).max(LEAST)), jobs, log)
    }

    fn build_within(&mut self, limit: Option<Duration>, jobs: usize, log: &Path) -> Result<Built, HostError> {
        if self.texts.is_none() {
            self.replace(&BTreeMap::new())?;
        }
        let _ = fs::remove_file(log);
        let (cpu, wall) = (Duration::ZERO, Duration::ZERO);
        self.note_build()?;
        let began = self.tree.clock.begin()?;
        // Taken out while it builds, as the build needs the rest.
        let mut place = std::mem::replace(self.build_place(), BuildPlace::NotSaid);
        let cell = match &mut place {
            BuildPlace::Confined(cell) => Some(&mut **cell),
            BuildPlace::Outside => None,
            BuildPlace::NotSaid => {
                let is_as_it_was = self.texts.as_ref().is_some_and(BTreeMap::is_empty);
                assert!(is_as_it_was, "a build of texts of ours runs what they say: it needs a cell");
                None
            }
        };
        let status = String::new();
        let mut run = BuildRun { cell, log, limit, is_over: false, status, success: true, cpu, wall };
        let ran = match &self.builder {
            Builder::CMake => self.build_cmake(jobs, &mut run),
            Builder::Meson => self.build_meson(jobs, &mut run),
            Builder::Command(_) => self.build_by_command(jobs, &mut run),
        };
        let BuildRun { success, status, cpu, wall, is_over, .. } = run;
        *self.build_place() = place;
        ran?;
        self.note_end_of_build()?;
        self.tree.clock.end(began)?;
        let not_compiled = if success { self.not_compiled() } else { BTreeSet::new() };
        if success {
            self.slowest = self.slowest.max(wall);
            self.pending = not_compiled.clone();
        }
        let overwritten = self.overwritten()?;
        let (tail, log) = (tools::tail(log), log.to_path_buf());
        let not_compiled = not_compiled.into_iter().collect();
        Ok(Built { success, status, cpu, wall, is_over, tail, log, not_compiled, overwritten })
    }

    fn build_cmake(&self, jobs: usize, run: &mut BuildRun) -> Result<(), HostError> {
        let folder = self.home.join("build");
        let program = if folder.join("build.ninja").is_file() { ninja()? } else { require_program("make")? };
        let mut command = self.program(&program);
        command.arg("-C").arg(&folder).arg(format!("-j{jobs}")).arg("all");
        // Programs of the tests need not belong to `all`.
        let tests = self.products.iter().map(|(product, _)| product);
        let tests = tests.filter(|product| product.is_executable && product.run_as_test);
        command.args(tests.map(|product| &product.name).collect::<BTreeSet<_>>());
        run.step(&command)?;
        Ok(())
    }

    fn build_meson(&self, jobs: usize, run: &mut BuildRun) -> Result<(), HostError> {
        let folder = self.home.join("build");
        let mut command = self.program(&ninja()?);
        command.arg("-C").arg(&folder).arg(format!("-j{jobs}")).arg("all");
        // What `meson test` would build first; Meson before 0.63 has all of it in `all`.
        let rules_file = folder.join("build.ninja");
        let rules = fs::read(&rules_file).map_err(HostError::io("read", &rules_file))?;
        if rules.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"build meson-test-prereq:")) {
            command.arg("meson-test-prereq");
        }
        run.step(&command)?;
        Ok(())
    }

    fn build_by_command(&mut self, jobs: usize, run: &mut BuildRun) -> Result<(), HostError> {
        let Some(plan) = self.plan().cloned() else { return Ok(()) };
        let text = if self.needs_setup { plan.command(jobs) } else { plan.again(jobs) };
        let mut command = self.program(Path::new("sh"));
        command.args(["-c", &text]);
        if !run.step(&command)? {
            return Ok(());
        }
        if self.needs_setup {
            self.note_set_up()?;
            self.needs_setup = false;
        }
        self.build_tests_by_make(jobs, run)
    }

    /// Test programs that `make` alone does not build. `make check` would, but it might run them too.
    fn build_tests_by_make(&mut self, jobs: usize, run: &mut BuildRun) -> Result<(), HostError> {
        let Some(make) = tools::find_program("make") else { return Ok(()) };
        if self.make_tests.is_none() {
            self.make_tests = Some(self.find_make_tests(&make)?);
        }
        for (folder, targets) in self.make_tests.iter().flatten() {
            let mut command = self.program(&make);
            command.arg("-C").arg(folder).arg(format!("-j{jobs}")).args(targets);
            run.step(&command)?;
        }
        Ok(())
    }

    /// Test programs by the folder whose makefile has a rule for them.
    fn find_make_tests(&self, make: &Path) -> Result<BTreeMap<PathBuf, BTreeSet<String>>, HostError> {
        const CHECK: &[&str] =
            &["check_PROGRAMS", "check_LIBRARIES", "check_LTLIBRARIES", "check_SCRIPTS", "check_DATA"];
        let mut found: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
        for folder in automake::folders(self.tree())? {
            let variables = automake::variables(self.program(make), &folder, CHECK)?.unwrap_or_default();
            let targets: BTreeSet<String> =
                variables.values().flat_map(|value| value.split_whitespace()).map(str::to_string).collect();
            // The user's own command may build only a part; its other tests are reported as missing programs.
            if !targets.is_empty() && self.can_make(make, &folder, &targets)? {
                found.insert(folder, targets);
            }
        }
        if !matches!(self.plan(), Some(BuildPlan::Make { .. })) {
            // Another command may call `make` with settings that we cannot repeat for single programs.
            return Ok(found);
        }
        for program in self.test_programs() {
            let Some((folder, target)) = self.make_target(&program) else { continue };
            if self.can_make(make, &folder, [&target])? {
                found.entry(folder).or_default().insert(target);
            }
        }
        Ok(found)
    }

    /// Whether the folder's makefile has rules for all that the targets need.
    fn can_make<'a>(
        &self,
        make: &Path,
        folder: &Path,
        targets: impl IntoIterator<Item = &'a String>,
    ) -> Result<bool, HostError> {
        let asked = tools::run(self.program(make).arg("-C").arg(folder).arg("-n").args(targets))?;
        Ok(asked.status.success())
    }

    /// What to ask of which folder's makefile for a program to be made.
    fn make_target(&self, program: &Path) -> Option<(PathBuf, String)> {
        let folder = self.make_folder(program)?;
        let target = program.strip_prefix(&folder).ok()?;
        Some((folder, target.to_string_lossy().into_owned()))
    }

    /// Where `make` would run a program: in its own folder if that has a makefile, otherwise at the top.
    pub(crate) fn make_folder(&self, program: &Path) -> Option<PathBuf> {
        let folder = program.parent()?;
        let has_makefile = ["GNUmakefile", "makefile", "Makefile"].iter().any(|name| folder.join(name).is_file());
        Some(if has_makefile { folder.to_path_buf() } else { self.tree().to_path_buf() })
    }

    /// The programs that the build links for the tests alone. Where libtool puts a script in front of one, the script.
    pub(crate) fn test_programs(&self) -> BTreeSet<PathBuf> {
        let is_test =
            |(product, is_test): &&(Product, bool)| product.is_executable && (*is_test || product.run_as_test);
        let programs = self.products.iter().filter(is_test);
        let outputs = programs.filter_map(|(product, _)| product.output.as_deref());
        outputs.map(without_libtool).collect()
    }

    /// A program of the build, in the tree and kept from the user's.
    pub(crate) fn program(&self, program: &Path) -> Command {
        let mut command = tools::build_program(program, &self.work);
        command.current_dir(self.tree()).env("CCACHE_DISABLE", "1").envs(self.variables.iter().cloned());
        command
    }
}

/// `tests/.libs/lt-x` and `tests/.libs/x` are both run through `tests/x`.
fn without_libtool(output: &Path) -> PathBuf {
    let folder = output.parent().filter(|folder| folder.ends_with(".libs")).and_then(Path::parent);
    match (folder, output.file_name()) {
        (Some(folder), Some(name)) => {
            let name = name.to_string_lossy();
            folder.join(name.strip_prefix("lt-").unwrap_or(&name))
        }
        _ => output.to_path_buf(),
    }
}

fn ninja() -> Result<PathBuf, HostError> {
    tools::find_program("ninja-build").map_or_else(|| require_program("ninja"), Ok)
}
