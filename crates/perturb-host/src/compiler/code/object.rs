//! Builds a program from one unit of a project and a text of ours that calls its functions.
//!
//! Undefined behaviour traps in it, and every executed block is reported: the program never continues after undefined
//! behaviour, and never runs for ever.

use super::{flags, run, Priority};
use crate::compiler::diagnose::{read_errors, CompileError};
use crate::compiler::mirror::Mirror;
use crate::compiler::probe::{CompilerFacts, CompilerFamily};
use crate::error::HostError;
use crate::project::description::CompileCommand;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What local variables hold that were never written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unwritten {
    Zeros,
    Pattern,
}

/// The result of a compilation.
#[derive(Debug, PartialEq, Eq)]
pub enum Made {
    Made,
    /// It was refused, with the errors that could be read.
    Refused(Vec<CompileError>),
    /// Somebody asked to stop.
    Stopped,
}

/// Compiles a unit, with its project's command and as the mirror shows it, to an object in which undefined behaviour
/// traps. If there is no object to write, only checks the unit.
pub fn compile_trapping(
    command: &CompileCommand,
    facts: &CompilerFacts,
    mirror: &Mirror,
    unwritten: Unwritten,
    out: Option<&Path>,
    stop: &dyn Fn() -> bool,
) -> Result<(Made, Duration), HostError> {
    let mut words = flags::kept(&command.arguments);
    let undefined = match facts.family {
        CompilerFamily::Clang => ["-fsanitize=undefined,float-cast-overflow", "-fsanitize-trap=all"],
        CompilerFamily::Gcc | CompilerFamily::Other => {
            ["-fsanitize=undefined,float-cast-overflow", "-fsanitize-undefined-trap-on-error"]
        }
    };
    let unwritten = match unwritten {
        Unwritten::Zeros => "-ftrivial-auto-var-init=zero",
        Unwritten::Pattern => "-ftrivial-auto-var-init=pattern",
    };
    // Not optimised: what is read is read, even if nobody uses it, and a loop has blocks.
    let told = "-fsanitize-coverage=trace-pc,trace-cmp";
    let more = ["-O0", "-g0", "-w", "-fno-lto", told, "-Dmain=perturb_main_of_unit", unwritten];
    words.extend(undefined.into_iter().chain(more).map(str::to_string));
    let mut compiler = Command::new(&facts.program);
    compiler.args(words.iter().map(|word| mirror.here(word)));
    match out {
        Some(out) => compiler.arg("-c").arg("-o").arg(out),
        None => compiler.arg("-fsyntax-only"),
    };
    let directory = PathBuf::from(mirror.here(&command.directory.to_string_lossy()));
    make(compiler, &directory, mirror.scratch(), stop)
}

/// The flags that decide how functions of a unit call each other: the same text is the same code for all units with the
/// same flags.
pub fn plain_words(command: &CompileCommand, facts: &CompilerFacts) -> Vec<String> {
    flags::for_graft(&command.arguments, facts)
}

/// Compiles a text of ours with the flags that decide how functions call each other, and no others of the project.
pub fn compile_plain(
    command: &CompileCommand,
    facts: &CompilerFacts,
    source: &Path,
    out: &Path,
    stop: &dyn Fn() -> bool,
) -> Result<(Made, Duration), HostError> {
    let folder = source.parent().unwrap_or(Path::new("/"));
    let mut compiler = Command::new(&facts.program);
    compiler.args(plain_words(command, facts)).arg("-c").arg(source).arg("-o").arg(out);
    make(compiler, folder, folder, stop)
}

/// Links objects to a program. What is missing in them is nowhere: who calls it traps. Calls of those in `wrapped` lead
/// to functions with `__wrap_` before their names.
pub fn link_trapping(
    command: &CompileCommand,
    facts: &CompilerFacts,
    objects: &[&Path],
    wrapped: &[&str],
    out: &Path,
    stop: &dyn Fn() -> bool,
) -> Result<(Made, Duration), HostError> {
    let folder = out.parent().unwrap_or(Path::new("/"));
    let mut compiler = Command::new(&facts.program);
    compiler.args(plain_words(command, facts)).args(objects).arg("-o").arg(out);
    compiler.args(wrapped.iter().map(|name| format!("-Wl,--wrap={name}")));
    // Of what several have, the first has it.
    compiler.args(["-Wl,--unresolved-symbols=ignore-all", "-Wl,--allow-multiple-definition", "-no-pie", "-lm"]);
    make(compiler, folder, folder, stop)
}

/// Runs a compiler.
pub(super) fn make(
    compiler: Command,
    directory: &Path,
    scratch: &Path,
    stop: &dyn Fn() -> bool,
) -> Result<(Made, Duration), HostError> {
    let errors = scratch.join("object.errors");
    match run(compiler, directory, Path::new("/dev/null"), &errors, Priority::Normal, stop)? {
        None => Ok((Made::Stopped, Duration::ZERO)),
        Some((true, cpu)) => Ok((Made::Made, cpu)),
        Some((false, cpu)) => {
            let said = fs::read(&errors).map_err(HostError::io("read", &errors))?;
            Ok((Made::Refused(read_errors(&String::from_utf8_lossy(&said), directory)), cpu))
        }
    }
}

/// The checks that end in a trap, so that code says itself what is undefined.
const CHECKS: &str =
    "-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero,float-cast-overflow,bounds,unreachable,vla-bound";

/// Has clang write the intermediate code of a unit, as the mirror shows it, with what is undefined trapping in it.
/// `arguments` are those that clang understands. Where it does not take the unit: its first error, if that can be told.
pub fn compile_to_intermediate(
    clang: &Path,
    command: &CompileCommand,
    arguments: &[String],
    mirror: &Mirror,
    stop: &dyn Fn() -> bool,
) -> Result<(Result<String, Option<CompileError>>, Duration), HostError> {
    let out = mirror.scratch().join("unit.ll");
    let mut compiler = Command::new(clang);
    compiler.args(arguments.iter().map(|word| mirror.here(word)));
    // As the code is written, before anything is made of it.
    let more = [
        "-S",
        "-emit-llvm",
        "-O0",
        "-Xclang",
        "-disable-O0-optnone",
        "-g1",
        "-w",
        "-ffp-contract=off",
        "-fno-stack-protector",
    ];
    compiler.args(more).args([CHECKS, "-fsanitize-trap=all", "-Dmain=perturb_main_of_unit", "-o"]).arg(&out);
    compiler.arg(mirror.here(&command.file.to_string_lossy()));
    let directory = PathBuf::from(mirror.here(&command.directory.to_string_lossy()));
    let (made, cpu) = make(compiler, &directory, mirror.scratch(), stop)?;
    match made {
        Made::Made => Ok((Ok(fs::read_to_string(&out).map_err(HostError::io("read", &out))?), cpu)),
        Made::Refused(errors) => Ok((Err(errors.into_iter().next()), cpu)),
        Made::Stopped => Ok((Err(None), cpu)),
    }
}

/// The newest clang that is installed.
pub fn find_clang() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let names = (14..=30).rev().map(|version| format!("clang-{version}")).chain(["clang".to_string()]);
    names.flat_map(|name| folders.iter().map(move |folder| folder.join(&name))).find(|file| file.is_file())
}
