//! Streams, and variables of the C library. Every verdict that is asserted here was thought through by hand.

use super::reach::Said;
use crate::scene::{text, Scene, FINE};
use std::sync::LazyLock;

const STREAMS: &str = include_str!("streams.c");

static SAID: LazyLock<Said> = LazyLock::new(|| {
    let scene = Scene::new(&[("streams.c", STREAMS)]);
    Said::of(&scene, &["streams.c", "--operators", "AOR,ROR,ICR,SDL"])
});

/// What one leaves behind, and what one is given: lines.
fn lines(found: &serde_json::Value, of: &str) -> String {
    found["witness"][of].to_string()
}

#[test]
fn what_is_read_from_a_stream_is_an_input() {
    let found = SAID.check("count_lines", "'==' -> '>='", "different", Some("output"));
    let input = lines(found, "input");
    assert!(input.contains("the number of bytes in input = ") && input.contains("input (byte 0) = "), "{found:#}");
    SAID.check("count_lines", "'lines++;' -> ';'", "different", Some("output"));
    SAID.check("count_lines", "'!=' -> '>='", "different", Some("timeout"));
    // Bytes that are not there are not told.
    let found = SAID.check("count_lines", "'0' -> '1'", "different", Some("output"));
    assert!(!lines(found, "input").contains("(byte 15)"), "{found:#}");
    // No letter is less than the end.
    let same = SAID.mutant("count_lines", "'!=' -> '>'");
    assert_eq!(text(same, "verdict"), "unknown", "{same:#}");
}

#[test]
fn the_place_that_a_stream_is_left_at_is_compared() {
    let found = SAID.check("skip", "'ungetc(letter, input);' -> ';'", "different", Some("output"));
    assert!(lines(found, "original").contains("the place in input = 0"), "{found:#}");
    assert!(lines(found, "mutant").contains("the place in input = 1"), "{found:#}");
}

#[test]
fn what_is_written_to_a_stream_is_compared() {
    let found = SAID.check("greet", "'1' -> '2'", "different", Some("output"));
    assert!(lines(found, "original").contains("output (byte 6) = 49"), "{found:#}");
    assert!(lines(found, "mutant").contains("output (byte 6) = 50"), "{found:#}");
    SAID.check("copy", "'+' -> '-'", "different", Some("output"));
}

#[test]
fn streams_are_in_records_and_come_out_of_functions() {
    let found = SAID.check("next_line", "'source->line++;' -> ';'", "different", Some("output"));
    assert!(lines(found, "input").contains("source->file (byte 0) = 10"), "{found:#}");
    let found = SAID.check("next_line", "'return -1;' -> ';'", "different", Some("undefined behaviour"));
    assert!(lines(found, "input").contains("source->file == NULL = true"), "{found:#}");
    let found = SAID.check("size_of_file", "'size++;' -> ';'", "different", Some("output"));
    assert!(lines(found, "input").contains("fopen() in call 1 == NULL = false"), "{found:#}");
    let found = SAID.check("size_of_file", "'fclose(file);' -> ';'", "different", Some("output"));
    assert!(lines(found, "original").contains("calls of fclose = 1"), "{found:#}");
    SAID.check("choose", "'>' -> '>='", "different", Some("output"));
}

#[test]
fn the_streams_of_the_process_are_told_apart_and_whoever_uses_them_is_not_compared() {
    let found = SAID.check("name_of", "'==' -> '!='", "different", Some("output"));
    assert!(lines(found, "original").contains("other"), "{found:#}");
    SAID.check("complain", "'>' -> '>='", "unknown", None);
    SAID.check("complain", "'>' -> '<'", "different", Some("output"));
    // Nobody knows what somebody else sees of it.
    SAID.check("complain", "'fputs(\"three\", stderr);' -> ';'", "unknown", None);
}

#[test]
fn a_proof_says_what_it_takes_for_granted_of_streams_and_variables_of_the_library() {
    let source = "\
#include <stdio.h>
#include <unistd.h>
void put(FILE *output, unsigned char letter) { fputc(letter & 0xff, output); }
int option(unsigned char a) { return optind + (a & 0xff); }
";
    let scene = Scene::new(&[("a.c", source)]);
    let said = Said::of(&scene, &["a.c", "--operators", "ICR,AOR", "--tiers", "exhaustive"]);
    let put = said.check("put", "'0xff' -> '(-1)'", "equivalent", None);
    assert!(put["assumptions"].to_string().contains("output is a stream with room for 128 bytes"), "{put:#}");
    let option = said.check("option", "'0xff' -> '(-1)'", "equivalent", None);
    assert!(option["assumptions"].to_string().contains("optind is as it is when the program starts"), "{option:#}");
    said.check("option", "'+' -> '-'", "different", Some("output"));
}

#[test]
fn contracts_say_nothing_of_what_is_in_a_stream() {
    let source = "#include <stdio.h>\nint ends(FILE *file, int n) { return feof(file) + n; }\n";
    let scene = Scene::new(&[("a.c", source)]);
    let ran = scene.run(&["equiv", "--annotate", "a.c"]).expect(FINE);
    assert!(ran.stdout.contains("// @perturb(sym, sym)\n"), "{}", ran.stdout);
    let scene = Scene::new(&[("a.c", &source.replace("int ends", "// @perturb(0..9, sym)\nint ends"))]);
    let said = Said::of(&scene, &["a.c", "--operators", "AOR"]);
    let found = said.check("ends", "'+' -> '-'", "unknown", None);
    assert!(text(found, "why").contains("its contract does not fit file"), "{found:#}");
}

#[test]
fn programs_that_show_differences_open_streams_in_memory() {
    let scene = Scene::new(&[("streams.c", STREAMS)]);
    let folder = scene.outside("witnesses");
    let fixed = ["equiv", "streams.c", "--format", "jsonl", "--operators", "ICR,SDL", "--witnesses"];
    let ran = scene.run(&[&fixed[..], &[folder.to_str().unwrap()]].concat()).expect(FINE);
    let mut texts = String::new();
    for line in ran.stdout.lines() {
        let found: serde_json::Value = serde_json::from_str(line).unwrap();
        if text(&found, "verdict") == "different" {
            let file = found["witness"]["file"].as_str().unwrap_or_else(|| panic!("{found:#}"));
            texts += &std::fs::read_to_string(scene.root().join(file)).unwrap();
        }
    }
    for part in [
        "FILE *output = fmemopen(output_bytes, sizeof output_bytes, \"w\");",
        "EXPECT(__builtin_strcmp(output_bytes, \"hello 1\\012",
        "fmemopen(input_bytes, 0, \"r\");",
        "EXPECT(feof(input));",
        "fopen_stub.answers[0] = fopen_in_call_1;",
    ] {
        assert!(texts.contains(part), "{part}: {texts}");
    }
}
