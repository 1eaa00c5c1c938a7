//! What still lives is compared with the original, function by function: proofs leave the score, differences head the
//! list.

use super::running::{assert_nothing_runs, Running};
use super::{fine, told, Told};
use crate::scene::{has, text, Scene, FINE, INTERRUPTED};
use serde_json::Value;
use std::collections::BTreeMap;
use std::os::unix::fs::symlink;

const WORK: &str = "\
int (*ask(int))(void);

int clamp(int value, int low, int high)
{
    if (value < low)
        return low;
    if (value > high)
        return high;
    return value;
}

int greatest(const int *values)
{
    int most = values[0];
    for (int i = 1; i < 3; i++)
        if (values[i] > most)
            most = values[i];
    return most;
}

int scaled(int value)
{
    return value * 2;
}

int asked(int value)
{
    return (ask(1) != 0) + value;
}

// @perturb(0..10)
int small(int value)
{
    return value < 20;
}
";
/// Checks little: what is scaled, asked for or small may be anything.
const TEST: &str = "\
int clamp(int, int, int), greatest(const int *), scaled(int), asked(int), small(int);
int main(void)
{
    int values[3] = {1, 2, 2};
    scaled(3);
    asked(4);
    small(5);
    return clamp(1, 2, 3) != 2 || clamp(9, 2, 3) != 3 || clamp(2, 2, 3) != 2 || greatest(values) != 2;
}
";
/// With assembly it does not come along, and what it returns is a function: no stub can replace it.
const ASK: &str = "\
static int none(void) { return 0; }
int (*ask(int first))(void) { __asm__(\"\"); return first > 1 ? none : 0; }
";
const MAKEFILE: &str = "check: t\n\t./t\nt: work.c ask.c t.c\n\tcc -g -o $@ $^\n";
const ARGUMENTS: [&str; 8] =
    ["--equivalence", "live", "--discard", "on", "--audit", "0", "--operators=ROR,AOR", "work.c"];

/// None without make, or without a clang to prove anything with.
fn scene() -> Option<Scene> {
    let files = [("work.c", WORK), ("ask.c", ASK), ("t.c", TEST), ("Makefile", MAKEFILE)];
    (has("make") && (14..=30).any(|version| has(&format!("clang-{version}")))).then(|| Scene::new(&files))
}

/// What became of the one mutant whose name ends like this, and what comparing it says.
fn one<'t>(told: &'t Told, name: &str) -> (&'t str, &'t Value) {
    let mutants = told.mutants();
    let found = mutants.into_iter().find(|(_, mutant)| text(mutant, "name").ends_with(name));
    let (id, mutant) = found.unwrap_or_else(|| panic!("{name}: {:#?}", told.outcomes()));
    let compared = told.all("mutant compared").into_iter().find(|value| text(value, "id") == id);
    (text(mutant, "outcome"), compared.unwrap_or(&Value::Null))
}

/// `18 of 31 killed`
fn score(scene: &Scene) -> (usize, usize) {
    let report = scene.run(&["report"]).expect(FINE).stdout;
    let line = report.lines().find(|line| line.starts_with("score, covered")).unwrap_or_else(|| panic!("{report}"));
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "of").unwrap();
    (words[at - 1].parse().unwrap(), words[at + 1].parse().unwrap())
}

