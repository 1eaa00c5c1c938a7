//! The program: arguments, configuration, console, exit codes. The crates below it do all other work.

mod args;
mod commands;
mod config;
mod console;
mod exit;
mod float_tolerance;
mod formats;
mod interrupts;
mod log;
mod memory;
mod out_file;
mod page;
mod session;
mod target;
mod terminal;
mod visible;

use args::{Cli, Color, Command};
use clap::CommandFactory;
use console::Console;
use exit::{Exit, Failure};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    terminal::report_panics();
    let cli = match Cli::of_words(std::env::args_os().collect()) {
        Ok(cli) => cli,
        Err(error) => return usage(error).into(),
    };
    match cli.global.color {
        Color::Auto => {}
        Color::Always => terminal::set_colours(true),
        Color::Never => terminal::set_colours(false),
    }
    let console = Console::new(cli.global.quiet);
    // A panic is a defect of ours: it must not look like any verdict on the user's code.
    let outcome = std::panic::catch_unwind(|| run(&cli, &console));
    match outcome {
        Ok(Ok(())) => Exit::Fine.into(),
        Ok(Err(failure)) => {
            if failure.exit != Exit::Fine {
                console.error(&failure.error);
            }
            failure.exit.into()
        }
        Err(_) => Exit::Defect.into(),
    }
}

/// Prints what is wrong with the command line, or help.
fn usage(error: clap::Error) -> Exit {
    // Help and version are no errors: clap prints them to standard output.
    let exit = if error.use_stderr() { Exit::Usage } else { Exit::Fine };
    // The error quotes the arguments, which clap does not escape: parse escaped ones.
    let typed = std::env::args_os().map(|word| visible::path(Path::new(&word)).into()).collect();
    match Cli::of_words(typed) {
        Err(error) => terminal::print_usage(&error),
        Ok(_) => terminal::print_usage(
            &Cli::command().error(error.kind(), "invalid UTF-8 was detected in one or more arguments"),
        ),
    }
    exit
}

fn run(cli: &Cli, console: &Console) -> Result<(), Failure> {
    log::start()?;
    interrupts::outlive_limits()?;
    warn_of_little_memory(&cli.command, console);
    match &cli.command {
        Command::Doctor(arguments) => commands::doctor::run(&cli.global, arguments, console),
        Command::Init => commands::init::run(&cli.global, console),
        Command::Mutants(arguments) => commands::mutants::run(&cli.global, arguments, console),
        Command::Equiv(arguments) => commands::equiv::run(&cli.global, arguments, console),
        Command::Testgen(arguments) => commands::testgen::run(&cli.global, arguments, console),
        Command::Confidence(arguments) => commands::confidence::run(&cli.global, arguments, console),
        Command::Run(arguments) => commands::run::run(&cli.global, arguments, console),
        Command::Show(arguments) => commands::show::run(&cli.global, arguments, console),
        Command::Apply(arguments) => commands::apply::run(&cli.global, arguments, console),
        Command::Tests(arguments) => commands::tests::run(&cli.global, arguments),
        Command::Report(arguments) => commands::report::run(&cli.global, arguments, console),
    }
}

/// Warns of a limit on memory: the C library and libclang end a program without a useful message when they get none.
fn warn_of_little_memory(command: &Command, console: &Console) {
    const ENOUGH: u64 = 1 << 30;
    let only_reads = matches!(command, Command::Report(_) | Command::Tests(_) | Command::Init);
    if let Some(bytes) = perturb_host::address_space_limit().filter(|bytes| *bytes < ENOUGH && !only_reads) {
        console.warning(format_args!(
            "processes may use no more than {} MB of memory here (`ulimit -v`): perturb may be ended before it is \
             done; 1 GB is mostly enough",
            bytes >> 20
        ));
    }
}
