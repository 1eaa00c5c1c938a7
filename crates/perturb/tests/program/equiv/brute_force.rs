//! Every verdict against all inputs, tried by a program that shares nothing with the engine: each mutant is written out
//! by the test itself, and called in the sandbox.

use super::{verdicts, FLOATS, SMALL};
use crate::scene::{has, text, Scene};
use perturb_cell::{Cell, CellOptions, End, Job, Limits};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

/// Functions, and how each is called: the loops over its inputs, the call, and what is seen of it as a number.
struct Subject {
    file: &'static str,
    source: &'static str,
    calls: &'static [(&'static str, &'static str, &'static str)],
    /// Whether these are all inputs, or only some: then a difference may show on another.
    is_all: bool,
    /// How much compilers do for speed: nothing where that takes longer than trying the inputs.
    optimised: &'static str,
}

const FEW_INPUTS: Subject = Subject { file: "small.c", source: SMALL, calls: CALLS, is_all: true, optimised: "-O0" };

/// All that three bytes can be.
const THREE_BYTES: Subject = Subject {
    file: "bytes.c",
    source: include_str!("bytes.c"),
    calls: &[
        ("median", "SIDES BYTES3", "uint8_t *v = at_an_edge(3); v[0] = a; v[1] = b; v[2] = c; seen = F(v);"),
        (
            "rotate",
            "SIDES BYTES3",
            "uint8_t *v = at_an_edge(3); v[0] = a; v[1] = b; v[2] = c; F(v); seen = v[0] << 16 | v[1] << 8 | v[2];",
        ),
    ],
    is_all: true,
    optimised: "-O2",
};

/// Numbers with fractions at which something changes: zeros, the smallest, the largest, neighbours, what is none.
const FRACTIONS: Subject = Subject {
    file: "floats.c",
    source: FLOATS,
    calls: &[
        ("clamp", "FRACTIONS3", "seen = bits(F(x, y, z));"),
        ("lerp", "FRACTIONS3", "seen = bits(F(x, y, z));"),
        ("mean", "FRACTIONS2", "seen = bits(F(x, y));"),
        ("polynomial", "FRACTIONS1", "seen = bits(F((float)x));"),
        ("is_number", "FRACTIONS1", "seen = F((float)x);"),
        ("order", "FRACTIONS2", "seen = F((float)x, (float)y);"),
        ("largest", "FRACTIONS2", "seen = bits(F(x, y));"),
        ("halved", "FRACTIONS1", "seen = bits(F(x));"),
        ("once", "FRACTIONS1", "seen = bits(F(x));"),
        ("same", "FRACTIONS1", "seen = bits(F(x));"),
    ],
    is_all: false,
    optimised: "-O0",
};

const CALLS: &[(&str, &str, &str)] = &[
    ("saturating_add", "BYTES2", "seen = F(a, b);"),
    ("clamp", "BYTES2", "seen = F((int8_t)a, (int8_t)b);"),
    ("reverse_bits", "BYTES2", "if (b == 0) seen = F(a);"),
    ("scale", "BYTES2", "seen = F((int8_t)a, (int8_t)b);"),
    ("count_ones", "BYTES2", "seen = F(a << 8 | b);"),
    ("is_leap", "BYTES2", "seen = F(a << 8 | b);"),
    (
        "sort_three",
        "SIDES SMALL3",
        "uint8_t *v = at_an_edge(3); v[0] = a; v[1] = b; v[2] = c; F(v); seen = v[0] << 16 | v[1] << 8 | v[2];",
    ),
    (
        "first_zero",
        "SIDES BYTES2",
        "uint8_t *v = at_an_edge(3); v[0] = a & 3; v[1] = a >> 2 & 3; v[2] = a >> 4 & 3; \
         if (b < 5 && a < 64) { seen = F(v, b); seen = seen * 16777216 + (v[0] | v[1] << 8 | v[2] << 16); }",
    ),
    ("merged", "BYTES2_BITS2", "struct reading one = {a, c & 1}, other = {b, c >> 1 & 1}; seen = F(one, other);"),
    ("accumulate", "BYTES2", "total = a; F(b); seen = total;"),
    ("crc_step", "BYTES2", "seen = F(a, b);"),
    ("square_root", "BYTES2", "seen = F(a << 8 | b);"),
    ("days_in_month", "BYTES2", "if (b < 2) seen = F(a, b);"),
    ("turn", "BYTES2", "seen = F((int8_t)a, (int8_t)b);"),
];

