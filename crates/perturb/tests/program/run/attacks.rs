//! Mutants that do harm where nothing keeps them from it: each is contained, gets the right verdict, and leaves nothing
//! behind.
//!
//! No attack runs outside the belt (`attacks/belt.c`): should our sandbox have a hole, the test fails and the machine
//! is unharmed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::Told;
use crate::scene::{has, run_in_time, text, Ran, Scene};

/// Runs perturb in the belt, and tells on the standard error what became of those who stand by.
const SCRIPT: &str = r#"
before=$(cd project && find . -type f -exec sha256sum {} + | sort)
./perturb -C project --work /mnt/outside/work run --events json --quiet --tce off --equivalence off --audit 0 ARGUMENTS
code=$?
after=$(cd project && find . -type f -exec sha256sum {} + | sort)
[ "$before" = "$after" ] || echo "HARM: the project was changed"
[ "$(cat /mnt/home/letter)" = mine ] || echo "HARM: the letter is gone"
[ -e /mnt/outside/reached ] && echo "HARM: the network was reached"
kill -0 $BYSTANDER || echo "HARM: the bystander was killed"
for process in /proc/[0-9]*; do
    case ${process#/proc/} in
    $$ | $BYSTANDER) ;;
    *) echo "HARM: left behind: $(tr '\0' ' ' < $process/cmdline)" ;;
    esac
done
[ $(du -sk /mnt/outside/work | cut -f1) -lt 200000 ] || echo "HARM: the work folder has grown too large"
echo "MOST PROCESSES: $(cat /mnt/outside/most)"
exit $code
"#;

pub struct Belted {
    pub told: Told,
    most_processes: u32,
}

/// None where there can be no belt.
pub fn belted(scene: &Scene, user: u32, arguments: &str) -> Option<Belted> {
    let belt = scene.outside("belt");
    if !belt.exists() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/run/attacks/belt.c");
        let status = Command::new("cc").args(["-Wall", "-o"]).arg(&belt).arg(&source).status().unwrap();
        assert!(status.success());
    }
    let script = SCRIPT.replace("ARGUMENTS", arguments);
    // The standard output is perturb's.
    let script = script.replace("echo \"", "echo >&2 \"");
    let mut command = Command::new(&belt);
    command.arg(user.to_string()).arg(env!("CARGO_BIN_EXE_perturb")).arg(scene.root()).arg(script);
    let ran: Ran = run_in_time(command);
    if ran.code == 125 {
        eprintln!("skipped: no belt can be put on here, so that no attack is started: {}", ran.stderr);
        return None;
    }
    assert!(ran.code == 0 && !ran.stderr.contains("HARM"), "exit {}: {}", ran.code, ran.stderr);
    let most = ran.stderr.lines().find_map(|line| line.strip_prefix("MOST PROCESSES: ")).unwrap();
    let most_processes = most.parse().unwrap();
    Some(Belted { told: Told::of(ran), most_processes })
}

/// What became of each mutant, by the function it is in and what it changes.
fn by_change(told: &Told) -> BTreeMap<(String, String), String> {
    let entry = |mutant: &Value| {
        let name = text(mutant, "name");
        let (place, change) = name.split_once("(): ").unwrap();
        let function = place.rsplit(' ').next().unwrap();
        ((function.to_string(), change.to_string()), text(mutant, "outcome").to_string())
    };
    told.mutants().into_values().map(entry).collect()
}

pub fn can_be_belted() -> bool {
    let is_root = fs::metadata("/proc/self").is_ok_and(|data| std::os::unix::fs::MetadataExt::uid(&data) == 0);
    if !is_root {
        eprintln!("skipped: only root can put the belt on");
    }
    is_root && has("make")
}

#[test]
fn attacks_are_contained_get_the_right_verdict_and_harm_nobody() {
    if !can_be_belted() {
        return;
    }
    // Root, who hands tests to an unprivileged user, and an ordinary user.
    for (user, engine) in [(0, "auto"), (1000, "auto"), (1000, "switched")] {
        let scene = Scene::fixture("attacks");
        let Some(Belted { told, .. }) =
            belted(&scene, user, &format!("--operators ROR --engine {engine} src/guards.c"))
        else {
            return;
        };
        let outcomes = by_change(&told);
        assert!(outcomes.len() >= 50, "{outcomes:?}");
        for ((function, change), outcome) in outcomes {
            // At level 2 these let the attack begin.
            let begins = ["'<'", "'<='", "'!='"].iter().any(|with| change.ends_with(&format!("-> {with}")));
            let expected = match (begins, function.as_str()) {
                // Nothing of this file is executed otherwise, whatever it has started.
                (true, "daemon_may") => "likely equivalent",
                (true, _) => "killed",
                (false, _) => "not infected",
            };
            assert_eq!(outcome, expected, "user {user}, {engine}: {function}: {change}");
        }
    }
}

#[test]
fn many_mutants_that_differ_at_every_step_do_not_fill_the_process_table() {
    if !can_be_belted() {
        return;
    }
    let scene = Scene::fixture("attacks");
    let Some(split) = belted(&scene, 1000, "--engine split src/storm.c") else { return };
    // The same without a sandbox, for the verdicts must not hang on it.
    let Some(switched) = belted(&scene, 1000, "--engine switched --sandbox off src/storm.c") else { return };
    assert!(!text(switched.told.one("sandbox"), "layers").contains("namespace"));
    assert_eq!(by_change(&split.told), by_change(&switched.told));
    assert!(split.told.mutants().len() > 200);
    let most = split.most_processes;
    assert!(most < 300, "{most} processes at one time");
}
