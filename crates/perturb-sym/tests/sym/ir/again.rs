//! Nothing is lost: what was read, written down again, is compiled to the same instructions of the machine.

use super::print::print;
use super::{clangs, code_of, program};
use perturb_sym::ir::Module;
use std::path::Path;
use std::process::Command;

/// Without what is not taken apart, and without blocks that data names.
const LEFT_OUT: [&str; 2] = ["-DNO_LABELS", "-fno-discard-value-names"];

#[test]
fn what_was_read_compiles_to_the_same_assembly() {
    for clang in clangs() {
        for (source, level) in
            ["language.c", "values.c"].iter().flat_map(|source| ["-O0", "-O1", "-O2"].map(|o| (source, o)))
        {
            let flags = [LEFT_OUT[0], LEFT_OUT[1], level, "-march=skylake"];
            let text = without_hints(&code_of(&clang, &program(source), &flags));
            let module = Module::parse(&text);
            let datalayout = text.lines().find(|line| line.starts_with("target datalayout")).expect("clang writes it");
            let printed = print(&module, datalayout);
            let (first, second) = (assembly(&clang, &text), assembly(&clang, &printed));
            assert!(first.len() > 100, "{clang} {source}");
            for (at, (first, second)) in first.iter().zip(&second).enumerate() {
                assert_eq!(first, second, "{clang} {source} {level}: line {at}");
            }
            assert_eq!(first.len(), second.len());
        }
    }
}

/// Without what only tells where symbols are, how calls may be made, and what goes for the whole unit.
fn without_hints(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("!llvm.module.flags"));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    let words = ["dso_local ", "local_unnamed_addr ", "unnamed_addr "];
    let text = words.iter().fold(text, |text, word| text.replace(word, ""));
    text.replace("musttail call", "call").replace("tail call", "call")
}

/// The lines of the assembly that clang makes without optimisation, but for the names of the file and the compiler.
fn assembly(clang: &str, text: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("code.ll");
    std::fs::write(&file, text).expect("it can be written");
    // Version 14 has to be told that pointers may be opaque.
    let opaque: &[&str] = if clang == "clang-14" { &["-mllvm", "-opaque-pointers"] } else { &[] };
    let output = command(clang, &file).args(opaque).output().expect("the compiler can be started");
    assert!(output.status.success(), "{clang}: {}\n{text}", String::from_utf8_lossy(&output.stderr));
    let assembly = String::from_utf8_lossy(&output.stdout).into_owned();
    assembly.lines().filter(|line| !line.contains(".file") && !line.contains(".ident")).map(without_comment).collect()
}

fn command(clang: &str, file: &Path) -> Command {
    let mut command = Command::new(clang);
    command.args(["-w", "-O0", "-S", "-x", "ir", "-o", "-"]).arg(file);
    command
}

fn without_comment(line: &str) -> String {
    line.split(" #").next().unwrap_or_default().split("\t#").next().unwrap_or_default().trim_end().to_string()
}
