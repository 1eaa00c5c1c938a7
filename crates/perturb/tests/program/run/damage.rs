//! A store that is damaged, emptied, lost or taken away: verdicts come back from the journal, and what is left is set
//! aside.

use std::fs;

use super::running::Running;
use super::subject::{subject, subject_with_slow_tests};
use super::{fine, told};
use crate::scene::{Scene, FINE, STORE};

/// A run over a store that is not what it was: all is known again, and the user is told.
fn assert_mended(scene: &Scene, parts: &[&str]) {
    let next = fine(scene, &["--audit", "0"]);
    let told: Vec<&str> = next.ran.stderr.lines().filter(|line| line.starts_with("warning: ")).collect();
    assert_eq!(told.len(), 1, "{}", next.ran.stderr);
    assert!(parts.iter().all(|part| told[0].contains(part)), "{told:?}");
    assert_eq!(next.work().0, 0, "nothing is executed again");
    scene.run(&["report"]).expect(FINE);
    assert!(fine(scene, &["--audit", "0"]).ran.stderr.is_empty(), "it is told once");
}

#[test]
fn a_store_that_is_damaged_is_set_aside_and_no_verdict_is_lost() {
    let Some(scene) = subject() else { return };
    let first = fine(&scene, &["--audit", "0"]);
    let file = scene.outside("work/store.sqlite");
    let damages: [fn(&mut Vec<u8>); 4] = [
        |bytes| {
            let middle = bytes.len() / 2 / 4096 * 4096;
            bytes[middle..middle + 8192].fill(0x5a);
        },
        |bytes| bytes.truncate(bytes.len() / 3),
        |bytes| bytes[..4096].fill(0),
        |bytes| *bytes = b"no database at all, but some text".to_vec(),
    ];
    for (number, damage) in damages.into_iter().enumerate() {
        let mut bad = fs::read(&file).unwrap();
        damage(&mut bad);
        fs::write(&file, &bad).unwrap();
        // Whoever only reads says so, and leaves it as it is.
        scene.run(&["report"]).expect_error(STORE, &["perturb"]);
        assert_eq!(fs::read(&file).unwrap(), bad);
        let aside = format!("store.sqlite.damaged-{}", number + 1);
        assert_mended(&scene, &["is damaged", &aside, "verdicts were taken over from", "verdicts.log"]);
        assert_eq!(fs::read(scene.outside("work").join(aside)).unwrap(), bad, "it is kept as it was");
    }
    assert_eq!(fine(&scene, &["--audit", "0"]).mutants(), first.mutants());
}

#[test]
fn a_store_that_is_empty_or_gone_is_made_anew_with_all_verdicts() {
    let Some(scene) = subject() else { return };
    fine(&scene, &["--audit", "0"]);
    let file = scene.outside("work/store.sqlite");
    fs::write(&file, "").unwrap();
    assert_mended(&scene, &["was gone or empty", "verdicts were taken over"]);
    fs::remove_file(&file).unwrap();
    assert_mended(&scene, &["was gone or empty", "remove both"]);
    fs::remove_file(&file).unwrap();
    fs::remove_file(scene.outside("work/verdicts.log")).unwrap();
    let anew = fine(&scene, &["--audit", "0"]);
    assert!(anew.work().1 == 0 && anew.ran.stderr.is_empty(), "this is how to start from nothing");
}

#[test]
fn a_damaged_store_beside_a_damaged_journal_gives_back_what_can_be_read() {
    let Some(scene) = subject() else { return };
    let first = fine(&scene, &["--audit", "0"]);
    fs::write(scene.outside("work/store.sqlite"), "damaged").unwrap();
    let journal = scene.outside("work/verdicts.log");
    let mut bytes = fs::read(&journal).unwrap();
    let half = bytes.len() / 2;
    bytes[half..half + 10].fill(0xff);
    fs::write(&journal, bytes).unwrap();
    let next = fine(&scene, &["--audit", "0"]);
    let (executed, _) = next.work();
    assert!(executed > 0 && executed <= first.work().0, "{executed}");
    assert_eq!(next.outcomes(), first.outcomes());
}

