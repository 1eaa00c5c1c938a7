//! A cell: opens it, gives its server one job after another, and ends it with all that it started.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, PipeReader, Read};
use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::desk::{self, Bounds, Cause, Desk, Finish, ServerAnswer};
use crate::environment::{self, Environment};
use crate::error::CellError;
use crate::job::{End, Ended, Job};
use crate::launch::{launch, Launched};
use crate::layers::Layers;
use crate::options::{CellOptions, Sandbox};
use crate::output::OutputCapture;
use crate::pristine::PristineCopies;
use crate::{fork, group, sys, wire};

/// How long a server may take to end once it is told to.
const PATIENCE: Duration = Duration::from_secs(20);

/// What an unprivileged program can make of a pipe.
const LARGEST_PIPE: usize = 1 << 20;

/// A place to run jobs in, one at a time. Open one for every thread that runs jobs, and open them early: their servers
/// are copies of this process, and share its memory as it is then.
#[derive(Debug)]
pub struct Cell {
    process: libc::pid_t,
    socket: UnixStream,
    desk: Desk,
    environment: Environment,
    layers: Layers,
    /// Where jobs write to the private folders themselves.
    pristine: Option<Arc<PristineCopies>>,
    scratch: PathBuf,
    exchange: Vec<File>,
    buffer: Vec<u8>,
    is_stale: bool,
    has_ended: bool,
    is_stopped: Arc<AtomicBool>,
    /// Goes when all in it have ended.
    _group: Option<group::Group>,
}

impl Cell {
    pub fn open(options: &CellOptions) -> Result<Cell, CellError> {
        let scratch = &options.scratch;
        remove_scratch(scratch).map_err(CellError::io("empty", scratch))?;
        fs::create_dir_all(scratch).map_err(CellError::io("create", scratch))?;
        let desk = Desk::new().map_err(|error| CellError::NotOpened { reason: error.to_string() })?;
        let Launched { process, socket, home, temp, layers, exchange, group } =
            launch(options, &desk).inspect_err(|_| {
                let _ = remove_scratch(scratch);
            })?;
        let environment = environment::base(std::env::vars_os(), &home, &temp);
        let (scratch, buffer) = (scratch.clone(), vec![0; 64 << 10]);
        let mut cell = Cell {
            process,
            socket,
            desk,
            environment,
            layers,
            pristine: None,
            scratch,
            exchange,
            buffer,
            is_stale: false,
            has_ended: false,
            is_stopped: Arc::default(),
            _group: group,
        };
        cell.protect_folders(options)?;
        Ok(cell)
    }

    fn protect_folders(&mut self, options: &CellOptions) -> Result<(), CellError> {
        if self.layers.private_views {
            return Ok(());
        }
        let pristine = options.pristine.clone().map_or_else(|| PristineCopies::beside(&options.scratch), Ok)?;
        pristine.enter(&options.private, &[&options.shared[..], &options.permits.write].concat())?;
        self.pristine = Some(pristine);
        Ok(())
    }

    /// Which layers this cell has.
    pub fn layers(&self) -> &Layers {
        &self.layers
    }

    /// The files for the exchange with jobs, in the order of the options. A job may have left anything in them: read no
    /// more than you expect, and set their length before the next one.
    pub fn exchange(&self) -> &[File] {
        &self.exchange
    }

    /// To be called after a private folder was written to from outside, as by a build: the next job sees what is there
    /// now. Views do not notice by themselves, and a job could run a program that is not there any more.
    pub fn folders_changed(&mut self) {
        self.is_stale = true;
    }

    /// Ends this cell from another thread, also while it runs a job.
    pub fn stopper(&self) -> Result<Stopper, CellError> {
        let socket = self.socket.try_clone().map_err(|error| CellError::Lost { reason: error.to_string() })?;
        Ok(Stopper { socket, is_stopped: self.is_stopped.clone() })
    }

