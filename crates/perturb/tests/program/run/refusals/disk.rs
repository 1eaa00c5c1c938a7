//! A disk that is full: a small one in memory, which only this test sees.

use std::process::Command;

use crate::run::subject::{subject, subject_with};
use crate::run::{fine, Told};
use crate::scene::{self, assert_unchanged, run_in_time, snapshot, Scene, STORE};

/// A script that knows the program and its work folder.
fn with_own_mounts(scene: &Scene, script: &str) -> Option<Command> {
    let mut command = scene::with_own_mounts(script)?;
    command.current_dir(scene.root()).env("PERTURB", env!("CARGO_BIN_EXE_perturb"));
    command.env("WORK", scene.outside("work"));
    Some(command)
}

const WHAT: &str = "--engine rebuild --function clamp --operators ROR --jobs 1 --tce off --equivalence off";

/// A run on a disk of this size, in which builds fill it if they are told to, and the next one with space enough.
fn run_twice(scene: &Scene, kilobytes: u32, fill: &str) -> Option<Told> {
    let script = format!(
        "mount -t tmpfs -o size={kilobytes}k none \"$WORK\" || exit 99
         FILL={fill} \"$PERTURB\" --work \"$WORK\" run --quiet {WHAT} >/dev/null
         code=$?
         mount -t tmpfs -o remount,size=1g none \"$WORK\" || exit 98
         \"$PERTURB\" --work \"$WORK\" run --quiet --events json {WHAT} || exit 97
         exit $code"
    );
    let before = snapshot(&scene.root());
    let ran = run_in_time(with_own_mounts(scene, &script)?);
    assert_unchanged(&before, &snapshot(&scene.root()));
    Some(Told::of(ran.expect_error(STORE, &["no space left", "free some"])))
}

#[test]
fn a_full_disk_is_told_for_what_it_is_and_the_next_run_goes_on() {
    // In a copy of the project that holds a mutant, all the space that is left is taken by somebody else.
    let fill = "if [ -n \"$$FILL\" ] && ! cmp -s src/gauge.c gauge.orig; then \
                dd if=/dev/zero of=filler bs=16k 2>/dev/null; fi; :";
    let Some(scene) = subject_with(fill) else { return };
    scene.write("gauge.orig", scene.read("src/gauge.c"));
    std::fs::create_dir(scene.outside("work")).unwrap();
    // Elsewhere the space ends by itself: in the copy, in the store, in a log.
    for kilobytes in [32, 128, 384, 640] {
        let Some(told) = run_twice(&scene, kilobytes, "") else { return };
        assert!(told.count("killed") > 0 && told.count("pending") == 0);
    }
    let Some(told) = run_twice(&scene, 16 << 10, "yes") else { return };
    assert_eq!(told.count("compile error"), 0, "a mutant is not refused because the disk is full");
    assert_eq!(told.outcomes(), fine(&scene, &WHAT.split(' ').collect::<Vec<_>>()).outcomes());
}

#[test]
fn a_work_folder_that_cannot_be_written_is_told_and_what_is_in_it_can_be_read() {
    let Some(scene) = subject() else { return };
    std::fs::create_dir(scene.outside("work")).unwrap();
    let script = format!(
        "mount -t tmpfs -o size=1g none \"$WORK\" || exit 99
         \"$PERTURB\" --work \"$WORK\" run --quiet {WHAT} >/dev/null || exit 98
         mount -t tmpfs -o remount,ro none \"$WORK\" || exit 97
         \"$PERTURB\" --work \"$WORK\" report >/dev/null || exit 96
         \"$PERTURB\" --work \"$WORK\" run --quiet {WHAT} >/dev/null
         code=$?
         mount -t tmpfs -o remount,rw none \"$WORK\" || exit 95
         \"$PERTURB\" --work \"$WORK\" run --quiet --events json {WHAT} || exit 94
         exit $code"
    );
    let Some(command) = with_own_mounts(&scene, &script) else { return };
    let before = snapshot(&scene.root());
    let ran = run_in_time(command);
    assert_unchanged(&before, &snapshot(&scene.root()));
    let told = Told::of(ran.expect_error(STORE, &["read-only", "--work"]));
    assert_eq!(told.work().0, 0, "all is known");
}
