//! `perturb equiv`: every verdict is true.

mod bad_input;
mod brute_force;
mod code;
mod guided;
mod heap;
mod larger;
mod pointers;
mod reach;
mod registers;
mod streams;
mod types;
mod variable;
mod witnesses;

use crate::scene::{has, text, Scene, FINE};
use serde_json::Value;
use std::collections::BTreeMap;

const SMALL: &str = include_str!("equiv/small.c");
const FLOATS: &str = include_str!("equiv/floats.c");

/// What is said of each mutant, by its id.
pub fn verdicts(scene: &Scene, arguments: &[&str]) -> BTreeMap<String, Value> {
    let ran = scene.run(&[&["equiv", "--format", "jsonl"], arguments].concat()).expect(FINE);
    let parsed = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    parsed.map(|value| (text(&value, "id").to_string(), value)).collect()
}

/// Whether there is one that reasoning can read code with.
fn has_clang() -> bool {
    (14..=30).any(|version| has(&format!("clang-{version}")))
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
fn a_work_folder_in_the_project_is_in_nobodys_way() {
    let scene = Scene::new(&[("one.c", "int one(signed char a) { return a + 1; }\n")]);
    let command = || scene.command(&["equiv", "one.c", "--operators", "AOR", "--work", ".perturb"]);
    for _ in 0..2 {
        let shown = crate::scene::run_in_time(command()).expect(FINE).stdout;
        assert!(shown.contains("4 mutants") && !shown.contains("unknown:"), "{shown}");
    }
    assert_eq!(scene.read(".perturb/.gitignore"), "*\n");
}

#[test]
fn what_cannot_be_compared_is_unknown_and_says_why() {
    let source = "\
#include <stdarg.h>
#include <stdlib.h>
int (*elsewhere(int))(void);
int printf(const char *, ...);
extern const int far[];
int calls(int a) { return (elsewhere(a) != 0) + 1; }
int makes(int a) { return aligned_alloc(16, (size_t)(a + 1)) != 0; }
int prints(int a) { return printf(\"%d\", a) + 1; }
int varies(int a, ...) { return a + 1; }
#define KEPT static int kept
int remembers(int a) { KEPT; kept += a; return kept; }
int uses(int a) { return far[0] + a; }
int jumps(int a) { asm(\"\"); return a + 1; }
int watches(_Atomic int *a) { return *a + 1; }
struct mixed { union { long double x; } u; };
int mixes(struct mixed *a) { return (a->u.x != 0) + 1; }
long double wide(long double a) { return a + 1; }
// @klee(maybe)
int wrong(int a) { return a + 1; }
// @klee(sym,sym)
int two(int a) { return a + 1; }
// @perturb(sym, sym alias=c)
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
        ("calls", "it calls elsewhere, which no stub can replace: what it returns has no size"),
        ("makes", "it calls aligned_alloc, which no stub can replace: it does what no function can"),
        ("prints", "it calls printf, which no stub can replace: compilers call another one in its place"),
        ("varies", "it takes a variable number of arguments"),
        ("remembers", "kept, in which it keeps values from one call to the next, cannot be set (line 11)"),
        ("uses", "it uses far, which is defined elsewhere"),
        ("jumps", "it has assembly in it (line 13)"),
        ("watches", "is of a type that no value can be made up for: _Atomic(int)"),
        ("mixes", "a->u is of a type that no value can be made up for: union"),
        ("wide", "a is of a type that no value can be made up for: long double"),
        ("wrong", "the contract of wrong: `maybe` is no value"),
        ("two", "its contract speaks of 2 parameters, and it has 1"),
        ("both", "its contract says that b may point where c does, which is no pointer before it"),
    ] {
        let (verdict, said) = why(function);
        assert!(verdict == "unknown" && said.contains(part), "{function}: {verdict}: {said}");
    }
    assert_eq!(why("fine").0, "different");
    // What has no name is told by its file, wherever that is.
    assert!(why("mixes").1.ends_with("odd.c:15:16)"), "{}", why("mixes").1);
    // What another machine would do is not tried on this one.
    let small = verdicts(&scene, &["odd.c", "--operators", "AOR", "--", "-m32"]);
    assert!(small.values().all(|value| value["why"] == "its code is not for this machine"), "{small:#?}");
}

#[test]
fn code_is_compared_of_functions_that_cannot_be_called() {
    let source = "int varies(unsigned a, ...) { return a > 0; }\nint fine(unsigned char a) { return a > 0; }\n";
    let scene = Scene::new(&[("code.c", source)]);
    let of = |tiers: &str, change: &str| {
        let found = verdicts(&scene, &["code.c", "--operators", "ROR", "--tiers", tiers]);
        assert_eq!(found.len(), 10, "{found:#?}");
        let is_it = |value: &Value| text(value, "name").contains(&format!("varies(): {change}"));
        found.into_values().find(is_it).unwrap()
    };
    let same = of("native,tce", "'>' -> '!='");
    assert_eq!((text(&same, "verdict"), text(&same, "tier")), ("equivalent", "tce"), "{same:#}");
    for other in [of("native,tce", "'>' -> '>='"), of("native", "'>' -> '!='")] {
        assert_eq!(text(&other, "verdict"), "unknown");
        assert_eq!(text(&other, "why"), "it takes a variable number of arguments");
    }
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

/// Tests can show another output. The first input that is tried is zero, on which each of these divides by it.
#[test]
fn something_undefined_is_told_only_where_no_other_difference_is_found() {
    if !has_clang() {
        return;
    }
    let source = "\
int common(int a, int b) { if (b == 0) return 7; return a / b; }
int rare(unsigned a) { if (a == 0 || (a ^ a >> 16) * 2654435761u == 77u) return 1; return 5 / a; }
int never(int a) { if (a == 0) return 1; return a / a; }
int few(signed char a) { if (a == 0) return 1; return a / a; }
";
    let scene = Scene::new(&[("zero.c", source)]);
    let found = |function: &str, tiers: &str| {
        let found = verdicts(&scene, &["zero.c", "--function", function, "--operators", "SDL,ROR", "--tiers", tiers]);
        let change = if function == "common" { "'==' -> '!='" } else { "-> ';'" };
        let of = |value: &&Value| text(value, "name").contains("if (a == 0") || text(value, "name").contains(change);
        let one = found.values().find(of).unwrap_or_else(|| panic!("{function}: {found:#?}")).clone();
        (text(&one, "kind").to_string(), text(&one, "tier").to_string())
    };
    for (function, tiers, kind, tier) in [
        ("common", "native", "output", "native"),
        ("rare", "native", "undefined behaviour", "native"),
        ("rare", "native,proof", "output", "proof"),
        ("never", "native,proof,paths", "undefined behaviour", "native"),
        ("few", "exhaustive", "undefined behaviour", "exhaustive"),
    ] {
        assert_eq!(found(function, tiers), (kind.to_string(), tier.to_string()), "{function} by {tiers}");
    }
}

#[test]
fn a_difference_says_which_tier_found_it() {
    if !has_clang() {
        return;
    }
    let source = "\
int past(signed char a) { return a > 3; }
// @perturb(sym[3])
int first(int v[]) { return v[0] > v[1] ? 1 : v[1] > v[2]; }
";
    let scene = Scene::new(&[("tiers.c", source)]);
    for (function, tiers, found_by) in [
        ("past", "native", "native"),
        ("past", "exhaustive", "exhaustive"),
        ("past", "proof", "proof"),
        ("past", "paths", "paths"),
        ("first", "proof", "order"),
    ] {
        let found = verdicts(&scene, &["tiers.c", "--function", function, "--operators", "ROR", "--tiers", tiers]);
        let one = found.values().find(|value| text(value, "name").contains("'>' -> '<='")).unwrap();
        assert_eq!((text(one, "verdict"), text(one, "tier")), ("different", found_by), "{one:#}");
    }
}

#[test]
fn pointers_are_compared_by_what_they_lead_to() {
    let source = "\
struct node { int value; struct node *next; };
// @perturb(sym[3])
int *find(int *values) { for (int i = 0; i < 3; i++) if (values[i] == 7) return values + i; return 0; }
// @perturb(sym[1])
void cut(struct node *list) { if (list->value > 3) list->next = 0; }
// @perturb(sym[2])
int *last(int *values) { return values + 1; }
static int table[4];
int *at(unsigned char i) { return i < 4 ? table + i : 0; }
";
    let scene = Scene::new(&[("pointers.c", source)]);
    let found = verdicts(&scene, &["pointers.c", "--operators", "AOR,ROR,SDL", "--tiers", "native"]);
    for (change, expected) in [
        ("find(): '+' -> '-'", "1"),
        ("find(): 'return values + i;' -> ';'", "NULL"),
        ("cut(): 'list->next = 0;' -> ';'", "0 bytes from the start of *list->next"),
        ("last(): '+' -> '-'", "-4 bytes from the start of *values"),
        ("at(): '+' -> '-'", ""),
    ] {
        let one = found.values().find(|value| text(value, "name").contains(change));
        let one = one.unwrap_or_else(|| panic!("{change}: {found:#?}"));
        assert_eq!(one["verdict"], "different", "{one:#}");
        let said = one["witness"]["mutant"].to_string();
        assert!(said.contains(expected), "{change}: {one:#}");
    }
}

#[test]
fn lists_are_reasoned_about() {
    if !has_clang() {
        return;
    }
    let source = "\
struct node { unsigned value; struct node *next; };
// @perturb(sym[1] nullable)
unsigned sum(struct node *list)
{
    unsigned sum = 0;
    for (; list != 0; list = list->next)
        sum += list->value > 0 ? 2 * list->value : 0;
    return sum;
}
";
    let scene = Scene::new(&[("list.c", source)]);
    let found = verdicts(&scene, &["list.c", "--operators", "ROR,AOR", "--tiers", "proof"]);
    let verdict = |change: &str| {
        let one = found.values().find(|value| text(value, "name").contains(change));
        text(one.unwrap_or_else(|| panic!("{change}: {found:#?}")), "verdict").to_string()
    };
    assert_eq!(verdict("'>' -> '!='"), "equivalent", "{found:#?}");
    assert_eq!((verdict("'!=' -> '=='"), verdict("'*' -> '+'")), ("different".into(), "different".into()));
}

#[test]
fn what_is_too_hard_at_once_is_proved_path_by_path() {
    if !has_clang() {
        return;
    }
    // The sum keeps the order tier out of play.
    let source = "\
// @perturb(sym[5])
unsigned sort(unsigned values[])
{
    unsigned sum = 0;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4 - i; j++) {
            if (values[j] > values[j + 1]) {
                unsigned swapped = values[j];
                values[j] = values[j + 1];
                values[j + 1] = swapped;
            }
        }
        sum += values[4 - i];
    }
    return sum;
}
";
    let scene = Scene::new(&[("sort.c", source)]);
    let verdict = |tiers: &str| {
        let found = verdicts(&scene, &["sort.c", "--operators", "ROR", "--tiers", tiers]);
        let one = found.into_values().find(|value| text(value, "name").contains("'>' -> '>='")).unwrap();
        (text(&one, "verdict").to_string(), one["tier"].as_str().unwrap_or_default().to_string())
    };
    assert_eq!(verdict("proof").0, "unknown");
    assert_eq!(verdict("proof,paths"), ("equivalent".into(), "paths".into()));
}

#[test]
fn tables_that_are_constant_are_read_and_arrays_as_parameters_have_the_size_that_they_say() {
    let source = "\
static const int table[] = {5, 6, 7};
static const char names[2][4] = {\"no\", \"yes\"};
int looked_up(unsigned char i) { return i < 3 ? table[i] : 9; }
int letter(unsigned char i) { return i < 2 ? names[i][0] : 0; }
void shifted(unsigned char values[8]) { values[7] = values[6] / 2; }
int crossed(const short cells[2][3]) { return cells[1][2] - cells[0][1]; }
";
    let scene = Scene::new(&[("tables.c", source)]);
    let found = verdicts(&scene, &["tables.c", "--operators", "AOR,ROR", "--tiers", "native,exhaustive"]);
    for function in ["looked_up", "letter", "shifted", "crossed"] {
        let mut of = found.values().filter(|value| text(value, "name").contains(&format!(" {function}():")));
        assert!(of.clone().count() >= 4 && of.all(|value| value["verdict"] != "unknown"), "{function}: {found:#?}");
    }
}

#[test]
fn sorting_is_decided_by_the_order_of_what_is_sorted() {
    if !has_clang() {
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
    if !has_clang() {
        return;
    }
    let scene = Scene::new(&[("floats.c", FLOATS)]);
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
        ("order(): '<' -> '<='", "different"),
        ("order(): '==' -> '>='", "equivalent"),
        ("largest(): '>=' -> '>'", "different"),
        // Rounding makes the two ways to the same number different ones.
        ("lerp(): '-' -> '+'", "different"),
        ("lerp(): '*' -> '/'", "different"),
        ("mean(): '+' -> '-'", "different"),
        ("mean(): '2' -> '3'", "different"),
        ("polynomial(): '3.0f' -> '(3.0f + 1)'", "different"),
        ("polynomial(): '-' -> '+'", "different"),
        ("halved(): '*' -> '/'", "different"),
        ("once(): '*' -> '/'", "equivalent"),
        // -0 + 0 is 0, and -0 - 0 is -0.
        ("same(): '+' -> '-'", "different"),
    ] {
        assert_eq!(verdict(change), expected, "{change}");
    }
}

#[test]
fn constant_tables_are_what_they_are() {
    let source = "\
typedef unsigned short entry;
static const entry TABLE[] = { 0, 1, 4, 9 };
static const char *const NAMES[2] = { \"no\", \"yes\" };
int square(unsigned char n) { return TABLE[n & 3] + 1; }
int letter(unsigned char n) { return NAMES[n & 1][0] + 1; }
";
    let scene = Scene::new(&[("tables.c", source)]);
    let found = verdicts(&scene, &["tables.c", "--operators", "AOR", "--tiers", "native"]);
    assert_eq!(count(&found, "different"), 8, "{found:#?}");
    // They are no inputs.
    assert!(found.values().all(|value| value["witness"]["input"].as_array().unwrap().len() == 1), "{found:#?}");
}
