//! A real browser, headless, driven over a pipe by its own protocol: opens pages from the disk, presses keys, and notes
//! every request and every complaint.

use serde_json::{json, Value};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const FLAGS: [&str; 12] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
    "--window-size=1280,900",
    "about:blank",
];
/// Far more than it needs on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(120);

pub struct Browser {
    process: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: Option<String>,
    number: u64,
    events: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// None, and told so, where there is no browser.
    pub fn start() -> Option<Self> {
        let folders: Vec<_> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
        let found = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
        let Some(path) = found.into_iter().find(|path| path.is_file()) else {
            eprintln!("skipped: there is no chromium here; `scripts/setup test` installs it");
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        // It reads from 3 and writes to 4.
        let mut command = Command::new("sh");
        command.args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null", "sh"]).arg(path).args(FLAGS);
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let (to, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let (sender, from) = mpsc::channel();
        std::thread::spawn(move || {
            for message in BufReader::new(output).split(0).map_while(Result::ok) {
                let Ok(message) = serde_json::from_slice(&message) else { break };
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut browser = Self { process, to, from, session: None, number: 0, events: Vec::new(), _profile: profile };
        browser.attach();
        Some(browser)
    }

    fn attach(&mut self) {
        let target = self.call("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let attached = self.call("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        self.session = Some(attached["sessionId"].as_str().unwrap().to_string());
        for method in ["Page.enable", "Runtime.enable", "Log.enable", "Network.enable"] {
            self.call(method, json!({}));
        }
    }

    #[track_caller]
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.try_call(method, parameters).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    fn try_call(&mut self, method: &str, parameters: Value) -> Result<Value, Value> {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let mut answer = self.next();
            if answer["id"] == self.number {
                return if answer.get("error").is_some() { Err(answer) } else { Ok(answer["result"].take()) };
            }
            self.events.push(answer);
        }
    }

    fn next(&self) -> Value {
        self.from.recv_timeout(TIME_LIMIT).expect("the browser answers")
    }

    /// What was noted before is forgotten.
    pub fn open(&mut self, file: &Path, hash: &str) {
        self.events.clear();
        // Another page first, so that one with a different hash only is loaded too.
        self.call("Page.navigate", json!({"url": "about:blank"}));
        self.call("Page.navigate", json!({"url": format!("file://{}{hash}", file.display())}));
        let is_loaded = "document.readyState === 'complete' && location.protocol === 'file:'";
        self.wait_for(is_loaded);
    }

    /// What a script says.
    #[track_caller]
    pub fn ask(&mut self, expression: &str) -> Value {
        self.try_ask(expression).unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    fn try_ask(&mut self, expression: &str) -> Result<Value, Value> {
        let parameters = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let mut answer = self.try_call("Runtime.evaluate", parameters)?;
        if answer.get("exceptionDetails").is_some() {
            Err(answer)
        } else {
            Ok(answer["result"]["value"].take())
        }
    }

    /// Some things happen a moment later. A page that is being left has no answer.
    #[track_caller]
    pub fn wait_for(&mut self, expression: &str) {
        let end = Instant::now() + TIME_LIMIT;
        loop {
            let answer = self.try_ask(expression);
            if answer == Ok(Value::Bool(true)) {
                return;
            }
            assert!(Instant::now() < end, "never came true: {expression}: {answer:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn press(&mut self, key: &str) {
        let text = match key {
            "Enter" => "\r",
            _ if key.chars().count() == 1 => key,
            _ => "",
        };
        let code = match key {
            "Enter" => 13,
            "Tab" => 9,
            "Escape" => 27,
            _ => u32::from(key.to_ascii_uppercase().chars().next().unwrap_or_default()),
        };
        let kind = if text.is_empty() { "rawKeyDown" } else { "keyDown" };
        let down = json!({"type": kind, "key": key, "text": text, "windowsVirtualKeyCode": code});
        self.call("Input.dispatchKeyEvent", down);
        self.call("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": key, "windowsVirtualKeyCode": code}));
    }

    /// The addresses that were asked for.
    pub fn requests(&self) -> Vec<&str> {
        let sent = self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        sent.map(|event| event["params"]["request"]["url"].as_str().unwrap()).collect()
    }

    /// What went wrong on the page, or was refused to it.
    pub fn complaints(&self) -> Vec<String> {
        let is_complaint = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => event["params"]["type"] != "log",
            Some("Log.entryAdded") => event["params"]["entry"]["level"] != "verbose",
            _ => false,
        };
        self.events.iter().filter(is_complaint).map(Value::to_string).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.to.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let end = Instant::now() + Duration::from_secs(10);
        while Instant::now() < end && matches!(self.process.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
