//! Using more than a job may: memory of every kind, disk, processes, time, output.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::answers::{Answer, Guard, Said};
use super::lab::{processes_with, text, Lab, LIMITS, MIB};
use super::Attack;

use perturb_cell::Limits;

/// Where attacks on memory end by themselves, should nothing else end them.
const BOUND_MIB: u64 = 3072;

/// More than any of them may have: all that a job may, twice what can be taken between two looks, and what else happens
/// on the machine meanwhile.
const HARM: u64 = 1024 * MIB;

pub fn attacks() -> Vec<Attack> {
    let memory = [
        ("take-private", "takes memory"),
        ("take-by-many", "takes memory in sixteen processes"),
        ("take-shared", "takes memory that is shared"),
        ("take-memfd", "takes memory in a file without a name (`memfd_create`)"),
        ("take-segments", "takes shared memory of the system's (`shmget`)"),
        ("take-tables", "takes memory for the tables of its memory"),
    ];
    let mut all: Vec<Attack> = memory
        .into_iter()
        .map(|(verb, name)| Attack::new(name, move |lab| takes_memory(lab, &[verb, &BOUND_MIB.to_string()])))
        .collect();
    all.push(Attack::new("outlives others when the machine has no memory left", |lab| {
        let said = lab.attack(&["ending-order"]);
        const FIRST: i64 = 1000;
        match said {
            Said::Done(FIRST) => Answer::by("ended first"),
            _ => Answer::NotContained,
        }
    }));
    all.push(Attack::new("fills `/tmp`", |lab| fills(lab, "/tmp")));
    all.push(Attack::new("fills `/dev/shm`", |lab| fills(lab, "/dev/shm")));
    all.push(Attack::new("fills the disk by its home", |lab| fills(lab, "$HOME")));
    all.push(Attack::new("fills the disk by its private folder", |lab| {
        let build = text(&lab.build());
        fills(lab, &build)
    }));
    all.push(Attack::new("writes one file without end", |lab| {
        let said = lab.attack_within(&["write-large-file", "$HOME/large", "32"], LIMITS);
        lab.judge_by_job(&said, Guard::Filter)
    }));
    all.push(Attack::new("writes output without end", |lab| {
        let ended = lab.run(&["print-much", "64"]);
        assert!(ended.output_bytes >= 64 * MIB, "{:?}", ended.how);
        match ended.output.len() <= 2 * LIMITS.output_bytes {
            true => Answer::by("limit"),
            false => Answer::NotContained,
        }
    }));
    all.push(Attack::new("starts processes without end (400)", fork_bomb));
    all.push(Attack::new("computes without end, in daemons", |lab| {
        let said = lab.attack_within(&["spin"], Limits { cpu: Duration::from_millis(200), ..LIMITS });
        lab.judge(&said, said != Said::TimedOut, Guard::Filter)
    }));
    all.push(Attack::new("stops itself", |lab| {
        let said = lab.attack_within(&["stop"], Limits { wall: Duration::from_millis(200), ..LIMITS });
        lab.judge(&said, said != Said::TimedOut, Guard::Filter)
    }));
    all
}

/// The most that was seen while something ran, looked at every few milliseconds.
fn peak_while<T>(look: impl Fn() -> u64 + Sync, run: impl FnOnce() -> T) -> (T, u64) {
    let (peak, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                peak.fetch_max(look(), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(4));
            }
        });
        let result = run();
        is_over.store(true, Ordering::Relaxed);
        (result, peak.load(Ordering::Relaxed))
    })
}

/// What processes with a mark have in memory of their own, and what of the machine's memory is shared.
fn memory_of(mark: &str) -> u64 {
    let field = |text: &str, name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) * 1024
    };
    let own = |process: &String| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        field(&status, "RssAnon:") + field(&status, "VmPTE:")
    };
    let shared = field(&fs::read_to_string("/proc/meminfo").unwrap_or_default(), "Shmem:");
    processes_with(mark).iter().map(own).sum::<u64>() + shared
}

fn takes_memory(lab: &mut Lab, words: &[&str]) -> Answer {
    let mark = format!("mark-{}-memory", std::process::id());
    let before = memory_of(&mark);
    let (said, peak) = peak_while(|| memory_of(&mark), || lab.attack(&[words, &[&mark]].concat()));
    let is_harmed = matches!(said, Said::Done(_)) || peak.saturating_sub(before) > HARM;
    // What is left of it would be found by the next job: no more than others have of it meanwhile.
    let is_left = memory_of(&mark).saturating_sub(before) > HARM / 2;
    match lab.judge(&said, is_harmed || is_left, lab.guard()) {
        Answer::Contained(word) if word.starts_with("nothing") => Answer::by("limit"),
        answer => answer,
    }
}

/// Three times as much as all files together may be; on a disk no more than that, should nothing end it.
fn fills(lab: &mut Lab, folder: &str) -> Answer {
    let mib = 3 * super::lab::FILES_BYTES / MIB;
    let said = lab.attack(&["take-files", folder, &mib.to_string()]);
    // Without namespaces a folder of the machine's may be what it wrote to.
    for number in 0..mib / 8 {
        let _ = fs::remove_file(format!("{folder}/perturb-attack-{number}"));
    }
    lab.judge_by_job(&said, lab.guard())
}

fn fork_bomb(lab: &mut Lab) -> Answer {
    let mark = format!("mark-{}-bomb", std::process::id());
    let (said, peak) = peak_while(|| processes_with(&mark).len() as u64, || lab.attack(&["fork-bomb", &mark]));
    // Where they are only looked at now and then, some more are started between two looks.
    let is_harmed = matches!(said, Said::Done(_)) || peak > 4 * LIMITS.processes || !processes_with(&mark).is_empty();
    lab.judge(&said, is_harmed, Guard::Filter)
}