const PROGRAM: &str = r#"
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
static sigjmp_buf back;
static uint8_t *page;
static int side;
/* Right before a page that traps, or right behind one. */
static uint8_t *at_an_edge(int size) { return side ? page : page + 4096 - size; }
#define SIDES for (side = 0; side < 2; side++)
static volatile long seen, call;
static void on_signal(int number) { siglongjmp(back, 1); }
static void on_tick(int number)
{
    static long last; static int ticks;
    if (last != call) { last = call; ticks = 0; } else if (++ticks == 5) siglongjmp(back, 2);
}
static void on(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_NODEFER};
    sigaction(number, &action, 0);
}
#define BYTES2 for (int a = 0; a < 256; a++) for (int b = 0, c = 0; b < 256; b++)
#define SMALL3 for (int a = 0; a < 32; a++) for (int b = 0; b < 32; b++) for (int c = 0; c < 32; c++)
#define BYTES3 for (int a = 0; a < 256; a++) for (int b = 0; b < 256; b++) for (int c = 0; c < 256; c++)
#define BYTES2_BITS2 for (int a = 0; a < 256; a++) for (int b = 0; b < 256; b++) for (int c = 0; c < 4; c++)
static const double fractions[] = {
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, 0.1, -0.3, 1.0 / 3, 0x1.0000000000001p0, 0x1.fffffffffffffp-1,
    0x1.000002p0, 1e16, -1e16, 1e-310, 0x1p-1074, -0x1p-1074, 0x1p-1022, 0x1p-149, 0x1p-126,
    0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023, 0x1.fffffep127, 0x1p-537, 1e308,
    7.25, -123.456, 1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0,
};
#define FRACTION(name) \
    for (unsigned at_##name = 0; at_##name < sizeof fractions / sizeof *fractions; at_##name++) \
        for (double name = fractions[at_##name], *once_##name = &name; once_##name; once_##name = 0)
#define FRACTIONS1 FRACTION(x)
#define FRACTIONS2 FRACTION(x) FRACTION(y)
#define FRACTIONS3 FRACTION(x) FRACTION(y) FRACTION(z)
/* All that are no numbers are alike. */
static long bits(double value)
{
    long seen;
    memcpy(&seen, &value, sizeof seen);
    return value != value ? -1 : seen;
}
"#;

/// The definition of a function, from its first word to its closing brace.
fn definition(source: &str, name: &str) -> (usize, usize) {
    let head = source.find(&format!(" {name}(")).unwrap();
    let start = source[..head].rfind('\n').map_or(0, |at| at + 1);
    let end = start + source[start..].find("\n}\n").unwrap() + 3;
    (start, end)
}

fn offset(source: &str, line: u64, column: u64) -> usize {
    let start: usize = source.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
    start + column as usize - 1
}

/// The kinds of differences, each with its bit.
const KINDS: [(u32, &str); 3] = [(1, "output"), (2, "undefined behaviour"), (4, "timeout")];

/// Reads which mutants are tried, each with the kinds of differences that end its trial.
const MAIN: &str = r#"
int main(int count, char **words)
{
    FILE *asked = fopen(words[1], "r");
    char id[64];
    int wanted;
    page = mmap(0, 12288, 3, 0x22, -1, 0);
    mprotect(page, 4096, 0);
    mprotect(page + 8192, 4096, 0);
    page += 4096;
    on(SIGILL, on_signal);
    on(SIGSEGV, on_signal);
    on(SIGVTALRM, on_tick);
    struct itimerval often = {{0, 10000}, {0, 10000}};
    setitimer(ITIMER_VIRTUAL, &often, 0);
    while (fscanf(asked, "%63s %d", id, &wanted) == 2) {
        unsigned at = 0;
        while (strcmp(all[at].id, id))
            if (++at == sizeof all / sizeof *all)
                return 1;
        all[at].try(wanted);
    }
    puts("end");
    return 0;
}
"#;

/// Compiles the program that tries all inputs on these mutants of a subject.
fn build(subject: &Subject, mutants: &[Value], binary: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("all.c");
    std::fs::write(&source, written(subject, mutants)).unwrap();
    let flags = ["-w", "-fno-inline", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", subject.optimised];
    let built = Command::new("gcc").args(flags).arg("-o").arg(binary).arg(&source).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}

fn written(subject: &Subject, mutants: &[Value]) -> String {
    let source = subject.source;
    let mut program = source.to_string() + PROGRAM;
    let mut table = String::new();
    for (name, inputs, call) in subject.calls {
        let (start, end) = definition(source, name);
        let original = source[start..end].replacen(&format!(" {name}("), &format!(" original_{name}("), 1);
        let _ = writeln!(program, "static {original}");
        for mutant in mutants.iter().filter(|mutant| mutant["function"] == *name) {
            let id = text(mutant, "id");
            let place = |line: &str, column: &str| {
                offset(source, mutant[line].as_u64().unwrap(), mutant[column].as_u64().unwrap())
            };
            let (from, to) = (place("line", "column"), place("end_line", "end_column"));
            let mutated = format!("{}{}{}", &source[start..from], text(mutant, "replacement"), &source[to..end]);
            let mutated = mutated.replacen(&format!(" {name}("), &format!(" f{id}("), 1);
            let _ = writeln!(program, "static {mutated}");
            let run = |function: &str| format!("{{ {} }}", call.replace("F(", &format!("{function}(")));
            let _ = writeln!(
                program,
                "static void try{id}(int wanted) {{ int kinds = 0; {inputs} {{ seen = 0; call++; \
                 if (sigsetjmp(back, 0)) continue; {} long expected = seen; seen = 0; call++; \
                 int how = sigsetjmp(back, 0); if (how == 0) {{ {} if (seen != expected) kinds |= 1; }} \
                 else kinds |= how == 2 ? 4 : 2; if (kinds & wanted) goto out; }} \
                 out: printf(\"{id} %d\\n\", kinds); }}",
                run(&format!("original_{name}")),
                run(&format!("f{id}")),
            );
            let _ = writeln!(table, "{{\"{id}\", try{id}}},");
        }
    }
    let _ = writeln!(program, "static const struct {{ const char *id; void (*try)(int); }} all[] = {{\n{table}}};");
    program.push_str(MAIN);
    program
}

/// The one for all mutants of the functions with few inputs, which several tests ask for some: it takes long to
/// compile.
static FEW_INPUTS_BUILT: LazyLock<PathBuf> = LazyLock::new(|| {
    let scene = Scene::new(&[(FEW_INPUTS.file, FEW_INPUTS.source)]);
    let mutants = scene.mutants(&[FEW_INPUTS.file, "--operators", "mass,milu"]);
    // Another run of the tests may be using the last one.
    let binary = Path::new(env!("CARGO_TARGET_TMPDIR")).join("few_inputs");
    let fresh = binary.with_extension(std::process::id().to_string());
    build(&FEW_INPUTS, &mutants, &fresh);
    std::fs::rename(fresh, &binary).unwrap();
    binary
});

/// What all inputs show of each mutant: which kinds of differences there are, up to the one that is said to be there.
fn all_inputs(
    scene: &Scene,
    subject: &Subject,
    mutants: &[Value],
    said: &BTreeMap<String, Value>,
) -> BTreeMap<String, Vec<String>> {
    let folder = scene.outside("brute");
    std::fs::create_dir_all(&folder).unwrap();
    let program = folder.join("all");
    if subject.file == FEW_INPUTS.file {
        // Not by this process: what another thread starts meanwhile would keep it open for writing, and nobody could
        // run it.
        assert!(Command::new("cp").arg(&*FEW_INPUTS_BUILT).arg(&program).status().unwrap().success());
    } else {
        build(subject, mutants, &program);
    }
    let is_called = |mutant: &&Value| subject.calls.iter().any(|(name, ..)| mutant["function"] == *name);
    let asked = mutants.iter().filter(is_called).map(|mutant| {
        let id = text(mutant, "id");
        let kind = KINDS.iter().find(|(_, kind)| said[id]["kind"] == *kind);
        // A call that takes long and one that never ends are told apart by nobody.
        format!("{id} {}\n", kind.map_or(7, |(bit, _)| bit | 4))
    });
    let ran = run_brute(scene, &program, &asked.collect::<String>());
    let kinds = |bits: u32| KINDS.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, word)| word.to_string()).collect();
    let lines = ran.lines().filter_map(|line| line.split_once(' '));
    lines.map(|(id, bits)| (id.to_string(), kinds(bits.parse().unwrap()))).collect()
}

/// What the program says of the mutants that it is asked for, in a cell.
fn run_brute(scene: &Scene, program: &Path, asked: &str) -> String {
    let folder = program.parent().unwrap();
    let list = folder.join("asked");
    std::fs::write(&list, asked).unwrap();
    let mut cell =
        Cell::open(&CellOptions { visible: vec![folder.to_path_buf()], ..CellOptions::new(scene.outside("cell")) })
            .unwrap();
    let limits = Limits { cpu: Duration::from_secs(600), wall: Duration::from_secs(900), ..Limits::default() };
    let arguments = [list.into_os_string()];
    let job = Job { program, arguments: &arguments, directory: folder, environment: &[], limits };
    let ended = cell.run(&job).unwrap();
    let output = String::from_utf8_lossy(&ended.output).into_owned();
    assert!(ended.how == End::Exited(0) && output.ends_with("end\n"), "{:?}: {output:.2000}", ended.how);
    output
}

/// How many verdicts were compared with what all inputs show, and which are unknown.
fn compared(subject: &Subject, operators: &[&str], more: &[&str]) -> (usize, Vec<String>) {
    let file = subject.file;
    let scene = Scene::new(&[(file, subject.source)]);
    let (mut compared, mut unknown) = (0, Vec::new());
    for operators in operators {
        let mutants = scene.mutants(&[file, "--operators", operators]);
        let found = verdicts(&scene, &[&[file, "--operators", operators], more].concat());
        let truth = all_inputs(&scene, subject, &mutants, &found);
        for (id, kinds) in &truth {
            let said = &found[id];
            match text(said, "verdict") {
                "different" => {
                    let kind = text(said, "kind");
                    let is_shown = kinds.iter().any(|known| known == kind || known == "timeout");
                    assert!(is_shown || !subject.is_all, "{said:#}\n{kinds:?}");
                }
                "equivalent" => assert!(kinds.is_empty(), "{said:#}\n{kinds:?}"),
                "unknown" => unknown.push(format!("{}: {}", text(said, "name"), said["why"])),
                other => panic!("{other}: {said:#}"),
            }
            compared += 1;
        }
    }
    (compared, unknown)
}

#[test]
fn every_verdict_is_what_all_inputs_show() {
    if !has("gcc") {
        return;
    }
    let (compared, unknown) = compared(&FEW_INPUTS, &["mass", "milu"], &["--exhaust", "262144"]);
    assert!(compared >= 2000, "{compared}");
    assert!(unknown.is_empty(), "{unknown:#?}");
}

#[test]
fn every_proof_is_what_all_inputs_show() {
    if !has("gcc") || !(14..=30).any(|version| has(&format!("clang-{version}"))) {
        return;
    }
    let (compared, unknown) = compared(&FEW_INPUTS, &["milu"], &["--tiers", "proof"]);
    // A call without end has no output that could be reasoned about.
    let unknown: Vec<&String> = unknown.iter().collect();
    assert!(compared >= 900 && unknown.len() * 10 <= compared, "{compared}: {unknown:#?}");
}

#[test]
fn every_proof_path_by_path_is_what_all_inputs_show() {
    if !has("gcc") || !(14..=30).any(|version| has(&format!("clang-{version}"))) {
        return;
    }
    let (compared, unknown) = compared(&FEW_INPUTS, &["ROR,AOR,SDL"], &["--tiers", "paths"]);
    assert!(compared >= 150 && unknown.len() * 5 <= compared, "{compared}: {unknown:#?}");
}

#[test]
fn every_verdict_over_three_bytes_is_what_all_inputs_show() {
    if !has("gcc") || !(14..=30).any(|version| has(&format!("clang-{version}"))) {
        return;
    }
    let (compared, unknown) = compared(&THREE_BYTES, &["ORRN,OAAN,OBBN,SBRC,OLLN,CRCR"], &[]);
    assert!(compared >= 60, "{compared}");
    assert!(unknown.is_empty(), "{unknown:#?}");
}

#[test]
fn no_verdict_over_fractions_is_refuted_by_those_at_which_something_changes() {
    if !has("gcc") || !(14..=30).any(|version| has(&format!("clang-{version}"))) {
        return;
    }
    let (compared, unknown) = compared(&FRACTIONS, &["mass", "milu"], &[]);
    assert!(compared >= 400, "{compared}");
    assert!(unknown.len() * 50 <= compared, "{compared}: {unknown:#?}");
}
