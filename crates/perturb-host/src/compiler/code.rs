//! Has a project's compiler write assembly, at an optimisation level of our choice, with everything else unchanged that
//! decides what the code means. Writes no object and links nothing.
//!
//! Compilers that write assembly run at the lowest priority: they use the processor time that tests and builds leave.

mod flags;
mod graft;
mod including;
mod object;

pub use flags::mean_the_same;
pub use graft::{GraftFlags, GraftSite};
pub use including::{compile_text, Beside, Including, Needs, Watched};
pub use object::{
    compile_plain, compile_to_intermediate, compile_trapping, find_clang, link_trapping, plain_words, Made, Unwritten,
};
use perturb_model::Assumption;
use perturb_model::Level;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::command_line::{absolute, normalise};
use crate::compiler::diagnose::{read_errors, CompileError};
use crate::compiler::mirror::Mirror;
use crate::compiler::probe::{CompilerFacts, CompilerFamily};
use crate::error::HostError;
use crate::process::tools;
use crate::project::description::CompileCommand;

/// The options of a compilation to assembly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeOptions {
    pub level: Level,
    /// At `-Ofast`, whether numbers may be taken for what they are not.
    pub fast_floats: bool,
    /// Only say what is wrong with the text.
    pub check_only: bool,
    /// Leave out what only arranges instructions once it is decided what is computed: it takes a third of the time, and
    /// makes no two codes the same that are not before.
    pub rough: bool,
    /// Take this for granted no longer.
    pub without: Option<Assumption>,
}

/// The result of a compilation.
#[derive(Debug)]
pub enum Compiled {
    Assembly(Vec<u8>),
    /// It does not compile, with the errors that could be read.
    Refused(Vec<CompileError>),
    /// Somebody asked to stop.
    Stopped,
}

/// Compiles one unit, by its project's command, as the mirror shows it. Answers with the processor time as well.
pub fn compile_to_assembly(
    command: &CompileCommand,
    facts: &CompilerFacts,
    mirror: &Mirror,
    options: CodeOptions,
    stop: &dyn Fn() -> bool,
) -> Result<(Compiled, Duration), HostError> {
    let directory = PathBuf::from(mirror.here(&command.directory.to_string_lossy()));
    let out = mirror.scratch().join("code.s");
    let _ = fs::remove_file(&out);
    let mut compiler = Command::new(&facts.program);
    let words = flags::for_code(&command.arguments, facts, options);
    compiler.args(words.iter().map(|word| mirror.here(word)));
    if !options.check_only {
        compiler.arg("-o").arg(&out);
    }
    let errors = mirror.scratch().join("errors");
    let Some((is_success, cpu)) = run(compiler, &directory, Path::new("/dev/null"), &errors, Priority::Idle, stop)?
    else {
        return Ok((Compiled::Stopped, Duration::ZERO));
    };
    let compiled = if is_success {
        let text = if options.check_only { Vec::new() } else { fs::read(&out).map_err(HostError::io("read", &out))? };
        Compiled::Assembly(text)
    } else {
        let said = fs::read(&errors).map_err(HostError::io("read", &errors))?;
        Compiled::Refused(read_errors(&String::from_utf8_lossy(&said), &directory))
    };
    Ok((compiled, cpu))
}

/// Every file that a unit reads; absolute. `None` if it cannot be preprocessed, or if `stop` says so.
pub fn files_of_unit(
    command: &CompileCommand,
    facts: &CompilerFacts,
    scratch: &Path,
    stop: &dyn Fn() -> bool,
) -> Result<Option<BTreeSet<PathBuf>>, HostError> {
    let words = flags::for_preprocessing(&command.arguments);
    let Some(text) = preprocess(facts, words, &command.directory, scratch, stop)? else { return Ok(None) };
    let mut files = BTreeSet::from([command.file.clone()]);
    files.extend(marked_files(&text).iter().map(|file| absolute(&command.directory, Path::new(file))));
    Ok(Some(files))
}

/// A unit as the mirror shows it, preprocessed.
#[derive(Debug)]
pub struct Preprocessed {
    pub text: Vec<u8>,
    files: BTreeSet<PathBuf>,
}

impl Preprocessed {
    /// Whether it reads this file, by its path below the tree, from the mirror.
    pub fn reads(&self, mirror: &Mirror, relative: &Path) -> bool {
        self.files.contains(&mirror.path(relative))
    }
}

/// Preprocesses a unit as the mirror shows it. None as above.
pub fn preprocess_here(
    command: &CompileCommand,
    facts: &CompilerFacts,
    mirror: &Mirror,
    stop: &dyn Fn() -> bool,
) -> Result<Option<Preprocessed>, HostError> {
    let words = flags::for_preprocessing(&command.arguments).iter().map(|word| mirror.here(word)).collect();
    let directory = PathBuf::from(mirror.here(&command.directory.to_string_lossy()));
    let text = preprocess(facts, words, &directory, mirror.scratch(), stop)?;
    Ok(text.map(|text| {
        let files = marked_files(&text).iter().map(|file| normalise(&directory.join(file))).collect();
        Preprocessed { text, files }
    }))
}

