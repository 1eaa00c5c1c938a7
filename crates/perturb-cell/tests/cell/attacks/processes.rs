//! Attacks on the processes of others: of the caller, of the cell, of other cells.

use std::fs;

use super::answers::{Answer, Guard, Said};
use super::lab::{processes_with, Lab};
use super::Attack;

pub fn on_others() -> Vec<Attack> {
    let victim = |verb: &'static str, guard: fn(&Lab) -> Guard| {
        move |lab: &mut Lab| {
            let (id, address) = (lab.victim.id(), lab.victim.address.clone());
            let words: &[&str] = match verb {
                "signal" => &[verb, &id, "9"],
                "stop" => &["signal", &id, "19"],
                _ => &[verb, &id, &address],
            };
            let said = lab.attack(words);
            on_victim(lab, &said, guard)
        }
    };
    let owner: fn(&Lab) -> Guard = Lab::guard_of_owner;
    let filter: fn(&Lab) -> Guard = |_| Guard::Filter;
    vec![
        Attack::new("ends a process of the caller: `kill`", victim("signal", owner)),
        Attack::new("stops a process of the caller", victim("stop", owner)),
        Attack::new("ends it by `tgkill`", victim("signal-thread", owner)),
        Attack::new("ends it by `pidfd_send_signal`", victim("signal-by-descriptor", owner)),
        Attack::new("ends it by `sigqueue`", victim("queue-signal", owner)),
        Attack::new("ends it as the owner of a pipe (`F_SETOWN`)", victim("signal-by-owner", owner)),
        Attack::new("ends all that it can: `kill(-1)`", everybody),
        Attack::new("traces it: `ptrace`", victim("trace", filter)),
        Attack::new("writes to its memory: `process_vm_writev`", victim("write-memory", filter)),
        Attack::new("writes to its memory: `/proc/PID/mem`", victim("write-memory-file", owner)),
        Attack::new("lowers its priority: `setpriority`", victim("lower-priority", filter)),
        Attack::new("lowers the priority of a user", victim("lower-priority-of-user", filter)),
        Attack::new("lowers its priority: `sched_setscheduler`", victim("make-other-idle", filter)),
        Attack::new("lowers its priority on disks: `ioprio_set`", victim("make-other-io-idle", filter)),
        Attack::new("pins it to a processor: `sched_setaffinity`", victim("pin-other", filter)),
        Attack::new("limits it: `prlimit`", victim("limit-other", filter)),
        Attack::new("has it ended first when memory runs out: `oom_score_adj`", |lab| {
            let path = format!("/proc/{}/oom_score_adj", lab.victim.id());
            let said = lab.attack(&["write", &path]);
            // The text is no number, so that only opening it could succeed.
            let is_open = matches!(said, Said::Refused { errno: libc::EINVAL } | Said::Done(_));
            lab.judge(&said, is_open, lab.guard())
        }),
        Attack::new("reads the environment of the caller: `/proc/PID/environ`", |lab| {
            let paths = ["1".to_string(), std::process::id().to_string(), lab.victim.id()];
            let paths = paths.map(|id| format!("/proc/{id}/environ"));
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            let said = lab.attack(&[&["open-to-read"], paths.as_slice()].concat());
            lab.judge_by_job(&said, lab.guard_of_owner())
        }),
        Attack::new("ends or stops the server of its cell", |lab| on_server(lab, &["9", "19"], "signal")),
        Attack::new("traces the server of its cell", |lab| on_server(lab, &[""], "trace")),
        Attack::new("writes to the memory of the server of its cell", |lab| {
            on_server(lab, &["0"], "write-memory-file")
        }),
        Attack::new("ends a job in another cell", |lab| on_job(lab, "signal", "9")),
        Attack::new("writes to the memory of a job in another cell", |lab| on_job(lab, "write-memory-file", "0")),
        Attack::new("limits a job in another cell: `prlimit`", |lab| on_job(lab, "limit-other", "")),
    ]
}

fn on_victim(lab: &mut Lab, said: &Said, guard: fn(&Lab) -> Guard) -> Answer {
    // A signal may be under way.
    std::thread::sleep(std::time::Duration::from_millis(5));
    let is_harmed = !lab.victim.is_unharmed();
    lab.judge(said, is_harmed, guard(lab))
}

/// Only where it cannot reach others: processes of its own namespace, or a filter that refuses it.
fn everybody(lab: &mut Lab) -> Answer {
    if !lab.layers().pid_namespace && !lab.layers().filter {
        return Answer::NotPlayed;
    }
    let said = lab.attack(&["signal", "-1", "9"]);
    on_victim(lab, &said, |_| Guard::Filter)
}

/// The process that the job sees as its parent: the job finds out which that is.
fn on_server(lab: &mut Lab, words: &[&str], verb: &str) -> Answer {
    let mut last = Answer::NotPlayed;
    for word in words {
        let said = lab.attack(&[verb, "parent", word]);
        // It serves the next job, if it is well.
        let is_well = lab.serves();
        let has_done = matches!(said, Said::Done(_)) && verb != "signal";
        last = lab.judge(&said, !is_well || has_done, lab.guard_of_owner());
        if last == Answer::NotContained {
            break;
        }
    }
    last
}

fn on_job(lab: &mut Lab, verb: &str, word: &str) -> Answer {
    let mark = format!("mark-{}-{verb}", std::process::id());
    let guard = if verb == "limit-other" { Guard::Filter } else { lab.guard() };
    let ((said, is_changed), is_left_alone) = lab.while_a_job_runs(&mark, |attack| {
        let id = processes_with(&mark).first().cloned().unwrap_or_default();
        let limits = |id: &str| fs::read_to_string(format!("/proc/{id}/limits")).unwrap_or_default();
        let before = limits(&id);
        let said = attack(&[verb, &id, word]);
        (said, limits(&id) != before)
    });
    let has_opened = verb == "write-memory-file" && matches!(said, Said::Refused { errno: libc::EIO } | Said::Done(_));
    lab.judge(&said, !is_left_alone || is_changed || has_opened, guard)
}
