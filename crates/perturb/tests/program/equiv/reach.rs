//! What a function may use besides its arguments: functions and variables of other files, its own state, callbacks, the
//! library. Every verdict that is asserted here was thought through by hand.

use super::verdicts;
use crate::scene::{has, text, Scene};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

const REACH: &str = include_str!("reach.c");

/// What is said of all mutants.
pub struct Said(BTreeMap<String, Value>);

impl Said {
    pub fn of(scene: &Scene, arguments: &[&str]) -> Self {
        Self(verdicts(scene, arguments))
    }

    /// What is said of the mutant of a function that changes one text to another.
    pub fn mutant(&self, function: &str, change: &str) -> &Value {
        let is_it = |value: &&Value| text(value, "name").contains(&format!(" {function}(): {change}"));
        self.0.values().find(is_it).unwrap_or_else(|| panic!("{function}: {change} among {:#?}", self.0))
    }

    #[track_caller]
    pub fn check(&self, function: &str, change: &str, verdict: &str, kind: Option<&str>) -> &Value {
        let found = self.mutant(function, change);
        let said = (text(found, "verdict"), found["kind"].as_str());
        assert_eq!(said, (verdict, kind), "{function} {change}: {found:#}");
        found
    }
}

pub(super) fn clang() -> bool {
    (14..=30).any(|version| has(&format!("clang-{version}")))
}

/// What is said with all tiers, and with proofs alone.
static BOTH: LazyLock<Vec<Said>> = LazyLock::new(|| {
    let scene = Scene::new(&[("reach.c", REACH)]);
    let arguments = ["reach.c", "--operators", "AOR,ROR,ICR"];
    let proofs = clang().then(|| Said::of(&scene, &[&arguments[..], &["--tiers", "proof"]].concat()));
    std::iter::once(Said::of(&scene, &arguments)).chain(proofs).collect()
});

fn both_ways(check: impl Fn(&Said)) {
    BOTH.iter().for_each(check);
}

#[test]
fn functions_of_other_files_answer_what_an_input_says() {
    both_ways(|said| {
        let found = said.check("asks", "'>' -> '>='", "different", Some("output"));
        let input = found["witness"]["input"].to_string();
        assert!(input.contains("sensor() in call 1 = 3"), "{input}");
        // It calls with something else, and comes to the same otherwise.
        said.check("tells", "'+' -> '-'", "different", Some("output"));
        // What is told is the same text.
        let same = said.check("tells", "'0' -> '(-1)'", "equivalent", None);
        assert!(same["assumptions"].to_string().contains("report does nothing that matters but answer"), "{same:#}");
        said.check("says", "'>' -> '<='", "different", Some("output"));
        said.check("measures", "'>' -> '>='", "different", Some("output"));
        said.check("through", "'+' -> '-'", "different", Some("output"));
    });
}

#[test]
fn what_is_kept_between_calls_is_an_input_and_can_be_seen() {
    both_ways(|said| {
        let found = said.check("counts", "'>' -> '>='", "different", Some("output"));
        assert!(found["witness"]["input"].to_string().contains("seen = "), "{found:#}");
        said.check("counts", "'+=' -> '-='", "different", Some("output"));
        let start = said.check("counts", "'7' -> '8'", "unknown", None);
        assert_eq!(start["why"], "it is in what a variable starts with");
        said.check("uses", "'+' -> '-'", "different", Some("output"));
        said.check("sets", "'5' -> '6'", "different", Some("output"));
    });
}

#[test]
fn ends_of_the_program_are_told_apart() {
    both_ways(|said| {
        let found = said.check("quits", "'>' -> '>='", "different", Some("output"));
        assert_eq!(found["witness"]["mutant"][0], "it ends the program", "{found:#}");
        // Where the original ends the program, nothing is compared.
        said.check("quits", "'1' -> '2'", "equivalent", None);
    });
}

#[test]
fn pointers_may_lead_to_the_same_where_a_contract_says_so() {
    both_ways(|said| {
        said.check("alike", "'3' -> '(-3)'", "different", Some("output"));
        let scene = Scene::new(&[("apart.c", &REACH.replace(" alias=a", ""))]);
        let apart = Said::of(&scene, &["apart.c", "--operators", "ICR", "--function", "alike"]);
        assert_eq!(text(apart.mutant("alike", "'3' -> '(-3)'"), "verdict"), "equivalent");
    });
}

