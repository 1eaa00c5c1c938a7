//! What is made up for a function: nodes, buffers, texts, unions, memory and handles, as real programs have them.
//! Every verdict that is asserted here was thought through by hand.

use super::reach::{clang, Said};
use crate::scene::Scene;
use serde_json::Value;
use std::sync::LazyLock;

/// What is said with all tiers, and with proofs alone.
static BOTH: LazyLock<Vec<Said>> = LazyLock::new(|| {
    let scene = Scene::new(&[("types.c", include_str!("types.c"))]);
    let arguments = ["types.c", "--operators", "AOR,ROR,ICR"];
    let proofs = clang().then(|| Said::of(&scene, &[&arguments[..], &["--tiers", "proof"]].concat()));
    std::iter::once(Said::of(&scene, &arguments)).chain(proofs).collect()
});

fn both_ways(check: impl Fn(&Said)) {
    BOTH.iter().for_each(check);
}

/// Proofs alone, if they can be had.
fn proofs() -> Option<&'static Said> {
    BOTH.get(1)
}

/// All tiers, of which one at least finds a difference by running.
fn all_tiers() -> &'static Said {
    &BOTH[0]
}

#[track_caller]
fn assumes(found: &Value, what: &str) {
    assert!(found["assumptions"].to_string().contains(what), "{found:#}");
}

#[track_caller]
fn is_given(found: &Value, what: &str) {
    assert!(found["witness"]["input"].to_string().contains(what), "{found:#}");
}

#[test]
fn what_is_volatile_is_memory_that_nobody_else_uses() {
    both_ways(|said| {
        said.check("is_shared", "'>' -> '<'", "different", Some("output"));
        said.check("release", "'!=' -> '=='", "different", Some("output"));
        said.check("device", "'>' -> '>='", "unknown", None);
    });
    if let Some(proofs) = proofs() {
        let same = proofs.check("is_shared", "'>' -> '>='", "equivalent", None);
        assumes(same, "nobody else reads or changes references, which is volatile");
    }
}

#[test]
fn a_union_with_pointers_has_the_value_of_one_of_its_members_and_all_of_it_is_seen() {
    both_ways(|said| {
        let found = said.check("is_empty", "'<' -> '<='", "different", Some("output"));
        is_given(found, "token->value.string.length = 1");
        said.check("set_number", "'+=' -> '-='", "different", Some("output"));
    });
    if let Some(proofs) = proofs() {
        let same = proofs.check("has_prefix", "'>' -> '>='", "equivalent", None);
        assumes(same, "*stream holds its member internal");
    }
}

#[test]
fn memory_of_no_type_is_answered_and_what_is_put_there_is_seen() {
    both_ways(|said| {
        let found = said.check("has_room", "'8' -> '9'", "different", Some("output"));
        is_given(found, "what *room_for() is filled with in call 1 = ");
        said.check("has_room", "'!=' -> '=='", "different", Some("output"));
    });
    all_tiers().check("reserved", "'<=' -> '<'", "different", Some("output"));
    if let Some(proofs) = proofs() {
        let same = proofs.check("has_room", "'2' -> '3'", "equivalent", None);
        assumes(same, "room_for does nothing that matters but answer, null or at most 128 bytes that are alike");
    }
}

#[test]
fn nodes_lead_to_further_nodes_and_not_to_too_many() {
    both_ways(|said| {
        said.check("items", "'0' -> '1'", "different", Some("output"));
    });
    if let Some(proofs) = proofs() {
        let same = proofs.check("are_many", "'>' -> '>='", "equivalent", None);
        assumes(same, "pointers behind 3 others are null");
    }
    all_tiers().check("link_items", "'==' -> '!='", "different", Some("output"));
}

#[test]
fn texts_and_lengths_fit_what_pointers_lead_to() {
    both_ways(|said| {
        said.check("checksum", "'+=' -> '-='", "different", Some("output"));
        said.check("last_is", "'-' -> '/'", "different", Some("output"));
        // Where the length is less than none, nothing is read.
        said.check("last_is", "'>' -> '!='", "different", Some("undefined behaviour"));
    });
    let found = all_tiers().check("is_named", "'>' -> '!='", "different", Some("output"));
    is_given(found, "item->name[0] = ");
}

#[test]
fn what_is_answered_leads_to_more_and_handles_are_passed_on() {
    both_ways(|said| {
        let found = said.check("type_of", "'>' -> '>='", "different", Some("output"));
        is_given(found, "found() in call 1->next == NULL = false");
        said.check("puts_twice", "'+' -> '-'", "different", Some("output"));
    });
    all_tiers().check("is_open", "'!=' -> '=='", "different", Some("output"));
    if let Some(proofs) = proofs() {
        let same = proofs.check("type_of", "'2' -> '3'", "equivalent", None);
        assumes(same, "found does nothing that matters but answer, which may be anything");
    }
}

#[test]
fn most_of_what_is_large_is_zero_and_can_be_seen() {
    both_ways(|said| {
        let found = said.check("is_used", "'5' -> '6'", "different", Some("output"));
        is_given(found, "cache->used = 6");
        let found = said.check("clear", "'7' -> '8'", "different", Some("output"));
        assert!(found["witness"]["original"].to_string().contains("cache->cells[4000] = 7"), "{found:#}");
    });
    if let Some(proofs) = proofs() {
        let found = proofs.check("is_clear", "'>' -> '>='", "different", Some("output"));
        is_given(found, "cache->used = ");
        let same = proofs.check("is_clear", "'>' -> '!='", "equivalent", None);
        assumes(same, "all but the first 32 elements of cache->cells are zero");
        assumes(same, "all but the first 32 bytes of cache->raw are zero");
    }
}
