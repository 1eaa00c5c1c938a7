//! Ctrl-C and its kin: the first asks the run to end and keep what it has, the second ends the program at once.

use crate::exit::Exit;
use perturb_pipeline::interrupt::Interrupt;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::Write;
use std::sync::Arc;

/// Raises the interrupt when a signal comes.
pub fn watch(interrupt: Arc<Interrupt>) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let wait = move || {
        for _ in signals.forever() {
            if interrupt.is_raised() {
                // Builds and cells end with us, however we end.
                std::process::exit(Exit::Interrupted as i32);
            }
            // A terminal shows `^C` where its cursor stands.
            let _ = writeln!(std::io::stderr(), "\nending; what was found is kept (once more ends at once)");
            interrupt.raise();
        }
    };
    std::thread::Builder::new().name("signals".to_string()).spawn(wait).map(drop)
}
