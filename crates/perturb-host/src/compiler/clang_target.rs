//! Makes clang look like the project's compiler: its target, its instruction set, its predefined macros.
//!
//! All of it follows from what the compiler says about itself, so that `-march=native` or a CPU that clang has not
//! heard of give the same tree under every version of clang.

use crate::command_line::Language;
use crate::compiler::probe::{CompilerFacts, CompilerFamily};

/// `--target=` and the machine flags that belong to it. What clang has no equal for is added to `filtered`.
pub(crate) fn target_flags(facts: &CompilerFacts, filtered: &mut Vec<String>) -> Vec<String> {
    if facts.target.is_empty() {
        return Vec::new();
    }
    let architecture = facts.target.split('-').next().unwrap_or_default();
    if !is_known_architecture(architecture) {
        filtered.push(format!("--target={}", facts.target));
        return vec![format!("--target={}", stand_in(facts))];
    }
    let mut flags = vec![format!("--target={}", facts.target)];
    if facts.has("__x86_64__") || facts.has("__i386__") {
        let features = X86_FEATURES.iter().filter(|(name, _)| facts.has(name));
        flags.extend(features.map(|(_, flag)| flag.to_string()));
    } else if facts.has("__arm__") {
        flags.extend(arm_flags(facts));
    } else if let Some(length) = facts.predefined.get("__riscv_xlen") {
        let letter = |name: &str, letter: &str| if facts.has(name) { letter.to_string() } else { String::new() };
        let extensions =
            [("__riscv_mul", "m"), ("__riscv_atomic", "a"), ("__riscv_flen", "f"), ("__riscv_compressed", "c")];
        let mut letters: String = extensions.map(|(name, text)| letter(name, text)).concat();
        if facts.predefined.get("__riscv_flen").is_some_and(|bits| bits == "64") {
            letters = letters.replace('f', "fd");
        }
        flags.push(format!("-march=rv{length}i{letters}"));
    }
    flags
}

impl CompilerFacts {
    fn has(&self, name: &str) -> bool {
        self.predefined.contains_key(name)
    }
}

/// The flags, in an order in which none disables another.
const X86_FEATURES: &[(&str, &str)] = &[
    ("__MMX__", "-mmmx"),
    ("__SSE__", "-msse"),
    ("__SSE2__", "-msse2"),
    ("__SSE3__", "-msse3"),
    ("__SSSE3__", "-mssse3"),
    ("__SSE4_1__", "-msse4.1"),
    ("__SSE4_2__", "-msse4.2"),
    ("__AVX__", "-mavx"),
    ("__AVX2__", "-mavx2"),
    ("__FMA__", "-mfma"),
    ("__F16C__", "-mf16c"),
    ("__BMI__", "-mbmi"),
    ("__BMI2__", "-mbmi2"),
    ("__LZCNT__", "-mlzcnt"),
    ("__POPCNT__", "-mpopcnt"),
    ("__AES__", "-maes"),
    ("__PCLMUL__", "-mpclmul"),
    ("__SHA__", "-msha"),
    ("__RDRND__", "-mrdrnd"),
    ("__RDSEED__", "-mrdseed"),
    ("__ADX__", "-madx"),
    ("__MOVBE__", "-mmovbe"),
    ("__AVX512F__", "-mavx512f"),
    ("__AVX512CD__", "-mavx512cd"),
    ("__AVX512BW__", "-mavx512bw"),
    ("__AVX512DQ__", "-mavx512dq"),
    ("__AVX512VL__", "-mavx512vl"),
];

fn arm_flags(facts: &CompilerFacts) -> Vec<String> {
    const ARCHITECTURES: &[(&str, &str)] = &[
        ("__ARM_ARCH_4T__", "armv4t"),
        ("__ARM_ARCH_5T__", "armv5t"),
        ("__ARM_ARCH_5TE__", "armv5te"),
        ("__ARM_ARCH_5TEJ__", "armv5tej"),
        ("__ARM_ARCH_6__", "armv6"),
        ("__ARM_ARCH_6K__", "armv6k"),
        ("__ARM_ARCH_6KZ__", "armv6kz"),
        ("__ARM_ARCH_6T2__", "armv6t2"),
        ("__ARM_ARCH_6M__", "armv6-m"),
        ("__ARM_ARCH_7A__", "armv7-a"),
        ("__ARM_ARCH_7R__", "armv7-r"),
        ("__ARM_ARCH_7M__", "armv7-m"),
        ("__ARM_ARCH_7EM__", "armv7e-m"),
        ("__ARM_ARCH_8A__", "armv8-a"),
        ("__ARM_ARCH_8R__", "armv8-r"),
        ("__ARM_ARCH_8M_BASE__", "armv8-m.base"),
        ("__ARM_ARCH_8M_MAIN__", "armv8-m.main"),
        ("__ARM_ARCH_8_1M_MAIN__", "armv8.1-m.main"),
    ];
    let mut flags = Vec::new();
    flags.extend(ARCHITECTURES.iter().find(|(name, _)| facts.has(name)).map(|(_, name)| format!("-march={name}")));
    flags.push(if facts.has("__thumb__") { "-mthumb" } else { "-marm" }.to_string());
    let float = match (facts.has("__ARM_PCS_VFP"), facts.has("__SOFTFP__")) {
        (true, _) => "hard",
        (false, true) => "soft",
        (false, false) => "softfp",
    };
    flags.push(format!("-mfloat-abi={float}"));
    flags
}

