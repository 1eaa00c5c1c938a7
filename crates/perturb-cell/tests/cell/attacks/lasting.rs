//! What a job could leave behind for the next one in its cell, for a job in another cell, or for nobody to clean up.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::answers::{Answer, Guard, Said};
use super::lab::{is_unchanged, processes_with, text, Lab};
use super::Attack;

pub fn attacks() -> Vec<Attack> {
    let kinds = [
        ("memory", "leaves shared memory (`shmget`)"),
        ("semaphore", "leaves semaphores (`semget`)"),
        ("messages", "leaves messages (`msgget`)"),
        ("queue", "leaves a message queue (`mq_open`)"),
        ("key", "leaves a key"),
    ];
    let mut all: Vec<Attack> = Vec::new();
    for (kind, name) in kinds {
        all.push(Attack::new(name, move |lab| leaves(lab, &[&format!("leave-{kind}")], &[&format!("find-{kind}")])));
    }
    for (folder, name) in [
        ("/tmp", "leaves a file in `/tmp`"),
        ("/var/tmp", "leaves a file in `/var/tmp`"),
        ("/dev/shm", "leaves a file in `/dev/shm`"),
        ("HOME", "leaves a file in its home"),
        ("TMPDIR", "leaves a file in `TMPDIR`"),
        ("build", "leaves a file in its private folder"),
    ] {
        all.push(Attack::new(name, move |lab| leaves_file(lab, folder)));
    }
    all.push(Attack::new("changes a file of its private folder", |lab| {
        let path = lab.file("project/build");
        let said = lab.attack(&["write", &path]);
        assert_eq!(said, Said::Done(0), "it may write there");
        by_view(lab, is_unchanged(&path))
    }));
    all.push(Attack::new("closes its private folder", |lab| {
        let build = text(&lab.build());
        lab.attack(&["leave-closed", &build]);
        let mode = fs::metadata(lab.build()).unwrap().mode() & 0o777;
        let is_served = lab.serves();
        by_view(lab, is_served && mode == 0o777)
    }));
    all.push(Attack::new("closes its home and what is in it", |lab| {
        lab.attack(&["leave-closed", "$HOME"]);
        let next = lab.attack(&["leave-file", "$HOME/next"]);
        wiped(
            matches!(next, Said::Done(_)) && matches!(lab.attack(&["find-file", "$HOME/closed"]), Said::Refused { .. }),
        )
    }));
    all.push(Attack::new("nests folders deeper than a path can name", |lab| {
        let said = lab.attack(&["leave-nest", "$HOME"]);
        assert_eq!(said, Said::Done(0));
        let left = "$HOME/nested-a-little-deeper-than-whoever-removes-it-may-have-thought-of";
        wiped(matches!(lab.attack(&["find-file", left]), Said::Refused { .. }))
    }));
    all.push(Attack::new("puts a link to a folder of others in the place of its home", |lab| {
        let victim = lab.file("foreign");
        let foreign = text(&lab.folder.join("foreign"));
        let said = lab.attack(&["replace-by-link", "$HOME", &foreign]);
        // The server cleans up before the next job.
        lab.attack(&["find-file", "$HOME"]);
        match (is_unchanged(&victim), said) {
            (false, _) => Answer::NotContained,
            (true, Said::Done(_)) => Answer::by("not followed"),
            (true, said) => Answer::Contained(said.word(Guard::Filter)),
        }
    }));
    all.push(Attack::new("leaves a daemon", |lab| process(lab, "daemon")));
    all.push(Attack::new("leaves a process that is a new one again and again", |lab| process(lab, "hop")));
    all
}

fn wiped(is_wiped: bool) -> Answer {
    if is_wiped {
        Answer::by("wiped")
    } else {
        Answer::NotContained
    }
}

fn by_view(lab: &Lab, is_contained: bool) -> Answer {
    match is_contained {
        true if lab.has_namespaces() => Answer::by("view thrown away"),
        true => Answer::by("restored"),
        false => Answer::NotContained,
    }
}

/// One job leaves it; the next one in the same cell and one in another cell look for it.
fn leaves(lab: &mut Lab, leave: &[&str], find: &[&str]) -> Answer {
    let said = lab.attack(leave);
    let is_found =
        [lab.attack_from_other_cell(find), lab.attack(find)].iter().any(|said| matches!(said, Said::Done(_)));
    match said {
        _ if is_found => Answer::NotContained,
        Said::Done(_) => Answer::by("thrown away"),
        said => Answer::Contained(said.word(Guard::Filter)),
    }
}

fn leaves_file(lab: &mut Lab, folder: &str) -> Answer {
    let name = format!("perturb-attack-{}", std::process::id());
    let path = match folder {
        "build" => text(&lab.build().join(name)),
        "HOME" | "TMPDIR" => format!("${folder}/{name}"),
        folder => format!("{folder}/{name}"),
    };
    let said = lab.attack(&["leave-file", &path]);
    let found = [lab.attack_from_other_cell(&["find-file", &path]), lab.attack(&["find-file", &path])];
    let is_there = Path::new(&path).exists();
    let _ = fs::remove_file(&path);
    match said {
        _ if is_there || found.iter().any(|said| matches!(said, Said::Done(_))) => Answer::NotContained,
        Said::Done(_) if folder == "build" => by_view(lab, true),
        Said::Done(_) => Answer::by("wiped"),
        said => Answer::Contained(said.word(lab.guard())),
    }
}

/// A process that tries to outlive its job: none with its mark is there when the job has ended.
fn process(lab: &mut Lab, verb: &str) -> Answer {
    let mark = format!("mark-{}-{verb}", std::process::id());
    lab.attack(&[verb, &mark]);
    // One that is a new one again and again is not in every list.
    let is_there = (0..5).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(2));
        !processes_with(&mark).is_empty()
    });
    match is_there {
        true => Answer::NotContained,
        false => Answer::by("ended"),
    }
}
