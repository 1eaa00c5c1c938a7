//! Compiled code in a run: what it says of mutants, and that it changes no verdict of the tests.

use super::running::{assert_nothing_runs, Running};
use super::subject::subject;
use super::{fine, Told};
use crate::scene::{has, text, Scene, INTERRUPTED};
use serde_json::Value;
use std::collections::BTreeMap;

/// `src/gauge.c:5:15 ROR clamp(): '<' -> '<='` of all mutants that came to this.
fn named<'t>(told: &'t Told, outcome: &str) -> Vec<&'t str> {
    told.mutants().values().filter(|mutant| text(mutant, "outcome") == outcome).map(|m| text(m, "name")).collect()
}

#[test]
fn equivalents_and_duplicates_are_told_as_such_and_no_verdict_changes() {
    let Some(scene) = subject() else { return };
    let without = fine(&scene, &["--tce", "off"]);
    let with = fine(&scene, &["--tce", "on"]);
    let equivalent = named(&with, "equivalent");
    // `over` is never less than 0.
    assert!(equivalent.iter().any(|name| name.contains("average(): 'count' -> 'count--'")), "{equivalent:#?}");
    assert!(with.count("duplicate") > 10, "{:#?}", with.outcomes());
    let told = with.one("compared");
    assert_eq!(told["equivalent"].as_u64().unwrap() as usize, equivalent.len());
    assert_eq!(told["duplicate"].as_u64().unwrap() as usize, with.count("duplicate"));
    let before = without.outcomes();
    for (id, outcome) in with.outcomes() {
        match outcome {
            "equivalent" => assert_ne!(before[id], "killed", "{}", with.mutants()[id]),
            "duplicate" => {}
            same => assert_eq!(before[id], same, "{}", with.mutants()[id]),
        }
    }
}

#[test]
fn a_duplicate_has_the_fate_of_the_one_that_counts() {
    let Some(scene) = subject() else { return };
    let (without, with) = (fine(&scene, &["--tce", "off"]), fine(&scene, &["--tce", "on"]));
    let is_killed: BTreeMap<&str, bool> =
        without.outcomes().into_iter().map(|(id, outcome)| (id, outcome == "killed")).collect();
    let contradicted = with.one("compared")["contradicted"].as_array().unwrap().len();
    let mut seen = 0;
    for (id, mutant) in with.mutants().into_iter().filter(|(_, mutant)| text(mutant, "outcome") == "duplicate") {
        let of = text(mutant, "detail").split(' ').nth(2).unwrap().to_string();
        assert_eq!(is_killed[id], is_killed[of.as_str()], "{mutant}");
        assert_ne!(with.outcomes()[of.as_str()], "duplicate", "{mutant}");
        seen += 1;
    }
    assert!(seen > 10 && contradicted == 0);
}

#[test]
fn only_what_lives_is_looked_at_where_that_is_asked_for() {
    let Some(scene) = subject() else { return };
    let live = fine(&scene, &["--tce", "live"]);
    let told = live.one("compared");
    assert!(told["equivalent"].as_u64().unwrap() > 0, "{told}");
    assert_eq!(told["equivalent"], told["by_unit"], "all of it with whole units");
    let killed = fine(&scene, &["--tce", "off"]).count("killed");
    assert_eq!(live.count("killed"), killed, "duplicates are looked for among those that live only");
}

#[test]
fn what_is_known_is_not_compiled_again_and_comes_to_the_same() {
    let Some(scene) = subject() else { return };
    let first = fine(&scene, &["--tce", "on"]);
    let again = fine(&scene, &["--tce", "on"]);
    assert_eq!(first.outcomes(), again.outcomes());
    let cpu = |of: &str| -> f64 {
        let report = scene.run(&["report"]).stdout;
        let line = report.lines().find(|line| line.trim_start().starts_with(of)).unwrap_or_else(|| panic!("{report}"));
        let words: Vec<&str> = line.split_whitespace().collect();
        words[words.len() - 2].parse().unwrap()
    };
    assert!(cpu("tce-live") < 1.0);
}

#[test]
fn reports_and_show_tell_which_level_shows_it() {
    let Some(scene) = subject() else { return };
    let told = fine(&scene, &["--tce", "on"]);
    let mutants = told.mutants();
    let of = |outcome: &str| mutants.values().find(|mutant| text(mutant, "outcome") == outcome).unwrap();
    let report: Value = serde_json::from_str(&scene.run(&["report", "--format", "json"]).stdout).unwrap();
    let files = report["files"].as_object().unwrap();
    let all: Vec<&Value> = files.values().flat_map(|file| file["mutants"].as_array().unwrap()).collect();
    for (outcome, shown) in [("equivalent", "same code"), ("duplicate", "the same code at -O")] {
        let id = text(of(outcome), "id");
        let listed = all.iter().find(|mutant| mutant["id"] == id).unwrap();
        assert_eq!(text(listed, "status"), "Ignored");
        assert!(text(listed, "statusReason").contains("the same code at -O"), "{listed}");
        let show = scene.run(&["show", id]);
        assert!(show.stdout.contains(shown) && show.stdout.contains("-g0 -S"), "{}", show.stdout);
    }
    let text_report = scene.run(&["report"]).stdout;
    assert!(text_report.contains("outside the score: the same code"), "{text_report}");
}

