//! The server of a cell: a small process that starts jobs, watches them, and leaves nothing of them behind.
//!
//! It is cloned from the program that opens the cell, so it may use only the calls in `sys`: no allocation, no lock, no
//! panic. With a pid namespace it is the first process there, and all others die with it. It ends when the socket to
//! its owner closes, however the owner ended, even in the middle of a job.

use std::os::fd::OwnedFd;

use crate::child::{self, ChildStart, Stack, Stop};
use crate::confine;
use crate::connect;
use crate::descendants::Descendants;
use crate::desk::{Cause, Desk, Finish, JobOrder, ServerAnswer, SetUp};
use crate::mounts::{self, Refreshed};
use crate::plan::CellPlan;
use crate::sys::{self, EndingOrder, Fd, SysError, SysResult};
use crate::wire;

/// Two looks at the processor time are never closer than this.
const SHORTEST_LOOK_NS: u64 = 5_000_000;

/// How long a burst of processes may last where the kernel does not limit them.
const PROCESS_LOOK_NS: u64 = 20_000_000;

/// How long jobs may take memory where the kernel does not limit it for all their processes together.
const MEMORY_LOOK_NS: u64 = 100_000_000;

/// Looks for what is left of a job; seconds, as processes on their way out may be held up by a slow disk.
const MOST_TRIES: u32 = 2000;

/// Everything that the server is cloned with.
pub(crate) struct Birth<'a> {
    pub plan: CellPlan,
    pub desk: &'a Desk,
    pub socket: Fd,
    /// All that is not to be closed, in ascending order.
    pub kept: Vec<Fd>,
    pub tick_ns: u64,
    pub processors: u64,
    /// To be written to by who joins the cell's control group.
    pub doors: Vec<Fd>,
    /// The limits of all processes of a job together.
    pub job_memory: Option<u64>,
    /// The limit on shared memory of the system's, where it is to be set.
    pub segment_pages: Option<String>,
    /// The kernel's limit on processes counts those of this cell only.
    pub counts_apart: bool,
}

/// Runs until the owner is gone; the exit status.
pub(crate) fn run(birth: &mut Birth<'_>) -> i32 {
    let (desk, socket) = (birth.desk, birth.socket);
    let ready = start_life(birth).and_then(|()| Server::set_up(birth));
    match ready {
        Ok((mut server, found)) => {
            desk.answer(ServerAnswer::Ready(found));
            let is_heard = wire::send(socket, None).is_ok();
            let served = is_heard.then(|| mounts::hand_over(&server.birth.plan, socket).and_then(|()| server.serve()));
            if let Some(Err(failed)) = served {
                desk.set_broken(Some(failed));
            }
            let _ = server.end_all(&mut RunningJob::new(0, 0));
            mounts::clear(&server.birth.plan, &found);
            0
        }
        Err(failed) => {
            desk.set_broken(Some(failed));
            1
        }
    }
}

/// Sheds what came with the clone, and waits until the owner has mapped our ids.
fn start_life(birth: &Birth<'_>) -> SysResult {
    sys::default_signals();
    // SAFETY: takes nothing. A clone is not the leader of a group, so that it cannot fail: from now on the terminal's
    // signals do not reach us.
    unsafe { libc::setsid() };
    // What the owner has open must be closed when the owner closes it, the sockets of other cells above all.
    let mut from = 3;
    for kept in &birth.kept {
        sys::close_range(from, kept - 1);
        from = kept + 1;
    }
    sys::close_range(from, i32::MAX);
    let null = sys::open("open /dev/null", libc::AT_FDCWD, c"/dev/null", libc::O_RDWR)?;
    (0..3).try_for_each(|standard| sys::dup_onto("close the terminal", null, standard))?;
    sys::close(null);
    match wire::receive(birth.socket) {
        Some(_) => Ok(()),
        None => sys::exit(0),
    }
}

struct Server<'a, 'b> {
    birth: &'a mut Birth<'b>,
    stack: Stack,
    null: Fd,
    children: Fd,
    /// Where the number of the last process is set, so that every job starts with the same.
    last_process: Option<Fd>,
    /// Jobs are to be ended first where memory runs out.
    ending_order: Option<EndingOrder>,
    descendants: Descendants,
    /// Of a job, where we must see to it.
    most_memory: Option<u64>,
    /// As the folders are now.
    rules: Option<OwnedFd>,
    /// Two ends, where a job's filter hands calls on: ours, and where it sends the descriptor that answers them.
    notices: Option<[Fd; 2]>,
    /// Less could be set up than was planned.
    is_lacking: bool,
}

