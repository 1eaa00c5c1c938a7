//! The same functions as the compiler of this machine makes them, called with the same values. What is undefined traps.

use super::cases::{self, Case, Kind};
use super::Outcome;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const MAIN: &str = r#"
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static sigjmp_buf back;
static void on_trap(int number) { (void)number; siglongjmp(back, 1); }
int main(void)
{
    struct sigaction action = {.sa_handler = on_trap, .sa_flags = SA_NODEFER};
    sigaction(SIGILL, &action, 0);
    sigaction(SIGFPE, &action, 0);
    sigaction(SIGTRAP, &action, 0);
    for (unsigned which = 0; which < sizeof calls / sizeof *calls; which++)
        for (unsigned i = 0; i < COUNT; i++) {
            uint64_t pair[2];
            static uint64_t answer[2];
            if (fread(pair, sizeof pair, 1, stdin) != 1)
                return 1;
            answer[0] = answer[1] = 0;
            if (sigsetjmp(back, 0) == 0)
                calls[which](pair, &answer[1]);
            else
                answer[0] = 1;
            fwrite(answer, sizeof answer, 1, stdout);
        }
    return 0;
}
"#;

/// The program that calls them.
pub struct Native {
    folder: PathBuf,
    source: String,
    results: Vec<Kind>,
}

impl Native {
    pub fn new(folder: &Path, cases: &[Case]) -> Self {
        let mut source = cases::program(cases);
        for Case { name, parameters: [a, b], result, .. } in cases {
            let _ = writeln!(
                source,
                "static void call_{name}(const uint64_t *pair, uint64_t *out) {{ {} a; {} b; {} r; \
                 memcpy(&a, pair, sizeof a); memcpy(&b, pair + 1, sizeof b); {name}(a, b, &r); \
                 memcpy(out, &r, sizeof r); }}",
                a.c, b.c, result.c
            );
        }
        let calls: Vec<String> = cases.iter().map(|case| format!("call_{}", case.name)).collect();
        let _ =
            writeln!(source, "static void (*const calls[])(const uint64_t *, uint64_t *) = {{{}}};", calls.join(", "));
        let results = cases.iter().map(|case| case.result).collect();
        Self { folder: folder.to_path_buf(), source: source + MAIN, results }
    }

    /// What comes of every pair of every case.
    pub fn run(&self, pairs: &[Vec<[u64; 2]>]) -> Vec<Vec<Outcome>> {
        let [source, program, inputs] = ["native.c", "native", "inputs"].map(|name| self.folder.join(name));
        std::fs::write(&source, &self.source).unwrap();
        let bytes: Vec<u8> = pairs.iter().flatten().flatten().flat_map(|value| value.to_le_bytes()).collect();
        std::fs::write(&inputs, bytes).unwrap();
        let count = format!("-DCOUNT={}", pairs[0].len());
        let flags =
            ["-w", "-fsanitize=undefined,float-cast-overflow", "-fsanitize-undefined-trap-on-error", &count, "-o"];
        let built = Command::new("gcc").args(flags).arg(&program).arg(&source).output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let ran = Command::new(&program).stdin(std::fs::File::open(&inputs).unwrap()).output().unwrap();
        assert!(ran.status.success(), "{}", ran.status);
        let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
        let mut answers = ran.stdout.chunks_exact(16).map(|answer| (number(&answer[..8]), number(&answer[8..])));
        let mut next = |kind: &Kind| {
            let (is_undefined, value) = answers.next().expect("an answer for every pair");
            (is_undefined == 0).then(|| kind.canonical(value))
        };
        self.results.iter().zip(pairs).map(|(kind, pairs)| pairs.iter().map(|_| next(kind)).collect()).collect()
    }
}