/// Overflow is undefined, and a compiler that optimises takes it for impossible; a test that relies on it sees it
/// happen.
#[test]
fn a_kill_stands_whatever_the_code_says_and_is_told() {
    if !has("make") {
        return;
    }
    let scene = Scene::new(&[
        (
            "Makefile",
            "all: t\nt: src/a.c tests/t.c\n\t$(CC) -O0 -c -o a.o src/a.c\n\t$(CC) -O0 -o t tests/t.c a.o\n\
             check: all\n\t./t\n",
        ),
        ("src/a.c", "int grows(int x)\n{\n    int y = x + 1;\n    return y > x;\n}\n"),
        (
            "tests/t.c",
            "#include <limits.h>\nint grows(int);\nint main(void)\n\
             {\n    return grows(1) == 1 && grows(INT_MAX) == 0 ? 0 : 1;\n}\n",
        ),
    ]);
    let told = fine(&scene, &["--tce", "on"]);
    let contradicted = told.one("compared")["contradicted"].as_array().unwrap();
    let killed_yet_equivalent: Vec<&str> = contradicted
        .iter()
        .filter(|one| text(one, "code_says").starts_with("equivalent"))
        .map(|one| text(one, "id"))
        .collect();
    assert!(!killed_yet_equivalent.is_empty(), "{contradicted:?}\n{:#?}", told.mutants());
    for id in &killed_yet_equivalent {
        assert_eq!(told.outcomes()[id], "killed");
    }
    let because = "no signed number and no pointer overflows";
    for one in contradicted {
        assert_eq!(text(one, "assumes"), because, "{contradicted:?}");
    }
    let report = scene.run(&["report"]).stdout;
    assert!(report.contains("the tests refute what compiled code says"), "{report}");
    assert!(report.contains(&format!(", as long as {because} (not with -fno-strict-overflow)")), "{report}");
    let shown = scene.run(&["show", killed_yet_equivalent[0]]).stdout;
    assert!(shown.contains("by its code it is equivalent") && shown.contains(because), "{shown}");
}

/// Without its first line the function reads what was on the stack; an optimiser takes that to be 1, as in the
/// original.
#[test]
fn what_reads_memory_that_nobody_wrote_and_changes_with_the_level_is_unstable() {
    const SOURCE: &str =
        "int ready(int on)\n{\n    int state;\n    state = 1;\n    if (on)\n        state = 1;\n    return state;\n}\n";
    const TEST: &str =
        "int ready(int);\nstatic void litter(void)\n{\n    volatile unsigned char stack[512];\n    int i;\n    \
                        for (i = 0; i < 512; i++)\n        stack[i] = 0x5a;\n}\nint main(void)\n{\n    litter();\n    \
                        return ready(0) == 1 && ready(1) == 1 ? 0 : 1;\n}\n";
    const MAKEFILE: &str = "all: t\nt: src/a.c tests/t.c\n\t$(CC) -O0 -c -o a.o src/a.c\n\
                            \t$(CC) -O0 -o t tests/t.c a.o\ncheck: all\n\t./t\n";
    if !has("make") {
        return;
    }
    let scene = Scene::new(&[("Makefile", MAKEFILE), ("src/a.c", SOURCE), ("tests/t.c", TEST)]);
    let told = fine(&scene, &["--tce", "on"]);
    let deleted = |mutant: &serde_json::Value| text(mutant, "name").contains("4:5 SDL");
    let mutants = told.mutants();
    let (id, mutant) = mutants.iter().find(|(_, mutant)| deleted(mutant)).unwrap();
    assert_eq!(text(mutant, "outcome"), "unstable", "{mutants:#?}");
    assert!(text(mutant, "detail").contains("variable 'state' is used uninitialized"), "{mutant}");
    let contradicted = told.one("compared")["contradicted"].as_array().unwrap();
    assert!(contradicted.iter().any(|one| text(one, "id") == *id), "{contradicted:?}");
    let report = scene.run(&["report"]).stdout;
    assert!(report.contains("reads uninitialised memory (line 5"), "{report}");
    // Without the code's word nothing is known but what the test says.
    let alone = fine(&scene, &["--tce", "off"]);
    assert_eq!(alone.outcomes()[id], "killed");
}

#[test]
fn an_interrupt_ends_the_compilers_too_and_the_next_run_goes_on() {
    let Some(scene) = subject() else { return };
    let mut running = Running::start(&scene, &["--tce", "on"]);
    running.wait_for("baseline finished");
    running.signal("-INT");
    assert_eq!(running.end().status.code(), Some(INTERRUPTED));
    assert_nothing_runs(&scene);
    let whole = fine(&scene, &["--tce", "on"]);
    let other = scene.outside("other");
    let undisturbed = fine(&scene, &["--tce", "on", "--work", other.to_str().unwrap()]);
    assert_eq!(whole.outcomes(), undisturbed.outcomes());
}

#[test]
fn code_can_be_compared_without_executing_a_mutant() {
    let Some(scene) = subject() else { return };
    let only = fine(&scene, &["--until", "tce", "--tce", "on"]);
    assert!(only.count("equivalent") > 0 && only.count("duplicate") > 0 && only.count("killed") == 0);
    assert!(only.all("instrumented").is_empty());
}

#[test]
fn levels_that_are_none_are_refused() {
    let Some(scene) = subject() else { return };
    scene.run(&["run", "--tce-levels", "O2,O9"]).expect_error(crate::scene::USAGE, &["O9", "level of optimisation"]);
}
