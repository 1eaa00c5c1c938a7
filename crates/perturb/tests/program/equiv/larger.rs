//! Records that a function takes for the start of larger ones. Every verdict that is asserted here was thought through
//! by hand.

use super::reach::{clang, Said};
use crate::scene::{text, Scene};
use std::sync::LazyLock;

const LARGER: &str = include_str!("larger.c");

/// What is said with all tiers, and with proofs alone.
static BOTH: LazyLock<Vec<Said>> = LazyLock::new(|| {
    let scene = Scene::new(&[("larger.c", LARGER)]);
    let arguments = ["larger.c", "--operators", "AOR,ROR,ICR,SDL"];
    let proofs = clang().then(|| Said::of(&scene, &[&arguments[..], &["--tiers", "proof"]].concat()));
    std::iter::once(Said::of(&scene, &arguments)).chain(proofs).collect()
});

#[test]
fn what_a_function_casts_is_as_large_as_it_takes_it_to_be() {
    for said in &*BOTH {
        said.check("number_value", "'!=' -> '=='", "different", Some("output"));
        said.check("list_put", "'own->items[at] = value;' -> ';'", "different", Some("output"));
        // An index at the count is one too many, and may be beyond what there is.
        assert_eq!(text(said.mutant("list_put", "'>=' -> '>'"), "verdict"), "different");
        said.check("through", "'==' -> '!='", "different", Some("output"));
        said.check("compare", "'<' -> '<='", "different", Some("output"));
    }
}

#[test]
fn a_proof_says_what_it_takes_for_granted() {
    for said in &*BOTH {
        let same = said.check("compare", "'>' -> '!='", "equivalent", None);
        let assumptions = same["assumptions"].to_string();
        assert!(assumptions.contains("one leads to a whole number"), "{same:#}");
    }
}

#[test]
fn programs_show_it_with_the_larger_record() {
    let scene = Scene::new(&[("larger.c", LARGER)]);
    let folder = scene.outside("programs");
    let arguments =
        ["larger.c", "--function", "list_put", "--operators", "SDL", "--witnesses", folder.to_str().unwrap()];
    let said = Said::of(&scene, &arguments);
    let found = said.mutant("list_put", "'own->items[at] = value;' -> ';'");
    let program = std::fs::read_to_string(text(&found["witness"], "file")).unwrap();
    assert!(
        program.contains("list one = {.base = {.type = 1,") && program.contains("list_put((void *)&one, "),
        "{program}"
    );
}
