//! `perturb show`: one mutant, found by its id or the first digits of it.

use serde_json::Value;

use super::small;
use crate::scene::{text, FINE, UNUSABLE, USAGE};

/// A mutant of `clamp` that replaces `<` by `<=`.
fn relational(mutants: &[Value]) -> &Value {
    mutants.iter().find(|m| text(m, "original") == "<" && text(m, "replacement") == "<=").unwrap()
}

#[test]
fn a_mutant_is_shown_with_its_place_its_diff_and_the_comment_that_suppresses_it() {
    let scene = small();
    let mutants = scene.mutants(&[]);
    let mutant = relational(&mutants);
    let shown = scene.run(&["show", text(mutant, "id")]).expect(FINE).stdout;
    for part in [
        text(mutant, "name"),
        text(mutant, "id"),
        "ROR",
        "src/clamp.c, line 6 column 11 to line 6 column 12",
        "function    clamp",
        "switchable  yes",
        "suppressed  no",
        "--- a/src/clamp.c\n+++ b/src/clamp.c\n@@ -3,7 +3,7 @@ clamp\n",
        "-    if (v < low)\n+    if (v <= low)\n",
        "/* perturb: ignore[ROR] REASON */",
        "[[mutant]]",
    ] {
        assert!(shown.contains(part), "`{part}` is not shown:\n{shown}");
    }
}

#[test]
fn the_first_digits_are_enough_in_either_case() {
    let scene = small();
    let mutants = scene.mutants(&[]);
    let id = text(relational(&mutants), "id");
    let whole = scene.run(&["show", id]).expect(FINE).stdout;
    assert_eq!(scene.run(&["show", &id[..10]]).expect(FINE).stdout, whole);
    assert_eq!(scene.run(&["show", &id.to_uppercase()]).expect(FINE).stdout, whole);
}

#[test]
fn digits_that_fit_several_mutants_are_refused_with_two_of_them() {
    let scene = small();
    let mutants = scene.mutants(&[]);
    let ids: Vec<&str> = mutants.iter().map(|mutant| text(mutant, "id")).collect();
    let first = ids.iter().find(|id| ids.iter().filter(|other| other[..1] == id[..1]).count() > 1).unwrap();
    let ran = scene.run(&["show", &first[..1]]).expect_error(USAGE, &["fits several mutants", "more digits"]);
    assert!(ids.iter().filter(|id| ran.stderr.contains(**id)).count() >= 2, "{}", ran.stderr);
}

#[test]
fn an_unknown_id_and_what_is_no_id_are_refused() {
    let scene = small();
    scene.run(&["show", "0000000000000000"]).expect_error(USAGE, &["no mutant `0000000000000000`", "perturb mutants"]);
    scene.run(&["show", "ring.c"]).expect_error(USAGE, &["`ring.c` is no mutant id"]);
    scene.run(&["show", ""]).expect_error(USAGE, &["no mutant id"]);
    scene.run(&["show"]).expect(USAGE);
}

#[test]
fn a_constant_context_says_why_it_cannot_be_switched() {
    let scene = small();
    let mutants = scene.mutants(&[]);
    let mutant = mutants.iter().find(|m| m["switchable"] == false).unwrap();
    let shown = scene.run(&["show", text(mutant, "id")]).expect(FINE).stdout;
    let reason = text(mutant, "not_switchable_because");
    assert!(shown.contains(&format!("switchable  no: {reason}")), "{shown}");
}

#[test]
fn a_suppressed_mutant_shows_its_reason_and_not_how_to_suppress_it() {
    let scene = small();
    scene.write("src/other.c", "int other(int a)\n{\n    return a * 2; // perturb: ignore[AOR] bench tested\n}\n");
    let mutants = scene.mutants(&["--operators", "AOR", "src/other.c"]);
    let shown = scene.run(&["show", text(&mutants[0], "id")]).expect(FINE).stdout;
    assert!(shown.contains("suppressed  by a comment: bench tested"), "{shown}");
    assert!(!shown.contains("To leave it out"), "{shown}");
}

#[test]
fn what_show_prints_can_be_pasted_into_the_review_file() {
    let scene = small();
    let mutants = scene.mutants(&[]);
    let id = text(relational(&mutants), "id");
    let shown = scene.run(&["show", id]).expect(FINE).stdout;
    let pasted: String =
        shown.lines().skip_while(|line| line.trim() != "[[mutant]]").map(|l| format!("{l}\n")).collect();
    scene.write("perturb.review.toml", &pasted);
    let shown = scene.run(&["show", id]).expect(FINE).stdout;
    assert!(shown.contains("suppressed  equivalent in review by NAME: REASON"), "{shown}");
}

#[test]
fn a_mutant_outside_a_project_needs_its_file() {
    let scene = crate::scene::Scene::new(&[("a.c", super::OTHER)]);
    let mutants = scene.mutants(&["a.c"]);
    let id = text(&mutants[0], "id");
    let shown = scene.run(&["show", id, "a.c"]).expect(FINE).stdout;
    assert!(shown.contains(text(&mutants[0], "name")), "{shown}");
    scene.run(&["show", id]).expect_error(UNUSABLE, &["do not know how", "single C or C++ file"]);
}
