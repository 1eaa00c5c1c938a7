//! `PERTURB_LOG`: what perturb does inside, for those who look for a defect or for lost time: steps, commands that it
//! runs, what it finds in its caches, and with `trace` every run of a test. The format may change at any time; nothing
//! should read it but people.

use crate::exit::Failure;
use crate::{terminal, visible};
use std::io::Write;
use std::path::Path;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::Layer;

const VARIABLE: &str = "PERTURB_LOG";

/// Starts logging to standard error if the variable asks for it.
pub fn start() -> Result<(), Failure> {
    let Some(value) = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) else { return Ok(()) };
    let targets = value.to_str().and_then(|text| text.parse::<Targets>().ok()).ok_or_else(|| {
        Failure::usage_text(format_args!(
            "{VARIABLE} is `{}`: use one of error, warn, info, debug and trace, or one for each crate, as in \
             `info,perturb_host=debug`",
            visible::path(Path::new(&value))
        ))
    })?;
    let layer = fmt::layer()
        .with_ansi(false)
        .with_timer(fmt::time::uptime())
        .with_span_events(FmtSpan::NEW | FmtSpan::CLOSE)
        .with_writer(Terminal)
        .with_filter(targets);
    tracing_subscriber::registry().with(layer).init();
    Ok(())
}

/// Whether it does.
pub fn is_on() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| !value.is_empty())
}

/// Writes each line as a whole, with nothing in it that acts on a terminal.
#[derive(Debug, Clone, Copy)]
struct Terminal;

impl Write for Terminal {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        terminal::print_log(&String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Terminal {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        *self
    }
}
