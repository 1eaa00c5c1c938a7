//! Code that does not compile, or is no code: it is read as far as libclang reads it, and every mutant is an edit of
//! its text.

use perturb_csrc::{mutate_unit, Libclang, OperatorSet, ParseInput, Rules};
use perturb_fuzz::Share;
use std::fs;
use std::path::Path;

const C: &str = "#include \"h.h\"\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\nstruct s { int x : 3; int y[4]; };\n\
    static int f(int a, unsigned b)\n{\n    int i, sum = 0x10;\n    for (i = 0; i < a && b; i++) {\n        \
    switch (i) { case 1: sum += MAX(i, 2); break; default: sum -= 'a'; }\n    }\n    /* perturb: off x */\n    \
    if (!a) goto out;\n    do { sum <<= 1; } while (sum < 100);\nout:\n    return sum ? -sum : (int)b;\n}\n";

const CPP: &str = "namespace n { template <class T, int N = 3> T add(T a) { return a + N; } }\n\
    class R { public: R() : size_(0) {} bool operator<(const R &o) const { return size_ < o.size_; }\n\
    int size() const { auto l = [this](int k) { return k * size_; }; return l(2); }\nprivate: int size_; };\n\
    enum class E { a = 1, b };\nint main() { R r; try { throw 1; } catch (int &e) { return n::add(e) + r.size(); }\n\
    for (int x : {1, 2, 3}) if (x == 2) continue;\n return R\"(raw)\"[0] != 1.5; }\n";

/// As deep as generated code may be, and as the program has it for its threads.
const STACK_BYTES: usize = 256 << 20;

fn mutate(libclang: &Libclang, folder: &Path, name: &str, text: &[u8]) {
    let file = folder.join(name);
    fs::write(&file, text).expect("the source can be written");
    let rules = Rules {
        operators: &OperatorSet::mass(),
        never_in: &globset::GlobSet::empty(),
        mutate_macros: true,
        instrument: true,
        wanted: &|path: &Path| path.starts_with(folder),
    };
    let input = ParseInput { directory: folder.to_path_buf(), file, arguments: vec!["-w".to_string()] };
    let Ok(found) = mutate_unit(libclang, &input, &rules) else { return };
    for file in &found.files {
        let size = file.source.text().len();
        for (_, mutation) in &file.mutations {
            let edit = &mutation.edit;
            assert!(edit.range.end as usize <= size, "{edit:?} of {size}");
            assert_ne!(file.source.slice(edit.range), &*edit.replacement, "{edit:?}");
        }
    }
}

/// On a thread with the stack that the program gives to those that parse.
fn with_deep_stack(work: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        thread.expect("a thread can be started").join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}

#[test]
fn fuzzed_sources_are_parsed_as_far_as_they_can_be() {
    let libclang = Libclang::newest().expect("a libclang is installed: scripts/setup test");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().canonicalize().expect("the folder is there");
    fs::write(path.join("h.h"), "static inline int h(int v) { return v * 2 + 1; }\n").expect("it can be written");
    for (target, name, text) in [("C source", "a.c", C), ("C++ source", "a.cpp", CPP)] {
        with_deep_stack(|| {
            perturb_fuzz::survives(target, Share::OneIn(100), &[text], |text| mutate(&libclang, &path, name, text));
        });
    }
}

#[test]
fn code_that_is_nested_deeply_is_no_reason_to_end() {
    let libclang = Libclang::newest().expect("a libclang is installed: scripts/setup test");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().canonicalize().expect("the folder is there");
    let in_function = |body: &str| format!("int f(int a) {{ {body} return a; }}\n");
    let deep = [
        in_function(&format!("a = {};", "a + ".repeat(3_000) + "a")),
        in_function(&"if (a) ; else ".repeat(1_000)),
        in_function(&format!("a = {}a{};", "(".repeat(250), ")".repeat(250))),
        in_function(&format!("a = {}a;", "- ".repeat(1_000))),
        in_function(&"{".repeat(250)),
        format!("int x[] = {}", "{".repeat(10_000)),
    ];
    with_deep_stack(|| deep.iter().for_each(|text| mutate(&libclang, &path, "deep.c", text.as_bytes())));
}
