//! A real library, as far as a few of its functions: parsing, texts, nodes.

use super::{claims, count, generate, run};
use crate::run::differential::cjson;
use crate::scene::{copy, Scene};

#[test]
fn what_tests_of_cjson_claim_is_true() {
    let Some(source) = cjson() else { return };
    let scene = Scene::new(&[]);
    copy(&source, &scene.root());
    // A mutant is compiled once for each test of its own, which include the source: one of them is enough.
    let cmake = scene.read("tests/CMakeLists.txt");
    let (before, rest) = cmake.split_once("set(unity_tests").unwrap();
    let (_, after) = rest.split_once(')').unwrap();
    scene.write("tests/CMakeLists.txt", format!("{before}set(unity_tests parse_hex4){after}"));
    let functions = ["case_insensitive_strcmp", "parse_hex4", "skip_oneline_comment", "cJSON_GetArraySize"];
    let functions: Vec<&str> = functions.iter().flat_map(|function| ["--function", function]).collect();
    let selection = [&["cJSON.c", "--operators", "ROD,AOD,SDL"], &functions[..]].concat();
    run(&scene, &selection);
    let (told, out) = generate(&scene, "tests", &[&selection[..], &["--tiers", "native"]].concat());
    let kills = claims::check(&scene, &told, &out, &selection);
    assert!(kills >= 20 && count(&told, "killed") >= 15, "{kills}: {told:#}");
}