    /// Runs a program to its end, and ends all that it started. Without private views it waits for its turn in the
    /// private folders, and restores them afterwards.
    pub fn run(&mut self, job: &Job) -> Result<Ended, CellError> {
        let Some(pristine) = self.pristine.clone() else { return self.run_by_server(job) };
        let turn = pristine.begin(self.is_stale)?;
        let ended = self.run_by_server(job);
        if matches!(ended, Err(CellError::Lost { .. } | CellError::Stopped)) {
            // Processes of the job may go on until then.
            self.end_server();
        }
        let restored = turn.end();
        ended.and_then(|ended| restored.map(|()| ended))
    }

    fn run_by_server(&mut self, job: &Job) -> Result<Ended, CellError> {
        self.write_order(job)?;
        let (reader, writer) = io::pipe().map_err(not_started(job))?;
        if wire::send(self.socket.as_raw_fd(), Some(writer.as_raw_fd())).is_err() {
            return Err(self.lost());
        }
        drop(writer);
        let mut capture = OutputCapture::new(job.limits.output_bytes);
        self.drain(reader, &mut capture)?;
        match self.desk.answered() {
            ServerAnswer::Ended(finish) => Ok(ended(finish, capture)),
            ServerAnswer::NotExecuted { errno } if self.is_hidden(job.program, errno) => {
                Err(CellError::ProgramHidden { program: job.program.to_path_buf() })
            }
            ServerAnswer::NotExecuted { errno } => Err(not_started(job)(io::Error::from_raw_os_error(errno))),
            ServerAnswer::NotStarted(failed) => Err(not_started(job)(io::Error::other(failed.to_string()))),
            ServerAnswer::None | ServerAnswer::Ready(_) => Err(self.lost()),
        }
    }

    /// Whether a program that could not be executed is there, and only not for jobs.
    fn is_hidden(&self, program: &Path, errno: i32) -> bool {
        let is_kept_away = match errno {
            libc::ENOENT => self.layers.mount_namespace,
            libc::EACCES => self.layers.landlock.is_some() && !self.layers.mount_namespace,
            _ => false,
        };
        is_kept_away && program.metadata().is_ok_and(|data| data.permissions().mode() & 0o111 != 0)
    }

    fn write_order(&mut self, job: &Job) -> Result<(), CellError> {
        let words: Vec<&OsStr> =
            std::iter::once(job.program.as_os_str()).chain(job.arguments.iter().map(OsString::as_os_str)).collect();
        let ns = |duration: Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        let bounds = Bounds {
            cpu_ns: ns(job.limits.cpu),
            wall_ns: ns(job.limits.wall),
            data_bytes: job.limits.memory_bytes.unwrap_or(u64::MAX),
            file_bytes: job.limits.file_bytes,
            processes: job.limits.processes,
        };
        let environment = environment::changed(&self.environment, job.environment);
        self.desk
            .put_order(bounds, std::mem::take(&mut self.is_stale), &words, job.directory.as_os_str(), &environment)
            .map_err(|desk::Unfit| not_started(job)(io::Error::from_raw_os_error(libc::E2BIG)))
    }

    /// Reads the job's output until the server reports its end.
    fn drain(&mut self, mut reader: PipeReader, capture: &mut OutputCapture) -> Result<(), CellError> {
        let socket = self.socket.as_raw_fd();
        let (mut is_open, mut late) = (true, 0);
        loop {
            let output = if is_open { reader.as_raw_fd() } else { -1 };
            let [has_ended, has_output] = sys::poll([socket, output], u64::MAX);
            // All that the job wrote is read. Nothing of it lives, so that nothing can come after it; should something
            // have escaped and write on, it is not listened to for longer than a pipe is large.
            if has_ended && (!has_output || late > LARGEST_PIPE) {
                return wire::receive(socket).map(drop).ok_or_else(|| self.lost());
            }
            if has_output {
                let read = match reader.read(&mut self.buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    read => read.unwrap_or(0),
                };
                capture.add(&self.buffer[..read]);
                is_open = read > 0;
                late += if has_ended { read } else { 0 };
            }
        }
    }

