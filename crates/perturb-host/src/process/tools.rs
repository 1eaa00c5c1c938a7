//! Finds programs on the PATH and runs them to their end.
//!
//! Starts all processes except those of the program under test, which `perturb-cell` starts. It never prints their
//! output and never gives them a terminal.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::error::HostError;
use crate::process::disk;
use crate::process::supervise::{supervised, Leash};

/// The result of a finished program.
#[derive(Debug, Clone)]
pub struct Finished {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Finished {
    fn of(output: Output) -> Finished {
        let [stdout, stderr] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Finished { status: output.status, stdout, stderr }
    }
}

/// The first executable file called `name` on the PATH; a name with a slash is taken as it is.
pub fn find_program(name: &str) -> Option<PathBuf> {
    find_program_in(name, &std::env::var_os("PATH").unwrap_or_default())
}

/// As [`find_program`], on a PATH given by the caller.
pub fn find_program_in(name: &str, path: &OsStr) -> Option<PathBuf> {
    if name.contains('/') {
        let program = PathBuf::from(name);
        return is_executable(&program).then_some(program);
    }
    std::env::split_paths(path).map(|folder| folder.join(name)).find(|program| is_executable(program))
}

/// Whether `path` is a regular file with an execute permission.
pub(crate) fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// The path of a program we cannot do without, or an error with the line that installs it.
pub(crate) fn require_program(name: &str) -> Result<PathBuf, HostError> {
    find_program(name)
        .ok_or_else(|| HostError::ProgramMissing { program: name.to_string(), hint: install_hint(name).to_string() })
}

/// Runs a command to its end. Both pipes are drained while it runs, so that a talkative program cannot block.
pub(crate) fn run(command: &mut Command) -> Result<Finished, HostError> {
    let start = Instant::now();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| HostError::ProgramNotStarted { program: program_name(command), error })?;
    log_command(command, output.status, start.elapsed());
    Ok(Finished::of(output))
}

/// As [`run`], for at most so long; `None` when it had to be ended, with all that it started.
pub(crate) fn run_limited(command: &Command, longest: Duration) -> Result<Option<Finished>, HostError> {
    let not_started = |error| HostError::ProgramNotStarted { program: program_name(command), error };
    let start = Instant::now();
    let (mut supervisor, alive) = supervised(command).map_err(not_started)?;
    let child = supervisor.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(not_started)?;
    let (sender, ended) = mpsc::channel();
    // Not waited for: it ends with the last process that holds the pipes, which may have left the session.
    thread::Builder::new().spawn(move || sender.send(child.wait_with_output())).map_err(not_started)?;
    let output = ended.recv_timeout(longest);
    // The supervisor waits for the end of this pipe, and then ends its session.
    drop(alive);
    let Ok(output) = output else {
        tracing::debug!(command = shown(command), "ended a command that ran for longer than {longest:?}");
        return Ok(None);
    };
    let output = output.map_err(not_started)?;
    log_command(command, output.status, start.elapsed());
    Ok(Some(Finished::of(output)))
}

/// The result of a supervised command, with its times.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured {
    pub status: ExitStatus,
    /// The processor time of the command and of all processes that it has waited for.
    pub cpu: Duration,
    pub wall: Duration,
    /// It was ended, since it took longer than it may.
    pub is_over: bool,
}

/// Runs a command with both its outputs appended to `log`, in the order in which they were written. It may run for
/// long, and so ends with us.
pub(crate) fn run_logged(command: &Command, log: &Path) -> Result<ExitStatus, HostError> {
    run_measured(command, log, None).map(|measured| measured.status)
}

/// As [`run_logged`], with what it took; it may take no longer than `limit`.
pub(crate) fn run_measured(command: &Command, log: &Path, limit: Option<Duration>) -> Result<Measured, HostError> {
    let open = || File::options().create(true).append(true).open(log).map_err(HostError::io("write", log));
    let mut file = open()?;
    writeln!(file, "$ {}", shown(command)).map_err(HostError::io("write", log))?;
    let not_started = |error| HostError::ProgramNotStarted { program: program_name(command), error };
    let start = Instant::now();
    let (mut supervisor, alive) = supervised(command).map_err(not_started)?;
    let child = supervisor.stdout(open()?).stderr(file).spawn().map_err(not_started)?;
    let leash = Leash::new(alive);
    let in_time = match limit {
        Some(limit) => wait_until(&child, start + limit).map_err(not_started)?,
        None => Some(wait(&child).map_err(not_started)?),
    };
    let (status, cpu) = match in_time {
        Some(ended) => ended,
        None => {
            leash.cut();
            wait(&child).map_err(not_started)?
        }
    };
    if leash.is_cut() {
        return Err(HostError::Stopped);
    }
    log_command(command, status, start.elapsed());
    check_space(status, log)?;
    Ok(Measured { status, cpu, wall: start.elapsed(), is_over: in_time.is_none() })
}

