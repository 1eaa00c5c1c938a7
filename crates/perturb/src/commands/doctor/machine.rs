//! What a run needs of this machine: a sandbox, space, and a work folder that nobody else is using.

use super::Report;
use crate::session::Session;
use perturb_host::{free_space, used_space, Cell, CellOptions, HostError, Layers, RunsAs};
use perturb_pipeline::store::Store;
use std::io::{Result, Write};
use std::path::Path;

/// Room for the store, logs and what tests write.
const ALWAYS: u64 = 100 << 20;

/// Nobody counts what is left beyond this.
const PLENTY: u64 = 10_000_000_000;

/// What allows the namespaces that a sandbox is made of.
const ALLOW_NAMESPACES: &str = "allow user namespaces: `sysctl kernel.unprivileged_userns_clone=1` on Debian, \
     `sysctl kernel.apparmor_restrict_unprivileged_userns=0` on Ubuntu, in a container `--security-opt seccomp=unconfined`; \
     or run perturb as root";

impl<W: Write> Report<W> {
    pub(super) fn machine(&mut self, session: &Session) -> Result<()> {
        self.sandbox(&session.work)?;
        self.space(session)?;
        match Store::check(&session.work) {
            Ok(()) => self.good("work", &session.work.display().to_string()),
            Err(error) => self.bad("work", &error.to_string()),
        }
    }

    /// Opens a cell as a run does, and looks at it.
    fn sandbox(&mut self, work: &Path) -> Result<()> {
        match layers(work) {
            Err(error) => self.bad("sandbox", &error.to_string()),
            Ok(layers) => match lacking(&layers) {
                lacking if lacking.is_empty() => self.good("sandbox", &layers.to_string()),
                lacking => {
                    let reasons = layers.missing.join("; ");
                    self.fair("sandbox", &format!("{layers}\n{}\ntried: {reasons}", lacking.join("\n")))
                }
            },
        }
    }

    /// A run makes a copy with all mutants, whose objects are larger, and one for each worker.
    fn space(&mut self, session: &Session) -> Result<()> {
        let Some(free) = free_space(&session.work) else { return Ok(()) };
        let plain = used_space(&session.work.join("tree")) + used_space(&session.work.join("build"));
        let needed = plain * (3 + session.jobs as u64) + ALWAYS;
        let (there, needed_text) = (session.work.display(), shown(needed));
        // Exact only where it matters, so that the same machine gets the same answer twice.
        let text = if free >= PLENTY.max(2 * needed) {
            format!("more than {} free in {there}, a run needs about {needed_text}", shown(PLENTY.max(2 * needed)))
        } else {
            format!("{} free in {there}, a run needs about {needed_text}", shown(free))
        };
        if free >= needed {
            self.good("space", &text)
        } else {
            self.bad("space", &format!("{text}: free some, or name another folder with `--work DIR`"))
        }
    }
}

fn layers(work: &Path) -> std::result::Result<Layers, HostError> {
    let work = perturb_host::create_work_folder(work)?;
    let place = work.join("cells").join(format!("doctor-{}", std::process::id()));
    let private = place.join("view");
    std::fs::create_dir_all(&private).map_err(HostError::io("create", &private))?;
    let mut options = CellOptions::new(place.join("cell"));
    options.private = vec![private];
    let layers = Cell::open(&options).map(|cell| cell.layers().clone());
    let _ = std::fs::remove_dir_all(&place);
    layers
}

/// What is not there, what that means, and what would help.
fn lacking(layers: &Layers) -> Vec<String> {
    let mut lines = Vec::new();
    let has_namespaces = layers.pid_namespace && layers.mount_namespace;
    if !has_namespaces {
        lines.push("without namespaces a test sees and may signal your own processes".to_string());
    }
    if !layers.private_views {
        lines.push(
            "without private views a test finds what earlier runs have written, and never runs beside itself"
                .to_string(),
        );
    }
    if !layers.read_only {
        lines.push("a test may write wherever its user may".to_string());
    }
    if !lines.is_empty() {
        lines.push(ALLOW_NAMESPACES.to_string());
    }
    if is_root() && layers.user == RunsAs::Ourselves {
        lines.push(
            "tests run as root: run perturb as an ordinary user, or give it the capabilities to change users"
                .to_string(),
        );
    }
    lines
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|data| std::os::unix::fs::MetadataExt::uid(&data) == 0)
}

/// `1.5 GB`.
fn shown(bytes: u64) -> String {
    let mega = bytes as f64 / 1e6;
    match mega {
        ..999.5 => format!("{mega:.0} MB"),
        _ => format!("{:.1} GB", mega / 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Layers {
        Layers {
            user: RunsAs::Other { uid: 65534 },
            user_namespace: true,
            pid_namespace: true,
            mount_namespace: true,
            ipc_namespace: true,
            own_proc: true,
            read_only: true,
            private_views: true,
            in_memory: true,
            missing: Vec::new(),
        }
    }

    #[test]
    fn a_layer_that_is_missing_is_told_with_what_it_means_and_what_helps() {
        assert!(lacking(&all()).is_empty());
        let bare = Layers { pid_namespace: false, mount_namespace: false, private_views: false, ..all() };
        let lines = lacking(&bare);
        assert!(lines.iter().any(|line| line.contains("never runs beside itself")), "{lines:?}");
        assert!(lines.last().unwrap().contains("unprivileged_userns_clone"), "{lines:?}");
    }

    #[test]
    fn sizes_are_those_people_know() {
        assert_eq!([shown(0), shown(57_400_000), shown(1_540_000_000)], ["0 MB", "57 MB", "1.5 GB"]);
    }
}
