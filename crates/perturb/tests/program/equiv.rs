//! `perturb equiv`: every verdict is true.

mod brute_force;

use crate::scene::{has, text, Scene, FINE};
use serde_json::Value;
use std::collections::BTreeMap;

const SMALL: &str = include_str!("equiv/small.c");

/// What is said of each mutant, by its id.
pub fn verdicts(scene: &Scene, arguments: &[&str]) -> BTreeMap<String, Value> {
    let ran = scene.run(&[&["equiv", "--format", "jsonl"], arguments].concat()).expect(FINE);
    let parsed = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    parsed.map(|value| (text(&value, "id").to_string(), value)).collect()
}

fn count(found: &BTreeMap<String, Value>, verdict: &str) -> usize {
    found.values().filter(|value| value["verdict"] == verdict).count()
}

#[test]
fn two_runs_say_the_same() {
    let scene = Scene::new(&[("small.c", SMALL)]);
    let arguments = ["small.c", "--function", "clamp", "--function", "first_zero"];
    let without_times = |mut found: BTreeMap<String, Value>| {
        found.values_mut().for_each(|value| value["cpu_ms"] = Value::Null);
        found
    };
    let first = without_times(verdicts(&scene, &arguments));
    assert!(count(&first, "different") > 50 && count(&first, "equivalent") > 0, "{first:#?}");
    assert_eq!(first, without_times(verdicts(&scene, &arguments)));
}

#[test]
fn what_cannot_be_compared_is_unknown_and_says_why() {
    let source = "\
#include <stdarg.h>
int elsewhere(int);
extern int far;
struct hidden;
int calls(int a) { return elsewhere(a) + 1; }
int varies(int a, ...) { return a + 1; }
int remembers(int a) { static int last; last += a; return last; }
int asks(int (*f)(int), int a) { return f(a) + 1; }
int uses(int a) { return far + a; }
int watches(volatile int *a) { return *a + 1; }
long double wide(long double a) { return a + 1; }
// @klee(maybe)
int wrong(int a) { return a + 1; }
// @klee(sym,sym)
int two(int a) { return a + 1; }
// @perturb(sym, sym alias=a)
int both(int *a, int *b) { return *a + *b; }
int fine(signed char a) { return a + 1; }
int main(void) { return 0; }
";
    let scene = Scene::new(&[("odd.c", source)]);
    let found = verdicts(&scene, &["odd.c", "--operators", "AOR"]);
    let why = |function: &str| {
        let of = found.values().find(|value| text(value, "name").contains(&format!(" {function}():"))).unwrap();
        (text(of, "verdict").to_string(), of["why"].as_str().unwrap_or_default().to_string())
    };
    for (function, part) in [
        ("calls", "it calls elsewhere, of which nothing is known"),
        ("varies", "it takes a variable number of arguments"),
        ("remembers", "it keeps values from one call to the next"),
        ("asks", "it calls what a pointer says"),
        ("uses", "it uses far, which is defined elsewhere"),
        ("watches", "volatile"),
        ("wide", "a is of a type that no value can be made up for: long double"),
        ("wrong", "the contract of wrong: `maybe` is no value"),
        ("two", "its contract speaks of 2 parameters, and it has 1"),
        ("both", "its contract says what b may point to as well, which is not done yet"),
    ] {
        let (verdict, said) = why(function);
        assert!(verdict == "unknown" && said.contains(part), "{function}: {verdict}: {said}");
    }
    assert_eq!(why("fine").0, "different");
    // What another machine would do is not tried on this one.
    let small = verdicts(&scene, &["odd.c", "--operators", "AOR", "--", "-m32"]);
    assert!(small.values().all(|value| value["why"] == "its code is not for this machine"), "{small:#?}");
}

/// What the original takes too long for was not tried: all other inputs are no proof for these.
#[test]
fn inputs_on_which_the_original_takes_too_long_bound_a_proof() {
    let source = "\
int late(unsigned char n)
{
    unsigned i = 0;
    while (i < n * 4u)
        i++;
    return n > 250;
}
";
    let scene = Scene::new(&[("late.c", source)]);
    let or_equal = |steps: &str| {
        let arguments = ["late.c", "--operators", "ROR", "--tiers", "native,exhaustive", "--steps", steps];
        let found = verdicts(&scene, &arguments);
        found.into_values().find(|value| text(value, "name").contains("'>' -> '>='")).unwrap()
    };
    let hasty = or_equal("500");
    assert_eq!((text(&hasty, "verdict"), text(&hasty, "tier")), ("equivalent", "exhaustive"));
    assert_eq!(hasty["bound"], "the original takes no more than 500 steps");
    assert_eq!(text(&or_equal("20000"), "verdict"), "different");
}

