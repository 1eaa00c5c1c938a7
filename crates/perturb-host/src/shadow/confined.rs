//! Runs builds of texts with mutants in a cell.
//!
//! A build may run what it builds: generators, tests after the link, a default goal that is `test`. With a mutant in
//! the text such a program is a mutant. So these builds see and write the copy of the project and nothing else of the
//! user's, have no network, and leave nothing running.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use perturb_cell::{Cell, CellError, CellOptions, End, Ended, Job, Limits, Permits, Sandbox};

use crate::error::HostError;
use crate::process::supervise::Leash;
use crate::process::tools::{self, Measured};

/// How builds are kept from doing harm.
#[derive(Debug, Clone)]
pub struct BuildConfinement {
    /// A folder for the cell alone.
    pub scratch: PathBuf,
    pub sandbox: Sandbox,
    /// Paths that the configuration lets every test read.
    pub readable: Vec<PathBuf>,
}

/// The place where builds of one copy of a project run.
#[derive(Debug)]
pub(super) enum BuildPlace {
    /// Outside a cell, while no text of ours is in the copy.
    NotSaid,
    Confined(Box<BuildCell>),
    /// Outside, with all that the user may do, whatever is in the copy.
    Outside,
}

/// A cell for builds of one copy of a project.
#[derive(Debug)]
pub(super) struct BuildCell {
    cell: Cell,
}

/// What a build may take where nothing else is said: it is our text that is built, and the project's own build takes as
/// long.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

const LIMITS: Limits = Limits {
    cpu: LONGEST,
    wall: LONGEST,
    memory_bytes: None,
    file_bytes: 1 << 36,
    processes: 4096,
    output_bytes: 16 << 20,
};

/// Variables of the caller's session: of no use to a build, and a way out of the cell.
const OF_THE_SESSION: [&str; 8] = [
    "DBUS_SESSION_BUS_ADDRESS",
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "GPG_AGENT_INFO",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DOCKER_HOST",
];

impl BuildCell {
    /// `work` holds the copy and what instrumented texts include; builds write to `folders` in it. `compilers` are what
    /// the copy is compiled with.
    pub fn open(
        confinement: &BuildConfinement,
        work: &Path,
        folders: Vec<PathBuf>,
        compilers: Vec<PathBuf>,
    ) -> Result<BuildCell, HostError> {
        let options = CellOptions {
            visible: vec![work.to_path_buf()],
            shared: folders,
            programs: compilers,
            memory_bytes: Some(4 << 30),
            sandbox: confinement.sandbox,
            permits: Permits { readable: confinement.readable.clone(), ..Permits::default() },
            ..CellOptions::new(&confinement.scratch)
        };
        Ok(BuildCell { cell: Cell::open(&options)? })
    }

    /// As [`tools::run_measured`], in the cell.
    pub fn run(&mut self, command: &Command, log: &Path, limit: Option<Duration>) -> Result<Measured, HostError> {
        let program = found(command.get_program())?;
        let arguments: Vec<OsString> = command.get_args().map(OsStr::to_os_string).collect();
        let environment = environment(command);
        let wall = limit.unwrap_or(LONGEST);
        let directory = command.get_current_dir().unwrap_or(Path::new("/"));
        let limits = Limits { wall, ..LIMITS };
        let job = Job { program: &program, arguments: &arguments, directory, environment: &environment, limits };
        let leash = Leash::of_cell(self.cell.stopper()?);
        let ended = match self.cell.run(&job) {
            Err(CellError::Stopped) => return Err(HostError::Stopped),
            ended => ended?,
        };
        if leash.is_cut() {
            return Err(HostError::Stopped);
        }
        write_log(command, &ended, log)?;
        let (is_over, status) = (ended.how == End::WallTimeout, status(ended.how));
        tools::log_command(command, status, ended.wall);
        tools::check_space(status, log)?;
        Ok(Measured { status, cpu: ended.cpu, wall: ended.wall, is_over })
    }
}

/// A program by its path: a job's is not looked for.
fn found(program: &OsStr) -> Result<PathBuf, HostError> {
    let path = Path::new(program);
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => Ok(path.to_path_buf()),
        _ => tools::require_program(&program.to_string_lossy()),
    }
}

/// The caller's environment, as a build outside would have it, but for what belongs to its session and what a cell has
/// its own of.
fn environment(command: &Command) -> Vec<(OsString, Option<OsString>)> {
    const OWN: [&str; 6] = ["HOME", "TMPDIR", "TMP", "TEMP", "PWD", "OLDPWD"];
    let is_kept = |name: &OsStr| {
        let is_one_of = |names: &[&str]| names.iter().any(|one| name == OsStr::new(one));
        !is_one_of(&OWN) && !is_one_of(&OF_THE_SESSION) && !name.as_encoded_bytes().starts_with(b"XDG_")
    };
    let callers = std::env::vars_os().filter(|(name, _)| is_kept(name)).map(|(name, value)| (name, Some(value)));
    let own = command.get_envs().map(|(name, value)| (name.to_os_string(), value.map(OsStr::to_os_string)));
    callers.chain(own).collect()
}

fn write_log(command: &Command, ended: &Ended, log: &Path) -> Result<(), HostError> {
    let write = || -> std::io::Result<()> {
        let mut file = File::options().create(true).append(true).open(log)?;
        writeln!(file, "$ {}", tools::shown(command))?;
        let (first, last) = ended.output.split_at(ended.cut.unwrap_or(ended.output.len()));
        file.write_all(first)?;
        if ended.cut.is_some() {
            write!(file, "\n[{} bytes left out]\n", ended.output_bytes - ended.output.len() as u64)?;
        }
        file.write_all(last)
    };
    write().map_err(HostError::io("write", log))
}

fn status(how: End) -> ExitStatus {
    match how {
        End::Exited(code) => ExitStatus::from_raw((code & 0xff) << 8),
        End::Signalled(signal) => ExitStatus::from_raw(signal),
        End::CpuTimeout | End::WallTimeout => ExitStatus::from_raw(libc::SIGKILL),
    }
}
