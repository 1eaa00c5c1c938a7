//! A build that ends when we end, however that happens.
//!
//! A signal handler cannot run on SIGKILL. So the build runs in a session of its own below a small shell, which waits
//! on a pipe that only this process holds open. When this process ends, the pipe is closed and the shell ends the whole
//! session. A program that opens a session for itself, as servers do, escapes.
//!
//! The code that answers a signal calls [`end_builds`]. Signals concern a whole process, and so does the state here.

use std::collections::BTreeMap;
use std::io::{self, PipeWriter};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use perturb_cell::Stopper;

/// Ends processes one by one, as some leave the group (`timeout` does) though not the session. Goes on until two looks
/// in a row find none, as one that is being ended may just have started another. Where there is no `/proc`, the group
/// must do. The build is not put in the background, where a shell would take its interrupts away.
const SUPERVISOR: &str = r#"
exec 3<&0 </dev/null
(
    read -r _ <&3
    read -r self _ </proc/self/stat
    quiet=0 looks=0
    while [ $quiet -lt 2 ] && [ $looks -lt 500 ]; do
        quiet=$((quiet + 1)) looks=$((looks + 1))
        for stat in /proc/[0-9]*/stat; do
            { read -r line <"$stat"; } 2>/dev/null || continue
            process=${line%% *}
            set -- ${line##*) }
            if [ "${4-}" = $$ ] && [ "$1" != Z ] && [ "$process" != "$self" ]; then
                kill -KILL "$process" && quiet=0
            fi
        done
    done
    kill -KILL 0
) &
"$@" 3<&-
status=$?
{ kill -KILL $!; wait $!; } 2>/dev/null
exit $status
"#;

/// The same command under supervision. It lives no longer than the second value.
pub(crate) fn supervised(command: &Command) -> io::Result<(Command, PipeWriter)> {
    let (reader, writer) = io::pipe()?;
    let mut supervisor = Command::new("/bin/sh");
    supervisor.args(["-c", SUPERVISOR, "sh"]).arg(command.get_program()).args(command.get_args()).stdin(reader);
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => supervisor.env(name, value),
            None => supervisor.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        supervisor.current_dir(folder);
    }
    // A session and not only a group: without a terminal, a program that asks on it fails instead of waiting for ever.
    // SAFETY: between fork and exec this only calls setsid and reads errno; both are async-signal-safe.
    unsafe { supervisor.pre_exec(new_session) };
    Ok((supervisor, writer))
}

fn new_session() -> io::Result<()> {
    // SAFETY: setsid takes nothing and touches no memory of ours.
    match unsafe { libc::setsid() } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// The supervised processes that run now, by number.
static RUNNING: Mutex<SupervisedProcess> =
    Mutex::new(SupervisedProcess { is_over: false, next: 0, alive: BTreeMap::new() });

struct SupervisedProcess {
    is_over: bool,
    next: u64,
    alive: BTreeMap<u64, Alive>,
}

/// The means to end a build.
enum Alive {
    /// It goes on as long as this is open.
    Supervised(PipeWriter),
    InCell(Stopper),
}

impl Alive {
    fn end(self) {
        match self {
            Alive::Supervised(writer) => drop(writer),
            Alive::InCell(stopper) => stopper.stop(),
        }
    }
}

/// Ends all configures and builds that are under way in this process, and all that start later: each is then told as
/// stopped, whatever it had come to.
pub fn end_builds() {
    let mut running = lock();
    running.is_over = true;
    std::mem::take(&mut running.alive).into_values().for_each(Alive::end);
}

/// Lives as long as a build may.
pub(crate) struct Leash(u64);

impl Leash {
    pub(crate) fn new(alive: PipeWriter) -> Leash {
        Leash::on(Alive::Supervised(alive))
    }

    /// Of a build in a cell.
    pub(crate) fn of_cell(stopper: Stopper) -> Leash {
        Leash::on(Alive::InCell(stopper))
    }

    fn on(alive: Alive) -> Leash {
        let mut running = lock();
        let number = running.next;
        running.next += 1;
        match running.is_over {
            true => alive.end(),
            false => drop(running.alive.insert(number, alive)),
        }
        Leash(number)
    }

    /// Ends what it holds.
    pub(crate) fn cut(&self) {
        if let Some(alive) = lock().alive.remove(&self.0) {
            alive.end();
        }
    }

    /// Whether [`end_builds`] was called.
    pub(crate) fn is_cut(&self) -> bool {
        lock().is_over
    }
}

impl Drop for Leash {
    /// The build has ended; its cell may be used for the next one.
    fn drop(&mut self) {
        lock().alive.remove(&self.0);
    }
}

fn lock() -> MutexGuard<'static, SupervisedProcess> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}
