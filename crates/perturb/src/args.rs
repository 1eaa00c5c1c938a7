//! The command line as it is typed. Only its form is checked here: `session` makes validated values of it.

mod comparing;
mod expert;
mod testgen;

pub use comparing::{Comparing, ConfidenceFormat, ConfidenceOfScore, TierName};
pub use testgen::{FrameworkName, SanitizersName, SeedInputs, Testgen, TestgenFormat};

use crate::memory::Memory;
use clap::{Args, Parser, Subcommand, ValueEnum};
use perturb_model::{Calibration, Confidence, Level, Rule, SamplingStrategy, UnknownLevel};
use perturb_pipeline::steps::distance::Distance;
use std::path::PathBuf;
use std::time::Duration;

/// Mutation analysis for C and C++ that flies.
///
/// perturb makes small faults in your code, one at a time, to learn whether your tests would notice a bug. It uses your
/// own compiler and build system and never writes in your source tree.
#[derive(Debug, Parser)]
#[command(
    name = "perturb",
    bin_name = "perturb",
    version,
    max_term_width = 100,
    after_help = EXIT_CODES,
    propagate_version = true
)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0   fine
  1   the score, or the confidence, is less than `--fail-under` asks for; or `equiv --pair` finds a difference
  2   wrong usage or configuration
  3   the project does not build, has no tests, or none of them passes on the original
  4   nothing to mutate
  5   the project, or a tool that it or perturb needs, cannot be used
  6   the store cannot be used: not there yet, damaged, of a newer version, in use, or no space left
  7   `equiv --pair` finds none, and not all functions are shown to be equivalent
  8   verdicts are in doubt
  9   `--fail-under` was given, and there is no score: no mutant was executed that a test could kill
  130 interrupted: what was found so far is kept
  70  a defect of perturb itself";

const RUN_EXAMPLES: &str = "\
Examples:
  perturb run                     all mutants of the project in this folder
  perturb run src/ring.c          only those of a file; --function and --lines are narrower
  perturb run --diff main         only on lines that changed since main
  perturb run --budget 10m        a random sample in ten minutes; the next run continues
  perturb run --again live        after writing tests: only mutants that lived last time
  perturb run --test-command './run-tests {test}' --test push --test pop
  perturb run --mutant ID --engine rebuild
                                  one mutant, built by itself

perturb builds the project in a copy and runs its tests there twice; it leaves out those that fail
or are flaky. Then it builds one more copy, which contains every mutant, and runs each mutant with
the tests that can kill it. It reports live mutants as it finds them; `perturb show ID` says more
about one, `perturb report` lists them all.

Exit codes: `perturb --help`.";

const EQUIV_EXAMPLES: &str = "\
Examples:
  perturb equiv src/ring.c        all mutants of the functions of a file
  perturb equiv --function push   of one function
  perturb equiv --operators milu file.c
  perturb equiv --witnesses /tmp/shown src/ring.c
                                  a C program for each mutant that differs, which shows it
  perturb equiv --annotate src/ring.c | patch -p1
                                  write the assumed contracts into the file, to read and change
  perturb equiv --pair old.c new.c -- -std=c99 -Iinclude
                                  does each function still do what it did? ends with 0 if all do,
                                  with 1 if one does not, with 7 if it is unknown

