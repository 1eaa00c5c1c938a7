//! LLVM's code as every clang that is there writes it, of programs written to have something of everything in them.

mod again;
mod bytes;
mod compiled;
mod fuzzed;
mod print;
mod walk;

use perturb_sym::ir::Module;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAMS: [&str; 4] = ["language.c", "layouts.c", "values.c", "exceptions.cpp"];

/// As the engine has it written, as it is before and after optimisation, with debug information of all kinds.
const LEVELS: [&[&str]; 5] = [
    &["-O0", "-Xclang", "-disable-O0-optnone", "-g1"],
    &["-O1", "-Xclang", "-disable-llvm-passes", "-fno-discard-value-names"],
    &["-O1", "-g"],
    &["-O2"],
    &["-O3", "-march=skylake", "-g", "-ffast-math"],
];

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sym/ir/programs").join(name)
}

/// Every clang that can be started by a name with its version; `scripts/setup test` sees to one.
pub fn clangs() -> Vec<String> {
    let names = (14..=30).map(|version| format!("clang-{version}"));
    let found: Vec<String> =
        names.filter(|name| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success())).collect();
    if found.is_empty() {
        eprintln!("skipped: no clang from 14 on is installed (scripts/setup test)");
    }
    found
}

/// The text that a compiler writes.
fn code_of(clang: &str, source: &Path, flags: &[&str]) -> String {
    let flags: Vec<&str> = flags.iter().copied().chain(["-w", "-S", "-emit-llvm", "-o", "-"]).collect();
    let output = Command::new(clang).args(&flags).arg(source).output().expect("the compiler can be started");
    assert!(output.status.success(), "{clang} {flags:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("LLVM escapes what is not ASCII")
}

fn module_of(clang: &str, source: &str, flags: &[&str]) -> Module {
    Module::parse(&code_of(clang, &program(source), flags))
}
