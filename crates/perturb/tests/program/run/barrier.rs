//! A place where a build of a scene stands still.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::scene::Scene;

/// Set for the runs whose builds stop at a barrier: a build sees its copy of the project, its variables, and nothing
/// else of the test's.
pub const ARMED: &str = "PERTURB_TEST_HOLD";

/// A file in the copy that is built. A build stops with it locked, until it is killed.
pub struct Barrier {
    work: PathBuf,
}

impl Barrier {
    /// `condition` is a command of the shell: where it fails, builds go on.
    pub fn hook(condition: &str) -> String {
        format!("if [ -n \"$${ARMED}\" ] && {condition}; then exec 3>held; flock 3; sleep 300; fi")
    }

    pub fn new(scene: &Scene) -> Barrier {
        Barrier { work: scene.outside("work") }
    }

    /// Waits until a build stands here, calls `then`, and checks that the build has ended soon after.
    pub fn held<T>(self, then: impl FnOnce() -> T) -> T {
        let file = wait_for(Duration::from_secs(60), || find(&self.work, "held").filter(|file| is_locked(file)));
        let file = file.expect("no build came to the barrier");
        let value = then();
        // Others of the same build may stand here too.
        let ended = wait_for(Duration::from_secs(20), || (!is_locked(&file)).then_some(()));
        assert!(ended.is_some(), "the build goes on without us");
        std::fs::remove_file(file).unwrap();
        value
    }
}

/// A file of this name at the top of any copy of the project in a work folder.
pub fn find(work: &Path, name: &str) -> Option<PathBuf> {
    let named = std::fs::read_dir(work.join("shadow")).into_iter().flatten().flatten().map(|item| item.path());
    named.chain([work.to_path_buf()]).map(|home| home.join("tree").join(name)).find(|path| path.exists())
}

/// Asks again and again, for so long at most.
pub fn wait_for<T>(longest: Duration, ask: impl Fn() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    loop {
        match ask() {
            None if start.elapsed() < longest => std::thread::sleep(Duration::from_millis(10)),
            answer => return answer,
        }
    }
}

fn is_locked(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}
