//! Memory that functions allocate. Every verdict that is asserted here was thought through by hand.

use super::reach::Said;
use crate::scene::{text, Scene, FINE};
use std::sync::LazyLock;

const HEAP: &str = include_str!("heap.c");

static SAID: LazyLock<Said> = LazyLock::new(|| {
    let scene = Scene::new(&[("heap.c", HEAP)]);
    Said::of(&scene, &["heap.c", "--operators", "AOR,AOD,ROR,ICR,SDL"])
});

/// What one leaves behind, and what one is given: lines.
fn lines(found: &serde_json::Value, of: &str) -> String {
    found["witness"][of].to_string()
}

#[test]
fn what_is_allocated_is_compared_by_what_it_holds() {
    let found = SAID.check("makes", "'+' -> '-'", "different", Some("output"));
    let (original, mutant) = (lines(found, "original"), lines(found, "mutant"));
    assert!(original.contains("result->value = 2") && mutant.contains("result->value = -2"), "{found:#}");
    assert!(original.contains("result->next = NULL") && original.contains("stay allocated = 1"), "{found:#}");
    SAID.check("makes", "'3' -> '1'", "different", Some("output"));
    // Two ways to the same zeros.
    let same = SAID.mutant("makes", "'made->next = NULL;' -> ';'");
    assert_ne!(text(same, "verdict"), "different", "{same:#}");
    // Of what is appended, also behind what was there.
    let found = SAID.check("appends", "'made->value = value;' -> ';'", "different", Some("output"));
    assert!(lines(found, "original").contains("->value = "), "{found:#}");
    let found = SAID.check("joins", "'memcpy(both, one, length);' -> ';'", "different", Some("output"));
    assert!(lines(found, "mutant").contains("result = \\\"?"), "{found:#}");
    SAID.check("grows", "'values[i] = (int)i;' -> ';'", "different", Some("output"));
}

#[test]
fn an_allocation_that_fails_is_an_input() {
    for (function, change) in [
        ("makes", "'if (made == NULL) return NULL;' -> ';'"),
        ("appends", "'if (!made) return -1;' -> ';'"),
        ("measures", "'7' -> '8'"),
        ("room", "'!=' -> '>='"),
        ("grows", "'free(values);' -> ';'"),
    ] {
        let found = SAID.mutant(function, change);
        assert_eq!(text(found, "verdict"), "different", "{found:#}");
        assert!(lines(found, "input").contains("the allocation that fails = "), "{found:#}");
    }
    // Not where it shows without that.
    let found = SAID.check("makes", "'+' -> '*'", "different", Some("output"));
    assert!(!lines(found, "input").contains("fails"), "{found:#}");
}

#[test]
fn memory_is_neither_left_too_small_nor_kept_nor_freed_too_often() {
    // Too small for what is written to it.
    SAID.check("joins", "'length + strlen(other)' -> 'length'", "different", Some("undefined behaviour"));
    SAID.check("grows", "'(i + 1) * sizeof *more' -> '(i + 1)'", "different", Some("undefined behaviour"));
    // Kept, and freed before its time.
    let kept = SAID.check("measures", "'free(copy);' -> ';'", "different", Some("output"));
    assert!(lines(kept, "original").contains("stay allocated = 0"), "{kept:#}");
    assert!(lines(kept, "mutant").contains("stay allocated = 1"), "{kept:#}");
    let kept = SAID.check("drops", "'free(list);' -> ';'", "different", Some("output"));
    assert!(lines(kept, "original").contains("what is freed of what it is given = *list"), "{kept:#}");
    // Freed twice.
    SAID.check("drops", "'list = next;' -> ';'", "different", Some("undefined behaviour"));
    // What was never written is read.
    SAID.check("unwritten", "'made[0] = a;' -> ';'", "different", Some("undefined behaviour"));
}

