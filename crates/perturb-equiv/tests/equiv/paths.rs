//! Functions that are compared path by path.

use perturb_csrc::{Libclang, ParseInput, Signatures};
use perturb_equiv::contract;
use perturb_equiv::native::{glue, Functions, Layout, Others, VersionIdx};
use perturb_equiv::symbolic::{Compared, PathLimits, Paths};
use perturb_host::find_clang;
use perturb_sym::execute::{ExecutionError, ExecutionLimits};
use perturb_sym::ir::Module;
use perturb_sym::solve::Budget;
use std::process::Command;

/// As the engine has the code written, with what is undefined trapping in it.
const FLAGS: [&str; 11] = [
    "-S",
    "-emit-llvm",
    "-O0",
    "-Xclang",
    "-disable-O0-optnone",
    "-w",
    "-ffp-contract=off",
    "-fno-stack-protector",
    "-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero,float-cast-overflow,bounds,unreachable,vla-bound",
    "-fsanitize-trap=all",
    "-o",
];

/// A function and variants of it: what is to be replaced by what.
struct Subject {
    contract: &'static str,
    head: &'static str,
    body: &'static str,
    variants: &'static [(&'static str, &'static str)],
}

const BUBBLE: Subject = Subject {
    contract: "// @perturb(sym[4])",
    head: "void f(int v[])",
    body: "{ for (int i = 0; i < 3; i++) for (int j = 0; j < 3 - i; j++) \
           if (v[j] > v[j + 1]) { int t = v[j]; v[j] = v[j + 1]; v[j + 1] = t; } }",
    variants: &[
        ("> v", ">= v"),
        ("j < 3 - i", "j < 3"),
        ("i < 3", "i < 2"),
        ("v[j] = v", "v[i] = v"),
        ("i < 3", "i < 9"),
    ],
};

/// 120 paths, of which each of the first variant leads to many.
const FIVE: Subject = Subject {
    contract: "// @perturb(sym[5])",
    head: "void f(int v[])",
    body: "{ for (int i = 0; i < 4; i++) for (int j = 0; j < 4 - i; j++) \
           if (v[j] > v[j + 1]) { int t = v[j]; v[j] = v[j + 1]; v[j + 1] = t; } }",
    variants: &[("> v", ">= v"), ("i < 4", "i < 3")],
};

/// Equivalent, but for the last two: one that never ends and one that divides by zero.
const SUM: Subject = Subject {
    contract: "// @perturb(0..6, sym)",
    head: "unsigned f(unsigned n, unsigned s)",
    body: "{ while (n != 0) { s += n; n--; } return s; }",
    variants: &[("n != 0", "n > 0"), ("s += n", "s = n + s"), ("n--", "n -= 0"), ("s += n", "s += n / (n - 3)")],
};

/// Path by path, what comes of each variant.
fn compared(subject: &Subject, limits: PathLimits) -> Option<Result<Vec<Compared>, ExecutionError>> {
    let Some(clang) = find_clang() else {
        eprintln!("skipped: no clang from 14 on is installed (scripts/setup test)");
        return None;
    };
    let Subject { contract, head, body, variants } = subject;
    let folder = tempfile::tempdir().unwrap();
    let (source, code) = (folder.path().join("unit.c"), folder.path().join("unit.ll"));
    std::fs::write(&source, format!("{contract}\n{head} {body}\n")).unwrap();
    let libclang = Libclang::newest().expect("a libclang is installed: scripts/setup test");
    let input = ParseInput { directory: folder.path().to_path_buf(), file: source.clone(), arguments: Vec::new() };
    let signatures = Signatures::read(&libclang, &input).unwrap();
    let signature = &signatures.functions[0];
    let contract = contract::parse(contract).unwrap().unwrap();
    let layout = Layout::of(&signatures, signature, &contract, &Others::default()).unwrap();
    let named = |number: usize| head.replace(" f(", &format!(" f{number}("));
    let mut text = format!("{} {body}\n", named(0));
    for (index, (old, new)) in variants.iter().enumerate() {
        assert!(body.contains(old), "{old}");
        text += &format!("{} {}\n", named(index + 1), body.replacen(old, new, 1));
    }
    let others: Vec<String> = (1..=variants.len()).map(|number| format!("f{number}")).collect();
    text += &glue(&signatures, signature, &layout, Functions { original: "f0", others: &others, head, text: body });
    std::fs::write(&source, text).unwrap();
    let ran = Command::new(clang).args(FLAGS).arg(&code).arg(&source).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let module = Module::parse(&std::fs::read_to_string(&code).unwrap());
    let paths = Paths::new(&module, &layout, ExecutionLimits::default(), limits, Budget::default(), &|| false);
    Some(
        paths.map(|mut paths| {
            VersionIdx::of_mutants().take(variants.len()).map(|version| paths.compare(version)).collect()
        }),
    )
}

const PROVED: Compared = Compared::Equivalent { is_solved: true, is_bounded: false };

fn is_candidate(compared: &Compared) -> bool {
    matches!(compared, Compared::Candidate { .. })
}

#[test]
fn sorting_is_proved_on_each_path() {
    let Some(compared) = compared(&BUBBLE, PathLimits::default()) else { return };
    let compared = compared.unwrap();
    // More passes, and rounds without any, change nothing.
    assert_eq!([&compared[0], &compared[1], &compared[4]], [&PROVED; 3]);
    assert!(compared[2..4].iter().all(is_candidate), "{compared:?}");
}

#[test]
fn five_elements_are_not_too_many() {
    let Some(compared) = compared(&FIVE, PathLimits::default()) else { return };
    let compared = compared.unwrap();
    assert_eq!(compared[0], PROVED);
    assert!(is_candidate(&compared[1]), "{compared:?}");
}

#[test]
fn what_never_ends_and_what_is_undefined_is_a_difference() {
    let Some(compared) = compared(&SUM, PathLimits::default()) else { return };
    let compared = compared.unwrap();
    assert_eq!(compared[..2], [PROVED, PROVED]);
    assert!(compared[2..].iter().all(is_candidate), "{compared:?}");
}

#[test]
fn more_paths_than_there_may_be_are_no_verdict() {
    let limited = |limits| compared(&BUBBLE, limits);
    let Some(enough) = limited(PathLimits::default()) else { return };
    let too_many = "it is too much to execute: too many paths";
    for limits in [
        PathLimits { paths: 10, ..PathLimits::default() },
        PathLimits { instructions: 2_000, ..PathLimits::default() },
        PathLimits { terms: 200, ..PathLimits::default() },
    ] {
        assert_eq!(limited(limits).unwrap().unwrap_err().to_string(), too_many, "{limits:?}");
    }
    // Orders of elements need no solver.
    let no_solver = PathLimits { ticks: 0, ..PathLimits::default() };
    assert!(limited(no_solver).unwrap().is_ok());
    assert_eq!(compared(&SUM, no_solver).unwrap().unwrap_err().to_string(), too_many);
    // As many as the original has, of which each leads to more than one of the other where elements are equal.
    let few = limited(PathLimits { paths: 30, ..PathLimits::default() }).unwrap().unwrap();
    assert_eq!(few[0], Compared::Unknown { why: too_many.to_string() });
    assert_eq!(enough.unwrap()[0], PROVED);
}
