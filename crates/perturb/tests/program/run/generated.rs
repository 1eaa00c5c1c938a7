//! What `perturb testgen` comes to is kept with the run: reports tell it, and who asks again goes on from there.

use crate::scene::{has, Scene, FINE, STORE};
use perturb_store::Store;
use serde_json::Value;

const WORK: &str = "\
int clamp(int value, int low, int high)
{
    if (value < low)
        return low;
    if (value > high)
        return high;
    return value;
}

int scaled(int value)
{
    return value * 2;
}
";
/// Checks next to nothing.
const TEST: &str = "\
int clamp(int, int, int), scaled(int);
int main(void)
{
    return clamp(1, 2, 3) != 2 || scaled(0) != 0;
}
";
const MAKEFILE: &str = "check: t\n\t./t\nt: work.c t.c\n\tcc -g -o $@ $^\n";

/// A project whose mutants live, after a run. None without make.
fn scene() -> Option<Scene> {
    if !has("make") {
        return None;
    }
    let scene = Scene::new(&[("work.c", WORK), ("t.c", TEST), ("Makefile", MAKEFILE)]);
    let run = ["run", "--audit", "0", "--operators=ROR,AOR", "work.c"];
    scene.run(&run).expect(FINE).told(&["`perturb testgen` writes tests for"]);
    Some(scene)
}

fn testgen(scene: &Scene, arguments: &[&str]) -> Value {
    let common = ["testgen", "--format", "json", "--operators=ROR,AOR"];
    let ran = scene.run(&[&common[..], arguments].concat()).expect(FINE);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stdout))
}

fn written(scene: &Scene) -> String {
    std::fs::read_to_string(scene.outside("work/tests/test_work.c")).unwrap()
}

fn killed(told: &Value) -> Vec<&Value> {
    let mutants = told["mutants"].as_array().unwrap();
    mutants.iter().filter(|mutant| mutant["result"] == "killed").collect()
}

#[test]
fn reports_say_what_generated_tests_kill_and_a_new_run_starts_without() {
    let Some(scene) = scene() else { return };
    let before = scene.run(&["report"]).expect(FINE).stdout;
    let told = testgen(&scene, &[]);
    let killed = killed(&told);
    assert!(killed.len() > 3, "{told:#}");
    let after = scene.run(&["report"]).expect(FINE).stdout;
    let counted = |text: &str| text.lines().filter(|line| line.contains("killed by generated test")).count();
    assert_eq!((counted(&before), after.contains("with them the score would be 100.0 %")), (0, true), "{after}");
    assert!(counted(&after) > 3, "{after}");
    let (id, test) = (killed[0]["id"].as_str().unwrap(), killed[0]["tests"][0].as_str().unwrap());
    let shown = scene.run(&["show", id]).expect(FINE).stdout;
    assert!(shown.contains(&format!("killed by generated test {test} in test_work.c")), "{shown}");
    assert!(shown.contains("work/tests/test_work.c"), "{shown}");
    scene.run(&["run", "--audit", "0", "--operators=ROR,AOR", "work.c"]).expect(FINE);
    assert_eq!(counted(&scene.run(&["report"]).expect(FINE).stdout), 0);
}

#[test]
fn what_was_found_is_not_looked_for_again_until_something_changes() {
    let Some(scene) = scene() else { return };
    let part = testgen(&scene, &["--function", "scaled"]);
    let count = |told: &Value| told["mutants"].as_array().unwrap().len() as u64;
    assert_eq!(part["known"], 0, "{part:#}");
    // It goes on from there.
    let whole = testgen(&scene, &[]);
    assert!(count(&part) > 0 && count(&whole) > count(&part), "{whole:#}");
    assert_eq!(whole["known"], count(&part), "{whole:#}");
    let file = written(&scene);
    let again = testgen(&scene, &[]);
    assert_eq!(again["known"], count(&whole), "{again:#}");
    assert_eq!((&again["mutants"], &again["suites"]), (&whole["mutants"], &whole["suites"]));
    assert_eq!(written(&scene), file);
    // Whoever wants other inputs, or all of them anew, gets them; so does whoever changes what is compiled.
    assert_eq!(testgen(&scene, &["--seed", "7"])["known"], 0);
    assert_eq!(testgen(&scene, &["--fresh"])["known"], 0);
    assert_eq!(testgen(&scene, &[])["known"], count(&whole));
    scene.write("work.c", format!("{WORK}\nint more(void) {{ return 1; }}\n"));
    let changed = testgen(&scene, &[]);
    assert_eq!((changed["known"].as_u64(), killed(&changed).len()), (Some(0), killed(&whole).len()), "{changed:#}");
}

#[test]
fn who_cannot_write_to_the_store_is_told_before_anything_is_looked_for() {
    let Some(scene) = scene() else { return };
    let held = Store::open(&scene.outside("work")).unwrap();
    let ran = scene.run(&["testgen"]).expect_error(STORE, &["another run", "wait until it ends"]);
    assert!(ran.stdout.is_empty(), "{}", ran.stdout);
    drop(held);
}