/// For `PERTURB_LOG`.
pub(crate) fn log_command(command: &Command, status: ExitStatus, wall: Duration) {
    let folder = command.get_current_dir().unwrap_or(Path::new("."));
    let folder = folder.display();
    tracing::debug!(command = shown(command), %folder, %status, ?wall, "ran a command");
}

/// A failure for lack of space says nothing about the project.
pub(crate) fn check_space(status: ExitStatus, log: &Path) -> Result<(), HostError> {
    if !status.success() && disk::is_full(log) {
        return Err(HostError::DiskFull { path: log.parent().unwrap_or(log).to_path_buf() });
    }
    Ok(())
}

/// Waits for the end of a process and asks for the time that it took of the processors.
pub(crate) fn wait(child: &Child) -> io::Result<(ExitStatus, Duration)> {
    wait_with(child, 0)?.ok_or_else(|| io::Error::other("a process that was waited for goes on"))
}

/// The same, for no longer than until then: `None` if it goes on.
fn wait_until(child: &Child, end: Instant) -> io::Result<Option<(ExitStatus, Duration)>> {
    const LONGEST: Duration = Duration::from_millis(20);
    let mut pause = Duration::from_millis(1);
    loop {
        let now = Instant::now();
        if let Some(ended) = ended(child)? {
            return Ok(Some(ended));
        }
        if now >= end {
            return Ok(None);
        }
        std::thread::sleep(pause.min(end - now));
        pause = (2 * pause).min(LONGEST);
    }
}

/// The same of a process that may go on: `None` then.
pub(crate) fn ended(child: &Child) -> io::Result<Option<(ExitStatus, Duration)>> {
    wait_with(child, libc::WNOHANG)
}

fn wait_with(child: &Child, options: libc::c_int) -> io::Result<Option<(ExitStatus, Duration)>> {
    let process = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
    let mut status = 0;
    // SAFETY: `rusage` is a plain structure of integers, for which all zeros is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let waited = loop {
        // SAFETY: both pointers are to values that live longer than the call; nobody else waits for this child.
        let waited = unsafe { libc::wait4(process, &mut status, options, &mut usage) };
        let error = io::Error::last_os_error();
        if waited != -1 {
            break waited;
        }
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    };
    if waited == 0 {
        return Ok(None);
    }
    let duration = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec.try_into().unwrap_or(0))
            + Duration::from_micros(time.tv_usec.try_into().unwrap_or(0))
    };
    Ok(Some((ExitStatus::from_raw(status), duration(usage.ru_utime) + duration(usage.ru_stime))))
}

/// A program of a build, kept from the user's tree: where the work folder lies within the user's repository, git would
/// find that from our copy, and a build that updates its submodules would write in it.
pub(crate) fn build_program(program: &Path, work: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("GIT_CEILING_DIRECTORIES", work);
    command
}

/// The last lines of a log, for an error message.
pub(crate) fn tail(log: &Path) -> String {
    const LINES: usize = 15;
    let text = fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(LINES)..].iter().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// `exit status: 2` or `signal: 9 (SIGKILL)`, as the standard library words it.
pub(crate) fn shown_status(status: ExitStatus) -> String {
    status.to_string()
}

/// Lets others go first: this process, and all that it starts from now on, takes what they leave of the processors.
pub fn yield_to_others() {
    const NICENESS: libc::c_int = 5;
    // SAFETY: it takes numbers only. Where it is refused, nothing is lost.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, NICENESS) };
}

/// The processor time that this process itself has taken.
pub fn own_cpu() -> Duration {
    cpu_of(libc::RUSAGE_SELF)
}

/// The same, with that of all programs that it started and that have ended.
pub fn cpu_with_children() -> Duration {
    cpu_of(libc::RUSAGE_SELF) + cpu_of(libc::RUSAGE_CHILDREN)
}

/// The processor time that this thread has taken.
pub fn thread_cpu() -> Duration {
    cpu_of(libc::RUSAGE_THREAD)
}

fn cpu_of(whose: libc::c_int) -> Duration {
    // SAFETY: `rusage` is a plain structure of integers, for which all zeros is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a value that lives longer than the call.
    unsafe { libc::getrusage(whose, &mut usage) };
    let duration = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec.try_into().unwrap_or(0))
            + Duration::from_micros(time.tv_usec.try_into().unwrap_or(0))
    };
    duration(usage.ru_utime) + duration(usage.ru_stime)
}

