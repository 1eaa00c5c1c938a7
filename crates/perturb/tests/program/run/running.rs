//! A run that is under way: followed, interrupted, killed.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::scene::{text, Scene};

/// Far more than anything waited for here needs, so that only a hang reaches it.
const PATIENCE: Duration = Duration::from_secs(60);

/// `perturb run --events json` while it goes on.
pub struct Running {
    child: Child,
    lines: Receiver<String>,
    pub events: Vec<Value>,
}

impl Running {
    pub fn start(scene: &Scene, arguments: &[&str]) -> Running {
        let all = [&["run", "--events", "json", "--quiet"], arguments].concat();
        Running::spawn(scene.command(&all))
    }

    pub fn spawn(mut command: Command) -> Running {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Running { child, lines, events: Vec::new() }
    }

    /// Waits for the next event of a kind.
    #[track_caller]
    pub fn wait_for(&mut self, event: &str) -> &Value {
        loop {
            let line = self.lines.recv_timeout(PATIENCE).unwrap_or_else(|error| {
                let _ = self.child.kill();
                let mut said = String::new();
                let _ = self.child.stderr.take().unwrap().read_to_string(&mut said);
                panic!("no `{event}` ({error}) after {:?}\n{said}", self.events)
            });
            let value: Value = serde_json::from_str(&line).unwrap();
            let is_it = text(&value, "event") == event;
            self.events.push(value);
            if is_it {
                return self.events.last().unwrap();
            }
        }
    }

    /// What is told until it ends, and how it ends.
    pub fn end(mut self) -> (Vec<Value>, ExitStatus, String) {
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let status = self.child.wait().unwrap();
        self.events.extend(self.lines.iter().map(|line| serde_json::from_str::<Value>(&line).unwrap()));
        (self.events, status, said)
    }

    pub fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success(), "the run has ended before it could be sent {signal}");
    }

    /// Kills it where it stands, and waits until nothing of it is left that runs in the scene.
    #[track_caller]
    pub fn kill(self, scene: &Scene) -> Vec<Value> {
        self.signal("-KILL");
        let (events, status, _) = self.end();
        assert_eq!(status.code(), None, "it had ended by itself");
        assert_nothing_runs(scene);
        events
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

/// Those that were started with a path below the folder, are in it, or run a program of it.
fn processes_of(folder: &Path) -> Vec<String> {
    let folder = folder.to_string_lossy().trim_end_matches('/').to_string();
    let is_ours = |process: &Path| {
        let command = std::fs::read(process.join("cmdline")).unwrap_or_default();
        let links = ["cwd", "exe", "root"].map(|link| std::fs::read_link(process.join(link)).unwrap_or_default());
        let texts = links.iter().map(|link| link.to_string_lossy().into_owned());
        texts.chain([String::from_utf8_lossy(&command).into_owned()]).any(|text| text.contains(&folder))
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
