//! The work folder and the store in it.

use std::fs;

use super::{Machine, Project, Row, GOOD};
use crate::scene::{Scene, STORE, UNUSABLE, USAGE};

const fn report(name: &'static str, spoil: fn(&Scene), told: &'static [&'static str]) -> Row {
    Row { name, spoil, command: &["report"], code: STORE, told, ..GOOD }
}

fn store(scene: &Scene, text: &[u8]) {
    fs::create_dir_all(scene.outside("work")).unwrap();
    fs::write(scene.outside("work/store.sqlite"), text).unwrap();
    let _ = fs::remove_file(scene.outside("work/store.sqlite.seal"));
}

/// A good store, with a list of mutants in it.
fn stored(scene: &Scene) -> Vec<u8> {
    drop(perturb_store::Store::open(&scene.outside("work")).unwrap());
    fs::read(scene.outside("work/store.sqlite")).unwrap()
}

/// Where SQLite would not mind.
fn turn_a_bit(scene: &Scene) {
    let mut all = stored(scene);
    *all.last_mut().unwrap() ^= 1;
    fs::write(scene.outside("work/store.sqlite"), all).unwrap();
}

fn with(scene: &Scene, place: usize, bytes: &[u8]) {
    let mut all = stored(scene);
    all[place..place + bytes.len()].copy_from_slice(bytes);
    store(scene, &all);
}

pub const ROWS: &[Row] = &[
    report("no store yet", |_| {}, &["no analysis in", "perturb run"]),
    report("a store without a run", |s| drop(stored(s)), &["no analysis in", "perturb run"]),
    report("an empty store", |s| store(s, b""), &["no analysis in", "perturb run"]),
    report(
        "a text in place of a store",
        |s| store(s, &b"my notes\n".repeat(500)),
        &["store.sqlite", "no store of perturb", "move it away"],
    ),
    report(
        "a store of a newer perturb",
        |s| with(s, 60, &2000_u32.to_be_bytes()),
        &["store.sqlite", "newer perturb", "--work"],
    ),
    report(
        "a store of an older perturb",
        |s| with(s, 60, &1_u32.to_be_bytes()),
        &["store.sqlite", "older perturb", "perturb run"],
    ),
    report(
        "somebody else's database",
        |s| with(s, 68, &[0; 4]),
        &["store.sqlite", "no store of perturb", "move it away"],
    ),
    report("a damaged store", |s| with(s, 4096, &[0xa5; 4096]), &["store.sqlite", "damaged"]),
    report("a bit of a store that turned", turn_a_bit, &["store.sqlite", "damaged", "not what perturb has written"]),
    report("a store that ends too early", |s| store(s, &stored(s)[..9000]), &["store.sqlite", "damaged"]),
    report(
        "a folder in place of a store",
        |s| fs::create_dir_all(s.outside("work/store.sqlite")).unwrap(),
        &["store.sqlite", "folder"],
    ),
    Row {
        spoil: |s| fs::write(s.outside("out/file"), "").unwrap(),
        command: &["mutants", "--work", "OUT/file/work"],
        code: UNUSABLE,
        ..report("a work folder below a file", |_| {}, &["cannot create", "out/file/work"])
    },
    Row {
        project: Project::Make,
        spoil: |s| fs::write(s.outside("out/file"), "").unwrap(),
        command: &["run", "--work", "OUT/file"],
        ..report("a file in place of a work folder", |_| {}, &["cannot create", "out/file"])
    },
    Row {
        project: Project::Make,
        command: &["run", "--work", "."],
        code: USAGE,
        ..report("the project as its own work folder", |_| {}, &["--work", "sources", "another folder"])
    },
    Row {
        project: Project::Make,
        command: &["run", "--work", "src"],
        code: USAGE,
        ..report("a folder of sources as the work folder", |_| {}, &["--work", "sources", "another folder"])
    },
    Row {
        project: Project::Make,
        command: &["run", "--work", "OUT/work"],
        machine: Machine::Unprivileged("chmod 555 ../out; \"$@\"; code=$?; chmod 755 ../out; exit $code"),
        ..report("a work folder that may not be made", |_| {}, &["cannot create", "out/work", "Permission denied"])
    },
    Row {
        project: Project::Make,
        command: &["run"],
        machine: Machine::Shell("mkdir -p ../work; exec 9>>../work/run.lock; flock 9; exec \"$@\""),
        ..report("a work folder that another run uses", |_| {}, &["another run", "--work"])
    },
    Row {
        spoil: |s| drop(stored(s)),
        command: &["show", "ffffffffffffffff", "--quiet"],
        code: USAGE,
        ..report("an id that no run has seen", |_| {}, &["no mutant `ffffffffffffffff`"])
    },
    Row {
        command: &["run", "--again", "live"],
        project: Project::Make,
        code: USAGE,
        ..report("nothing that could be run again", |_| {}, &["needs an earlier run", "`perturb run`"])
    },
];