/// How many jobs a build may use at a time.
pub(crate) fn jobs() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The command that installs a program, on the systems we know.
pub fn install_hint(program: &str) -> String {
    let name = Path::new(program).file_name().and_then(OsStr::to_str).unwrap_or(program);
    let versioned = |base: &str| name.strip_prefix(base).is_some_and(|rest| rest.starts_with('-'));
    let package = match name {
        "cc" | "gcc" | "c89" | "c99" => "gcc".to_string(),
        "c++" | "g++" => "g++".to_string(),
        "clang" | "clang++" => "clang".to_string(),
        "ninja" => "ninja-build".to_string(),
        "cmake" | "meson" | "make" | "bear" | "ccache" | "tcc" => name.to_string(),
        "ctest" => "cmake".to_string(),
        "python3" => "python3".to_string(),
        "arm-none-eabi-gcc" | "arm-none-eabi-g++" => "gcc-arm-none-eabi libnewlib-arm-none-eabi".to_string(),
        "riscv64-unknown-elf-gcc" | "riscv64-unknown-elf-g++" => {
            "gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf".to_string()
        }
        "avr-gcc" | "avr-g++" => "gcc-avr avr-libc".to_string(),
        "msp430-elf-gcc" => "gcc-msp430".to_string(),
        "musl-gcc" => "musl-tools".to_string(),
        _ if versioned("clang++") => name.replace("++", ""),
        _ if versioned("gcc") || versioned("g++") || versioned("clang") => name.to_string(),
        _ => match name.strip_suffix("-gcc").or(name.strip_suffix("-g++")) {
            // Debian names its Linux cross compilers gcc-<triple> and g++-<triple>.
            Some(triple) if triple.contains("linux-gnu") => {
                let language = if name.ends_with("++") { "g++" } else { "gcc" };
                format!("{language}-{}", triple.replace('_', "-"))
            }
            _ => return "install it, or put its folder on the PATH".to_string(),
        },
    };
    format!("apt-get install {package}")
}

fn program_name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

pub(crate) fn shown(command: &Command) -> String {
    let words: Vec<OsString> =
        std::iter::once(command.get_program()).chain(command.get_args()).map(Into::into).collect();
    words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn install_hints_name_the_debian_package() {
        for (program, expected) in [
            ("cc", "apt-get install gcc"),
            ("/usr/bin/g++", "apt-get install g++"),
            ("clang++-16", "apt-get install clang-16"),
            ("gcc-11", "apt-get install gcc-11"),
            ("arm-none-eabi-gcc", "apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi"),
            ("sparc64-linux-gnu-gcc", "apt-get install gcc-sparc64-linux-gnu"),
            ("x86_64-linux-gnux32-g++", "apt-get install g++-x86-64-linux-gnux32"),
            ("iccarm", "install it, or put its folder on the PATH"),
        ] {
            assert_eq!(install_hint(program), expected, "{program}");
        }
    }

    #[test]
    fn a_talkative_program_is_drained_on_both_pipes() {
        let mut command = Command::new("sh");
        command.args(["-c", "i=0; while [ $i -lt 20000 ]; do echo out$i; echo err$i >&2; i=$((i+1)); done; exit 3"]);
        let finished = run(&mut command).unwrap();
        assert_eq!(finished.status.code(), Some(3));
        assert!(finished.stdout.ends_with("out19999\n") && finished.stderr.ends_with("err19999\n"));
    }

    #[test]
    fn a_program_that_takes_too_long_is_ended() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo out; exit 4"]);
        let finished = run_limited(&command, Duration::from_secs(60)).unwrap().unwrap();
        assert_eq!((finished.status.code(), finished.stdout.as_str()), (Some(4), "out\n"));
        let mut command = Command::new("sleep");
        command.arg("600");
        assert!(run_limited(&command, Duration::from_millis(50)).unwrap().is_none());
    }

    #[test]
    fn a_build_that_takes_too_long_is_ended_with_all_that_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let (log, started) = (folder.path().join("log"), folder.path().join("started"));
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("sleep 600 & echo $! > {}; wait", started.display()));
        let measured = run_measured(&command, &log, Some(Duration::from_millis(500))).unwrap();
        assert!(measured.is_over && !measured.status.success());
        let process = fs::read_to_string(&started).unwrap();
        let state = |text: String| text.rsplit(") ").next().and_then(|rest| rest.chars().next());
        let is_gone = || {
            let stat = fs::read_to_string(format!("/proc/{}/stat", process.trim()));
            stat.map_or(true, |stat| state(stat) == Some('Z'))
        };
        assert!((0..500).any(|_| is_gone() || {
            std::thread::sleep(Duration::from_millis(10));
            false
        }));
        let measured = run_measured(Command::new("true").arg("x"), &log, Some(Duration::from_secs(60))).unwrap();
        assert!(!measured.is_over && measured.status.success());
    }

    #[test]
    fn a_program_that_cannot_be_started_is_named() {
        let error = run(&mut Command::new("/no/such/program")).unwrap_err();
        assert!(error.to_string().contains("/no/such/program"), "{error}");
    }
}
