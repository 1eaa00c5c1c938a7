//! Starting a cell's server with as many layers as the machine allows.
//!
//! A kernel cannot be asked beforehand what it allows: a namespace may be compiled out, forbidden by a setting, a
//! security module or a container, or granted without the right to mount in it. So the strongest set of layers is tried
//! first, and a weaker one after each failure. The last one, a server without namespaces, works everywhere.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata, Permissions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use crate::confine::{self, Has, Sockets};
use crate::desk::{Desk, ServerAnswer, SetUp};
use crate::error::CellError;
use crate::fork::{self, Maps};
use crate::group::{Group, GroupLimits};
use crate::idmap::mapped_trees;
use crate::job::Limits;
use crate::layers::{Layers, Network, RunsAs, LANDLOCK_WITH_SIGNALS};
use crate::options::{CellOptions, Exchange};
use crate::plan::{select, CellPlan, JobUser, PathUse, PlanInput, Rung, Wanted};
use crate::server::{self, Birth};
use crate::system::{system_folders, tool_folders};
use crate::{sys, wire};

/// A server that waits for orders.
pub(crate) struct Launched {
    pub process: libc::pid_t,
    pub socket: UnixStream,
    pub home: PathBuf,
    pub temp: PathBuf,
    pub layers: Layers,
    pub exchange: Vec<File>,
    pub group: Option<Group>,
}

/// Overrides the permissions of files, and what only their owner may do.
const FILE_CAPABILITIES: [u32; 2] = [CAP_DAC_OVERRIDE, CAP_FOWNER];
const CAP_DAC_OVERRIDE: u32 = 1;
const CAP_FOWNER: u32 = 3;
const CAP_SETGID: u32 = 6;
const CAP_SETUID: u32 = 7;

/// Folders that any program may write to, by the names that programs know.
const TEMPORARY: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// Devices that every program may use.
const DEVICES: [&str; 6] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

pub(crate) fn launch(options: &CellOptions, desk: &Desk) -> Result<Launched, CellError> {
    let mut missing = Vec::new();
    let site = Site::new(options)?;
    // Few users may make one, and there are substitutes: it is not reported as missing.
    let group = make_group(options);
    for rung in rungs(options, site.capabilities.is_some()) {
        match site.climb(rung, desk, group.as_ref(), &mut missing) {
            Ok(launched) => return Ok(Launched { group, ..launched }),
            Err(reason) => missing.push(format!("{rung}: {reason}")),
        }
    }
    Err(CellError::NotOpened { reason: missing.join("; ") })
}

/// Processes of a cell besides those that a job may have.
const MORE_PROCESSES: u64 = 16;

fn make_group(options: &CellOptions) -> Option<Group> {
    let memory_bytes = options.job_memory.filter(|_| options.sandbox.namespaces)?;
    let processes = Limits::default().processes + MORE_PROCESSES;
    Group::make(GroupLimits { memory_bytes, processes }).ok()
}

/// The sets of layers, from the strongest to the one that always works.
fn rungs(options: &CellOptions, is_root: bool) -> Vec<Rung> {
    const NONE: Rung = Rung { user: false, processes: false, mounts: false, network: false };
    if !options.sandbox.namespaces {
        return vec![NONE];
    }
    let network = !options.permits.network;
    let with = |user, mounts| Rung { user, processes: true, mounts, network };
    let all = [with(true, true), with(false, true), with(true, false), with(false, false)];
    // Without a user namespace nobody but root may have the others. Of all of them a network is the most dispensable.
    let tried = all.into_iter().filter(|rung| rung.user || is_root);
    let mut rungs: Vec<Rung> = tried.flat_map(|rung| [rung, Rung { network: false, ..rung }]).collect();
    rungs.dedup();
    rungs.push(NONE);
    rungs
}

impl std::fmt::Display for Rung {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let named = [(self.user, "user"), (self.processes, "pid"), (self.mounts, "mount"), (self.network, "network")];
        let names: Vec<_> = named.iter().filter(|(wanted, _)| *wanted).map(|(_, name)| *name).collect();
        match names.is_empty() {
            true => f.write_str("no namespaces"),
            false => write!(f, "{} namespace", names.join(", ")),
        }
    }
}