/// A job that runs.
struct RunningJob {
    process: libc::pid_t,
    status: Option<i32>,
    started_ns: u64,
    ended_ns: u64,
    /// The processor time of all processes that have ended.
    reaped_ns: u64,
    /// The processor time of all processes together, at the last measurement.
    seen_ns: u64,
    timed_out: bool,
    /// Where calls come that it makes and that we answer.
    listener: Option<Fd>,
}

impl RunningJob {
    fn new(process: libc::pid_t, started_ns: u64) -> RunningJob {
        RunningJob {
            process,
            status: None,
            started_ns,
            ended_ns: 0,
            reaped_ns: 0,
            seen_ns: 0,
            timed_out: false,
            listener: None,
        }
    }
}

/// Why the server stopped watching a job.
enum WatchEnd {
    ToItsEnd,
    OwnerGone,
}

impl<'a, 'b> Server<'a, 'b> {
    fn set_up(birth: &'a mut Birth<'b>) -> SysResult<(Server<'a, 'b>, SetUp)> {
        // SAFETY: takes a number and cannot fail.
        unsafe { libc::umask(0) };
        let mut found = SetUp { group: join_group(&birth.doors).err(), ..SetUp::default() };
        mounts::set_up(&mut birth.plan, &mut found)?;
        if birth.plan.rung.network {
            sys::raise_loopback()?;
        }
        if !birth.plan.rung.processes {
            sys::prctl("become the parent of orphans", libc::PR_SET_CHILD_SUBREAPER, 1, 0)?;
        }
        sys::leave_keyrings();
        let ending_order = EndingOrder::of_ourselves();
        drop_privileges(&birth.plan)?;
        let last_process = (found.own_proc && birth.plan.rung.processes)
            .then(|| sys::open("open", libc::AT_FDCWD, c"/proc/sys/kernel/ns_last_pid", libc::O_WRONLY).ok())
            .flatten();
        let server = Server {
            stack: Stack::new()?,
            null: sys::open("open /dev/null", libc::AT_FDCWD, c"/dev/null", libc::O_RDONLY)?,
            children: sys::child_signals()?,
            last_process,
            ending_order,
            descendants: Descendants::new(birth.tick_ns),
            // Where the kernel watches nobody else need to.
            most_memory: birth.job_memory.filter(|_| birth.doors.is_empty() || found.group.is_some()),
            rules: rules(&birth.plan)?,
            notices: birth.plan.socket_folders.as_ref().map(|_| sys::pair_of_sockets()).transpose()?,
            is_lacking: found.sealed.is_some() || found.group.is_some() || limit_segments(birth).is_err(),
            birth,
        };
        found.has_rules = server.rules.is_some();
        Ok((server, found))
    }

    fn serve(&mut self) -> SysResult {
        while let Some(Some(output)) = wire::receive(self.birth.socket) {
            let order = self.birth.desk.order();
            if order.renew {
                mounts::renew_views(&mut self.birth.plan)?;
                self.rules = rules(&self.birth.plan)?;
            }
            let answer = match self.start(order, output) {
                Err(Stop::Before(failed)) => ServerAnswer::NotStarted(failed),
                Err(Stop::Executing { errno }) => ServerAnswer::NotExecuted { errno },
                Ok(running) => match self.watch(running, &order)? {
                    Some(finish) => ServerAnswer::Ended(finish),
                    None => return Ok(()),
                },
            };
            self.birth.desk.answer(answer);
            if wire::send(self.birth.socket, None).is_err() {
                return Ok(());
            }
            // The owner works on the answer meanwhile.
            if let Refreshed::Anew = mounts::refresh(&mut self.birth.plan)? {
                limit_segments(self.birth)?;
                self.rules = rules(&self.birth.plan)?;
            }
        }
        Ok(())
    }

