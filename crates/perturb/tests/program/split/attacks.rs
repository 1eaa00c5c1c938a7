//! Mutants that attack the original, its notes about other mutants, or what tells it who has left a group: whatever
//! they do, every verdict is the one of the switched engine.
//!
//! As in `run/attacks.rs`, nothing of this runs outside the belt.

use std::fmt::Write;

use super::{assert_counted, pairs, verdicts, CALLED_OUT, SPLIT, SWITCHED};
use crate::run::attacks::{belted, can_be_belted};
use crate::run::Told;
use crate::scene::{text, Scene};

const NO_COPY: &str = "the machine makes no more copies of it";

/// What returns to the test, in a copy as well as in the original: nothing of it is noticed.
const SILENT: [(&str, &str); 7] = [
    ("memory", "may_memory"),
    ("garbage", "may_garbage"),
    ("indices", "may_indices"),
    ("byte", "may_byte"),
    ("closed", "may_closed"),
    ("replaced", "may_replaced"),
    ("stolen", "may_stolen"),
];

/// What ends a copy.
const LOUD: [(&str, &str); 9] = [
    ("signals", "may_signal"),
    ("kills", "may_kill"),
    ("names", "may_name"),
    ("traces", "may_trace"),
    ("pokes", "may_poke"),
    ("patches", "may_patch"),
    ("unlocks", "may_unlock"),
    ("forges", "may_forge"),
    ("multiplies", "may_multiply"),
];

/// Ends a copy just as one ends that cannot go on.
const GIVES_UP: (&str, &str) = ("gives_up", "may_give_up");

/// Each attack has a guard of its own. Five mutants of `a < b` have the same value where they break it, and part
/// afterwards.
fn project(tests: &[(&str, &str)]) -> Scene {
    let all = SILENT.iter().chain(&LOUD).chain([&GIVES_UP]);
    let (mut source, mut header) = (String::from("#include \"guards.h\"\n"), String::new());
    let mut add = |head: &str, value: &str| {
        writeln!(source, "\n{head}\n{{\n    return {value};\n}}").unwrap();
        writeln!(header, "{head};").unwrap();
    };
    add("int before(int a, int b)", "a * b - 3");
    all.for_each(|(_, guard)| add(&format!("int {guard}(int a, int b)"), "a < b"));
    add("int after(int a, int b)", "a + b * 2");
    let runs: String = tests.iter().map(|(name, _)| format!("\t./t {name}\n")).collect();
    const BUILD: &str =
        "all: t\nt: src/guards.c tests/attack.c src/guards.h\n\t$(CC) -w -o $@ src/guards.c tests/attack.c\n";
    Scene::new(&[
        ("src/guards.c", &source),
        ("src/guards.h", &header),
        ("tests/attack.c", include_str!("attack.c")),
        ("Makefile", &format!("{BUILD}check: all\n{runs}")),
    ])
}

/// Both engines say the same of every mutant, be it an attacker or one beside attackers.
#[track_caller]
fn agreed(tests: &[(&str, &str)], attackers: usize) -> Option<Told> {
    if !can_be_belted() {
        return None;
    }
    let scene = project(tests);
    let run = |arguments: &str| {
        let all = format!("{arguments} --discard off --jobs 1 --operators AOR,AOD,ROR,ROD src/guards.c");
        belted(&scene, 1000, &all).map(|belted| belted.told)
    };
    let split = run("--engine split")?;
    let switched = run("--engine switched --run-tests covering")?;
    // Built by itself a mutant has nobody's notes to write to, and is the judge of both.
    let rebuilt = run(&format!("--engine rebuild --function {}", tests[0].1))?;
    let (one, other) = (verdicts(&split), verdicts(&switched));
    assert!(verdicts(&rebuilt).len() >= 5, "{:?}", rebuilt.outcomes());
    for (id, verdict) in verdicts(&rebuilt) {
        assert_eq!(other.get(id), Some(&verdict), "{}", text(switched.mutants()[id], "name"));
    }
    let name = |id: &&str| text(switched.mutants()[*id], "name").to_string();
    let differ: Vec<String> = other
        .iter()
        .filter(|(id, verdict)| one.get(*id) != Some(verdict))
        .map(|(id, verdict)| format!("{}: {:?}, switched {verdict:?}", name(id), one.get(id)))
        .collect();
    assert!(differ.is_empty(), "{}\n{:?}", differ.join("\n"), pairs(&split));
    let attacking = other.keys().filter(|id| tests.iter().any(|(_, guard)| name(id).contains(guard)));
    let begins = |id: &&&str| ["'>='", "'<='", "'=='", "'a'", "'b'"].iter().any(|with| name(id).ends_with(with));
    assert_eq!(attacking.filter(begins).count(), attackers, "{:?}", other.keys().map(name).collect::<Vec<_>>());
    assert!(split.count("killed") > attackers / 3 && split.count("live") > attackers / 3, "{:?}", split.outcomes());
    Some(split)
}

#[test]
fn mutants_that_write_wherever_they_can_decide_no_verdict() {
    let Some(told) = agreed(&SILENT, 5 * SILENT.len()) else { return };
    assert_counted(&told, &[SPLIT]);
}

#[test]
fn mutants_that_reach_for_the_original_are_ended_first() {
    let Some(told) = agreed(&LOUD, 5 * LOUD.len()) else { return };
    assert_counted(&told, &[SPLIT, SWITCHED, CALLED_OUT]);
    assert_eq!(pairs(&told)[CALLED_OUT], 5 * LOUD.len() as u64, "only the attackers: {:?}", pairs(&told));
}

#[test]
fn mutants_that_pretend_that_their_copy_gave_up_are_executed_one_by_one() {
    let Some(told) = agreed(&[GIVES_UP], 5) else { return };
    assert_counted(&told, &[SPLIT, SWITCHED, NO_COPY]);
    assert_eq!(pairs(&told)[NO_COPY], 5, "{:?}", pairs(&told));
}