/// What is known before anything is tried.
struct Site<'a> {
    options: &'a CellOptions,
    scratch: PathBuf,
    wanted: Vec<Wanted>,
    links: Vec<(PathBuf, PathBuf)>,
    temporary: Vec<PathBuf>,
    /// Those we have, where we are root.
    capabilities: Option<u64>,
    /// The version of the kernel's Landlock.
    landlock: Option<u32>,
}

impl<'a> Site<'a> {
    fn new(options: &'a CellOptions) -> Result<Site<'a>, CellError> {
        let temporary: Vec<PathBuf> =
            TEMPORARY.iter().filter_map(|folder| fs::canonicalize(folder).ok()).filter(|path| path.is_dir()).collect();
        let system = system_folders();
        let home = std::env::home_dir();
        let is_given = |path: &Path| {
            [&options.private, &options.visible, &options.shared].into_iter().flatten().any(|one| path.starts_with(one))
        };
        let programs: Vec<PathBuf> = options.programs.iter().filter(|path| !is_given(path)).cloned().collect();
        let tools = tool_folders(std::env::var_os("PATH").as_deref(), &programs, home.as_deref());
        let named = [
            (&system, PathUse::System),
            (&tools, PathUse::Readable),
            (&options.permits.readable, PathUse::Readable),
            (&options.visible, PathUse::Visible),
            (&options.private, PathUse::Private),
            (&options.shared, PathUse::Shared),
            (&options.permits.write, PathUse::Shared),
        ];
        let permitted =
            options.permits.devices.iter().map(|path| path.canonicalize().map_err(CellError::io("find", path)));
        let permitted = permitted.collect::<Result<Vec<PathBuf>, CellError>>()?;
        let (mut wanted, mut links) = (Vec::new(), BTreeMap::new());
        for (paths, kind) in named {
            for given in paths {
                let path = given.canonicalize().map_err(CellError::io("find", given))?;
                links.extend(links_on(given));
                let is_folder = path.is_dir();
                wanted.push(Wanted { path, kind, is_folder });
            }
        }
        TEMPORARY.iter().for_each(|folder| links.extend(links_on(Path::new(folder))));
        let devices = DEVICES.iter().map(PathBuf::from).filter(|path| is_device(path)).chain(permitted);
        wanted.extend(devices.map(|path| Wanted { path, kind: PathUse::Device, is_folder: false }));
        let scratch = options.scratch.canonicalize().map_err(CellError::io("find", &options.scratch))?;
        // SAFETY: takes nothing and cannot fail.
        let is_root = unsafe { libc::geteuid() } == 0;
        let capabilities = is_root.then(|| effective_capabilities().unwrap_or(0));
        let (wanted, landlock) = (select(wanted, &temporary), sys::landlock_version());
        // Those inside of something that is mounted are there.
        let is_ours = |link: &Path| {
            !wanted.iter().any(|one| link.starts_with(&one.path))
                && !temporary.iter().any(|folder| link.starts_with(folder))
        };
        let links = links.into_iter().filter(|(link, _)| is_ours(link)).collect();
        Ok(Site { options, scratch, wanted, links, temporary, capabilities, landlock })
    }

    /// Tries one rung.
    fn climb(
        &self,
        rung: Rung,
        desk: &Desk,
        group: Option<&Group>,
        missing: &mut Vec<String>,
    ) -> Result<Launched, String> {
        let plan = self.plan(rung, group.is_some(), missing)?;
        let (home, temp, user) = (plan.home.clone(), plan.temp.clone(), plan.user.clone());
        let is_filtered = !plan.filter.is_empty();
        let mut exchange = if rung.mounts { Vec::new() } else { self.exchange_on_disk()? };
        desk.clear();
        let (process, socket) = self.give_birth(plan, desk, group).map_err(|error| error.to_string())?;
        let found = match wire::receive(socket.as_raw_fd()).map(|_| desk.answered()) {
            Some(ServerAnswer::Ready(found)) => found,
            _ => {
                fork::end(process);
                let reason = desk.broken().map_or("the server ended".to_string(), |failed| failed.to_string());
                return Err(reason);
            }
        };
        if let (Some(failed), true, true) = (found.views, rung.user, self.capabilities.is_some()) {
            // Root can mount views without a user namespace where that is the obstacle.
            fork::end(process);
            return Err(failed.to_string());
        }
        let mut layers = self.layers(rung, user.as_ref(), found, is_filtered, missing);
        layers.group = group.is_some() && found.group.is_none();
        if rung.mounts {
            exchange = self.receive_exchange(&socket).inspect_err(|_| fork::end(process))?;
        }
        Ok(Launched { process, socket, home, temp, layers, exchange, group: None })
    }

    /// The files for the exchange with jobs where they are on the disk, like everything else.
    fn exchange_on_disk(&self) -> Result<Vec<File>, String> {
        let open = |one: &Exchange| {
            open_for_all(&one.path, one.bytes).map_err(|error| format!("{}: {error}", one.path.display()))
        };
        self.options.exchange.iter().map(open).collect()
    }

    /// The same where the server has made them.
    fn receive_exchange(&self, socket: &UnixStream) -> Result<Vec<File>, String> {
        let receive = |_| {
            let received = wire::receive(socket.as_raw_fd()).flatten().ok_or("the server ended")?;
            // SAFETY: it was just received, and nobody else owns it.
            Ok(unsafe { File::from_raw_fd(received) })
        };
        self.options.exchange.iter().map(receive).collect()
    }

    /// Clones the server and tells it to begin.
    fn give_birth(&self, plan: CellPlan, desk: &Desk, group: Option<&Group>) -> io::Result<(libc::pid_t, UnixStream)> {
        let (ours, theirs) = UnixStream::pair()?;
        let rung = plan.rung;
        let maps = rung.user.then(|| Maps::identity(self.capabilities.is_some())).transpose()?;
        let trees = plan.view.iter().flat_map(|view| &view.sources).filter_map(|source| source.tree.as_ref());
        let doors: Vec<_> = group.into_iter().flat_map(Group::doors).collect();
        let kept = trees.map(AsRawFd::as_raw_fd).chain([theirs.as_raw_fd()]).chain(doors.iter().copied());
        let mut kept: Vec<_> = kept.collect();
        kept.sort_unstable();
        // SAFETY: only numbers.
        let (ticks, processors) = unsafe {
            let number = |name| libc::sysconf(name);
            (number(libc::_SC_CLK_TCK), number(libc::_SC_NPROCESSORS_ONLN))
        };
        let mut birth = Birth {
            plan,
            desk,
            socket: theirs.as_raw_fd(),
            kept,
            tick_ns: 1_000_000_000 / ticks.max(1) as u64,
            processors: processors.max(1) as u64,
            doors,
            job_memory: self.options.job_memory,
            segment_pages: segment_pages(self.options).filter(|_| group.is_some() && self.capabilities.is_some()),
            counts_apart: rung.user && kernel_counts_apart(),
        };
        let process = fork::clone_process(clone_flags(rung), &mut || server::run(&mut birth))?;
        let begun = maps
            .map_or(Ok(()), |maps| maps.give_to(process))
            .and_then(|()| wire::send(ours.as_raw_fd(), None).map_err(io::Error::from_raw_os_error));
        match begun {
            Ok(()) => Ok((process, ours)),
            Err(error) => {
                fork::end(process);
                Err(error)
            }
        }
    }

    fn plan(&self, rung: Rung, has_group: bool, missing: &mut Vec<String>) -> Result<CellPlan, String> {
        let mut plan = self.plan_of_files(rung, missing)?;
        let sandbox = self.options.sandbox;
        if sandbox.filter {
            let internet = rung.network || self.options.permits.network;
            // Without a root of our own, every socket of the machine has a path that a job can name.
            // Those of the internet would have to be supervised as well: a job has the one or the other.
            let supervised = !rung.mounts && self.options.permits.sockets && !self.options.permits.network;
            // Those without a path are everybody's in one network, and a filter cannot tell them from those with one.
            let has_own_names = rung.network || (sandbox.landlock && self.landlock >= Some(LANDLOCK_WITH_SIGNALS));
            let paths = rung.mounts && has_own_names;
            let sockets = Sockets { paths, supervised, internet, own_network: internet };
            plan.socket_folders = plan.rules.as_ref().filter(|_| supervised).map(|rules| rules.writable.clone());
            let is_counted = |has_group: bool| has_group || self.options.job_memory.is_none();
            // Only root may limit shared memory of the system's.
            let is_limited = |has_group: bool| match self.options.job_memory {
                Some(_) => has_group && self.capabilities.is_some(),
                None => true,
            };
            let has = |has_group: bool, sockets: Sockets| Has {
                processes: rung.processes,
                ipc: rung.processes,
                files: rung.mounts,
                user: plan.user.is_some(),
                memory: is_counted(has_group),
                segments: is_limited(has_group),
                sockets,
            };
            plan.filter = confine::filter(has(has_group, sockets));
            plan.stricter_filter = confine::filter(has(false, Sockets { paths: false, ..sockets }));
        }
        plan.rules = plan.rules.filter(|_| sandbox.landlock && self.landlock.is_some());
        if let Some(rules) = &mut plan.rules {
            rules.forbids_network = !rung.network && !self.options.permits.network;
        }
        Ok(plan)
    }

    fn plan_of_files(&self, rung: Rung, missing: &mut Vec<String>) -> Result<CellPlan, String> {
        let user = self.job_user();
        if !rung.mounts {
            // The user must reach our files. It must not change their modes and times: Landlock has no rules for those.
            let user = user.map(|job| JobUser { capabilities: vec![CAP_DAC_OVERRIDE], ..job });
            let exchange = self.options.exchange.iter();
            let exchange =
                exchange.map(|one| Wanted { path: one.path.clone(), kind: PathUse::Shared, is_folder: false });
            let wanted: Vec<Wanted> = self.wanted.iter().cloned().chain(exchange).collect();
            return Ok(CellPlan::bare(rung, &self.scratch, user, &wanted));
        }
        // Mapping needs a user namespace to take the map from, and one to tell whose limits are counted.
        let trees = match &user {
            Some(job) if rung.user => mapped_trees(&self.wanted, job.user)
                .map_err(|error| missing.push(format!("folders with mapped ids: {error}")))
                .ok(),
            _ => None,
        };
        let user = match &trees {
            Some(_) => user.map(|job| JobUser { capabilities: Vec::new(), ..job }),
            None => user,
        };
        let trees = trees.unwrap_or_default();
        let is_closed = |folder: &Path| match &user {
            Some(job) if job.capabilities.is_empty() => {
                fs::metadata(folder).is_ok_and(|data| !may_enter(&data, job.user.uid, job.user.gid))
            }
            _ => false,
        };
        let ground = PlanInput {
            temporary: self.temporary.clone(),
            is_closed: &is_closed,
            stage_bytes: self.options.memory_bytes,
            exchange: &self.options.exchange,
            links: &self.links,
        };
        Ok(CellPlan::with_mounts(rung, &self.scratch, user.clone(), &self.wanted, trees, ground))
    }

    /// What jobs can read of what belongs to others, besides the system's folders.
    fn readable(&self) -> Vec<PathBuf> {
        let readable = self.wanted.iter().filter(|one| one.kind == PathUse::Readable);
        readable.map(|one| one.path.clone()).collect()
    }

    /// Another user for the jobs, where we are root and may change.
    fn job_user(&self) -> Option<JobUser> {
        let has = |capability: u32| self.capabilities.is_some_and(|all| all & (1 << capability) != 0);
        let needed = FILE_CAPABILITIES.into_iter().chain([CAP_SETUID, CAP_SETGID]);
        let user = self.options.user;
        let may = needed.into_iter().all(has) && fork::is_known(user.uid, user.gid);
        may.then(|| JobUser { user, capabilities: FILE_CAPABILITIES.to_vec() })
    }

    fn layers(
        &self,
        rung: Rung,
        user: Option<&JobUser>,
        found: SetUp,
        filter: bool,
        missing: &mut Vec<String>,
    ) -> Layers {
        let mut missing = std::mem::take(missing);
        missing.extend([found.read_only, found.views, found.sealed].iter().flatten().map(ToString::to_string));
        let has_private = !self.options.private.is_empty();
        if self.options.sandbox.landlock && self.landlock.is_none() {
            missing.push("Landlock: the kernel has none, or it is switched off".to_string());
        }
        Layers {
            user: match user {
                None => RunsAs::Ourselves,
                Some(job) if job.capabilities.is_empty() => RunsAs::Other { uid: job.user.uid },
                Some(job) => RunsAs::OtherWithFiles { uid: job.user.uid },
            },
            user_namespace: rung.user,
            pid_namespace: rung.processes,
            mount_namespace: rung.mounts,
            ipc_namespace: rung.processes,
            network: match (self.options.permits.network, rung.network) {
                (true, _) => Network::Permitted,
                (false, true) => Network::Own,
                (false, false) if filter => Network::NoSockets,
                (false, false) => Network::Open,
            },
            readable: self.readable(),
            landlock: self.landlock.filter(|_| found.has_rules),
            filter,
            group: false,
            own_proc: found.own_proc,
            read_only: rung.mounts && found.read_only.is_none(),
            private_views: !has_private || (rung.mounts && found.views.is_none()),
            in_memory: found.in_memory,
            missing,
        }
    }
}

/// A file that the user of the jobs can write to.
fn open_for_all(path: &Path, bytes: u64) -> io::Result<File> {
    let file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
    file.set_permissions(Permissions::from_mode(0o666))?;
    file.set_len(bytes)?;
    Ok(file)
}

/// The symbolic links that are followed on the way to what a path names, each by its place without links, and where it
/// points.
fn links_on(path: &Path) -> Vec<(PathBuf, PathBuf)> {
    const MOST: usize = 40;
    let mut links = Vec::new();
    let mut rest: Vec<PathBuf> = components(path);
    let mut real = PathBuf::from("/");
    while let Some(next) = rest.pop() {
        match next.to_str() {
            Some("/") => real = PathBuf::from("/"),
            Some(".") => (),
            Some("..") => drop(real.pop()),
            _ => match fs::read_link(real.join(&next)) {
                Ok(to) if links.len() < MOST => {
                    rest.extend(components(&to));
                    links.push((real.join(&next), to));
                }
                _ => real.push(next),
            },
        }
    }
    links
}

/// The last one first.
fn components(path: &Path) -> Vec<PathBuf> {
    path.components().rev().map(|component| PathBuf::from(component.as_os_str())).collect()
}

/// How many pages shared memory of the system's may have, as the kernel reads it: a quarter of a job's memory. Together
/// with the files of a cell in memory it stays below the limit on all, as both are there when the job has ended.
fn segment_pages(options: &CellOptions) -> Option<String> {
    // SAFETY: only numbers.
    let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    options.job_memory.map(|bytes| (bytes / 4 / page).to_string())
}

/// The namespaces of a server.
fn clone_flags(rung: Rung) -> libc::c_int {
    let flags = [
        (rung.user, libc::CLONE_NEWUSER),
        (rung.processes, libc::CLONE_NEWPID | libc::CLONE_NEWIPC),
        (rung.mounts, libc::CLONE_NEWNS),
        (rung.network, libc::CLONE_NEWNET),
    ];
    flags.iter().filter(|(wanted, _)| *wanted).fold(0, |all, (_, flag)| all | flag)
}

/// Whether a limit on processes counts those of one user namespace only; otherwise all that a user has on the machine
/// are counted, and whoever else runs some would make a test fail.
fn kernel_counts_apart() -> bool {
    fs::read_to_string("/proc/sys/kernel/osrelease").is_ok_and(|release| is_at_least(&release, (5, 14)))
}

fn is_at_least(release: &str, wanted: (u32, u32)) -> bool {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= wanted
}

fn is_device(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|data| data.file_type().is_char_device())
}

