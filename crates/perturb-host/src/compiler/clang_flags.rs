//! Tables: which compiler flags matter for parsing, and which are known not to.
//!
//! The lists do not depend on the version of clang. A flag that is in neither list is reported to the user.

/// What to do with a flag that has no value of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Treatment {
    Pass,
    /// It cannot change what the parser sees, or we derive what it does from the compiler's own answers.
    DropSilently,
    DropAndTell,
}

/// Flags that change the language or the predefined macros, and that every clang from 14 on understands.
#[rustfmt::skip]
const PASS: &[&str] = &[
    "-fsigned-char", "-fno-signed-char", "-funsigned-char", "-fno-unsigned-char", "-fshort-enums",
    "-fno-short-enums", "-fshort-wchar", "-fno-short-wchar", "-fms-extensions", "-fms-compatibility", "-fdeclspec",
    "-fno-exceptions", "-fexceptions", "-fno-rtti", "-frtti", "-ffreestanding", "-fhosted", "-fno-builtin",
    "-fbuiltin", "-fgnu89-inline", "-fno-gnu89-inline", "-fopenmp", "-fopenmp-simd", "-fPIC", "-fpic", "-fPIE",
    "-fpie", "-fno-pic", "-fno-PIC", "-fno-pie", "-fno-PIE", "-pthread", "-fchar8_t", "-fno-char8_t",
    "-fno-operator-names", "-foperator-names", "-trigraphs", "-fdollars-in-identifiers",
    "-fno-dollars-in-identifiers", "-fasm", "-fno-asm", "-fpack-struct", "-faligned-new", "-fno-aligned-new",
    "-fsized-deallocation", "-fno-sized-deallocation", "-fblocks", "-ffast-math", "-fno-fast-math",
    "-ffinite-math-only", "-fno-finite-math-only", "-undef", "-flax-vector-conversions",
    "-fno-lax-vector-conversions", "-m16", "-m32", "-m64", "-mx32", "-mlittle-endian", "-mbig-endian",
    "-mms-bitfields", "-mlong-double-64", "-mlong-double-80", "-mlong-double-128", "-mfpu=neon", "-mfpu=neon-vfpv4",
    "-mfpu=neon-fp-armv8", "-mfpu=crypto-neon-fp-armv8", "-mfpu=vfp", "-mfpu=vfpv2", "-mfpu=vfpv3",
    "-mfpu=vfpv3-d16", "-mfpu=vfpv4", "-mfpu=vfpv4-d16", "-mfpu=fp-armv8", "-mfpu=fpv4-sp-d16", "-mfpu=fpv5-d16",
    "-mfpu=fpv5-sp-d16",
];

const PASS_PREFIXES: &[&str] = &["-fno-builtin-", "-fpack-struct=", "-ftemplate-depth=", "-fconstexpr-depth="];

/// Output, dependency files, diagnostics, debugging, linking.
#[rustfmt::skip]
const IRRELEVANT: &[&str] = &[
    "-c", "-S", "-E", "-pipe", "-v", "-w", "-shared", "--shared", "-static", "-rdynamic", "-s", "-no-pie", "-pie",
    "-static-pie", "-nostdlib", "-nodefaultlibs", "-nostartfiles", "-nolibc", "-p", "-pg", "--coverage", "-coverage",
    "-P", "-C", "-CC", "-H", "-Q", "-time", "-pedantic", "-pedantic-errors", "-r", "-n", "-N", "-t", "-r",
    "-fsyntax-only", "-ansi", "-nostdinc", "-nostdinc++", "-h", "-static-libgcc", "-static-libstdc++",
    "-shared-libgcc", "-no-integrated-cpp", "-integrated-as", "-no-canonical-prefixes", "-fstrict-flex-arrays",
    "-Qunused-arguments", "-no-integrated-as", "-symbolic", "--verbose", "-EL", "-EB", "-XClinker",
];

/// Flags with any ending.
#[rustfmt::skip]
const IRRELEVANT_PREFIXES: &[&str] = &[
    "-W", "-g", "-M", "-d", "-L", "-l", "-Wl,", "-Wa,", "-save-temps", "--save-temps", "-T", "-u", "-o", "-std=",
    "--std=", "-x", "-B", "-specs=", "--specs=", "--param=", "-fuse-ld=", "-rtlib=", "-unwindlib=", "--rtlib=",
    "-stdlib=", "-fplugin", "-print-", "--print-", "--target=", "--gcc-toolchain", "-resource-dir", "-pedantic",
    "-mllvm", "-fmodules-cache-path", "-fprebuilt-module-path", "-z",
];