A comment on the line before a function says what it may be given. Without one, each number may be
anything and each pointer points to six elements:
  // @perturb                     as without a comment
  // @perturb(sym, 0..10)         any value; from 0 to 10
  // @perturb(sym[4], 4)          four elements; just 4
  // @klee[inArraySize=5](sym,1)  as Nequivack has it";

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Project and program")]
pub struct Global {
    /// The project's folder [default: this folder or the nearest above it that is configured or can be built]
    #[arg(short = 'C', long = "project", value_name = "DIR", global = true)]
    pub project: Option<PathBuf>,
    /// The folder that perturb writes to [default: .perturb in the project]
    #[arg(long, value_name = "DIR", global = true)]
    pub work: Option<PathBuf>,
    /// The configuration file [default: perturb.toml in the project, if it is there]
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
    /// The command that builds the project, run in a copy of it; for projects that use neither CMake nor Meson
    #[arg(long, value_name = "COMMAND", global = true)]
    pub build: Option<String>,
    /// A compile_commands.json to use, instead of one from the project's build
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
    /// Report problems only: no progress, no notes
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
    /// Check what perturb needs: libclang, compiler, tests, sandbox, disk space; and list the files under test
    Doctor(Doctor),
    /// Write a commented perturb.toml with what was found
    Init,
    /// List every mutant, without running anything
    Mutants(Mutants),
    /// Compare functions with their mutants, without any test: equivalent, different (with an input that shows it), or
    /// unknown
    #[command(after_help = EQUIV_EXAMPLES)]
    Equiv(Equiv),
    /// Write unit tests that kill the mutants which the last run left alive
    #[command(after_help = testgen::EXAMPLES)]
    Testgen(Box<Testgen>),
    /// Compute how far a mutation score can be trusted: the share of mutants that are shown not to be equivalent, by
    /// function and file
    #[command(after_help = comparing::CONFIDENCE_EXAMPLES)]
    Confidence(ConfidenceOfScore),
    /// Execute the mutants with the project's own tests: which of them do the tests notice?
    #[command(after_help = RUN_EXAMPLES)]
    Run(Box<Run>),
    /// Show one mutant: its diff, what the tests found, how to reproduce it and how to suppress it
    Show(Show),
    /// Write a mutated file into another folder: `perturb apply ID --to DIR`, or every one: `perturb apply --all --to
    /// DIR`
    #[command(override_usage = "perturb apply [OPTIONS] --to <DIR> <ID | --all> [PATHS]... [-- <FLAGS>...]")]
    Apply(Apply),
    /// Show for each test of the last run how many mutants it reaches, infects, kills, and kills alone
    Tests(TestsTable),
    /// Report what the last run found, even if it was interrupted; the project is not needed
    Report(Report),
}

/// Selects mutants.
#[derive(Debug, Args, Default, Clone)]
#[command(next_help_heading = "Which mutants")]
pub struct Select {
    /// Only these files, or the files in these folders; without a project, the file to mutate
    #[arg(value_name = "PATHS")]
    pub paths: Vec<PathBuf>,
    /// Only in this function (with or without its namespaces); may be repeated
    #[arg(long, value_name = "NAME")]
    pub function: Vec<String>,
    /// Only the mutant with this id, or these first digits of it; may be repeated
    #[arg(long, value_name = "ID")]
    pub mutant: Vec<String>,
    /// Which operators: mass, sufficient, oodl, sdl, sdl+oodl, milu, or acronyms such as ROR,AOR
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
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: Format,
    /// Print the table of counts per operator and file instead
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
    pub stats: bool,
}

/// The arguments of `perturb equiv`.
#[derive(Debug, Args)]
pub struct Equiv {
    #[command(flatten)]
    pub select: Select,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: EquivFormat,
    /// Write a C program into this folder for each mutant that differs: it fails with the mutant and not with the
    /// original
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub witnesses: Option<PathBuf>,
    /// Compare nothing; print a diff that adds a contract to each function that has none
    #[arg(long, help_heading = "Output")]
    pub annotate: bool,
    /// With --annotate: write the files with these contracts to this folder instead, each under its path in the project
    #[arg(long, value_name = "DIR", requires = "annotate", help_heading = "Output")]
    pub to: Option<PathBuf>,
    /// Compare two versions of a file, without a project: each function that both have with its counterpart
    #[arg(
        long,
        num_args = 2,
        value_names = ["A.c", "B.c"],
        help_heading = "Two versions of a file",
        conflicts_with_all = ["annotate", "paths", "mutant", "operators", "diff", "lines", "mutate_macros"]
    )]
    pub pair: Option<Vec<PathBuf>>,
    /// With --pair: the compiler [default: cc]
    #[arg(long, value_name = "COMPILER", requires = "pair", help_heading = "Two versions of a file")]
    pub cc: Option<String>,
    #[command(flatten)]
    pub comparing: Comparing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EquivFormat {
    /// For people
    Text,
    /// One array
    Json,
    /// One object per line
    Jsonl,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// By file and function, for people
    Text,
    /// One array
    Json,
    /// One object per line
    Jsonl,
    /// One row per mutant, with a header
    Csv,
    /// Unified diffs, each of which `patch -p1` accepts
    Diff,
}