#[test]
fn a_proof_for_all_inputs_leaves_the_score_and_one_under_an_assumption_does_not() {
    let Some(scene) = scene() else { return };
    let without = fine(&scene, &["--discard", "on", "--audit", "0", "--operators=ROR,AOR", "work.c"]);
    let before = score(&scene);
    assert_eq!(without.all("equivalence started").len(), 0);
    let told = fine(&scene, &ARGUMENTS);
    let after = score(&scene);
    // A value that is just the bound is returned either way.
    let (outcome, compared) = one(&told, "clamp(): '>' -> '>='");
    assert_eq!((outcome, text(compared, "verdict")), ("equivalent", "equivalent"));
    // The same, as long as the pointer leads to what it is taken to.
    let (outcome, compared) = one(&told, "greatest(): '>' -> '>='");
    assert_eq!((outcome, text(compared, "bound")), ("likely equivalent", "*values has 24 bytes"));
    assert!(compared["assumptions"][0].as_str().unwrap().starts_with("no two pointers lead"), "{compared}");
    // The same for what its contract lets it be given, and for no more.
    let (outcome, compared) = one(&told, "small(): '<' -> '!='");
    assert_eq!(outcome, "likely equivalent", "{compared}");
    assert_eq!(compared["assumptions"][0], "the contract of small holds: @perturb(0..10)");
    // An input shows it; that no test executes anything else does not make it equivalent.
    let (outcome, compared) = one(&told, "scaled(): '*' -> '+'");
    assert_eq!((outcome, text(compared, "kind")), ("live", "output"));
    assert_eq!(compared["witness"]["input"][0], "value = 0");
    assert_eq!(one(&without, "scaled(): '*' -> '+'").0, "likely equivalent");
    // What calls elsewhere cannot be compared.
    let (outcome, compared) = one(&told, "asked(): '+' -> '-'");
    assert_eq!(outcome, "likely equivalent");
    assert_eq!(
        (text(compared, "verdict"), text(compared, "why")),
        ("unknown", "it calls ask, which no stub can replace: what it returns has no size")
    );
    // Only what is equivalent for all inputs has left the score; a kill stands, and is not compared.
    let equivalent = told.count("equivalent");
    assert!(equivalent > 0 && after == (before.0, before.1 - equivalent), "{before:?} {after:?} {equivalent}");
    assert_eq!(told.count("killed"), without.count("killed"));
    let outcomes = told.outcomes();
    let compared: Vec<&str> = told.all("mutant compared").into_iter().map(|value| text(value, "id")).collect();
    assert!(compared.iter().all(|id| outcomes[id] != "killed"));
    let lived = ["live", "not infected", "likely equivalent", "equivalent"].map(|word| told.count(word));
    assert_eq!(compared.len(), lived.iter().sum::<usize>());
    let end = told.one("equivalence finished");
    assert_eq!((end["equivalent"].as_u64(), end["left"].as_u64()), (Some(equivalent as u64), Some(0)));
}

#[test]
fn what_is_known_is_not_compared_again_until_it_changes() {
    let Some(scene) = scene() else { return };
    let first = fine(&scene, &ARGUMENTS);
    let compared = |told: &Told| -> BTreeMap<String, Value> {
        told.all("mutant compared").into_iter().map(|value| (text(value, "id").to_string(), value.clone())).collect()
    };
    let numbers = |told: &Told| {
        let start = told.one("equivalence started");
        (start["mutants"].as_u64().unwrap(), start["known"].as_u64().unwrap())
    };
    let all = compared(&first).len() as u64;
    assert_eq!(numbers(&first), (all, 0));
    let again = fine(&scene, &ARGUMENTS);
    assert_eq!(numbers(&again), (0, all), "all is known");
    assert_eq!((compared(&again), again.outcomes()), (compared(&first), first.outcomes()));
    // A contract is a comment, and says what holds.
    scene.write("work.c", WORK.replace("@perturb(0..10)", "@perturb(0..30)"));
    let other = fine(&scene, &ARGUMENTS);
    assert_eq!(numbers(&other).1, 0);
    let (outcome, compared) = one(&other, "small(): '<' -> '!='");
    assert_eq!((outcome, text(compared, "verdict")), ("not infected", "different"));
}

#[test]
fn what_differs_heads_the_list_and_every_report_says_by_what() {
    let Some(scene) = scene() else { return };
    let told = fine(&scene, &ARGUMENTS);
    let witness = "with value = 0: the result is 0 in the original, 2 in the mutant";
    let assumption = "as long as no two pointers lead to the same object";
    let report = |format: &str| scene.run(&["report", "--format", format]).expect(FINE).stdout;
    let listed = report("text");
    let lines: Vec<&str> = listed.lines().collect();
    let first = lines.iter().position(|line| line.starts_with("work.c:")).unwrap();
    assert!(lines[first + 1].starts_with("    with "), "{listed}");
    let below = |name: &str| {
        let at = lines.iter().position(|line| line.contains(name)).unwrap_or_else(|| panic!("{name}: {listed}"));
        lines[at + 1].trim_start().to_string()
    };
    assert_eq!(below("scaled(): '*' -> '+'"), witness);
    assert!(below("greatest(): '>' -> '>='").contains(assumption), "{listed}");
    let (different, likely) = (listed.rfind("    with ").unwrap(), listed.find(": likely equivalent: ").unwrap());
    assert!(different < likely, "{listed}");
    for part in
        ["outside the score: proved for all inputs", "equivalent under bounds or assumptions", "an input shows it"]
    {
        assert!(listed.contains(part), "{part}: {listed}");
    }
    for format in ["json", "sarif", "junit", "html", "csv"] {
        assert!(report(format).contains(witness), "{format}");
    }
    for format in ["json", "markdown", "html", "csv"] {
        assert!(report(format).contains("as long as no two pointers lead"), "{format}");
    }
    let github = report("github");
    assert!(github.lines().next().unwrap().contains("notices it. with "), "{github}");
    let proved = "equivalent (a solver finds no input on which they differ)";
    assert!(report("json").contains(proved) && report("csv").contains(proved));
    let show = |name: &str| {
        let mutants = told.mutants();
        let (id, _) = mutants.into_iter().find(|(_, mutant)| text(mutant, "name").ends_with(name)).unwrap();
        scene.run(&["show", "--operators=ROR,AOR", id]).expect(FINE).stdout
    };
    for (name, parts) in [
        (
            "scaled(): '*' -> '+'",
            ["compared    different (output) with value = 0\n", "the result is 0 in the original"],
        ),
        ("greatest(): '>' -> '>='", ["            if *values has 24 bytes\n", assumption]),
        ("clamp(): '>' -> '>='", ["whatever it is given: no test can tell them apart", "compared    equivalent: "]),
        ("asked(): '+' -> '-'", ["compared    unknown: it calls ask", "likely equivalent"]),
    ] {
        let shown = show(name);
        assert!(parts.iter().all(|part| shown.contains(part)), "{name}: {shown}");
    }
}

