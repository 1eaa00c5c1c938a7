//! Checks what a run needs from this machine: a sandbox, disk space, and a work folder that no other run uses.

use super::Report;
use crate::session::Session;
use crate::visible;
use perturb_cell::{probe_layers, Layers, Network, RunsAs, Sandbox, HOW_TO_ALLOW_NAMESPACES};
use perturb_host::{free_space, used_space, HostError};
use perturb_store::Store;
use std::io::Result;
use std::path::Path;

/// Space for the store, logs and files that tests write.
const ALWAYS: u64 = 100 << 20;

/// Free space beyond this is not reported exactly.
const PLENTY: u64 = 10_000_000_000;

impl Report {
    pub(super) fn machine(&mut self, session: &Session) -> Result<()> {
        self.sandbox(&session.work)?;
        self.space(session)?;
        match Store::check(&session.work) {
            Ok(()) => self.good("work", &visible::path(&session.work)),
            Err(error) => self.bad("work", &error.to_string()),
        }
    }

    /// Opens a cell as a run does, and reports its layers.
    fn sandbox(&mut self, work: &Path) -> Result<()> {
        match layers(work) {
            Err(error) => self.bad("sandbox", &error.to_string()),
            Ok(layers) => {
                let lacking = lacking(&layers);
                let text = format!("{layers}\n{}\ntried: {}", lacking.join("\n"), layers.missing.join("; "));
                match layers.gaps().is_empty() {
                    true if lacking.is_empty() => self.good("sandbox", &layers.to_string()),
                    true => self.fair("sandbox", &text),
                    // A run would refuse.
                    false => self.bad("sandbox", &text),
                }
            }
        }
    }

    /// Estimates the disk space of a run: a copy with all mutants, whose objects are larger, and a copy per worker.
    fn space(&mut self, session: &Session) -> Result<()> {
        let Some(free) = free_space(&session.work) else { return Ok(()) };
        let plain = used_space(&session.work.join("tree")) + used_space(&session.work.join("build"));
        let needed = plain * (3 + session.jobs as u64) + ALWAYS;
        let there = visible::path(&session.work);
        let needed_text = shown(needed);
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
    Ok(probe_layers(&work.join("cells").join(format!("doctor-{}", std::process::id())), Sandbox::FULL)?)
}

/// The layers that are missing, what follows from that, and what would help.
fn lacking(layers: &Layers) -> Vec<String> {
    let mut lines: Vec<String> = layers.gaps().iter().map(|gap| format!("{gap}: `perturb run` refuses")).collect();
    if layers.network == Network::Open {
        lines.push("a test reaches the network, whether it is permitted or not".to_string());
    }
    if !layers.private_views {
        lines.push(
            "without private views tests write to the build itself: one runs there at a time, and perturb restores it \
             after each"
                .to_string(),
        );
    }
    if !lines.is_empty() {
        lines.push(HOW_TO_ALLOW_NAMESPACES.to_string());
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
            network: Network::Own,
            landlock: Some(6),
            filter: true,
            group: true,
            own_proc: true,
            read_only: true,
            private_views: true,
            readable: Vec::new(),
            in_memory: true,
            missing: Vec::new(),
        }
    }

    #[test]
    fn a_layer_that_is_missing_is_reported_with_what_it_means_and_what_helps() {
        assert!(lacking(&all()).is_empty());
        let bare = Layers { pid_namespace: false, mount_namespace: false, private_views: false, ..all() };
        let lines = lacking(&bare);
        assert!(lines.iter().any(|line| line.contains("restores it after each")), "{lines:?}");
        assert!(lines.last().unwrap().contains("unprivileged_userns_clone"), "{lines:?}");
        let naked = Layers { user: RunsAs::Ourselves, read_only: false, landlock: None, ..bare };
        let lines = lacking(&naked);
        assert_eq!(lines.iter().filter(|line| line.contains("refuses")).count(), 2, "{lines:?}");
    }

    #[test]
    fn sizes_have_units_of_powers_of_ten() {
        assert_eq!([shown(0), shown(57_400_000), shown(1_540_000_000)], ["0 MB", "57 MB", "1.5 GB"]);
    }
}