fn may_enter(folder: &Metadata, uid: u32, gid: u32) -> bool {
    let bit = match (folder.uid() == uid, folder.gid() == gid) {
        (true, _) => 0o100,
        (false, true) => 0o010,
        (false, false) => 0o001,
    };
    folder.permissions().mode() & bit != 0
}

fn effective_capabilities() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"))?;
    u64::from_str_radix(line.trim(), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Sandbox;

    #[test]
    fn releases_are_compared_by_their_numbers() {
        for (release, expected) in
            [("6.1.0-18-amd64\n", true), ("5.14.0-70.el9", true), ("5.9", false), ("4.18.0", false)]
        {
            assert_eq!(is_at_least(release, (5, 14)), expected, "{release}");
        }
    }

    #[test]
    fn only_root_tries_namespaces_without_a_user_namespace_and_all_end_without_any() {
        let mut options = CellOptions::new("/x");
        let tried = |options: &CellOptions, is_root| {
            rungs(options, is_root).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let user = [
            "user, pid, mount, network namespace",
            "user, pid, mount namespace",
            "user, pid, network namespace",
            "user, pid namespace",
            "no namespaces",
        ];
        assert_eq!(tried(&options, false), user);
        assert_eq!(tried(&options, true).len(), 9);
        options.permits.network = true;
        assert_eq!(tried(&options, false), [user[1], user[3], user[4]]);
        for sandbox in [Sandbox::WITHOUT_NAMESPACES, Sandbox::OFF] {
            options.sandbox = sandbox;
            assert_eq!(tried(&options, true), ["no namespaces"]);
        }
    }
}
