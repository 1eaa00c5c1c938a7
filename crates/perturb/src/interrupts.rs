//! Ctrl-C and its kin: the first asks the run to end and keep what it has, the second ends the program at once.

use crate::exit::Exit;
use crate::page::Page;
use crate::terminal;
use perturb_host::Interrupt;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// A file that may not grow is an error of who writes it, and not the end of the program. Programs that are started
/// have their own way with this signal.
pub fn outlive_limits() -> std::io::Result<()> {
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map(drop)
}

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
            let mut page = Page::default();
            let _ =
                writeln!(page).and_then(|()| writeln!(page, "ending; what was found is kept (once more ends at once)"));
            terminal::print_error(&page);
            interrupt.raise();
        }
    };
    std::thread::Builder::new().name("signals".to_string()).spawn(wait).map(drop)
}
