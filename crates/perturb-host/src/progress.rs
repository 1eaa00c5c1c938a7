//! Progress of a discovery, for the user who waits for it.

use std::fmt;
use std::path::PathBuf;

/// Reported before each step that may take long.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DiscoveryProgress {
    /// Another run writes in the work folder.
    Waiting {
        work: PathBuf,
    },
    /// The work folder was moved or copied: its copy of the project was made for another place.
    Moved {
        from: PathBuf,
        work: PathBuf,
    },
    Configuring {
        system: &'static str,
        log: PathBuf,
    },
    /// Runs the rules for sources that do not exist yet.
    Generating {
        count: usize,
        log: PathBuf,
    },
    Building {
        command: String,
        log: PathBuf,
    },
    /// The commands of an earlier build still hold, so that it is not repeated.
    Reused {
        command: String,
    },
}

impl fmt::Display for DiscoveryProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DiscoveryProgress::Waiting { work } => {
                write!(f, "waiting for another perturb in this work folder ({})", work.display())
            }
            DiscoveryProgress::Moved { from, work } => write!(
                f,
                "the copy of the project in {} was made in {}: it is made and built anew",
                work.display(),
                from.display()
            ),
            DiscoveryProgress::Configuring { system, log } => {
                write!(f, "configuring a copy with {system} to see how its files are compiled (log: {})", log.display())
            }
            DiscoveryProgress::Generating { count, log } => {
                let files = if *count == 1 { "source" } else { "sources" };
                write!(f, "generating {count} {files} that the build makes (log: {})", log.display())
            }
            DiscoveryProgress::Building { command, log } => {
                write!(f, "building a copy with `{command}` to see how its files are compiled (log: {})", log.display())
            }
            DiscoveryProgress::Reused { command } => write!(
                f,
                "no build file has changed: how `{command}` compiles is known from an earlier run \
                 (--rebuild builds again)"
            ),
        }
    }
}
