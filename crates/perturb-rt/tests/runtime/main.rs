//! The runtime by itself, compiled with the machine's own compiler.

use std::path::Path;
use std::process::Command;

fn source(name: &str) -> String {
    format!("{}/tests/runtime/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn compile(compiler: &str, flags: &[&str], name: &str, to: &Path) {
    let include = format!("-I{}/c", env!("CARGO_MANIFEST_DIR"));
    let made = Command::new(compiler).args(flags).arg(include).arg(source(name)).arg("-o").arg(to).output();
    let made = made.expect("the compiler can be started");
    assert!(made.status.success(), "{compiler} {flags:?}: {}", String::from_utf8_lossy(&made.stderr));
}

#[test]
fn its_arithmetic_is_the_compilers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for level in ["-O0", "-O2"] {
        let program = folder.path().join(level);
        compile("gcc", &[level, "-w", "-fno-strict-overflow"], "numbers.c", &program);
        let run = Command::new(&program).output().expect("it can be started");
        assert!(run.status.success(), "{level}: {}", String::from_utf8_lossy(&run.stdout));
    }
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[test]
fn what_a_copy_writes_is_believed_only_if_it_can_be_true() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for level in ["-O0", "-O2"] {
        let program = folder.path().join(level);
        compile("gcc", &[level, "-Wall", "-Wextra", "-Werror"], "channel.c", &program);
        let run = Command::new(&program).output().expect("it can be started");
        // The exit code is the line.
        assert!(run.status.success(), "{level}: {:?}", run.status);
    }
}

#[test]
fn it_compiles_silently_in_every_standard_of_both_languages() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text =
        "#define PERTURB_NEEDS_f\n#define PERTURB_NEEDS_d\n#define PERTURB_NEEDS_e\n#include \"perturb.h\"\nint x;\n";
    let include = format!("-I{}/c", env!("CARGO_MANIFEST_DIR"));
    let strict = ["-Wall", "-Wextra", "-Werror", "-pedantic-errors", "-c", "-o", "/dev/null"];
    for (compiler, name, standards) in [
        ("gcc", "a.c", ["-std=c89", "-std=c99", "-std=gnu17"]),
        ("g++", "a.cc", ["-std=c++98", "-std=c++11", "-std=c++20"]),
    ] {
        let file = folder.path().join(name);
        std::fs::write(&file, text).expect("it can be written");
        for standard in standards {
            let made = Command::new(compiler).arg(standard).args(strict).arg(&include).arg(&file).output();
            let made = made.expect("the compiler can be started");
            assert!(made.status.success(), "{standard}: {}", String::from_utf8_lossy(&made.stderr));
        }
    }
}
