//! What compilers make the same code of, once they see what the functions do that are called.

use super::{has_clang, verdicts};
use crate::scene::{text, Scene};
use serde_json::Value;
use std::collections::BTreeMap;

const SOURCE: &str = "\
void keep(const char *text, unsigned long length);
static int fetch(const char *text, unsigned long *length, int *own)
{
    unsigned long end = 0;
    while (text[end])
        end++;
    *length = end;
    *own = end > 3;
    return end == 0;
}
int pass(const char *text)
{
    unsigned long length;
    int own;
    if (fetch(text, &length, &own))
        return 0;
    if (own) {
        keep(text, length);
        return 2;
    }
    keep(text, 0);
    return 1;
}
";

/// How it is known of mutants of `pass` that they are equivalent.
fn equivalent(found: &BTreeMap<String, Value>) -> BTreeMap<String, String> {
    let known = found.values().filter(|value| value["verdict"] == "equivalent");
    known.map(|value| (text(value, "name").to_string(), text(value, "tier").to_string())).collect()
}

#[test]
fn a_variable_that_nobody_reads_again_may_be_counted_also_if_its_address_was_passed() {
    let scene = Scene::new(&[("pass.c", SOURCE)]);
    let selection = ["pass.c", "--function", "pass", "--operators", "UOI"];
    let by = |tiers: &str| equivalent(&verdicts(&scene, &[&selection[..], &["--tiers", tiers]].concat()));
    let counted = ["pass.c:17:9 UOI pass(): 'own' -> 'own--'", "pass.c:18:20 UOI pass(): 'length' -> 'length++'"];
    assert!(by("native").is_empty());
    let tiers = ["tce", "clang"].into_iter().filter(|tier| *tier == "tce" || has_clang());
    for tier in tiers {
        let found = by(tier);
        for name in counted {
            assert_eq!(found.get(name).map(String::as_str), Some(tier), "{found:#?}");
        }
        // What is counted before it is passed is another one.
        assert!(!found.keys().any(|name| name.contains("'++length'") || name.contains("'--own'")), "{found:#?}");
    }
    // Whatever code says is no less than what running says.
    let all = verdicts(&scene, &selection);
    for name in by("tce").keys() {
        let of = all.values().find(|value| text(value, "name") == name).unwrap();
        assert_ne!(text(of, "verdict"), "different", "{of}");
    }
}