fn preprocess(
    facts: &CompilerFacts,
    words: Vec<String>,
    directory: &Path,
    scratch: &Path,
    stop: &dyn Fn() -> bool,
) -> Result<Option<Vec<u8>>, HostError> {
    let (out, errors) = (scratch.join("unit.i"), scratch.join("unit.errors"));
    let mut compiler = Command::new(&facts.program);
    compiler.args(words);
    match run(compiler, directory, &out, &errors, Priority::Idle, stop)? {
        Some((true, _)) => fs::read(&out).map(Some).map_err(HostError::io("read", &out)),
        _ => Ok(None),
    }
}

/// The files that the line markers of preprocessed text name.
fn marked_files(text: &[u8]) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    for line in text.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"# ")) {
        let mut parts = line.splitn(3, |byte| *byte == b'"');
        if let (Some(_), Some(name), Some(_)) = (parts.next(), parts.next(), parts.next()) {
            if !name.starts_with(b"<") && !name.ends_with(b"//") {
                files.insert(String::from_utf8_lossy(name).replace("\\\\", "\\"));
            }
        }
    }
    files
}

/// A compiler that runs for so long is taken to hang.
const LONGEST: Duration = Duration::from_secs(600);

/// Whether a compiler takes only what others leave of the processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Priority {
    Idle,
    Normal,
}

/// Runs a program to its end: whether it succeeded, and what it took. None if it was ended because somebody asks for
/// it.
fn run(
    mut command: Command,
    directory: &Path,
    out: &Path,
    errors: &Path,
    priority: Priority,
    stop: &dyn Fn() -> bool,
) -> Result<Option<(bool, Duration)>, HostError> {
    let create = |path: &Path| File::create(path).map_err(HostError::io("write", path));
    let program = command.get_program().to_string_lossy().into_owned();
    let not_started = |error| HostError::ProgramNotStarted { program: program.clone(), error };
    command.current_dir(directory).env("LC_ALL", "C").env("CCACHE_DISABLE", "1");
    command.stdin(Stdio::null()).stdout(create(out)?).stderr(create(errors)?);
    // SAFETY: between fork and exec only system calls are made, on numbers and on a structure of this stack.
    unsafe { command.pre_exec(move || be_a_child(priority)) };
    let child = command.spawn().map_err(not_started)?;
    let start = Instant::now();
    let pause = Duration::from_millis(2);
    loop {
        if let Some((status, cpu)) = tools::ended(&child).map_err(not_started)? {
            return Ok(Some((status.success(), cpu)));
        }
        let is_stopped = stop();
        if is_stopped || start.elapsed() > LONGEST {
            end_group(child.id());
            let (_, cpu) = tools::wait(&child).map_err(not_started)?;
            return Ok((!is_stopped).then_some((false, cpu)));
        }
        std::thread::sleep(pause);
    }
}

/// Runs the process in a group of its own, at its priority, and ends it with us.
fn be_a_child(priority: Priority) -> std::io::Result<()> {
    const NICEST: libc::c_int = 19;
    // SAFETY: all are plain system calls; where one is refused, nothing is lost.
    unsafe {
        libc::setpgid(0, 0);
        if priority == Priority::Idle {
            libc::setpriority(libc::PRIO_PROCESS, 0, NICEST);
            let parameters: libc::sched_param = std::mem::zeroed();
            libc::sched_setscheduler(0, libc::SCHED_IDLE, &parameters);
        }
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
    Ok(())
}

fn end_group(leader: u32) {
    if let Ok(leader) = libc::pid_t::try_from(leader) {
        // SAFETY: the group is that of a child which nobody has waited for yet, so that its number is not given away.
        unsafe { libc::kill(-leader, libc::SIGKILL) };
    }
}

/// Whether a compiler writes assembly that [`crate::Assembly`] reads.
pub fn writes_readable_assembly(facts: &CompilerFacts) -> bool {
    facts.family != CompilerFamily::Other && facts.predefined.contains_key("__ELF__")
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    #[test]
    fn levels_are_read_with_and_without_a_dash() {
        assert_eq!("-Os".parse(), Ok(Level::Os));
        assert_eq!("O3".parse(), Ok(Level::O3));
        assert!("O9".parse::<Level>().is_err() && "o2".parse::<Level>().is_err());
    }

    #[test]
    fn line_markers_name_files() {
        let text =
            b"# 0 \"a.c\"\n# 0 \"<built-in>\"\n# 1 \"/w//\"\n# 1 \"inc/b.h\" 1 3\nint x; # 5 \"no\"\n# 12 \"a.c\" 2\n";
        assert_eq!(marked_files(text), ["a.c", "inc/b.h"].map(String::from).into());
    }

    #[test]
    fn fuzzed_line_markers_are_read() {
        let example = "# 1 \"a.c\"\n# 1 \"<built-in>\" 1\n# 3 \"/usr/x\\\\y.h\" 1 3 4\nint x;\n";
        perturb_fuzz::survives("line markers", Share::All, &[example], |text| drop(marked_files(text)));
    }
}
