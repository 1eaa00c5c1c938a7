//! Test programs for which the project has no test command: those that the build links only for tests, each run without
//! arguments.

use super::{executable_of, TestCase, TestSource};
use crate::process::tools::is_executable;
use crate::project::builder::Builder;
use crate::shadow::Shadow;

/// The programs that exist, in the order of their paths, run where the build would run them.
pub(super) fn find(shadow: &Shadow) -> Vec<TestCase> {
    let programs = shadow.test_programs().into_iter().filter(|program| is_executable(program));
    let tests = programs.filter_map(|program| {
        let directory = match shadow.builder() {
            Builder::CMake | Builder::Meson => shadow.build_folder(),
            Builder::Command(_) => shadow.make_folder(&program)?,
        };
        let name = program.file_name()?.to_string_lossy().into_owned();
        let executable = executable_of(shadow, &directory, program.to_str());
        Some(TestCase { executable, ..TestCase::plain(name, program, directory, TestSource::Program) })
    });
    tests.collect()
}
