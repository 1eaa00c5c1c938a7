//! The command line as it is typed. Nothing here is checked beyond its form: see `session` for what it comes to mean.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Mutation analysis for C and C++ that flies.
///
/// perturb makes small faults in your code, one at a time, to learn whether your tests would notice a bug. It uses your own
/// compiler and build system and never writes in your source tree.
#[derive(Debug, Parser)]
#[command(name = "perturb", version, max_term_width = 100, after_help = EXIT_CODES, propagate_version = true)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0   fine
  2   wrong usage or configuration
  4   nothing to mutate
  5   the project, or a tool that it or perturb needs, cannot be used
  70  a defect of perturb itself";

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Project and program")]
pub struct Global {
    /// The project's folder [default: the nearest from here upward that is configured or can be built]
    #[arg(short = 'C', long = "project", value_name = "DIR", global = true)]
    pub project: Option<PathBuf>,
    /// Where perturb keeps what it needs to write [default: .perturb in the project]
    #[arg(long, value_name = "DIR", global = true)]
    pub work: Option<PathBuf>,
    /// The configuration file [default: perturb.toml in the project, if it is there]
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
    /// The command that builds the project, run in a copy of it; for what is neither CMake nor Meson
    #[arg(long, value_name = "COMMAND", global = true)]
    pub build: Option<String>,
    /// A compile_commands.json to use as it is
    #[arg(long, value_name = "FILE", global = true)]
    pub compile_commands: Option<PathBuf>,
    /// Build anew even if the build files are the same as last time
    #[arg(long, global = true)]
    pub rebuild: bool,
    /// The libclang to parse with: a file, a folder, or a major version [default: the newest found]
    #[arg(long, value_name = "WHICH", global = true, env = "PERTURB_LIBCLANG")]
    pub libclang: Option<String>,
    /// How many files to work on at once [default: the number of cores]
    #[arg(short, long, value_name = "N", global = true, value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true)]
    pub color: Color,
    /// Tell problems only: no progress, no notes
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check what perturb needs: libclang, compiler, build, tests; and list which files are under test
    Doctor,
    /// Write a commented perturb.toml with what was found
    Init,
    /// List every mutant, without running anything
    Mutants(Mutants),
    /// Show one mutant: its diff, where it is, how to suppress it
    Show(Show),
    /// Write a mutated file into another folder: `perturb apply ID --to DIR`, or every one: `perturb apply --all --to DIR`
    #[command(override_usage = "perturb apply [OPTIONS] --to <DIR> <ID | --all> [PATHS]... [-- <FLAGS>...]")]
    Apply(Apply),
    /// Report what the last run found, also one that was interrupted; the project need not be there
    Report(Report),
}

/// Which mutants are meant.
#[derive(Debug, Args, Default, Clone)]
#[command(next_help_heading = "Which mutants")]
pub struct Select {
    /// Only these files, or what is below these folders; without a project, the file to mutate
    #[arg(value_name = "PATHS")]
    pub paths: Vec<PathBuf>,
    /// Only in this function (with or without its namespaces); may be repeated
    #[arg(long, value_name = "NAME")]
    pub function: Vec<String>,
    /// Which operators: mass, sufficient, oodl, sdl, sdl+oodl, or acronyms such as ROR,AOR
    #[arg(long, value_name = "SET")]
    pub operators: Option<String>,
    /// Only on lines that changed since the merge base with this git revision, uncommitted changes included
    #[arg(long, value_name = "REV")]
    pub diff: Option<String>,
    /// Only on these lines, such as src/ring.c:10-20; may be repeated
    #[arg(long, value_name = "FILE:A-B")]
    pub lines: Vec<String>,
    /// Mutate the bodies of the project's own macros too, where they are used in a source file
    #[arg(long)]
    pub mutate_macros: bool,
    /// For a file without a project: the compiler's flags
    #[arg(last = true, value_name = "FLAGS")]
    pub flags: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Mutants {
    #[command(flatten)]
    pub select: Select,
    /// How to print them
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: Format,
    /// Print the table of counts per operator and file instead
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
    pub stats: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// By file and function, for people
    Text,
    /// One array
    Json,
    /// One object a line
    Jsonl,
    /// One row each, with a header
    Csv,
    /// Unified diffs, each of which `patch -p1` takes
    Diff,
}

#[derive(Debug, Args)]
pub struct Show {
    /// The mutant's id, or the first digits of it
    #[arg(value_name = "ID")]
    pub id: String,
    #[command(flatten)]
    pub select: Select,
}

#[derive(Debug, Args)]
pub struct Apply {
    /// The folder to write to; the file keeps its path below it
    #[arg(long, value_name = "DIR")]
    pub to: PathBuf,
    /// Every mutant, each in a folder named by its id
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub select: Select,
}

#[derive(Debug, Args)]
pub struct Report {
    /// How to report
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: ReportFormat,
    /// Write to this file, all of it or nothing [default: standard output]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Counts, scores, times, a table of files and the live mutants, for people
    Text,
    /// The schema of mutation-testing-elements, version 2
    Json,
}