/// Options whose value is the next word and that say nothing to a parser.
#[rustfmt::skip]
pub(crate) const IRRELEVANT_WITH_VALUE: &[&str] = &[
    "-o", "--output", "-MF", "-MT", "-MQ", "-MJ", "-Xlinker", "-Xassembler", "-L", "-l", "-T", "-u", "-z", "-e",
    "-A", "-B", "-aux-info", "-dumpbase", "-dumpdir", "--param", "-mllvm", "-wrapper", "-framework", "-G", "-arch",
    "-target", "-gcc-toolchain", "-x", "--std", "--language", "-imultilib",
];

/// What follows `-f` or `-fno-` in flags of code generation, optimisation, diagnostics and profiling.
#[rustfmt::skip]
const CODE_GENERATION: &[&str] = &[
    "align", "aggressive-loop", "allow-store", "analyzer", "associative-math", "asynchronous-unwind", "auto-inc",
    "auto-profile", "branch-", "bounds-check", "caller-saves", "caret-", "cf-protection", "check-new",
    "code-hoisting", "color-diagnostics", "combine-", "common", "compare-", "condense", "conserve-", "coverage",
    "cprop", "crossjumping", "cse-", "cx-", "data-sections", "dce", "debug-", "defer-pop", "delayed-", "delete-",
    "devirt", "diagnostics-", "dse", "dump-", "dwarf2-cfi", "early-inlining", "elide-", "eliminate-", "emulated-tls",
    "enforce-eh", "error-limit", "excess-precision", "expensive-", "extended-identifiers", "fat-lto", "ffp",
    "file-prefix", "float-store", "fold-", "forward-", "fp-", "function-sections", "gcse", "gnu-tm", "gnu-unique",
    "graphite", "guess-branch", "harden", "hoist", "ident", "if-conversion", "implement-inlines", "implicit-inline",
    "indirect-", "inhibit-size", "inline", "instrument-", "integrated-", "ipa-", "ira-", "isolate-", "ivopts",
    "jump-tables", "keep-", "leading-underscore", "lifetime-", "limit-debug", "link-", "live-", "loop-", "lra-",
    "lto", "macro-backtrace", "macro-prefix", "math-errno", "max-errors", "merge-", "message-length", "modulo-",
    "move-loop", "no-", "non-call", "nonansi", "nothrow-opt", "objc-", "omit-frame", "omit-leaf", "openacc",
    "opt-info", "optimize-", "pack-", "partial-", "patchable-", "pcc-struct", "pch-", "peel", "peephole", "plt",
    "pre-ipa", "predictive-", "prefetch", "preprocessed", "printf-return", "profile", "random-seed", "reciprocal-",
    "record-", "ree", "reg-struct", "rename-", "reorder", "rerun", "reschedule", "rounding-", "rtlib", "sanitize",
    "sched", "section-anchors", "sel-sched", "semantic-interposition", "show-", "shrink-wrap", "signaling-nans",
    "signed-zeros", "simd-", "single-precision", "slp-", "split-", "spell-checking", "ssa-", "stack-",
    "standalone-debug", "stdarg-opt", "store-", "strict-aliasing", "strict-enums", "strict-overflow",
    "strict-return", "strict-vtable", "strict-volatile", "strong-eval", "sync-libcalls", "temp-file",
    "test-coverage", "thread-jumps", "threadsafe-", "time-", "tls-model", "toplevel-", "track-macro", "trampolines",
    "trapping-", "trapv", "tracer", "tree-", "trivial-auto", "unit-at", "unique-", "unroll", "unsafe-math",
    "unswitch", "unwind", "use-cxa", "use-init", "use-linker", "use-line", "var-tracking", "variable-expansion",
    "vect", "verbose-asm", "virtual-function", "visibility", "vpt", "vtable-", "vtv", "web", "whole-",
    "working-directory", "wrapv", "wpa", "xray", "zero-", "access-control", "concepts", "coroutines",
    "directives-only", "debug", "save-optimization", "crash-diagnostics", "global-isel",
];

/// What follows `-m` in flags of code generation.
#[rustfmt::skip]
const MACHINE: &[&str] = &[
    "tune=", "no-red-zone", "red-zone", "cmodel=", "preferred-stack", "incoming-stack", "stackrealign", "stack-",
    "no-unaligned-access", "unaligned-access", "long-calls", "no-long-calls", "relax", "no-relax", "branch-",
    "indirect-", "function-return", "general-regs", "fentry", "record-mcount", "nop-mcount", "skip-rax", "omit-leaf",
    "no-omit-leaf", "accumulate-", "no-accumulate", "align-", "tls-", "restrict-it", "no-restrict-it", "slow-flash",
    "pure-code", "poke", "apcs", "tpcs", "sched", "no-sched", "save-restore", "no-save-restore", "word-relocations",
    "fix-", "no-fix-", "harden-", "retpoline", "prefer-", "move-", "memcpy", "flat", "no-flat", "app-regs",
    "no-app-regs", "user-mode", "faster-structs", "implicit-float", "no-implicit-float", "outline", "no-outline",
    "dejagnu", "call-prologues", "interlink", "no-interlink", "abicalls", "no-abicalls", "shared", "no-shared",
    "gpopt", "no-gpopt", "manual-endbr", "fpu=auto", "cet", "shstk", "print-tune", "div", "veclibabi", "vzeroupper",
    "mitigate",
];