/// Architectures that clang 14 can parse for.
fn is_known_architecture(name: &str) -> bool {
    #[rustfmt::skip]
    const KNOWN: &[&str] = &[
        "x86_64", "i386", "i486", "i586", "i686", "arm", "armeb", "armv6", "armv7", "armv7l", "armv7a", "thumb",
        "aarch64", "aarch64_be", "arm64", "riscv32", "riscv64", "sparc", "sparcv9", "sparc64", "mips", "mipsel",
        "mips64", "mips64el", "mipsisa32r6", "mipsisa32r6el", "powerpc", "powerpcle", "powerpc64", "powerpc64le",
        "ppc", "ppc64", "ppc64le", "s390x", "avr", "msp430", "m68k", "hexagon", "lanai", "xcore", "arc", "ve",
        "bpfel", "bpfeb", "bpf", "wasm32", "wasm64", "nvptx64",
    ];
    KNOWN.contains(&name)
}

/// A target with the same size of pointers, where clang does not have the right one: better types than the host's.
fn stand_in(facts: &CompilerFacts) -> &'static str {
    match facts.predefined.get("__SIZEOF_POINTER__").map(String::as_str) {
        Some("2") => "msp430-none-elf",
        Some("8") => "riscv64-unknown-elf",
        _ => "riscv32-unknown-elf",
    }
}

/// What makes clang take the same branches of `#if` as a project's GCC; nothing for a project that is built with clang.
///
/// Tried with GCC 12's headers under clang 14, 16 and 19: the C library, all of libstdc++ and newlib parse without an
/// error.
pub(crate) fn disguise(facts: &CompilerFacts) -> Vec<String> {
    if facts.family != CompilerFamily::Gcc {
        return Vec::new();
    }
    let (major, minor, patch) = match (facts.language, facts.version) {
        // From GCC 13 on C++ has _Float32 and its kin as built-in types, and the headers count on it; clang has none
        // of them, and a macro in their place would make `float` and `_Float32` overloads collide.
        (Language::Cxx, version) if version.0 > 12 => (12, 2, 0),
        (_, version) => version,
    };
    let mut flags = vec![format!("-fgnuc-version={major}.{minor}.{patch}")];
    // `#ifdef __clang__` must not hide what GCC compiles.
    let names =
        ["__clang__", "__clang_major__", "__clang_minor__", "__clang_patchlevel__", "__clang_version__", "__llvm__"];
    flags.extend(names.map(|name| format!("-U{name}")));
    if major >= 11 {
        // GCC 11 gave the attribute arguments (the deallocator), which glibc then uses; clang refuses them as an
        // error. Without a parenthesis the name is not expanded, so that plain `__malloc__` stays what it was.
        flags.push("-D__malloc__(...)=__malloc__".to_string());
    }
    if facts.language == Language::C {
        flags.extend(float_types(facts));
    }
    flags
}

/// C compilers from GCC 7 on know `_Float32` and the like, and glibc does not declare them then; clang does not know
/// them.
fn float_types(facts: &CompilerFacts) -> Vec<String> {
    let long_double = facts.predefined.get("__LDBL_MANT_DIG__").map(String::as_str);
    ["32", "64", "32X", "64X", "128"]
        .iter()
        .filter_map(|width| {
            let digits = facts.predefined.get(&format!("__FLT{width}_MANT_DIG__"))?.as_str();
            let equal = match digits {
                "24" => "float",
                "53" => "double",
                _ if Some(digits) == long_double => "long double",
                // Only where the target has it, and then clang has it too.
                "113" if facts.has("__SIZEOF_FLOAT128__") => "__float128",
                _ => return None,
            };
            Some(format!("-D_Float{}={equal}", width.to_lowercase()))
        })
        .collect()
}