#[derive(Debug, Args)]
pub struct Run {
    #[command(flatten)]
    pub select: Select,
    #[command(flatten)]
    pub tests: TestArguments,
    #[command(flatten)]
    pub execution: Execution,
    /// Print events on standard output while it runs, one JSON object per line
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    pub events: Option<EventFormat>,
    /// Which live mutants to show as they are found
    #[arg(long, value_name = "WHICH", default_value = "few", help_heading = "Output")]
    pub survivors: Survivors,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Survivors {
    /// One for each line and at most ten for each file
    Few,
    All,
    None,
}

#[derive(Debug, Args)]
pub struct Doctor {
    /// Build the project too, and run its tests twice
    #[arg(long)]
    pub tests: bool,
}

/// Which tests run, and how perturb finds them.
#[derive(Debug, Args, Default, Clone)]
#[command(next_help_heading = "Tests")]
pub struct TestArguments {
    /// The command that runs one test: {test} stands for its name, {build} for the build folder; it starts in the
    /// project's folder
    #[arg(long, value_name = "COMMAND")]
    pub test_command: Option<String>,
    /// With --test-command: the name of a test; may be repeated
    #[arg(long = "test", value_name = "NAME")]
    pub names: Vec<String>,
    /// With --test-command: the command that prints the names of the tests, one per line
    #[arg(long, value_name = "COMMAND")]
    pub list_tests: Option<String>,
    /// Only tests whose name matches this pattern, such as 'ring_*'; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub only_tests: Vec<String>,
    /// Leave out tests whose name matches this pattern; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub without_tests: Vec<String>,
    /// Treat a GoogleTest or Catch2 program as one test, instead of each of its cases
    #[arg(long)]
    pub whole_programs: bool,
    /// How long a test may take on the original, unless the project says so itself, such as 90s or 5m [default: 5m]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub test_timeout: Option<Duration>,
    /// How much memory each process of a test may use on a mutant, such as 512M or 4G; `unlimited` for no limit
    /// [default: 2G]
    #[arg(long, value_name = "SIZE")]
    pub test_memory: Option<Memory>,
}

/// How mutants are executed.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = "Execution")]
pub struct Execution {
    /// Stop after this time, such as 10m, which includes all steps; mutants are then drawn at random
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub budget: Option<Duration>,
    /// Stop after a step: mutate, baseline, tce, instrument or record
    #[arg(long, value_name = "STEP")]
    pub until: Option<Until>,
    /// Execute again, and only, the mutants that lived in an earlier run
    #[arg(long, value_name = "WHICH")]
    pub again: Option<Again>,
    /// Where coverage comes from: `own`, the build that contains all mutants, which also records where they make a
    /// difference; `gcov`, your compiler's coverage, from one run of each test; or a folder with lcov or gcov data of
    /// each test
    #[arg(long, value_name = "own|gcov|FOLDER", default_value = "own", value_parser = coverage)]
    pub coverage: Coverage,
    /// Which mutants are executed: all; uniform:10% of all; stratified:10% of those of every function; fixed:1000; or
    /// fsci: as many as it takes to know the score [default: all, or fsci if there are more than 20000 mutants]
    #[arg(long, value_name = "STRATEGY")]
    pub sample: Option<SamplingStrategy>,
    /// With `--sample fsci`: how wide the interval of the score may be (T_CI)
    #[arg(long, value_name = "WIDTH", default_value_t = Rule::WIDTH, value_parser = width, hide = true)]
    pub ci_width: f64,
    /// The confidence level of intervals
    #[arg(long, value_name = "PERCENT", default_value = "95%", value_parser = confidence, hide = true)]
    pub ci_level: Confidence,
    /// Run each mutant only with tests that differ from each other in what they execute around it; perturb measures on
    /// the first mutants drawn what these tests miss, and corrects the interval
    #[arg(long, hide = true)]
    pub reduce: bool,
    /// With `--reduce`: how wide the interval of the share that reduced suites miss may be (T_CE)
    #[arg(long, value_name = "WIDTH", default_value_t = Calibration::DEFAULT.width, value_parser = width, hide = true)]
    pub reduce_width: f64,
    /// The distance between two tests: jaccard or ochiai (which statements they execute), euclidean or cosine (how
    /// often)
    #[arg(long, value_name = "DISTANCE", default_value_t = Distance::default(), hide = true)]
    pub distance: Distance,
    /// Whether live mutants are executed once more, with statements counted, to find those that are likely equivalent
    /// and those to look at first
    #[arg(long, value_name = "WHETHER", default_value = "on")]
    pub discard: DiscardName,
    /// A mutant whose statement counts are no farther from the original's than this, from 0 to 1, is likely equivalent
    /// (T_E)
    #[arg(long, value_name = "DISTANCE", default_value_t = 0.0, value_parser = share, hide = true)]
    pub discard_threshold: f64,
    /// Whether mutants that live are compared with the original, function by function: a mutant that is proved
    /// equivalent leaves the score, and an input on which one differs shows which test is missing. `live` or `off`
    /// [default: live]
    #[arg(long, value_name = "WHEN")]
    pub equivalence: Option<EquivalenceName>,
    /// Which engine executes mutants: for each the fastest that is sound, or always the same one
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    pub engine: EngineName,
    /// Which tests a mutant is executed with
    #[arg(long, value_name = "WHICH", default_value = "infecting", hide = true)]
    pub run_tests: RunTests,
    /// Continue after the first kill: run every test on every mutant that it could kill
    #[arg(long)]
    pub kill_matrix: bool,
    /// How many verdicts, drawn at random, are checked with the mutant built by itself; 0 for none
    #[arg(long, value_name = "N", default_value_t = 20, hide = true)]
    pub audit: usize,
    /// Compare the code that your compiler makes of mutants: a mutant with the code of the original is equivalent, two
    /// with the same code count once. `on`: all mutants, while tests run, and whole units of those that live; `live`:
    /// only whole units of those that live; or `off` [default: on]
    #[arg(long, value_name = "WHEN")]
    pub tce: Option<TceName>,
    /// The optimisation levels at which code is compared: any of O0, O1, O2, O3, Os, Ofast, or all [default: O1,O2,Os]
    #[arg(long, value_name = "LEVELS", value_parser = levels, hide = true)]
    pub tce_levels: Option<Levels>,
    /// Compare at -Ofast with its fast mathematics, which takes `x != x` for false
    #[arg(long, hide = true)]
    pub tce_fast_floats: bool,
    /// How many times as long as on the original a test may take on a mutant [default: 10; for long tests whose time
    /// does not vary, 3 beyond a tenth of a second]
    #[arg(long, value_name = "N", value_parser = factor)]
    pub timeout_factor: Option<f64>,
    /// Whether the sandbox keeps mutants from harming this machine; perturb.toml permits what tests need all the same
    #[arg(long, value_name = "WHETHER", default_value = "on")]
    pub sandbox: SandboxName,
    /// The seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// End with code 1 if the score of covered code is less than this, in percent
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub fail_under: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SandboxName {
    /// With all layers that the machine allows; refuses to run with too few
    On,
    /// With limits only: a mutant can do whatever you can
    Off,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DiscardName {
    On,
    Off,
}

/// Where coverage comes from. A folder that is named like another choice is typed as `./gcov`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Coverage {
    Own,
    Gcov,
    Folder(PathBuf),
}

fn coverage(text: &str) -> Result<Coverage, std::convert::Infallible> {
    Ok(match text {
        "own" => Coverage::Own,
        "gcov" => Coverage::Gcov,
        folder => Coverage::Folder(folder.into()),
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EventFormat {
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Until {
    /// List the mutants, and store the list
    #[value(alias = "mutants")]
    Mutate,
    /// Build the project and run its tests, twice
    Baseline,
    /// Compare the code of mutants, and execute none
    Tce,
    /// Build it with all mutants in it
    Instrument,
    /// Record which tests reach and infect which mutants
    #[value(alias = "coverage")]
    Record,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Again {
    /// Those that are live or not infected
    Live,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// The fastest that is sound
    Auto,
    /// One run of each test serves all mutants, or `switched` where that is not sound; a mutant that cannot be in the
    /// one build is left pending
    Split,
    /// One build contains all mutants; a mutant that cannot be in it is left pending
    Switched,
    /// Each mutant is built by itself
    Rebuild,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TceName {
    #[default]
    On,
    Live,
    Off,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EquivalenceName {
    #[default]
    Live,
    Off,
}

/// Optimisation levels, each once, in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels(pub Vec<Level>);

pub fn levels(text: &str) -> Result<Levels, UnknownLevel> {
    if text == "all" {
        return Ok(Levels(Level::ALL.to_vec()));
    }
    let mut levels = text.split(',').map(str::parse).collect::<Result<Vec<Level>, _>>()?;
    levels.sort();
    levels.dedup();
    Ok(Levels(levels))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RunTests {
    /// Tests that infect it: no other test can kill it
    Infecting,
    /// Tests that execute the mutated statement
    Covering,
    /// Every test
    All,
}

/// `90s`, `10m`, `2h`, or a plain number of seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()));
    let scale = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("`{unit}` is no unit of time: write 90s, 10m or 2h")),
    };
    let number: f64 = number.trim().parse().map_err(|_| "write a time such as 90s, 10m or 2h".to_string())?;
    let seconds = number * scale;
    if !(seconds > 0.0 && seconds < 1e9) {
        return Err("the time must be more than nothing".to_string());
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// From 0 to 100.
fn percent(text: &str) -> Result<f64, String> {
    match text.strip_suffix('%').unwrap_or(text).trim_end().parse() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent),
        _ => Err("write a score from 0 to 100, such as 80".to_string()),
    }
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..1.0).contains(&share) => Ok(share),
        _ => Err("write a number from 0 to less than 1".to_string()),
    }
}

/// The width of an interval of a share.
fn width(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(width) if (0.001..1.0).contains(&width) => Ok(width),
        _ => Err("write a width from 0.001 to 1, such as 0.10".to_string()),
    }
}

fn confidence(text: &str) -> Result<Confidence, String> {
    let percent: Option<f64> = text.strip_suffix('%').unwrap_or(text).trim_end().parse().ok();
    let level = percent.filter(|percent| (50.0..100.0).contains(percent)).map(|percent| percent / 100.0);
    level.and_then(Confidence::new).ok_or_else(|| "write how sure, from 50% to less than 100%, such as 95%".to_string())
}

fn factor(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "write a number such as 10".to_string())?;
    if (1.0..=1e6).contains(&number) {
        Ok(number)
    } else {
        Err("a test needs at least the time that it takes on the original: write 1 or more".to_string())
    }
}

#[derive(Debug, Args)]
pub struct Show {
    /// The mutant's id, or the first digits of it
    #[arg(value_name = "ID")]
    pub id: String,
    #[command(flatten)]
    pub select: Select,
    /// Name every test that reaches, infects or kills it
    #[arg(long, help_heading = "Output")]
    pub all_tests: bool,
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
pub struct TestsTable {
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: TestsFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TestsFormat {
    Text,
    Json,
    Csv,
}

#[derive(Debug, Args)]
pub struct Report {
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: ReportFormat,
    /// Write to this file, or for csv and html to this folder; a file is written whole or not at all [default: standard
    /// output]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Show what changed since another run, given by its number in this store or by its work folder
    #[arg(long, value_name = "OLD", conflicts_with = "format", help_heading = "Output")]
    pub compare: Option<String>,
    /// End with code 1 if the score of covered code is less than this, in percent
    #[arg(long, value_name = "PERCENT", value_parser = percent, help_heading = "Output")]
    pub fail_under: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Counts, scores, times, a table of files and the live mutants, for people
    Text,
    /// Pages for a browser, which open from the disk: one file, or for many mutants an index and a page for each source
    /// file
    Html,
    /// The schema of mutation-testing-elements, version 2
    Json,
    /// Live mutants, for editors and code scanning: SARIF 2.1.0
    Sarif,
    /// A test case for each mutant, for build servers: JUnit's XML
    Junit,
    /// Annotations of a GitHub workflow
    Github,
    /// Tables: with --out, a folder of them (mutants, unique, coverage, reach, suites, kills, live); otherwise the
    /// mutants
    Csv,
    /// A verification report, for an independent assessor: scope, tools, steps, figures, live mutants, limits
    Markdown,
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::prelude::*;
    use perturb_fuzz::Share;

    #[test]
    fn fuzzed_values_of_options_are_read_or_refused() {
        let examples = [
            "95%",
            "0.10",
            "uniform:10%",
            "fixed:1000",
            "90s",
            "10m",
            "2h",
            "1.5e3ms",
            "O1,O2,Os",
            "all",
            "10",
            "gcov",
        ];
        perturb_fuzz::survives("values of options", Share::All, &examples, |text| {
            let text = String::from_utf8_lossy(text);
            if let Ok(time) = duration(&text) {
                assert!(time.as_secs_f64() < 1e9);
            }
            let _ = (factor(&text), levels(&text), coverage(&text), width(&text), confidence(&text));
            let _ = (text.parse::<SamplingStrategy>(), text.parse::<Distance>());
        });
    }

    #[test]
    fn fuzzed_command_lines_are_read_or_refused() {
        const WORDS: &[&str] = &[
            "run",
            "mutants",
            "show",
            "apply",
            "report",
            "doctor",
            "init",
            "--diff",
            "--lines",
            "a.c:1-2",
            "--budget",
            "1m",
            "--",
            "-C",
            "--to",
            "--all",
            "--format",
            "json",
            "--jobs",
            "0",
            "-j4",
            "--operators",
            "ROR",
            "--tce-levels",
            "O2",
            "--help",
            "--mutant",
            "00",
            "--test-memory",
            "2G",
            "--again",
            "live",
            "-q",
            "--color=never",
            "--seed",
            "-1",
            "",
            "src/a.c",
        ];
        let word = prop_oneof![6 => prop::sample::select(WORDS).prop_map(str::to_string), 1 => any::<String>()];
        let line = prop::collection::vec(word, 0..9);
        perturb_fuzz::holds("command lines", Share::OneIn(4), line, |words| {
            if let Err(error) = Cli::try_parse_from(["perturb".to_string()].into_iter().chain(words)) {
                assert!(!error.to_string().is_empty());
            }
        });
    }
}
