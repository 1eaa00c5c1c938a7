//! All that touches the outside: processes, compilers, build systems, files.
//!
//! This crate finds out how a project is built and answers with typed values. It knows nothing of mutants, prints
//! nothing, and never writes in the user's tree: what must be written goes to the work folder it is given.
//!
//! [`discover`] finds a project's compile commands and which files are tests, [`CompilerProbe`] asks its compilers
//! about themselves, and [`clang_arguments`] turns both into arguments that libclang understands. A [`Shadow`] is a copy
//! of a project that is built with other texts in place of some files, [`find_tests`] finds its tests one by one, and
//! tests and mutants run in a [`Cell`].

mod added_flags;
mod assembly;
mod automake;
mod build_guess;
mod by_hand;
mod capture;
mod cell;
mod changes;
mod clang_arguments;
mod clang_flags;
mod clang_target;
mod cmake;
mod cmake_cache;
mod code;
mod command_line;
mod compile_database;
mod compiler;
mod confinement;
mod coverage_file;
mod crew;
mod diagnose;
mod discover;
mod disk;
mod error;
mod file_clock;
mod gcov;
mod headers;
mod interrupt;
mod lcov;
mod line_counts;
mod meson;
mod mirror;
mod preprocess;
mod progress;
mod project;
mod roles;
mod sandbox_check;
mod shadow;
mod supervise;
mod test_cases;
mod test_setup;
mod text_path;
mod tools;
mod tree_copy;
mod tree_manifest;
mod tree_walk;
mod tree_watch;
mod work_folder;
pub mod workers;
mod wrappers;

pub use assembly::{Assembly, Tags};
pub use by_hand::{build_command, shell_path, shell_word};
pub use cell::{
    memory_of_job, probe_layers, Cell, CellOptions, End, Ended, Exchange, Gap, Job, Layers, Limits, Network, Permits,
    PristineCopies, RunsAs, Sandbox, Stopper, User, HOW_TO_ALLOW_NAMESPACES,
};
pub use changes::changed_lines;
pub use clang_arguments::{clang_arguments, ClangArguments};
pub use code::{
    compile_plain, compile_text, compile_to_assembly, compile_to_intermediate, compile_trapping, files_of_unit,
    find_clang, link_trapping, mean_the_same, plain_words, preprocess_here, writes_readable_assembly, Beside,
    CodeOptions, Compiled, GraftFlags, GraftSite, Including, Made, Needs, Preprocessed, Unwritten, Watched,
};
pub use command_line::{language_of, language_of_command, Language};
pub use compiler::{compilers_of, CompilerFacts, CompilerFamily, CompilerProbe, IncludeDir};
pub use confinement::Confinement;
pub use coverage_file::{CoverageFormat, CoverageReader};
pub use crew::spread;
pub use diagnose::{compile_errors, compiles, read_errors, CompileError};
pub use discover::{discover, looks_like_project, DiscoverOptions};
pub use disk::{address_space_limit, free_space, used_space};
pub use error::HostError;
pub use gcov::GcovNotes;
pub use interrupt::{Interrupt, Stop};
pub use line_counts::LineCounts;
pub use mirror::Mirror;
pub use preprocess::preprocess;
pub use progress::Progress;
pub use project::{BuildSystem, CompileCommand, Project, Unit};
pub use roles::{ExcludedBecause, Role, Roles, TestBecause};
pub use sandbox_check::check_layers;
pub use shadow::{BuildConfinement, Built, Shadow};
pub use supervise::end_builds;
pub use test_cases::{
    find_tests, Exit, ExitRule, OutputRule, PassRule, TestCase, TestList, TestOptions, TestSource, Verdict,
};
pub use test_setup::{Framework, TestRunner, TestSetup};
pub use text_path::require_utf8;
pub use tools::{cpu_with_children, find_program, install_hint, own_cpu, thread_cpu, yield_to_others};
pub use tree_watch::TreeWatch;
pub use work_folder::{create as create_work_folder, is_work_folder};
pub use workers::NoThread;
