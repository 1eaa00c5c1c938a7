//! All processes below the server: measures their processor time and memory, and ends them.
//!
//! Every process in a cell is a descendant of the server, which adopts those that lose their parent. So the lists of
//! children, from the server down, contain all of them, in a pid namespace and without one. Where the kernel keeps no
//! such lists nothing is found, and the limits of each single process must do.

use std::fmt::Write;

use crate::sys::{self, Fd, ShortText};

/// At most this many are counted: a limit on processes ends a job long before.
const MOST: usize = 4096;

/// The resources that all processes of a job use together.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ResourceUse {
    pub processes: u64,
    /// Processor time, in steps of a hundredth of a second for every process, including children it has waited for.
    pub cpu_ns: u64,
    /// The memory of all processes together; shared memory counts once as far as the kernel reports it.
    pub memory_bytes: u64,
    /// The memory of the largest process.
    pub most_bytes: u64,
}

pub(crate) struct Descendants {
    processes: [libc::pid_t; MOST],
    count: usize,
    tick_ns: u64,
}

impl Descendants {
    pub fn new(tick_ns: u64) -> Descendants {
        Descendants { processes: [0; MOST], count: 0, tick_ns }
    }

    pub fn look(&mut self) -> ResourceUse {
        self.find();
        let mut seen = ResourceUse { processes: self.count as u64, ..ResourceUse::default() };
        for process in self.processes.iter().take(self.count) {
            let used = ticks(&Text::of(*process, "stat")).saturating_mul(self.tick_ns);
            seen.cpu_ns = seen.cpu_ns.saturating_add(used);
            let memory = ProcessMemory::of(*process);
            seen.memory_bytes = seen.memory_bytes.saturating_add(memory.own_bytes).saturating_add(memory.share_bytes);
            seen.most_bytes = seen.most_bytes.max(memory.own_bytes.saturating_add(memory.shared_bytes));
        }
        seen
    }

    /// Ends what can be found; what was just being started is found the next time.
    pub fn kill(&mut self) {
        self.find();
        self.processes.iter().take(self.count).for_each(|process| sys::kill(*process, libc::SIGKILL));
    }

    /// Lists all, the children of each after it.
    fn find(&mut self) {
        self.count = 0;
        let mut path = ShortText::new();
        let _ = write!(path, "/proc/thread-self/children");
        self.add_children(&path);
        let mut at = 0;
        while let Some(&process) = self.processes.get(at).filter(|_| at < self.count) {
            self.add_children_of_threads(process);
            at += 1;
        }
    }

    /// A child is listed with the thread that started it.
    fn add_children_of_threads(&mut self, process: libc::pid_t) {
        let mut path = ShortText::new();
        let _ = write!(path, "/proc/{process}/task");
        let Ok(folder) = sys::open_folder("list threads", libc::AT_FDCWD, path.as_c()) else { return };
        let mut records = [0; 256];
        while let Ok(read @ 1..) = sys::list(folder, &mut records) {
            for thread in crate::wipe::Entries::new(&records, read) {
                let mut path = ShortText::new();
                let _ = write!(path, "/proc/{process}/task/");
                let _ = path.write_bytes(thread.to_bytes());
                let _ = write!(path, "/children");
                self.add_children(&path);
            }
        }
        sys::close(folder);
    }

    fn add_children(&mut self, list: &ShortText) {
        let mut text = [0; 8192];
        let length = read_all(list, &mut text);
        for number in text.get(..length).unwrap_or_default().split(|byte| *byte == b' ') {
            let process = parse(number) as libc::pid_t;
            if let Some(place) = self.processes.get_mut(self.count).filter(|_| process > 0) {
                *place = process;
                self.count += 1;
            }
        }
    }
}

/// User and system time of a process and of the children it waited for, from the line of its `stat`.
fn ticks(stat: &[u8]) -> u64 {
    // The name, in brackets, may hold anything; the numbers are behind its last bracket, state first.
    let Some(behind) = stat.iter().rposition(|byte| *byte == b')').and_then(|at| stat.get(at + 2..)) else { return 0 };
    behind.split(|byte| *byte == b' ').skip(11).take(4).map(parse).fold(0, u64::saturating_add)
}

/// The memory of a process that is not backed by files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct ProcessMemory {
    own_bytes: u64,
    /// Shared memory that it has mapped, and what of that counts as its own where others have mapped it too.
    shared_bytes: u64,
    share_bytes: u64,
}

