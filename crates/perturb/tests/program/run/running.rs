//! A run that is under way: followed, interrupted, killed.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::barrier::ARMED;
use crate::scene::{text, Scene};

/// Far more than anything waited for here needs, so that only a hang reaches it.
const PATIENCE: Duration = Duration::from_secs(60);

/// A run while it goes on.
pub struct Running {
    child: Child,
    out: Lines,
    err: Lines,
}

/// What a run came to.
pub struct Ended {
    pub stdout: String,
    pub stderr: String,
    pub status: ExitStatus,
}

impl Ended {
    /// The events that were told; the last line of a run that was killed may be half a one.
    pub fn events(&self) -> Vec<Value> {
        self.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

impl Running {
    /// `perturb run --events json ARGUMENTS`; its builds stop at a barrier, if there is one.
    pub fn start(scene: &Scene, arguments: &[&str]) -> Running {
        let all = [&["run", "--events", "json"], arguments].concat();
        let mut command = scene.command(&all);
        command.env(ARMED, "1");
        Running::spawn(command)
    }

    pub fn spawn(mut command: Command) -> Running {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (out, err) = (Lines::of(child.stdout.take().unwrap()), Lines::of(child.stderr.take().unwrap()));
        Running { child, out, err }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the next event of a kind.
    #[track_caller]
    pub fn wait_for(&mut self, event: &str) {
        let is_it = |line: &str| serde_json::from_str(line).is_ok_and(|value: Value| text(&value, "event") == event);
        if !self.out.wait_for(&is_it) {
            self.give_up(event);
        }
    }

    /// The next event of whatever kind, until it ends.
    pub fn next_event(&mut self) -> Option<Value> {
        self.out.wait_for(&|_| true).then(|| serde_json::from_str(self.out.seen.last().unwrap()).unwrap())
    }

    /// Whether the next event of a kind comes before it ends.
    pub fn comes_to(&mut self, event: &str) -> bool {
        self.out.wait_for(&|line| serde_json::from_str(line).is_ok_and(|value: Value| text(&value, "event") == event))
    }

    /// Kills it where it stands, alone, unless it has ended by itself; tells what it came to, and whether it was
    /// killed.
    pub fn kill_or_end(mut self) -> (Ended, bool) {
        // Who has ended and was not waited for can be sent a signal all the same.
        self.child.kill().unwrap();
        let ended = self.end();
        let is_killed = ended.status.code().is_none();
        (ended, is_killed)
    }

    /// Waits for the next mutant that comes to this.
    #[track_caller]
    pub fn wait_for_outcome(&mut self, outcome: &str) {
        let is_it =
            |line: &str| serde_json::from_str(line).is_ok_and(|value: Value| text(&value, "outcome") == outcome);
        if !self.out.wait_for(&is_it) {
            self.give_up(outcome);
        }
    }

    /// Waits for a line on standard error.
    #[track_caller]
    pub fn wait_for_note(&mut self, part: &str) {
        if !self.err.wait_for(&|line| line.contains(part)) {
            self.give_up(part);
        }
    }

    #[track_caller]
    fn give_up(&mut self, what: &str) -> ! {
        let _ = self.child.kill();
        self.err.wait_for(&|_| false);
        panic!("`{what}` does not come:\n{}\n{}", self.out.seen.join("\n"), self.err.seen.join("\n"));
    }

    /// Closes our end of its standard output.
    pub fn stop_listening(&mut self) {
        // Whoever reads the stream has nobody to send the next line to, and ends.
        self.out.lines = mpsc::channel().1;
    }

    /// Waits until it ends.
    pub fn end(mut self) -> Ended {
        self.out.wait_for(&|_| false);
        self.err.wait_for(&|_| false);
        let status = self.child.wait().unwrap();
        Ended { stdout: self.out.seen.join("\n"), stderr: self.err.seen.join("\n"), status }
    }

    #[track_caller]
    pub fn signal(&mut self, signal: &str) {
        assert!(self.child.try_wait().unwrap().is_none(), "it has ended before it could be sent {signal}");
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Kills it where it stands, and waits until nothing of it runs any more.
    #[track_caller]
    pub fn kill(mut self, scene: &Scene) -> Ended {
        self.signal("-KILL");
        let ended = self.end();
        assert_eq!(ended.status.code(), None, "it had ended by itself:\n{}", ended.stderr);
        assert_nothing_runs(scene);
        ended
    }
}

/// The lines of a stream, as they come.
struct Lines {
    lines: Receiver<String>,
    seen: Vec<String>,
}

impl Lines {
    fn of(stream: impl Read + Send + 'static) -> Lines {
        let (sender, lines) = mpsc::channel();
        let read = move || BufReader::new(stream).lines().map_while(Result::ok).try_for_each(|line| sender.send(line));
        std::thread::spawn(read);
        Lines { lines, seen: Vec::new() }
    }

    /// False when the stream ends first, or nothing comes for long.
    fn wait_for(&mut self, is_it: &dyn Fn(&str) -> bool) -> bool {
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            self.seen.push(line);
            if is_it(self.seen.last().unwrap()) {
                return true;
            }
        }
        false
    }
}

/// No process is left that has anything to do with the scene; what is being ended just now may take a moment.
#[track_caller]
pub fn assert_nothing_runs(scene: &Scene) {
    let start = Instant::now();
    loop {
        let left = processes_of(&scene.outside(""));
        if left.is_empty() {
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "still running: {left:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Those that were started with a path below the folder, are in it, run a program of it, or have heard of it.
fn processes_of(folder: &Path) -> Vec<String> {
    let folder = folder.to_string_lossy().trim_end_matches('/').to_string();
    let is_ours = |process: &Path| {
        let files = ["cmdline", "environ"].map(|file| std::fs::read(process.join(file)).unwrap_or_default());
        let links = ["cwd", "exe", "root"].map(|link| std::fs::read_link(process.join(link)).unwrap_or_default());
        let texts = links.iter().map(|link| link.to_string_lossy().into_owned());
        texts
            .chain(files.iter().map(|text| String::from_utf8_lossy(text).into_owned()))
            .any(|text| text.contains(&folder))
    };
    let processes = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let numbered = processes.filter(|path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().bytes().all(|byte| byte.is_ascii_digit()))
    });
    numbered
        .filter(|process| is_ours(process))
        .map(|process| {
            let command = std::fs::read(process.join("cmdline")).unwrap_or_default();
            format!("{}: {}", process.display(), String::from_utf8_lossy(&command).replace('\0', " "))
        })
        .collect()
}