#[test]
fn what_is_used_after_it_is_freed_is_undefined() {
    let source = "\
#include <stdlib.h>
int last(int a, unsigned char late)
{
    int *made = malloc(sizeof *made);
    if (!made)
        return 0;
    *made = a;
    if (late > 200)
        free(made);
    int read = *made;
    *made = 3;
    if (late < 201)
        free(made);
    return read;
}
int right(int a) { return last(a, (unsigned char)(a & 127)); }
int *given(int *a, int b) { if (b > 4) free(a); return b > 4 ? NULL : a; }
";
    let scene = Scene::new(&[("late.c", source)]);
    let said = Said::of(&scene, &["late.c", "--operators", "ICR,ROR"]);
    // The original is defined for all that `right` gives it; freed at once, memory is written to.
    said.check("right", "'127' -> '(-1)'", "different", Some("undefined behaviour"));
    said.check("last", "'200' -> '(-1)'", "different", Some("undefined behaviour"));
    let found = said.check("given", "'>' -> '>='", "different", Some("output"));
    assert!(lines(found, "input").contains("b = 4"), "{found:#}");
}

#[test]
fn more_room_is_no_difference_and_less_no_proof() {
    let more = SAID.check("room", "'8' -> '9'", "equivalent", None);
    let assumed = "no more than one allocation of memory fails, and none behind the first 8";
    assert_eq!(more["assumptions"], serde_json::json!([assumed]), "{more:#}");
    SAID.check("room", "'8' -> '7'", "unknown", None);
    let unproved = SAID.check("unwritten", "'2' -> '3'", "unknown", None);
    assert!(text(unproved, "why").ends_with("functions that allocate memory are not proved"), "{unproved:#}");
}

#[test]
fn functions_that_are_given_and_those_of_other_files_allocate_too() {
    let one = "\
#include <stddef.h>
struct hooks { void *(*get)(size_t); void (*put)(void *); };
int *number(int value);
void drop(int *number);
int *twice(int value) { int *made = number(value); if (made) *made += value & 1; return made; }
void both(int *a, int *b, int c) { drop(a); if (c > 3) drop(b); }
char *hooked(const struct hooks *hooks, char letter)
{
    char *made = hooks->get(2);
    if (!made)
        return 0;
    made[0] = letter;
    made[1] = 0;
    if (letter == 'x') {
        hooks->put(made);
        return 0;
    }
    return made;
}
";
    let other = "\
#include <stdlib.h>
int *number(int value) { int *made = malloc(sizeof *made); if (made) *made = value / 2; return made; }
void drop(int *number) { free(number); }
";
    let scene = Scene::compiled(&[("src/one.c", one), ("src/other.c", other)]);
    let said = Said::of(&scene, &["src/one.c", "--operators", "AOR,ROR,ICR,SDL"]);
    let found = said.check("twice", "'1' -> '0'", "different", Some("output"));
    assert!(lines(found, "original").contains("*result = "), "{found:#}");
    let found = said.check("both", "'>' -> '>='", "different", Some("output"));
    assert!(lines(found, "mutant").contains("what is freed of what it is given = *a, *b"), "{found:#}");
    let found = said.check("hooked", "'hooks->put(made);' -> ';'", "different", Some("output"));
    assert!(lines(found, "mutant").contains("stay allocated = 1"), "{found:#}");
    said.check("hooked", "'2' -> '1'", "different", Some("undefined behaviour"));
}

#[test]
fn two_runs_say_the_same_and_programs_show_it() {
    let scene = Scene::new(&[("heap.c", HEAP)]);
    let arguments = ["equiv", "heap.c", "--operators", "SDL", "--function", "joins", "--function", "drops"];
    let first = scene.run(&arguments).expect(FINE).stdout;
    assert!(first.contains("in the original,"), "{first}");
    assert_eq!(first, scene.run(&arguments).expect(FINE).stdout);
    let programs = scene.outside("programs");
    let said = Said::of(&scene, &[&arguments[1..], &["--witnesses", programs.to_str().unwrap()]].concat());
    let program = |function: &str, change: &str| {
        let found = said.mutant(function, change);
        assert!(found["witness"]["no_file"].is_null(), "{found:#}");
        std::fs::read_to_string(text(&found["witness"], "file")).unwrap()
    };
    let shown = program("joins", "'memcpy(both, one, length);' -> ';'");
    assert!(shown.contains("EXPECT(__builtin_strcmp((const char *)(result), "), "{shown}");
    let shown = program("drops", "'free(list);' -> ';'");
    assert!(shown.contains("test_memory_is_freed(") && shown.contains("--wrap=free"), "{shown}");
}
