//! Pointers into one object, as a function that compares or subtracts them takes for granted.
//! Every verdict that is asserted here was thought through by hand.

use super::reach::{clang, Said};
use crate::scene::{Scene, FINE};
use serde_json::Value;
use std::sync::LazyLock;

const POINTERS: &str = include_str!("pointers.c");

/// What is said with all tiers, and with proofs alone.
static BOTH: LazyLock<Vec<Said>> = LazyLock::new(|| {
    let scene = Scene::new(&[("pointers.c", POINTERS)]);
    let arguments = ["pointers.c", "--operators", "AOR,ROR,ICR"];
    let proofs = clang().then(|| Said::of(&scene, &[&arguments[..], &["--tiers", "proof"]].concat()));
    std::iter::once(Said::of(&scene, &arguments)).chain(proofs).collect()
});

fn both_ways(check: impl Fn(&Said)) {
    BOTH.iter().for_each(check);
}

#[track_caller]
fn holds(found: &Value, key: &str, what: &str) {
    assert!(found[key].to_string().contains(what), "{what}: {found:#}");
}

#[test]
fn what_is_compared_or_subtracted_leads_into_one_object() {
    both_ways(|said| {
        let found = said.check("count_to", "'<' -> '<='", "different", Some("output"));
        holds(&found["witness"], "input", "end - p = ");
        let found = said.check("is_long", "'>' -> '>='", "different", Some("output"));
        holds(&found["witness"], "input", "to - from = 2");
        // Under casts, and with the start behind the end.
        said.check("copy", "'<' -> '<='", "different", Some("output"));
        let found = said.check("is_beyond", "'>' -> '>='", "different", Some("output"));
        holds(&found["witness"], "input", "place - base = ");
    });
    // What is behind a parameter may be null, which has no order that a proof knows.
    let found = BOTH[0].check("next", "'>=' -> '>'", "different", Some("output"));
    holds(&found["witness"], "input", "limit - *place = 0");
}

#[test]
fn a_proof_says_that_they_lead_into_one_object() {
    both_ways(|said| {
        let same = said.check("is_ordered", "'0' -> '(-1)'", "equivalent", None);
        holds(same, "assumptions", "to leads into what from leads to, or right behind it");
        holds(same, "assumptions", "no two others lead to the same object");
        said.check("is_ordered", "'>=' -> '>'", "different", Some("output"));
    });
}

#[test]
fn a_contract_says_so_too() {
    both_ways(|said| {
        said.check("said", "'>' -> '<='", "different", Some("output"));
        let found = said.check("said", "'>' -> '>='", "different", Some("output"));
        holds(&found["witness"], "input", "last - first = ");
        let wrong = said.check("wrong", "'>' -> '>='", "unknown", None);
        holds(wrong, "why", "last points into the target of nobody, which is no other pointer to an object");
        let apart = said.check("are_same", "'==' -> '!='", "different", Some("output"));
        assert!(!apart["witness"]["input"].to_string().contains("other - one"), "{apart:#}");
    });
}

#[test]
fn contracts_that_are_proposed_and_programs_that_show_differences_say_where_they_lead() {
    let scene = Scene::new(&[("pointers.c", POINTERS)]);
    let ran = scene.run(&["equiv", "--annotate", "pointers.c"]).expect(FINE);
    for line in ["+// @perturb(sym[6], sym within=p)", "+// @perturb(sym[6], sym within=*place)"] {
        assert!(ran.stdout.lines().any(|found| found == line), "{line}: {}", ran.stdout);
    }
    let folder = scene.outside("programs");
    let said = Said::of(
        &scene,
        &["pointers.c", "--operators", "ROR", "--function", "is_long", "--witnesses", folder.to_str().unwrap()],
    );
    let found = said.check("is_long", "'>' -> '>='", "different", Some("output"));
    let program = std::fs::read_to_string(found["witness"]["file"].as_str().unwrap()).unwrap();
    assert!(program.contains("int result = is_long(from, from + 2);"), "{program}");
}

#[test]
fn which_of_two_objects_has_the_higher_address_is_nothing_that_a_test_can_rely_on() {
    let source = "int is_same(const int *a, const int *b) { return a == b; }\n";
    let said = Said::of(&Scene::new(&[("a.c", source)]), &["a.c", "--operators", "ROR", "--tiers", "native"]);
    for change in ["'==' -> '<='", "'==' -> '>='"] {
        let found = said.mutant("is_same", change);
        assert_ne!(found["kind"], "output", "{found:#}");
    }
    said.check("is_same", "'==' -> '!='", "different", Some("output"));
}
