//! A place where a build of a scene stands still.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use crate::scene::Scene;

/// A named pipe beside the project. A build stops at it, with the pipe open, until it is killed.
pub struct Barrier {
    pipe: PathBuf,
}

impl Barrier {
    /// `condition` is a command of the shell: where it fails, builds go on.
    pub fn hook(condition: &str) -> String {
        // Two folders up from a copy that has a name of its own is the work folder, and the scene is above that.
        format!(
            "p=$$(ls -d ../pipe ../../pipe ../../../pipe ../../../../pipe 2>/dev/null | head -n 1); \
             if [ -p \"$$p\" ] && {condition}; then exec 3>\"$$p\"; echo held >&3; sleep 300; fi"
        )
    }

    pub fn new(scene: &Scene) -> Barrier {
        let pipe = scene.outside("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        Barrier { pipe }
    }

    /// Waits until a build stands here, calls `then`, and checks that the build has ended soon after. Opens the way for
    /// those that come later.
    pub fn held<T>(self, then: impl FnOnce() -> T) -> T {
        let (sender, lines) = mpsc::channel();
        let pipe = self.pipe.clone();
        std::thread::spawn(move || {
            let lines = BufReader::new(File::open(pipe).unwrap()).lines();
            lines.for_each(|line| drop(sender.send(line)));
        });
        let held = lines.recv_timeout(Duration::from_secs(60));
        std::fs::remove_file(&self.pipe).unwrap();
        assert!(held.is_ok(), "no build came to the barrier");
        let value = then();
        // Others of the same build may stand here too.
        let end = std::iter::repeat_with(|| lines.recv_timeout(Duration::from_secs(20))).find_map(Result::err);
        assert_eq!(end, Some(RecvTimeoutError::Disconnected), "the build goes on without us");
        value
    }
}
