//! Nothing is lost: what was read, written down again, is compiled to the same instructions of the machine.

use super::print::print;
use super::{clangs, code_of, program};
use perturb_sym::ir::Module;
use std::process::Command;

/// Without what is not taken apart, and without blocks that data names.
const SOURCE: [&str; 2] = ["-DNO_LABELS", "-march=skylake"];

/// It has to be told that pointers may be opaque.
const TYPED: &str = "clang-14";

/// How the source is compiled, and the code that comes of it. Optimisation makes use of every flag that an instruction
/// has, and of much that is not printed, but for code that was not optimised before.
const LEVELS: [(&[&str], &str); 4] = [
    (&["-O0"], "-O0"),
    (&["-O1"], "-O0"),
    (&["-O2", "-ffast-math"], "-O0"),
    (&["-O0", "-Xclang", "-disable-O0-optnone"], "-O2"),
];

#[test]
fn what_was_read_compiles_to_the_same_assembly() {
    for clang in clangs() {
        for (source, (flags, level)) in
            ["language.c", "values.c"].iter().flat_map(|source| LEVELS.map(|level| (source, level)))
        {
            if clang == TYPED && level != "-O0" {
                // Its optimiser crashes on opaque pointers.
                continue;
            }
            let context = format!("{clang} {source} {flags:?}, then {level}");
            let text = without_hints(&code_of(&clang, &program(source), &[&SOURCE, flags].concat()));
            let datalayout = text.lines().find(|line| line.starts_with("target datalayout")).expect("clang writes it");
            let printed = print(&Module::parse(&text), datalayout);
            let (first, second) = (assembly(&clang, &text, level), assembly(&clang, &printed, level));
            assert!(first.len() > 100, "{context}");
            for (at, (first, second)) in first.iter().zip(&second).enumerate() {
                assert_eq!(first, second, "{context}: line {at}");
            }
            assert_eq!(first.len(), second.len(), "{context}");
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

/// The lines of the assembly, but for the names of the file and the compiler.
fn assembly(clang: &str, text: &str, level: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("code.ll");
    std::fs::write(&file, text).expect("it can be written");
    let mut command = Command::new(clang);
    command.args(["-w", level, "-S", "-x", "ir", "-o", "-"]).arg(&file);
    if clang == TYPED {
        command.args(["-mllvm", "-opaque-pointers"]);
    }
    let output = command.output().expect("the compiler can be started");
    assert!(output.status.success(), "{clang}: {}\n{text}", String::from_utf8_lossy(&output.stderr));
    let assembly = String::from_utf8_lossy(&output.stdout).into_owned();
    let names = [".file", ".ident"];
    let lines = assembly.lines().filter(|line| !names.iter().any(|name| line.contains(name)));
    lines.map(without_comment).filter(|line| !line.is_empty()).collect()
}

/// Comments have the names of blocks, which are others.
fn without_comment(line: &str) -> String {
    line.split(" #").next().unwrap_or_default().split("\t#").next().unwrap_or_default().trim_end().to_string()
}
