//! System calls that change a machine or lead out of the sandbox.

use super::answers::{Answer, Guard, Said};
use super::lab::{text, Lab};
use super::Attack;

pub fn attacks() -> Vec<Attack> {
    let simple = [
        ("io_uring", "makes calls by a ring (`io_uring_setup`)"),
        ("bpf", "loads a program or a map into the kernel (`bpf`)"),
        ("userfaultfd", "holds up the kernel (`userfaultfd`)"),
        ("perf-events", "measures the kernel (`perf_event_open`)"),
        ("namespaces", "makes namespaces: `unshare`"),
        ("clone-namespaces", "makes namespaces: `clone`"),
        ("clone3-namespaces", "makes namespaces: `clone3`"),
        ("open-by-handle", "opens a file by its handle (`open_by_handle_at`)"),
        ("machine", "reboots, swaps, loads a module, names the machine, ..."),
        ("set-clock", "sets the clock"),
        ("new-calls", "makes calls that are newer than perturb"),
        ("raise-own-limits", "raises its own limits"),
        ("be-urgent", "gives itself a higher priority"),
    ];
    let mut all: Vec<Attack> =
        simple.into_iter().map(|(verb, name)| Attack::new(name, move |lab| calls(lab, &[verb]))).collect();
    all.push(Attack::new("enters the namespaces of others (`setns`)", |lab| {
        let victim = lab.victim.id();
        calls(lab, &["enter-namespace", &victim])
    }));
    for (verb, name) in [
        ("mount", "mounts and unmounts"),
        ("mount-anew", "mounts with the newer calls (`fsopen`, `open_tree`, ...)"),
        ("change-root", "changes its root (`chroot`, `pivot_root`)"),
    ] {
        all.push(Attack::new(name, move |lab| {
            let foreign = text(&lab.folder.join("foreign"));
            calls(lab, &[verb, &foreign])
        }));
    }
    all.push(Attack::new("calls the kernel as a 32-bit program: `getpid`", |lab| as_another_machine(lab, &["getpid"])));
    all.push(Attack::new("as a 32-bit program: `keyctl`, `unshare`, `mount`, `socketcall`", |lab| {
        as_another_machine(lab, &["keyctl", "unshare", "mount", "socketcall"])
    }));
    all.push(Attack::new("calls the kernel as a program of x32: `getpid`", as_x32));
    all
}

fn calls(lab: &mut Lab, words: &[&str]) -> Answer {
    let said = lab.attack(words);
    lab.judge_by_job(&said, Guard::Filter)
}

/// Only a job that is ended is kept from it: what such a call answers says nothing.
fn as_another_machine(lab: &mut Lab, names: &[&str]) -> Answer {
    if !cfg!(target_arch = "x86_64") {
        return Answer::NotPlayed;
    }
    let said: Vec<Said> = names.iter().map(|name| lab.attack(&["by-32-bits", name])).collect();
    // A kernel without those calls ends the job by itself, with another signal.
    match said.iter().find(|said| !matches!(said, Said::Signalled(libc::SIGSYS))) {
        Some(Said::Signalled(libc::SIGSEGV)) => Answer::NotPlayed,
        Some(_) => Answer::NotContained,
        None => Answer::by("SIGSYS"),
    }
}

fn as_x32(lab: &mut Lab) -> Answer {
    if !cfg!(target_arch = "x86_64") {
        return Answer::NotPlayed;
    }
    match lab.attack(&["by-x32"]) {
        Said::Signalled(libc::SIGSYS) => Answer::by("SIGSYS"),
        _ => Answer::NotContained,
    }
}
