//! Suppression by comments and by the review file: such mutants stay listed, with the reason.

use serde_json::Value;

use super::small;
use crate::scene::{text, Scene, FINE, USAGE};

const COMMENTED: &str = "\
int f(int a, int b)
{
    if (a < b) /* perturb: ignore[ROR] both ends are tested */
        a = a + 1;
    // perturb: ignore[ICR, AOR] calibration
    a = a + 2;
    a = a + 3; // perturb: ignore logging only
    // perturb: off legacy
    a = a + 4;
    a = a + 5;
    // perturb: on
    a = a + 6;
    return a;
}
";

/// Line, operator and reason of what is suppressed.
fn suppressed(mutants: &[Value]) -> Vec<(u64, &str, &str)> {
    let listed = mutants.iter().filter(|mutant| mutant["suppressed"] == true);
    let mut found: Vec<_> =
        listed.map(|m| (m["line"].as_u64().unwrap(), text(m, "operator"), text(m, "suppression_reason"))).collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[test]
fn comments_suppress_by_line_operator_and_region_with_their_reasons() {
    let scene = Scene::compiled(&[("a.c", COMMENTED)]);
    let mutants = scene.mutants(&["--operators", "ROR,AOR,ICR,SDL"]);
    let expected = [
        (3, "ROR", "both ends are tested"),
        (6, "AOR", "calibration"),
        (6, "ICR", "calibration"),
        (7, "AOR", "logging only"),
        (7, "ICR", "logging only"),
        (7, "SDL", "logging only"),
        (9, "AOR", "legacy"),
        (9, "ICR", "legacy"),
        (9, "SDL", "legacy"),
        (10, "AOR", "legacy"),
        (10, "ICR", "legacy"),
        (10, "SDL", "legacy"),
    ];
    assert_eq!(suppressed(&mutants), expected);
    assert!(mutants.iter().any(|mutant| mutant["line"] == 12 && mutant["suppressed"] == false));
}

#[test]
fn suppressed_mutants_stay_in_every_list_and_are_counted() {
    let scene = Scene::compiled(&[("a.c", COMMENTED)]);
    let mutants = scene.mutants(&[]);
    let count = mutants.iter().filter(|mutant| mutant["suppressed"] == true).count();
    let listed = scene.run(&["mutants"]).expect(FINE).stdout;
    assert_eq!(listed.matches("[suppressed: ").count(), count, "{listed}");
    assert!(listed.lines().last().unwrap().contains(&format!("{count} of them suppressed")), "{listed}");
}

#[test]
fn a_comment_changes_neither_the_number_nor_the_ids_of_the_mutants() {
    let scene = small();
    let before = scene.mutants(&[]);
    let commented = super::SOURCE.replace("return low;", "return low; // perturb: ignore[SDL] reason");
    scene.write("src/clamp.c", commented);
    let after = scene.mutants(&[]);
    let ids = |mutants: &[Value]| -> Vec<String> { mutants.iter().map(|m| text(m, "id").to_string()).collect() };
    assert_eq!(ids(&before), ids(&after));
}

#[test]
fn a_comment_that_is_not_understood_is_told_with_its_line() {
    let source = "int f(int a)\n{\n    return a + 1; // perturb: ignore[XYZ] no such operator\n}\n";
    let scene = Scene::compiled(&[("a.c", source)]);
    let ran = scene.run(&["mutants", "--format", "json"]).expect(FINE);
    assert!(suppressed(&ran.mutants()).is_empty());
    ran.told(&["warning", "a.c:3", "ignore[XYZ]"]);
}

#[test]
fn a_region_that_is_never_closed_is_told() {
    let scene = Scene::compiled(&[("a.c", "int f(int a)\n{\n    // perturb: off why\n    return a + 1;\n}\n")]);
    scene.run(&["mutants"]).expect(FINE).told(&["warning", "a.c:3", "perturb: on"]);
}

#[test]
fn a_mark_in_a_string_is_no_comment() {
    let scene =
        Scene::compiled(&[("a.c", "const char *f(int a)\n{\n    return a > 1 ? \"// perturb: ignore x\" : 0;\n}\n")]);
    assert!(suppressed(&scene.mutants(&[])).is_empty());
}

fn decision(id: &str, disposition: &str) -> String {
    format!(
        "[[mutant]]\nid = \"{id}\"\ndisposition = \"{disposition}\"\nreason = \"never empty here\"\n\
         reviewer = \"F. B.\"\ndate = 2026-11-15\n"
    )
}

#[test]
fn the_review_file_decides_by_id() {
    let scene = small();
    let mutants = scene.mutants(&["src/other.c"]);
    let ids: Vec<&str> = mutants.iter().map(|mutant| text(mutant, "id")).collect();
    let review = [decision(ids[0], "equivalent"), decision(ids[1], "accepted"), decision(ids[2], "todo")].concat();
    scene.write("perturb.review.toml", review);
    let now = scene.mutants(&["src/other.c"]);
    let flags: Vec<bool> = now.iter().take(4).map(|mutant| mutant["suppressed"] == true).collect();
    assert_eq!(flags, [true, true, false, false]);
    assert_eq!(text(&now[0], "suppression_reason"), "never empty here");
    let shown = scene.run(&["show", ids[0]]).expect(FINE).stdout;
    assert!(shown.contains("equivalent in review by F. B.: never empty here"), "{shown}");
}

#[test]
fn a_stale_id_in_the_review_file_is_told_when_all_is_listed() {
    let scene = small();
    scene.write("perturb.review.toml", decision("0123456789abcdef", "equivalent"));
    scene.run(&["mutants"]).expect(FINE).told(&["warning", "0123456789abcdef"]);
}

#[test]
fn an_id_is_not_stale_because_less_was_asked_for() {
    let scene = small();
    let id = text(&scene.mutants(&["--function", "clamp"])[0], "id").to_string();
    scene.write("perturb.review.toml", decision(&id, "equivalent"));
    for narrow in [["--function", "other"], ["--operators", "AOR"], ["--lines", "src/other.c:3"]] {
        let ran = scene.run(&[&["mutants"], &narrow[..]].concat()).expect(FINE);
        assert!(!ran.stderr.contains(&id), "{narrow:?}: {}", ran.stderr);
    }
    let ran = scene.run(&["mutants", "src/other.c"]).expect(FINE);
    assert!(!ran.stderr.contains(&id), "{}", ran.stderr);
}

#[test]
fn a_review_file_with_a_mistake_is_refused_with_its_name() {
    let scene = small();
    for (review, part) in [
        (decision("01", "maybe"), "maybe"),
        (decision("01", "accepted").repeat(2), "twice"),
        ("[[mutant]]\nid = \"01\"\ndisposition = \"accepted\"\n".to_string(), "reason"),
        ("[[mutants]]\n".to_string(), "mutants"),
    ] {
        scene.write("perturb.review.toml", review);
        scene.run(&["mutants"]).expect_error(USAGE, &["perturb.review.toml", part]);
    }
}

#[test]
fn the_review_file_is_found_beside_a_configuration_that_is_named() {
    // The book: `perturb.review.toml`, beside the configuration.
    let scene = small();
    let id = text(&scene.mutants(&[])[0], "id").to_string();
    scene.write("config/perturb.toml", "");
    scene.write("config/perturb.review.toml", decision(&id, "equivalent"));
    let mutants = scene.mutants(&["--config", "config/perturb.toml"]);
    assert_eq!(mutants.iter().filter(|mutant| mutant["suppressed"] == true).count(), 1);
}
