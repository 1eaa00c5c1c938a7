//! A disk that is full: a small one in memory, which only this test sees.

use std::process::Command;

use crate::run::subject::subject;
use crate::scene::{assert_unchanged, run_in_time, snapshot, Scene, FINE, STORE};

/// Runs a script of the shell with mounts of its own. None where the kernel does not allow that.
fn with_own_mounts(scene: &Scene, script: &str) -> Option<Command> {
    let unshare = |arguments: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(arguments).args(["--mount", "sh", "-c"]);
        command
    };
    let ways = [&[][..], &["--user", "--map-root-user"]];
    let works = |way: &&&[&str]| {
        let mount = "mount -t tmpfs -o size=64k none /mnt";
        unshare(way).arg(mount).output().is_ok_and(|output| output.status.success())
    };
    let Some(way) = ways.iter().find(works) else {
        eprintln!("skipped: no file system can be mounted here");
        return None;
    };
    let mut command = unshare(way);
    command.arg(script).current_dir(scene.root()).env("PERTURB", env!("CARGO_BIN_EXE_perturb"));
    command.env("WORK", scene.outside("work"));
    Some(command)
}

#[test]
fn a_full_disk_is_told_for_what_it_is_and_the_next_run_goes_on() {
    let Some(scene) = subject() else { return };
    std::fs::create_dir(scene.outside("work")).unwrap();
    let before = snapshot(&scene.root());
    // The space ends in the copy, in a build, in the store: wherever that is, it is what the user is told.
    for kilobytes in [32, 128, 256, 384, 512, 640, 768] {
        let script = format!(
            "mount -t tmpfs -o size={kilobytes}k none \"$WORK\" || exit 99
             \"$PERTURB\" --work \"$WORK\" run --engine rebuild --function clamp --operators ROR
             code=$?
             mount -o remount,size=1g \"$WORK\" || exit 98
             \"$PERTURB\" --work \"$WORK\" run --events json --quiet --engine rebuild --function clamp --operators ROR || exit 97
             exit $code"
        );
        let Some(command) = with_own_mounts(&scene, &script) else { return };
        let ran = run_in_time(command);
        eprintln!("{kilobytes}: {} {}", ran.code, ran.stderr);
        if ran.code != FINE {
            ran.expect_error(STORE, &["no space left", "free some"]);
        }
        assert_unchanged(&before, &snapshot(&scene.root()));
    }
}
