//! The header that is included before every file of a build for gcov: it compiles with any flags of a project, and its
//! notes are true.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use perturb_rt::{gcov_header, has_counted_all, GCOV_PROCESSES, GCOV_VARIABLE};

fn run(command: &mut Command) -> Option<Output> {
    match command.output() {
        Ok(output) => Some(output),
        Err(error) => {
            eprintln!("skipped: {command:?}: {error}");
            None
        }
    }
}

fn compile(compiler: &str, flags: &[&str], folder: &Path, file: &str) -> Option<Output> {
    let profile = format!("-fprofile-dir={}", folder.display());
    let mut command = Command::new(compiler);
    command.args(flags).args(["--coverage", "-O0", &profile, "-include", "gcov.h"]).arg(file).current_dir(folder);
    run(&mut command)
}

fn place(text: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    fs::write(path.join("gcov.h"), gcov_header(path.as_os_str().as_encoded_bytes())).unwrap();
    text.iter().for_each(|(name, text)| fs::write(path.join(name), text).unwrap());
    folder
}

#[test]
fn the_header_compiles_under_any_flags_before_any_other_and_in_assembly_too() {
    let source = "#include <errno.h>\n#include <fcntl.h>\n#include <pthread.h>\n#include <stdlib.h>\n\
                  #include <unistd.h>\nint f(int x);\nint f(int x) { return x; }\n";
    let folder = place(&[
        ("a.c", source),
        ("b.cpp", source),
        ("c.S", ".text\n"),
        ("d.c", "int f(void);\nint f(void) { return 1; }\n"),
    ]);
    let strict =
        ["-c", "-Wall", "-Wextra", "-pedantic", "-Werror", "-Wmissing-prototypes", "-Wstrict-prototypes", "-Wshadow"];
    for (compiler, file, flags) in [
        ("gcc", "a.c", &["-std=c89"][..]),
        ("gcc", "a.c", &["-std=gnu17", "-O2", "-Wconversion", "-Wredundant-decls", "-fPIC"]),
        ("gcc", "d.c", &["-ffreestanding", "-nostdinc"]),
        ("gcc", "a.c", &["-Dstatic=", "-Dinline="]),
        ("g++", "b.cpp", &["-std=c++98"]),
        ("g++", "b.cpp", &["-std=c++20", "-fno-exceptions"]),
        ("gcc", "c.S", &[]),
    ] {
        let strict: &[&str] = if compiler == "gcc" { &strict } else { &strict[..5] };
        let Some(output) = compile(compiler, &[strict, flags].concat(), folder.path(), file) else { return };
        assert!(output.status.success(), "{flags:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stderr.is_empty(), "{flags:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Ways in which a process can end, and whether gcov writes its counts then.
#[test]
fn a_process_notes_its_beginning_and_an_end_at_which_counts_are_written() {
    let program = r#"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    const char *how = argv[argc - 1];
    char *nowhere[] = {"/nowhere", 0}, *truth[] = {"true", 0}, *none[] = {0};
    pid_t child = strchr(how, '&') ? fork() : 0;
    if (child != 0)
        return waitpid(child, 0, 0) != child;
    if (!strncmp(how, "exit", 4)) exit(0);
    if (!strncmp(how, "_exit", 5)) _exit(0);
    if (!strncmp(how, "abort", 5)) abort();
    if (!strncmp(how, "kill", 4)) raise(SIGKILL);
    if (!strncmp(how, "execvp", 6)) execvp("true", truth);
    if (!strncmp(how, "execve", 6)) execve("/bin/true", truth, none);
    if (!strncmp(how, "fails", 5)) { errno = 0; return execv(nowhere[0], nowhere) != -1 || errno != ENOENT; }
    return 0;
}
"#;
    let folder = place(&[("a.c", program)]);
    let path = folder.path().canonicalize().unwrap();
    let Some(output) = compile("gcc", &["-o", "a"], &path, "a.c") else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for (how, is_whole) in [
        ("return", true),
        ("exit", true),
        ("exit&", true),
        ("execvp&", true),
        ("execve", true),
        ("fails&", true),
        ("_exit", false),
        ("_exit&", false),
        ("abort&", false),
        ("kill&", false),
    ] {
        let prefix = path.join(how);
        let below = prefix.join(path.strip_prefix("/").unwrap());
        fs::create_dir_all(&below).unwrap();
        let Some(output) = run(Command::new(path.join("a")).arg(how).env(GCOV_VARIABLE, &prefix)) else { return };
        assert!(output.status.success() || how == "_exit", "{how}: {:?}", output.status);
        let noted = fs::read(below.join(GCOV_PROCESSES)).unwrap();
        assert_eq!(has_counted_all(&noted), is_whole, "{how}: {:?}", String::from_utf8_lossy(&noted));
        let has_counts = fs::read_dir(&below)
            .unwrap()
            .flatten()
            .any(|item| item.path().extension().is_some_and(|end| end == "gcda"));
        assert!(has_counts || !is_whole, "{how}");
    }
}