#[test]
fn a_witness_says_with_what_and_what_each_does() {
    if !has("gcc") {
        return;
    }
    let source = "// @perturb\nint twice(signed char a)\n{\n    return a + a;\n}\n";
    let scene = Scene::new(&[("twice.c", source)]);
    let found = verdicts(&scene, &["twice.c", "--operators", "AOR"]);
    let product = found.values().find(|value| text(value, "name").contains("'+' -> '*'")).unwrap();
    let witness = &product["witness"];
    let number = |value: &Value| -> i64 { value[0].as_str().unwrap().split(" = ").nth(1).unwrap().parse().unwrap() };
    let a = number(&witness["input"]);
    assert_eq!((number(&witness["original"]), number(&witness["mutant"])), (a + a, a * a), "{product}");
    assert_eq!((&product["kind"], &product["tier"]), (&Value::from("output"), &Value::from("native")));
    let division = found.values().find(|value| text(value, "name").contains("'+' -> '/'")).unwrap();
    assert_eq!(division["verdict"], "different");
    let shown = scene.run(&["equiv", "twice.c", "--operators", "AOR"]).expect(FINE).stdout;
    assert!(shown.contains("in the original,") && shown.contains("4 mutants"), "{shown}");
}

#[test]
fn sorting_is_decided_by_the_order_of_what_is_sorted() {
    if !(14..=30).any(|version| has(&format!("clang-{version}"))) {
        return;
    }
    let source = include_str!("../../../../fixtures/nequivack/bubble.c");
    let scene = Scene::new(&[("bubble.c", source)]);
    let found = verdicts(&scene, &["bubble.c", "--operators", "milu"]);
    assert_eq!(count(&found, "unknown"), 0, "{found:#?}");
    let or_equal =
        found.values().find(|value| text(value, "name").contains("ORRN bubble_sort(): '>' -> '>='")).unwrap();
    assert_eq!((&or_equal["verdict"], &or_equal["tier"]), (&Value::from("equivalent"), &Value::from("order")));
    assert_eq!(or_equal["bound"], "*values has 24 bytes");
    assert_eq!(
        or_equal["assumptions"][0],
        "no two pointers lead to the same object, and none is null unless its contract says so"
    );
}

#[test]
fn floats_are_compared_bit_by_bit() {
    if !(14..=30).any(|version| has(&format!("clang-{version}"))) {
        return;
    }
    let source = "\
// @perturb
double clamp(double value, double low, double high)
{
    if (value < low)
        return low;
    if (value > high)
        return high;
    return value;
}

// @perturb
int is_number(float value)
{
    return value == value;
}

// @perturb
double halved(double value)
{
    return value * 0.5;
}

// @perturb
double same(double value)
{
    return value + 0.0;
}
";
    let scene = Scene::new(&[("floats.c", source)]);
    let found = verdicts(&scene, &["floats.c", "--operators", "ORRN,OAAN,CRCR"]);
    let verdict = |change: &str| {
        let one = found.values().find(|value| text(value, "name").contains(change));
        text(one.unwrap_or_else(|| panic!("{change}: {found:#?}")), "verdict").to_string()
    };
    for (change, expected) in [
        // Where both are equal, either is returned; but -0 and 0 are equal, and not the same.
        ("clamp(): '<' -> '<='", "different"),
        ("clamp(): '>' -> '<'", "different"),
        // What is no number is not equal to itself.
        ("is_number(): '==' -> '>='", "equivalent"),
        ("is_number(): '==' -> '<='", "equivalent"),
        ("is_number(): '==' -> '!='", "different"),
        ("halved(): '*' -> '/'", "different"),
        // -0 + 0 is 0, and -0 - 0 is -0.
        ("same(): '+' -> '-'", "different"),
    ] {
        assert_eq!(verdict(change), expected, "{change}");
    }
}
