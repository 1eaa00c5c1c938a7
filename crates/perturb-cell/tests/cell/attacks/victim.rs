//! A process that attacks are made on. It is the caller's own, and runs outside of all cells.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

pub struct Victim {
    process: Child,
    /// Where in its memory a number is that attacks try to change.
    pub address: String,
    as_it_was: State,
}

/// What of a process others may try to change.
#[derive(Debug, PartialEq, Eq)]
struct State {
    is_alive: bool,
    is_stopped: bool,
    scheduling: Vec<String>,
    limits: String,
    oom: String,
    io: i64,
    number: u8,
}

impl Victim {
    pub fn start(program: &Path) -> Victim {
        let mut command = Command::new(program);
        let mut process = command.arg("be-victim").stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let address = address.trim().to_string();
        let as_it_was = State::of(&mut process, &address);
        assert!(as_it_was.is_alive && as_it_was.number == 7, "{as_it_was:?}");
        Victim { process, address, as_it_was }
    }

    pub fn id(&self) -> String {
        self.process.id().to_string()
    }

    /// Whether nobody did anything to it.
    pub fn is_unharmed(&mut self) -> bool {
        State::of(&mut self.process, &self.address) == self.as_it_was
    }
}

impl State {
    fn of(process: &mut Child, address: &str) -> State {
        let is_alive = process.try_wait().unwrap().is_none();
        let id = process.id();
        let read = |file: &str| fs::read_to_string(format!("/proc/{id}/{file}")).unwrap_or_default();
        let stat = read("stat");
        // State first, then, counted from there, priority, niceness, real-time priority and policy.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let field = |at: usize| fields.get(at).unwrap_or(&"").to_string();
        let allowed = read("status").lines().find(|line| line.starts_with("Cpus_allowed:")).unwrap_or("").to_string();
        let mut number = [0];
        let at = u64::from_str_radix(address.trim_start_matches("0x"), 16).unwrap();
        if let Ok(memory) = fs::File::open(format!("/proc/{id}/mem")) {
            let _ = memory.read_exact_at(&mut number, at);
        }
        // SAFETY: only numbers.
        let io = unsafe { libc::syscall(libc::SYS_ioprio_get, 1, id) };
        State {
            is_alive,
            is_stopped: matches!(field(0).as_str(), "T" | "t"),
            scheduling: vec![field(15), field(16), field(37), field(38), allowed],
            limits: read("limits"),
            oom: read("oom_score_adj"),
            io,
            number: number[0],
        }
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