#[test]
fn a_newer_store_and_the_database_of_another_program_are_left_as_they_are() {
    let Some(scene) = subject() else { return };
    fine(&scene, &["--until", "baseline"]);
    let file = scene.outside("work/store.sqlite");
    let good = fs::read(&file).unwrap();
    let cases = [(60, 2000_u32, &["newer perturb", "2000", "--work"][..]), (68, 7, &["no store of perturb", "--work"])];
    for (place, number, parts) in cases {
        let mut bad = good.clone();
        bad[place..place + 4].copy_from_slice(&number.to_be_bytes());
        fs::write(&file, &bad).unwrap();
        told(&scene, &[]).ran.expect_error(STORE, parts);
        assert_eq!(fs::read(&file).unwrap(), bad, "it is left as it is");
    }
    fs::write(&file, &good).unwrap();
    fine(&scene, &["--function", "average"]);
}

/// The files that another project's store consists of.
const STORE_FILES: [&str; 2] = ["store.sqlite", "store.sqlite.seal"];

#[test]
fn a_store_of_another_project_is_refused_and_left_as_it_is() {
    let (Some(scene), Some(other)) = (subject(), subject()) else { return };
    let first = fine(&scene, &["--audit", "0"]);
    fine(&other, &["--until", "mutate"]);
    for file in STORE_FILES {
        fs::rename(scene.outside("work").join(file), scene.outside(file)).unwrap();
        fs::copy(other.outside("work").join(file), scene.outside("work").join(file)).unwrap();
    }
    let root = other.root().display().to_string();
    let parts = ["store.sqlite belongs to another work folder", &root, "move it away"];
    let foreign = fs::read(scene.outside("work/store.sqlite")).unwrap();
    let mutant = *first.mutants().keys().next().unwrap();
    for command in [&["report"][..], &["report", "--format", "json"], &["tests"], &["run"], &["testgen"]] {
        scene.run(command).expect_error(STORE, &parts);
    }
    scene.run(&["show", mutant]).expect(FINE).told(&parts[..2]);
    assert_eq!(fs::read(scene.outside("work/store.sqlite")).unwrap(), foreign);
    assert!(scene.outside("work/store.sqlite.seal").exists());
    // What the message says to do.
    STORE_FILES.iter().for_each(|file| fs::remove_file(scene.outside("work").join(file)).unwrap());
    assert_mended(&scene, &["was gone or empty", "verdicts were taken over"]);
    // A folder that no run has used has no store of its own either.
    let alone = scene.outside("alone");
    fs::create_dir(&alone).unwrap();
    STORE_FILES.iter().for_each(|file| {
        fs::copy(scene.outside("work").join(file), alone.join(file)).unwrap();
    });
    scene.run(&["report", "--work", alone.to_str().unwrap()]).expect_error(STORE, &["belongs to another work folder"]);
}

#[test]
fn a_work_folder_that_is_taken_away_ends_the_run_before_it_tells_what_nobody_keeps() {
    let Some(scene) = subject_with_slow_tests() else { return };
    let arguments = [
        "--function",
        "clamp",
        "--engine",
        "switched",
        "--tce",
        "off",
        "--discard",
        "off",
        "--equivalence",
        "off",
        "--quiet",
    ];
    let mut running = Running::start(&scene, &arguments);
    running.wait_for("execute started");
    running.wait_for("mutant");
    // Only the store: what else is needed stays, so that nothing else ends the run.
    let (work, moved) = (scene.outside("work"), scene.outside("moved"));
    fs::create_dir(&moved).unwrap();
    fs::rename(work.join("store.sqlite"), moved.join("store.sqlite")).unwrap();
    let ended = running.end();
    assert_eq!(ended.status.code(), Some(STORE), "{}", ended.stderr);
    assert!(ended.stderr.contains("taken away") && ended.stderr.contains("run again"), "{}", ended.stderr);
    let next = fine(&scene, &arguments[..4]);
    assert_eq!(next.mutants().len(), next.one("mutants")["count"]);
}