    fn start(&mut self, order: JobOrder, output: Fd) -> Result<RunningJob, Stop> {
        if let Some(last_process) = self.last_process {
            sys::set_value(last_process, b"1");
        }
        let plan = &self.birth.plan;
        if let Some(job) = &plan.user {
            // The pipe is ours, and could not be opened by its names, as `/dev/stderr`.
            sys::change_owner_of_open(output, job.user.uid, job.user.gid);
        }
        // Where jobs have our user we count too.
        let ourselves = u64::from(plan.user.is_none());
        let processes = self.birth.counts_apart.then(|| order.bounds.processes.saturating_add(ourselves));
        let (null, user, rules) = (self.null, plan.user.as_ref(), self.rules.as_ref());
        let filter = if self.is_lacking { &plan.stricter_filter } else { &plan.filter };
        let notices = self.notices.map(|[_, theirs]| theirs);
        let mut start = ChildStart { order, null, output, user, rules, filter, notices, processes, failed: None };
        let started_ns = sys::now_ns();
        self.ending_order.iter().for_each(EndingOrder::set_first);
        let process = child::start(&mut start, &self.stack);
        self.ending_order.iter().for_each(EndingOrder::set_back);
        sys::close(output);
        let failed = start.failed;
        let mut running = RunningJob::new(process.map_err(Stop::Before)?, started_ns);
        if !matches!(failed, Some(Stop::Before(_))) {
            // It was sent before the program was to be executed.
            running.listener = self.notices.and_then(|[ours, _]| wire::receive(ours).flatten());
        }
        match failed {
            None => Ok(running),
            Some(failed) => {
                running.listener.into_iter().for_each(sys::close);
                self.end_all(&mut running).map_err(Stop::Before)?;
                Err(failed)
            }
        }
    }

    /// `None` if the owner has gone.
    fn watch(&mut self, mut running: RunningJob, order: &JobOrder) -> SysResult<Option<Finish>> {
        let watched = self.wait(&mut running, order);
        if let Some(listener) = running.listener {
            // Who still waits for an answer gets an error.
            sys::close(listener);
        }
        if let WatchEnd::OwnerGone = watched {
            return Ok(None);
        }
        self.end_all(&mut running)?;
        let status = running.status.unwrap_or(libc::SIGKILL);
        let was_killed = libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGKILL;
        // A limit that was passed counts, whether the program was ended for it or ended just before we looked: the
        // outcome must not hang on the moment of a look.
        let cpu_ns = running.reaped_ns.max(running.seen_ns);
        let cause = match running.timed_out && was_killed {
            _ if cpu_ns > order.bounds.cpu_ns => Cause::CpuLimit,
            true => Cause::WallLimit,
            false => Cause::Itself,
        };
        let wall_ns = running.ended_ns.saturating_sub(running.started_ns);
        Ok(Some(Finish { status, cause, wall_ns, cpu_ns }))
    }

    fn wait(&mut self, running: &mut RunningJob, order: &JobOrder) -> WatchEnd {
        let deadline = running.started_ns.saturating_add(order.bounds.wall_ns);
        let mut next_look = running.started_ns.saturating_add(self.until_next_look(order, 0));
        loop {
            let now = sys::now_ns();
            if now >= deadline {
                running.timed_out = true;
                running.ended_ns = now;
                return WatchEnd::ToItsEnd;
            }
            if now >= next_look {
                let seen = self.descendants.look();
                running.seen_ns = running.seen_ns.max(running.reaped_ns.saturating_add(seen.cpu_ns));
                let is_too_much = self.most_memory.is_some_and(|most| seen.memory_bytes > most)
                    || seen.most_bytes > order.bounds.data_bytes;
                if running.seen_ns > order.bounds.cpu_ns || seen.processes > order.bounds.processes || is_too_much {
                    running.ended_ns = now;
                    return WatchEnd::ToItsEnd;
                }
                next_look = now.saturating_add(self.until_next_look(order, running.seen_ns));
            }
            let timeout = deadline.min(next_look).saturating_sub(now);
            let [owner, child, call] =
                sys::poll([self.birth.socket, self.children, running.listener.unwrap_or(-1)], timeout);
            if owner {
                return WatchEnd::OwnerGone;
            }
            if let (true, Some(listener), Some(folders)) = (call, running.listener, &self.birth.plan.socket_folders) {
                connect::answer(listener, folders);
            }
            if child {
                let _ = sys::read(self.children, &mut [0; 512]);
                reap(running);
                if running.status.is_some() {
                    running.ended_ns = sys::now_ns();
                    return WatchEnd::ToItsEnd;
                }
            }
        }
    }