#[test]
fn without_clang_inputs_are_tried_and_the_run_goes_on() {
    let Some(scene) = scene() else { return };
    // All programs of this machine but clang.
    let programs = scene.outside("programs");
    std::fs::create_dir(&programs).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    for entry in std::env::split_paths(&path).filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten() {
        if !entry.file_name().to_string_lossy().contains("clang") {
            let _ = symlink(entry.path(), programs.join(entry.file_name()));
        }
    }
    let mut command = scene.command(&[&["run", "--events", "json", "--tce", "off"], &ARGUMENTS[..]].concat());
    command.env("PATH", &programs);
    let ran = scene.finish(command).expect(FINE);
    assert!(ran.stderr.contains("no clang is installed"), "{}", ran.stderr);
    let told = Told::of(ran);
    assert_eq!(told.one("equivalence started")["clang"], false);
    assert_eq!(one(&told, "scaled(): '*' -> '+'").0, "live", "calling shows it");
    let (outcome, compared) = one(&told, "clamp(): '>' -> '>='");
    assert_ne!(outcome, "equivalent");
    assert!(text(compared, "why").ends_with("without clang nothing can be proved"), "{compared}");
    // With one, it is asked again.
    assert_eq!(one(&fine(&scene, &ARGUMENTS), "clamp(): '>' -> '>='").0, "equivalent");
}

#[test]
fn an_interrupt_keeps_what_was_compared() {
    let Some(scene) = scene() else { return };
    let mut running = Running::start(&scene, &[&["--tce", "off", "--jobs", "1"], &ARGUMENTS[..]].concat());
    running.wait_for("equivalence started");
    running.wait_for("mutant compared");
    running.signal("-INT");
    let ended = running.end();
    assert_eq!(ended.status.code(), Some(INTERRUPTED), "{}", ended.stderr);
    assert_nothing_runs(&scene);
    let done = ended.events().iter().filter(|event| text(event, "event") == "mutant compared").count() as u64;
    let rest = fine(&scene, &ARGUMENTS);
    let start = rest.one("equivalence started");
    assert_eq!(start["known"].as_u64(), Some(done), "what was told is known");
    assert!(start["mutants"].as_u64().unwrap() > 0);
    assert_eq!(rest.one("equivalence finished")["left"], 0);
}

#[test]
fn a_file_that_is_compiled_in_two_ways_is_equivalent_only_if_both_do_the_same() {
    let Some(scene) = scene() else { return };
    scene.write(
        "Makefile",
        "check: t\n\t./t\nt: work.c ask.c t.c other.o\n\tcc -g -o $@ work.c ask.c t.c\n\
         other.o: work.c\n\tcc -DOTHER -c -o $@ work.c\n",
    );
    let (outcome, compared) = {
        let told = fine(&scene, &ARGUMENTS);
        let (outcome, compared) = one(&told, "clamp(): '>' -> '>='");
        (outcome.to_string(), compared.clone())
    };
    assert_eq!(outcome, "likely equivalent");
    assert_eq!(compared["assumptions"][0], "work.c does the same where it is compiled in another way");
    // The configuration may leave it out.
    scene.write("perturb.toml", "[run]\nequivalence = \"off\"\n");
    let plain: Vec<&str> = ARGUMENTS[2..].to_vec();
    let ran = scene.run(&[&["run", "--events", "json", "--quiet", "--tce", "off"], &plain[..]].concat()).expect(FINE);
    assert_eq!(Told::of(ran).all("equivalence started").len(), 0);
    assert_eq!(told(&scene, &ARGUMENTS).all("equivalence started").len(), 1, "what is typed counts more");
}
