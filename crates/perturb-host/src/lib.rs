//! The interface to the outside: processes, compilers, build systems, files.
//!
//! This crate finds out how a project is built and returns typed values. It knows nothing of mutants, prints nothing,
//! and never writes in the user's tree: it writes to the work folder that its caller names.
//!
//! [`discover`] finds a project's compile commands and decides which files are tests. [`CompilerProbe`] asks its
//! compilers for their target, macros and include folders, and [`clang_arguments`] turns both into arguments that
//! libclang understands. A [`Shadow`] is a copy of a project that is built with some files replaced. [`find_tests`]
//! lists the project's tests. Tests and mutants run in the sandbox, `perturb-cell`.
//!
//! The crate has six groups of modules. Each uses only those to its right:
//!
//! ```text
//! test_cases -> shadow -> project -> tree -> process
//!             compiler ------^
//!             coverage ---------------^
//! ```
//!
//! All groups use the modules beside them: `error`, `progress` (reports before a step that takes long), `cache_key`
//! (keys of cached results) and `command_line` (how compilers are called).

mod cache_key;
mod command_line;
mod compiler;
mod coverage;
mod error;
mod process;
mod progress;
mod project;
mod sandbox_check;
mod shadow;
mod test_cases;
mod tree;

pub use cache_key::CacheKey;
pub use command_line::{language_of, language_of_command, Language};
pub use compiler::assembly::{Assembly, Tags};
pub use compiler::clang_arguments::{clang_arguments, ClangArguments};
pub use compiler::code::{
    compile_plain, compile_text, compile_to_assembly, compile_to_intermediate, compile_trapping, files_of_unit,
    find_clang, link_trapping, mean_the_same, plain_words, preprocess_here, writes_readable_assembly, Beside,
    CodeOptions, Compiled, GraftFlags, GraftSite, Including, Made, Needs, Preprocessed, Unwritten, Watched,
};
pub use compiler::diagnose::{compile_errors, compiles, read_errors, CompileError};
pub use compiler::mirror::Mirror;
pub use compiler::preprocess::preprocess;
pub use compiler::probe::{compilers_of, CompilerFacts, CompilerFamily, CompilerProbe, IncludeDir};
pub use coverage::file::{CoverageFormat, CoverageReader};
pub use coverage::gcov::GcovNotes;
pub use coverage::line_counts::LineCounts;
pub use error::{HostError, MayBeStop};
pub use process::disk::{address_space_limit, free_space, used_space};
pub use process::interrupt::{Interrupt, Stop, StopReason};
pub use process::parallel_map::parallel_map;
pub use process::supervise::end_builds;
pub use process::tools::{cpu_with_children, find_program, install_hint, own_cpu, thread_cpu, yield_to_others};
pub use process::workers::{self, NoThread};
pub use progress::DiscoveryProgress;
pub use project::builder::looks_like_project;
pub use project::by_hand::{build_command, shell_path, shell_word};
pub use project::description::{BuildSystem, CompileCommand, Project, Unit};
pub use project::discover::discover;
pub use project::options::DiscoverOptions;
pub use project::roles::{ExcludedBecause, Role, Roles, TestBecause};
pub use project::test_setup::{TestFramework, TestRunner, TestSetup};
pub use sandbox_check::check_layers;
pub use shadow::{BuildConfinement, Built, Shadow};
pub use test_cases::confinement::Confinement;
pub use test_cases::{
    find_tests, Exit, ExitRule, OutputRule, PassRule, TestCase, TestList, TestOptions, TestResult, TestSource,
};
pub use tree::changes::changed_lines;
pub use tree::text_path::require_utf8;
pub use tree::watch::TreeWatch;
pub use tree::work_folder::{create as create_work_folder, is_work_folder};
