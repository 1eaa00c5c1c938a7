//! Cross compilation: the example for a Cortex-M3 has the mutants that it has for the host.

use crate::scene::{has, Scene, FINE};

const COMPILER: &str = "arm-none-eabi-gcc";

#[test]
fn the_example_for_a_cortex_m3_by_its_toolchain_file_has_the_mutants_of_the_host() {
    if !has(COMPILER) || !has("cmake") {
        return;
    }
    let scene = Scene::example();
    let host = scene.mutants(&[]);
    scene.write("perturb.toml", "[project]\nconfigure = [\"-DCMAKE_TOOLCHAIN_FILE=cmake/cortex-m3.cmake\"]\n");
    let ran = scene.run(&["mutants", "--format", "json"]).expect(FINE);
    assert_eq!(ran.mutants(), host);
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
    let report = scene.run(&["doctor"]).expect(FINE).stdout;
    assert!(report.contains(COMPILER) && report.contains("arm-none-eabi"), "{report}");
}

#[test]
fn the_example_for_a_cortex_m3_by_a_compile_database_has_the_mutants_of_the_host() {
    if !has(COMPILER) || !has("cmake") {
        return;
    }
    let scene = Scene::example();
    let host = scene.mutants(&[]);
    let entry = |name: &str| {
        let file = format!("src/{name}.c");
        let command =
            format!("{COMPILER} -mcpu=cortex-m3 -mthumb -std=c99 -Os -ffunction-sections -Iinclude -c {file}");
        serde_json::json!({"directory": ".", "file": file, "command": command})
    };
    let entries = ["crc16", "limits", "packet", "pid", "ring"].map(entry).to_vec();
    scene.write("compile_commands.json", serde_json::Value::from(entries).to_string());
    let ran = scene.run(&["mutants", "--format", "json"]).expect(FINE);
    assert_eq!(ran.mutants(), host);
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
}

#[test]
fn the_example_s_makefile_works_for_a_cortex_m3() {
    if !has(COMPILER) || !has("make") {
        return;
    }
    let scene = Scene::example();
    scene.remove("CMakeLists.txt");
    let host = scene.mutants(&[]);
    let build = format!("make lib CC={COMPILER} AR=arm-none-eabi-ar CFLAGS='-O2 -mcpu=cortex-m3 -mthumb'");
    assert_eq!(scene.mutants(&["--build", &build, "--work", scene.outside("arm").to_str().unwrap()]), host);
}

#[test]
fn the_target_s_own_macros_and_sizes_are_seen() {
    if !has(COMPILER) {
        return;
    }
    // Only a compiler for ARM with 32-bit longs has these mutants; its headers are newlib's.
    let source = "#include <stdint.h>\n#include <string.h>\n#ifdef __arm__\nint arm(int a) { return a + 1; }\n#endif\n\
                  #if __SIZEOF_LONG__ == 4\nlong small(long a) { return a + 2; }\n#endif\n\
                  #ifdef __NEWLIB__\nsize_t newlib(const char *s) { return strlen(s) + 3; }\n#endif\n";
    let scene = Scene::new(&[("a.c", source)]);
    let entry = serde_json::json!([{"directory": ".", "file": "a.c",
        "command": format!("{COMPILER} -mcpu=cortex-m3 -mthumb -c a.c")}]);
    scene.write("compile_commands.json", entry.to_string());
    let ran = scene.run(&["mutants", "--format", "json"]).expect(FINE);
    let mutants = ran.mutants();
    assert_eq!(crate::scene::distinct(&mutants, "function"), ["arm", "newlib", "small"], "{}", ran.stderr);
}
