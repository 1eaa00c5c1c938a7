//! Whether every clang parses the headers of the project's compiler with the arguments we make.

use std::path::{Path, PathBuf};
use std::process::Command;

use perturb_host::{clang_arguments, CompilerFamily, CompilerProbe, DiscoverOptions, Language};

use crate::support::{has, Scene};

const C_HEADERS: &str =
    "stdio stdlib string math stdint inttypes limits errno ctype time assert stdbool stdatomic complex pthread \
    unistd sys/socket tgmath wchar setjmp signal fenv stdarg float stddef";
const NEWLIB_HEADERS: &str =
    "stdio stdlib string math stdint inttypes limits errno ctype time assert stdbool stdatomic complex \
    unistd tgmath wchar setjmp signal stdarg float stddef";
const CXX_HEADERS: &str =
    "vector string map memory iostream algorithm functional thread atomic optional variant regex filesystem \
    chrono cmath complex random";

/// What only the project's compiler would be shown, and types that its headers count on.
const C_BODY: &str = "#ifdef __clang__\n#error clang is seen\n#endif
#if __GNUC__ < 7\n#error another version is seen\n#endif\n
    int use(void) { atomic_int a = 0; atomic_fetch_add(&a, 1); double complex z = 1; uint32_t u = 1;
    return isnan(1.0) + (int)creal(z) + (int)u; }\n";
const CXX_BODY: &str = "#ifdef __clang__\n#error clang is seen\n#endif\n
    int use() { std::variant<int, double> v = 2.0; std::optional<int> o = 1; std::map<std::string, int> m; m[\"a\"] = 1;
    std::regex r(\"a\"); std::atomic<int> a{1}; a++; std::shared_ptr<int> s = std::make_shared<int>(1);
    return *o + *s + std::visit([](auto x) { return (int)x; }, v) + std::isnan(1.0); }\n";

fn source(headers: &str, suffix: &str, body: &str) -> String {
    headers.split_whitespace().map(|name| format!("#include <{name}{suffix}>\n")).collect::<String>() + body
}

/// Each clang of the machine with the folder of its own headers.
fn clangs() -> Vec<(&'static str, PathBuf)> {
    ["clang-14", "clang-16", "clang-19"]
        .into_iter()
        .filter(|name| has(name))
        .map(|name| {
            let output = Command::new(name).arg("-print-resource-dir").output().unwrap();
            (name, Path::new(String::from_utf8(output.stdout).unwrap().trim()).join("include"))
        })
        .collect()
}

/// Parses the text as the file `name` of a project with this compiler and flags, with every clang; no diagnostic may
/// remain.
fn check(name: &str, text: &str, compiler: &str, flags: &str, family: CompilerFamily) {
    let scene = Scene::new(&[(name, text)]);
    let options = DiscoverOptions {
        compiler: Some(compiler.to_string()),
        single_file_flags: flags.split_whitespace().map(str::to_string).collect(),
        ..DiscoverOptions::default()
    };
    let project = scene.discover_at(&scene.root().join(name), &options).unwrap();
    let command = &project.units[0].command;
    let facts = CompilerProbe::new().probe(command).unwrap();
    assert_eq!(facts.family, family, "{facts:?}");
    for (clang, resource) in clangs() {
        let made = clang_arguments(command, &facts, Some(&resource));
        assert!(made.filtered.is_empty(), "{:?}", made.filtered);
        let output =
            Command::new(clang).arg("-fsyntax-only").args(&made.arguments).arg(&command.file).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && told.is_empty(),
            "{clang} {compiler} {flags}:\n{told}\n{:?}",
            made.arguments
        );
    }
}

#[test]
fn every_clang_parses_the_c_library_as_gcc_would() {
    let text = source(C_HEADERS, ".h", C_BODY);
    for flags in ["", "-std=c99 -D_GNU_SOURCE -O2 -D_FORTIFY_SOURCE=2", "-std=gnu11 -march=native -O3", "-std=c23"] {
        check("a.c", &text, "gcc", flags, CompilerFamily::Gcc);
    }
    check(
        "a.c",
        &source("immintrin", ".h", "__m128i f(__m128i a) { return _mm_add_epi32(a, a); }\n"),
        "gcc",
        "",
        CompilerFamily::Gcc,
    );
}

#[test]
fn every_clang_parses_the_cxx_library_as_gcc_would() {
    let text = source(CXX_HEADERS, "", CXX_BODY);
    for flags in ["", "-std=c++20 -O2 -D_FORTIFY_SOURCE=2", "-std=gnu++23"] {
        check("a.cpp", &text, "g++", flags, CompilerFamily::Gcc);
    }
}

#[test]
fn a_project_built_with_clang_is_parsed_as_that() {
    for (clang, _) in clangs() {
        let text = source(C_HEADERS, ".h", "#ifndef __clang__\n#error clang is hidden\n#endif\nint a;\n");
        check("a.c", &text, clang, "", CompilerFamily::Clang);
    }
}

#[test]
fn a_cross_compilers_target_and_headers_are_used() {
    if !has("arm-none-eabi-gcc") {
        return;
    }
    let text = source(NEWLIB_HEADERS, ".h", C_BODY)
        + "_Static_assert(sizeof(long) == 4 && sizeof(void *) == 4, \"not ARM\");\n";
    for flags in [
        "-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16",
        "-mcpu=cortex-m0",
        "-mcpu=cortex-a9 -mfloat-abi=softfp -mfpu=neon",
        "-mcpu=cortex-m3 -specs=nano.specs -ffreestanding -std=c99",
    ] {
        check("a.c", &text, "arm-none-eabi-gcc", flags, CompilerFamily::Gcc);
    }
}

#[test]
fn a_multilib_flag_changes_the_sizes() {
    let text = "_Static_assert(sizeof(void *) == 4, \"64 bits\");\n";
    check("a.c", text, "gcc", "-m32", CompilerFamily::Gcc);
}

#[test]
fn each_combination_of_compiler_and_flags_is_asked_once() {
    let scene = Scene::new(&[("a.c", ""), ("b.c", ""), ("c.cpp", "")]);
    let probe = CompilerProbe::new();
    for (file, flags) in [("a.c", "-O1"), ("b.c", "-O2 -Wall"), ("c.cpp", ""), ("a.c", "-m32")] {
        let options = DiscoverOptions {
            single_file_flags: flags.split_whitespace().map(str::to_string).collect(),
            compiler: Some("gcc".to_string()),
            ..DiscoverOptions::default()
        };
        let project = scene.discover_at(&scene.root().join(file), &options).unwrap();
        let facts = probe.probe(&project.units[0].command).unwrap();
        assert!(facts.version.0 > 3 && !facts.target.is_empty() && !facts.system_includes.is_empty(), "{facts:?}");
        assert!(facts.system_includes.iter().any(|folder| folder.compiler_internal));
        let expected = if facts.language == Language::C { "gnu1" } else { "gnu++" };
        assert!(facts.default_std.starts_with(expected), "{}", facts.default_std);
    }
    assert_eq!(probe.all().len(), 3);
}