/// Instruction sets of x86 and ARM: what they mean for the parser is taken from the compiler's predefined macros.
#[rustfmt::skip]
const DERIVED: &[&str] = &[
    "arch=", "cpu=", "float-abi=", "thumb", "arm", "soft-float", "hard-float", "fpmath", "mmx", "sse", "avx",
    "3dnow", "fma", "bmi", "lzcnt", "popcnt", "aes", "pclmul", "f16c", "rdrnd", "rdseed", "adx", "sha", "abm",
    "movbe", "xsave", "fsgsbase", "tbm", "xop", "cx16", "sahf", "80387", "no-mmx", "no-sse", "no-avx", "no-3dnow",
    "no-80387", "no-fma", "no-bmi", "no-aes", "no-fp", "no-popcnt", "no-lzcnt", "vaes", "vpclmul", "gfni",
];

/// The treatment of a flag that stands alone.
pub(crate) fn treatment(flag: &str) -> Treatment {
    if PASS.contains(&flag) || PASS_PREFIXES.iter().any(|prefix| flag.starts_with(prefix)) {
        return Treatment::Pass;
    }
    let starts = |list: &[&str], text: &str| list.iter().any(|prefix| text.starts_with(prefix));
    let silent = if IRRELEVANT.contains(&flag) {
        true
    } else if let Some(feature) = flag.strip_prefix("-fno-").or_else(|| flag.strip_prefix("-f")) {
        starts(CODE_GENERATION, feature) || starts(IRRELEVANT_PREFIXES, flag)
    } else if let Some(machine) = flag.strip_prefix("-m") {
        starts(MACHINE, machine) || starts(DERIVED, machine)
    } else {
        starts(IRRELEVANT_PREFIXES, flag)
    };
    if silent {
        Treatment::DropSilently
    } else {
        Treatment::DropAndTell
    }
}

/// The spelling of a standard that clang 14 to 19 all know; `None` for one that none of them does.
pub(crate) fn standard(name: &str) -> Option<String> {
    let known = match name {
        "c90" | "iso9899:1990" => "c89",
        "gnu90" => "gnu89",
        "c9x" | "iso9899:199x" | "iso9899:1999" => "c99",
        "gnu9x" => "gnu99",
        "c1x" | "iso9899:2011" => "c11",
        "gnu1x" => "gnu11",
        "c18" | "iso9899:2017" | "iso9899:2018" => "c17",
        "gnu18" => "gnu17",
        "c23" | "iso9899:2024" => "c2x",
        "gnu23" => "gnu2x",
        "c++0x" => "c++11",
        "gnu++0x" => "gnu++11",
        "c++1y" => "c++14",
        "gnu++1y" => "gnu++14",
        "c++1z" => "c++17",
        "gnu++1z" => "gnu++17",
        "c++2a" => "c++20",
        "gnu++2a" => "gnu++20",
        "c++23" => "c++2b",
        "gnu++23" => "gnu++2b",
        "c89" | "gnu89" | "c99" | "gnu99" | "c11" | "gnu11" | "c17" | "gnu17" | "c2x" | "gnu2x" | "iso9899:199409"
        | "c++98" | "c++03" | "gnu++98" | "gnu++03" | "c++11" | "gnu++11" | "c++14" | "gnu++14" | "c++17"
        | "gnu++17" | "c++20" | "gnu++20" | "c++2b" | "gnu++2b" => name,
        _ => return None,
    };
    Some(known.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_passed_dropped_or_told() {
        use Treatment::{DropAndTell, DropSilently, Pass};
        for (flags, expected) in [
            ("-funsigned-char -fno-builtin-printf -m32 -fPIC -pthread -fpack-struct=1", Pass),
            ("-Wall -Werror=x -g3 -MMD -fstack-protector-strong -fno-strict-aliasing -flto=auto", DropSilently),
            ("-mtune=native -march=native -msse4.2 -mno-avx -mcpu=cortex-m4 -mthumb --coverage", DropSilently),
            ("-ffunction-sections -fdata-sections -fdiagnostics-color=always -specs=nano.specs", DropSilently),
            ("-fpermissive -fplan9-extensions -mfancy -fexec-charset=latin1 --weird", DropAndTell),
        ] {
            for flag in flags.split(' ') {
                assert_eq!(treatment(flag), expected, "{flag}");
            }
        }
    }
}