    fn lost(&self) -> CellError {
        if self.is_stopped.load(Ordering::SeqCst) {
            return CellError::Stopped;
        }
        let reason = self.desk.broken().map_or("its server has ended".to_string(), |failed| failed.to_string());
        CellError::Lost { reason }
    }
}

impl Cell {
    fn end_server(&mut self) {
        if std::mem::replace(&mut self.has_ended, true) {
            return;
        }
        let _ = self.socket.shutdown(Shutdown::Write);
        // It ends all jobs first, and then closes its end. Only one that does not is killed.
        let until = Instant::now() + PATIENCE;
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            let _ = self.socket.set_read_timeout(Some(left.max(Duration::from_millis(1))));
            match self.socket.read(&mut [0; 16]) {
                Ok(0) => break,
                Ok(_) => (),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Err(_) => break,
            }
        }
        fork::end(self.process);
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        self.end_server();
        if let Some(pristine) = &self.pristine {
            pristine.leave();
        }
        let _ = remove_scratch(&self.scratch);
    }
}

/// How much memory all processes of a job may use together where so many jobs share the machine: no less than one
/// process may, and enough is left for everybody else. None where a process has no limit.
pub fn memory_of_job(jobs: usize, of_process: Option<u64>) -> Option<u64> {
    // SAFETY: only numbers.
    let (pages, page) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    let machine = u64::try_from(pages).unwrap_or(0).saturating_mul(u64::try_from(page).unwrap_or(0));
    of_process.map(|least| least.max(machine / 4 * 3 / jobs.max(1) as u64))
}

/// Which layers a cell would have, opened in this scratch for nothing else.
pub fn probe_layers(scratch: &Path, sandbox: Sandbox) -> Result<Layers, CellError> {
    let private = scratch.join("view");
    fs::create_dir_all(&private).map_err(CellError::io("create", &private))?;
    let job_memory = memory_of_job(1, Some(0));
    let options = CellOptions { private: vec![private], sandbox, job_memory, ..CellOptions::new(scratch.join("cell")) };
    let layers = Cell::open(&options).map(|cell| cell.layers.clone());
    let _ = fs::remove_dir_all(scratch);
    layers
}

/// Ends a cell that may be running a job in another thread: the job is ended, and `run` answers with an error.
#[derive(Debug)]
pub struct Stopper {
    socket: UnixStream,
    is_stopped: Arc<AtomicBool>,
}

impl Stopper {
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        // Only towards the server: it must have the time to end all, and closes the other way when it has.
        let _ = self.socket.shutdown(Shutdown::Write);
    }
}

fn ended(finish: Finish, capture: OutputCapture) -> Ended {
    let how = match finish.cause {
        Cause::CpuLimit => End::CpuTimeout,
        Cause::WallLimit => End::WallTimeout,
        Cause::Itself => End::of_status(finish.status),
    };
    let (output, cut, output_bytes) = capture.finish();
    let (wall, cpu) = (Duration::from_nanos(finish.wall_ns), Duration::from_nanos(finish.cpu_ns));
    Ended { how, output, cut, output_bytes, wall, cpu }
}

fn not_started(job: &Job) -> impl FnOnce(io::Error) -> CellError {
    let program = job.program.display().to_string();
    move |error| CellError::ProgramNotStarted { program, error }
}

/// Removes the scratch with whatever a cell that was killed left there, folders that it closed included.
pub fn remove_scratch(scratch: &Path) -> io::Result<()> {
    if let Err(error) = fs::symlink_metadata(scratch) {
        return if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) };
    }
    open_folders(scratch)?;
    fs::remove_dir_all(scratch)
}

fn open_folders(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open_folders(&entry.path())?;
        }
    }
    Ok(())
}