/// To divide shared memory among those who share it takes a walk over all of it: less is not worth that.
const MUCH_SHARED: u64 = 16 << 20;

impl ProcessMemory {
    fn of(process: libc::pid_t) -> ProcessMemory {
        let status = Text::of(process, "status");
        let shared_bytes = field(&status, b"RssShmem:");
        // The kernel's tables of what is mapped may be larger than that itself.
        let own_bytes = field(&status, b"RssAnon:").saturating_add(field(&status, b"VmPTE:"));
        let mut memory = ProcessMemory { own_bytes, shared_bytes, share_bytes: shared_bytes };
        if shared_bytes > MUCH_SHARED {
            let divided = Text::of(process, "smaps_rollup");
            // Older kernels do not say it.
            memory.share_bytes = if divided.is_empty() { shared_bytes } else { field(&divided, b"Pss_Shmem:") };
        }
        memory
    }
}

/// A number of kibibytes behind a name at the start of a line; 0 if there is none.
fn field(text: &[u8], name: &[u8]) -> u64 {
    let line = text.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(name));
    let number = line.map(|line| parse(line.trim_ascii_start()));
    number.unwrap_or(0).saturating_mul(1024)
}

/// One of the kernel's files about a process, as far as it is of interest.
struct Text {
    bytes: [u8; 2048],
    length: usize,
}

impl Text {
    fn of(process: libc::pid_t, file: &str) -> Text {
        let mut text = Text { bytes: [0; 2048], length: 0 };
        let mut path = ShortText::new();
        let _ = write!(path, "/proc/{process}/{file}");
        text.length = read_all(&path, &mut text.bytes);
        text
    }
}

impl std::ops::Deref for Text {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

fn parse(digits: &[u8]) -> u64 {
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |number: u64, digit| number.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
}

fn read_all(path: &ShortText, buffer: &mut [u8]) -> usize {
    let Ok(file) = sys::open("read", libc::AT_FDCWD, path.as_c(), libc::O_RDONLY) else { return 0 };
    let length = read_to_end(file, buffer);
    sys::close(file);
    length
}

fn read_to_end(file: Fd, buffer: &mut [u8]) -> usize {
    let mut length = 0;
    while let Some(rest) = buffer.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match sys::read(file, rest) {
            Ok(read @ 1..) => length += read,
            _ => break,
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_behind_the_last_bracket() {
        let line = b"7 (a) b) 9 9 9 (x) S 1 7 7 0 -1 4194560 80 0 0 0 12 3 400 5000 20 0 1 0 99 1 1\n";
        assert_eq!(ticks(line), 5415);
        assert_eq!(ticks(b""), 0);
        assert_eq!(ticks(b"7 (a)"), 0);
    }

    #[test]
    fn memory_is_read_by_its_names() {
        let status = b"VmRSS:\t  900 kB\nRssAnon:\t     100 kB\nRssFile:\t  700 kB\nRssShmem:\t      12 kB\n";
        assert_eq!((field(status, b"RssAnon:"), field(status, b"RssShmem:")), (100 << 10, 12 << 10));
        assert_eq!(field(b"", b"RssAnon:"), 0);
        let own = ProcessMemory::of(std::process::id() as libc::pid_t);
        assert!(own.own_bytes > 0 && own.own_bytes < 1 << 40, "{own:?}");
    }

    #[test]
    fn descendants_are_found_through_any_thread_and_generation() {
        let script = "sleep 60 & sh -c 'sleep 60 & wait' & echo started; wait";
        let mut command = std::process::Command::new("sh");
        let mut child = command.args(["-c", script]).stdout(std::process::Stdio::piped()).spawn().unwrap();
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0; 8]).unwrap();
        let mut all = Descendants::new(10_000_000);
        // The inner shell may not have started its own child yet.
        let mut processes = 0;
        while processes < 4 {
            all.count = 1;
            all.processes[0] = child.id() as libc::pid_t;
            all.add_children_of_threads(child.id() as libc::pid_t);
            let mut at = 1;
            while at < all.count {
                all.add_children_of_threads(all.processes[at]);
                at += 1;
            }
            processes = all.count;
        }
        all.processes.iter().take(all.count).for_each(|process| sys::kill(*process, libc::SIGKILL));
        child.wait().unwrap();
    }
}
