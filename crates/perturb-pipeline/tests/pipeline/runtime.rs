//! The runtime as assembly: with any compiler and flags, a file that includes it compiles, and has the same symbols as
//! with the runtime as text.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use perturb_host::{find_program, CompileCommand, CompilerProbe, GraftFlags, GraftSite};
use perturb_rt::{assembled_header, runtime_source, trial_source, HEADERS};

const FLOATING: [&str; 3] = ["f", "d", "e"];

/// Writes the headers for a command. Returns whether a file with the assembly compiles.
fn assembled(folder: &Path, line: &str) -> bool {
    HEADERS.iter().for_each(|(name, text)| std::fs::write(folder.join(name), text).unwrap());
    let arguments = format!("{line} -c a.c -o a.o").split_whitespace().map(str::to_string).collect();
    let command = CompileCommand { directory: folder.into(), file: folder.join("a.c"), arguments };
    let facts = CompilerProbe::new().probe(&command).unwrap();
    let Some(flags) = GraftFlags::of(&command, &facts) else { return false };
    let site = GraftSite { command: &command, facts: &facts, scratch: folder };
    let source = runtime_source(folder.join(HEADERS[0].0).to_str().unwrap(), &FLOATING, "/x/\"lost\"?");
    let (assembly, _) = site.compile(&flags, &source, "__perturb_").unwrap();
    let header = folder.join("runtime.h");
    let Some(assembly) = assembly else { return false };
    std::fs::write(&header, assembled_header(&assembly)).unwrap();
    site.compiles(&site.trial_words(), &trial_source(header.to_str().unwrap(), &FLOATING)).unwrap().0
}

#[test]
fn it_can_stand_in_a_unit_of_any_compiler_language_and_target() {
    for line in [
        "gcc -std=c89 -O2 -g -fPIC -Wall -Wextra -pedantic-errors -Werror",
        "gcc -O0 -g3 -fno-pic -mcmodel=medium",
        "gcc -m32 -fPIC -O2",
        "gcc -masm=intel -O1 --coverage",
        "g++ -std=c++98 -O3 -march=x86-64-v2 -fcf-protection=full -ffunction-sections -fdata-sections",
        "g++ -std=c++20 -m32 -fno-pic -gdwarf-4 -fno-exceptions",
        "gcc -Os -ffreestanding -fno-asynchronous-unwind-tables -g",
        "clang-14 -std=c89 -O2 -g -fPIC -Wall -Wextra -pedantic-errors -Werror",
        "clang-14 -O0 -g3 -fno-pic -mcmodel=medium",
        "clang++-14 -std=c++20 -O2 -m32 -fPIC",
        "clang-14 -O1 -fcf-protection=full -fno-integrated-as",
        "clang-14 --target=aarch64-linux-gnu -O2 -g -mbranch-protection=standard",
        "clang-14 --target=arm-none-eabi -mcpu=cortex-m3 -mthumb -ffreestanding -Os -g",
        "arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb -O2 -g -ffunction-sections",
        "arm-none-eabi-gcc -mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16 -mthumb -ffreestanding -Os",
    ] {
        let compiler = line.split_whitespace().next().unwrap();
        if find_program(compiler).is_none() {
            eprintln!("skipped: there is no {compiler}");
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        assert!(assembled(folder.path(), line), "{line}");
    }
}

/// The symbols of an object, with their kind, as `nm` prints them.
fn symbols(object: &Path) -> BTreeSet<String> {
    let said = Command::new("nm").arg(object).output().unwrap();
    let text = String::from_utf8(said.stdout).unwrap();
    let symbol = |line: &str| line.split_whitespace().rev().take(2).collect::<Vec<_>>().join(" ");
    text.lines().map(symbol).filter(|line| !line.contains('.')).collect()
}

#[test]
fn it_defines_what_the_text_defines_and_all_of_it_is_weak() {
    let folder = tempfile::tempdir().unwrap();
    assert!(assembled(folder.path(), "gcc -O2"));
    let needs: String = FLOATING.map(|letter| format!("#define PERTURB_NEEDS_{letter}\n")).concat();
    let needs = format!("#define PERTURB_LOST \"/x\"\n{needs}");
    let symbols_with = |header: &str| {
        let (source, object) = (folder.path().join("a.c"), folder.path().join("a.o"));
        std::fs::write(&source, format!("{needs}#include \"{header}\"\n")).unwrap();
        let made = Command::new("gcc").args(["-O2", "-w", "-c"]).arg(&source).arg("-o").arg(&object).status().unwrap();
        assert!(made.success());
        symbols(&object)
    };
    let (text, assembled) = (symbols_with("perturb.h"), symbols_with("runtime.h"));
    assert_eq!(text, assembled);
    let is_ours = |symbol: &&String| symbol.starts_with("__perturb_");
    let is_weak = |symbol: &String| symbol.ends_with(" W") || symbol.ends_with(" V") || symbol.ends_with(" t");
    assert!(text.iter().filter(is_ours).count() > 40);
    assert!(text.iter().filter(is_ours).all(is_weak), "{text:?}");
}

#[test]
fn a_unit_has_it_once_however_many_of_its_files_bring_it() {
    let folder = tempfile::tempdir().unwrap();
    assert!(assembled(folder.path(), "gcc -O2"));
    for headers in [["runtime.h", "perturb.h"], ["perturb.h", "runtime.h"], ["runtime.h", "runtime.h"]] {
        let body = "#define PERTURB_NEEDS_d\n#include \"SECOND\"\nvoid *volatile used;\n\
                    int main(void) { used = (void *)__perturb_neg_d; return used == 0; }\n";
        let text = format!("#include \"{}\"\n{}", headers[0], body.replace("SECOND", headers[1]));
        let source = folder.path().join("b.c");
        std::fs::write(&source, text).unwrap();
        let made = Command::new("gcc").args(["-O2", "-w"]).arg(&source).arg("-o").arg(folder.path().join("b")).output();
        let made = made.unwrap();
        assert!(made.status.success(), "{headers:?}: {}", String::from_utf8_lossy(&made.stderr));
    }
}