#[test]
fn the_library_is_known() {
    both_ways(|said| {
        said.check("named", "'==' -> '!='", "different", Some("output"));
        said.check("long_enough", "'>' -> '>='", "different", Some("output"));
        said.check("digit", "'>' -> '>='", "different", Some("output"));
        said.check("copies", "'>' -> '>='", "equivalent", None);
        said.check("copies", "'>' -> '<'", "different", Some("output"));
    });
}

#[test]
fn bodies_of_other_files_are_at_hand() {
    let one = "int twice(int);\nint keep(int);\nint f(unsigned char a) { return twice(a) > -1; }\n\
               int g(unsigned char a) { return keep(a) >= 0; }\n";
    let other = "static int by(void) { return 2; }\nint twice(int x) { return x * by(); }\nstatic int kept;\n\
                 int keep(int x) { return kept += x; }\n";
    let scene = Scene::compiled(&[("src/one.c", one), ("src/other.c", other)]);
    for tiers in ["native,exhaustive", "proof"] {
        if tiers == "proof" && !clang() {
            continue;
        }
        let said = Said::of(&scene, &["src/one.c", "--operators", "ROR", "--tiers", tiers]);
        // Twice a byte is never negative.
        let found = said.check("f", "'>' -> '>='", "equivalent", None);
        assert_eq!(found["assumptions"], serde_json::json!([]), "{found:#}");
        said.check("f", "'>' -> '<'", "different", Some("output"));
        // Nobody could set what the other file keeps: anything may be answered.
        said.check("g", "'>=' -> '>'", "different", Some("output"));
    }
}

#[test]
fn a_function_of_the_project_wins_over_the_librarys_of_the_same_name() {
    let one =
        "int atoi(const char *);\n// @perturb[arraySize=1]\nint f(const char *text) { return atoi(text) > 60; }\n\
         int main(void) { return 0; }\n";
    let plain = "int atoi(const char *text) { return text[0]; }\n";
    let keeping = "static int kept;\nint atoi(const char *text) { return kept += text[0]; }\n";
    let elsewhere = "#if 0\nint atoi(const char *text) { return text[0]; }\n#endif\nint g(void) { return 1; }\n";
    for (other, verdict, given) in [
        (plain, "different", "*text = 60"),
        // Nobody could set what it keeps: something stands in for it.
        (keeping, "different", "atoi() in call 1 = 60"),
        // The library's knows no number with one letter that is as large.
        (elsewhere, "equivalent", ""),
    ] {
        let scene = Scene::compiled(&[("src/one.c", one), ("src/other.c", other)]);
        let said = Said::of(&scene, &["src/one.c", "--operators", "ROR", "--tiers", "native,exhaustive"]);
        let found = said.check("f", "'>' -> '>='", verdict, Some("output").filter(|_| verdict == "different"));
        assert!(found["witness"]["input"].to_string().contains(given), "{found:#}");
    }
}

#[test]
fn a_body_whose_own_variable_is_volatile_is_at_hand() {
    let one = "double settled(double);\nint f(unsigned char a) { return settled(a) > -1; }\n";
    let other = "double settled(double x) { volatile double y = x; return y; }\n";
    let scene = Scene::compiled(&[("src/one.c", one), ("src/other.c", other)]);
    let said = Said::of(&scene, &["src/one.c", "--operators", "ROR", "--tiers", "native,exhaustive"]);
    let found = said.check("f", "'>' -> '>='", "equivalent", None);
    assert_eq!(found["assumptions"], serde_json::json!([]), "{found:#}");
}

#[test]
fn macros_of_a_unit_that_are_named_like_anything_of_ours_do_no_harm() {
    let words =
        "result which objects value values kind size offset low high call calls word text at bits input of count i";
    let macros: String = words.split(' ').map(|word| format!("#define {word} 3 +\n")).collect();
    let unit = format!(
        "#include <string.h>\nint sensor(int);\nint report(const char *);\n{macros}\
         int asks(int a) {{ return sensor(a) > 1; }}\nint tells(const char *b) {{ return report(b) > 1; }}\n\
         // @perturb[arraySize=4]\nint measures(const char *b) {{ return strlen(b) > 2; }}\n"
    );
    let scene = Scene::new(&[("unit.c", &unit)]);
    for tiers in ["native", "proof"] {
        if tiers == "proof" && !clang() {
            continue;
        }
        let said = Said::of(&scene, &["unit.c", "--operators", "ROR", "--tiers", tiers]);
        // A text that is passed on is too much for a proof.
        for function in ["asks", "measures", "tells"].into_iter().take(if tiers == "proof" { 2 } else { 3 }) {
            said.check(function, "'>' -> '>='", "different", Some("output"));
        }
    }
}
