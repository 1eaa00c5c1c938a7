//! Handles Ctrl-C and similar signals: the first asks the run to end and keep its results, the second ends the program
//! at once.

use crate::exit::Exit;
use crate::page::Page;
use crate::terminal;
use perturb_host::Interrupt;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// Makes a limit on the size of files an error of the writer, instead of a signal that ends the program. Programs that
/// perturb starts get the default action again.
pub fn outlive_limits() -> std::io::Result<()> {
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map(drop)
}

/// Raises the interrupt when a signal comes.
pub fn watch(interrupt: Arc<Interrupt>) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let wait = move || {
        for _ in signals.forever() {
            if interrupt.is_raised() {
                // Builds and cells end with this process.
                std::process::exit(Exit::Interrupted as i32);
            }
            // The terminal has written `^C` into the current line: begin a new one.
            let mut page = Page::default();
            let _ = writeln!(page)
                .and_then(|()| writeln!(page, "ending; what was found is kept (a second signal ends at once)"));
            terminal::print_error(&page);
            interrupt.raise();
        }
    };
    std::thread::Builder::new().name("signals".to_string()).spawn(wait).map(drop)
}