    /// No sooner than all processors together could use up what is left.
    fn until_next_look(&self, order: &JobOrder, used_ns: u64) -> u64 {
        let left = order.bounds.cpu_ns.saturating_sub(used_ns) / self.birth.processors.max(1);
        let for_processes = if self.birth.counts_apart { u64::MAX } else { PROCESS_LOOK_NS };
        // The kernel's limit for each process does not know what it shares.
        let is_limited = self.most_memory.is_some() || order.bounds.data_bytes != u64::MAX;
        let for_memory = if is_limited { MEMORY_LOOK_NS } else { u64::MAX };
        left.clamp(SHORTEST_LOOK_NS, for_processes.min(for_memory))
    }

    /// Ends and reaps all that is left of a job.
    fn end_all(&mut self, running: &mut RunningJob) -> SysResult {
        for _ in 0..MOST_TRIES {
            if let Reaped::All = reap(running) {
                return Ok(());
            }
            self.kill_all(running.process);
            sys::poll([self.children], SHORTEST_LOOK_NS);
            let _ = sys::read(self.children, &mut [0; 512]);
        }
        Err(SysError { step: "end all processes of a job", errno: libc::ETIMEDOUT })
    }

    fn kill_all(&mut self, process: libc::pid_t) {
        if self.birth.plan.rung.processes {
            // Everything but ourselves, as the first process.
            return sys::kill(-1, libc::SIGKILL);
        }
        if process > 0 {
            sys::kill(-process, libc::SIGKILL);
        }
        self.descendants.kill();
    }
}

fn join_group(doors: &[Fd]) -> SysResult {
    doors.iter().try_for_each(|door| sys::write_all("join the control group", *door, b"0"))?;
    doors.iter().for_each(|door| sys::close(*door));
    Ok(())
}

/// Limits shared memory of the system's, which outlives the processes that made it. A new namespace has no limit.
fn limit_segments(birth: &Birth<'_>) -> SysResult {
    const STEP: &str = "limit shared memory";
    let Some(pages) = birth.segment_pages.as_ref().filter(|_| birth.plan.rung.processes) else { return Ok(()) };
    let file = sys::open(STEP, libc::AT_FDCWD, c"/proc/sys/kernel/shmall", libc::O_WRONLY)?;
    let written = sys::write_all(STEP, file, pages.as_bytes());
    sys::close(file);
    written
}

/// The rules for jobs, where there are to be any.
fn rules(plan: &CellPlan) -> SysResult<Option<OwnedFd>> {
    match &plan.rules {
        Some(rules) => confine::rules(rules),
        None => Ok(None),
    }
}

/// Whether anything is left to reap.
enum Reaped {
    All,
    NotYet,
}

/// Takes note of what has ended.
fn reap(running: &mut RunningJob) -> Reaped {
    loop {
        match sys::reap() {
            Ok(Some(reaped)) => {
                running.reaped_ns = running.reaped_ns.saturating_add(reaped.cpu_ns);
                if reaped.process == running.process {
                    running.status = Some(reaped.status);
                }
            }
            Ok(None) => return Reaped::NotYet,
            Err(_) => return Reaped::All,
        }
    }
}

/// For all jobs to come: none of them may gain anything by executing a program, and all get the same addresses, so that
/// a program that reads what it should not does the same thing every time.
fn drop_privileges(plan: &CellPlan) -> SysResult {
    let keeps = |capability: u32| plan.user.iter().any(|job| job.capabilities.contains(&capability));
    for capability in (0..64).filter(|capability| !keeps(*capability)) {
        // Refused where we have none to drop, and for numbers the kernel does not know.
        let _ = sys::prctl("drop a capability", libc::PR_CAPBSET_DROP, capability.into(), 0);
    }
    // SAFETY: only numbers; where it is not allowed nothing changes.
    unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) };
    // Nothing of the program we were cloned from is to be read through us.
    sys::prctl("hide our memory", libc::PR_SET_DUMPABLE, 0, 0)?;
    sys::prctl("refuse new privileges", libc::PR_SET_NO_NEW_PRIVS, 1, 0)
}
