//! Attacks on files of others, on devices and on what the kernel shows as files, and the ways around paths.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

use super::answers::{Answer, Guard, Said};
use super::lab::{is_unchanged, text, Lab};
use super::{Attack, SECRET};

pub fn of_others() -> Vec<Attack> {
    let mut all = vec![
        Attack::new("reads a secret in the home of the caller", |lab| {
            let path = lab.file("home");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            let said = lab.attack(&["read", &path]);
            lab.judge_by_job(&said, lab.guard())
        }),
        Attack::new("reads `/etc/shadow`", |lab| {
            let said = lab.attack(&["read", "/etc/shadow"]);
            match Path::new("/etc/shadow").exists() {
                true => lab.judge_by_job(&said, Guard::OtherUser),
                false => Answer::NotPlayed,
            }
        }),
        Attack::new("looks whether a file of others is there", |lab| {
            let path = lab.file("foreign");
            let said = lab.attack(&["stat", &path]);
            lab.judge_by_job(&said, lab.guard())
        }),
        Attack::new("watches a folder of others", |lab| {
            let path = text(&lab.folder.join("foreign"));
            let said = lab.attack(&["watch", &path]);
            lab.judge_by_job(&said, lab.guard())
        }),
    ];
    let places = [
        ("foreign", "writes to a file of others"),
        ("home", "writes to a file in the home of the caller"),
        ("readable", "writes to a file in a readable folder"),
        ("visible", "writes to a file of the project that it only sees"),
        ("project", "writes to a file in the folder above its own"),
    ];
    for (folder, name) in places {
        all.push(Attack::new(name, move |lab| on_file(lab, folder, &["write"])));
    }
    let verbs = [
        ("truncate", "truncates a file of others"),
        ("delete", "deletes a file of others"),
        ("chmod", "changes the mode of a file of others"),
        ("change-time", "changes the time of a file of others"),
        ("add-attribute", "adds an attribute to a file of others"),
    ];
    for (verb, name) in verbs {
        all.push(Attack::new(name, move |lab| on_file(lab, "foreign", &[verb])));
    }
    all.push(Attack::new("changes the mode of a file that it only sees", |lab| on_file(lab, "visible", &["fchmod"])));
    all.push(Attack::new("moves a file of others into its folder", |lab| {
        let to = text(&lab.build().join("moved"));
        with_second(lab, "move", &to)
    }));
    all.push(Attack::new("makes a file in a folder of others", |lab| {
        let path = lab.path("foreign");
        let said = lab.attack(&["create", &path]);
        lab.judge(&said, Path::new(&path).exists(), lab.guard())
    }));
    let pipes = [
        ("foreign", "write", "writes to a FIFO of others"),
        ("foreign", "read", "reads from a FIFO of others"),
        ("readable", "write", "writes to a FIFO in a readable folder"),
        ("readable", "read", "reads from a FIFO in a readable folder"),
    ];
    for (folder, verb, name) in pipes {
        all.push(Attack::new(name, move |lab| fifo(lab, folder, verb)));
    }
    all
}

/// An attack on a file: it must have the same text, mode, time and attributes afterwards.
fn on_file(lab: &mut Lab, folder: &str, words: &[&str]) -> Answer {
    let path = lab.file(folder);
    let said = attack_file(lab, &path, &[words, &[&path]].concat());
    let guard = match words[0] {
        "chmod" | "fchmod" | "change-time" => lab.guard_of_modes(),
        _ => lab.guard(),
    };
    lab.judge(&said.0, said.1, guard)
}

fn with_second(lab: &mut Lab, verb: &str, second: &str) -> Answer {
    let path = lab.file("foreign");
    let said = attack_file(lab, &path, &[verb, &path, second]);
    lab.judge(&said.0, said.1, lab.guard())
}

/// What the job said, and whether the file is another one.
fn attack_file(lab: &mut Lab, path: &str, words: &[&str]) -> (Said, bool) {
    // Every change of a file, that of an attribute too, sets the time of its last change.
    let state = |path: &str| {
        fs::symlink_metadata(path)
            .ok()
            .map(|data| (data.mode(), data.nlink(), data.ctime(), data.ctime_nsec(), data.mtime()))
    };
    let before = state(path);
    let said = lab.attack(words);
    (said, state(path) != before || !is_unchanged(path))
}

fn fifo(lab: &mut Lab, folder: &str, verb: &str) -> Answer {
    let path = lab.path(folder);
    assert!(Command::new("mkfifo").args(["-m", "666", &path]).status().unwrap().success());
    // Open for both, so that nobody waits for the other side.
    let mut pipe = File::options().read(true).write(true).custom_flags(libc::O_NONBLOCK).open(&path).unwrap();
    if verb == "read" {
        pipe.write_all(b"secret").unwrap();
    }
    let said = lab.attack(&[verb, &path]);
    let mut left = [0; 64];
    let read = pipe.read(&mut left).unwrap_or(0);
    let expected: &[u8] = if verb == "read" { b"secret" } else { b"" };
    lab.judge(&said, &left[..read] != expected, lab.guard())
}

pub fn ways_around() -> Vec<Attack> {
    vec![
        Attack::new("writes to a file of others by a symbolic link in its folder", |lab| {
            let link = text(&lab.build().join("link"));
            with_second(lab, "write-by-symlink", &link)
        }),
        Attack::new("writes to a file of others by a hard link in its folder", |lab| {
            let link = text(&lab.build().join("link"));
            with_second(lab, "write-by-hard-link", &link)
        }),
        Attack::new("reads a file of others by `..` from its folder", |lab| reads(lab, &["climb"])),
        Attack::new("reads a file of others by its own links in `/proc`", |lab| reads(lab, &["own-links"])),
        Attack::new("reads by `/proc/PID/root`, `cwd` and `fd` of others", |lab| {
            let path = lab.file("foreign");
            let (victim, caller) = (lab.victim.id(), std::process::id().to_string());
            let said = lab.attack(&["by-links-of-processes", &path, "1", &victim, &caller]);
            lab.judge_by_job(&said, lab.guard_of_owner())
        }),
        Attack::new("uses a file that the caller left open", |lab| {
            let said = lab.attack(&["descriptors"]);
            lab.judge_by_job(&said, lab.guard())
        }),
        Attack::new("finds a secret in its environment", |lab| {
            let said = lab.attack(&["environment", SECRET]);
            lab.judge_by_job(&said, lab.guard())
        }),
        Attack::new("executes a program that is setuid", |lab| {
            if !lab.setting.is_root && std::fs::metadata(&lab.program).unwrap().uid() != 0 {
                return Answer::NotPlayed;
            }
            let path = text(&lab.program.with_file_name("setuid"));
            let said = lab.attack(&["run-setuid", &path]);
            lab.judge_by_job(&said, lab.guard())
        }),
        Attack::new("leaves a program that is setuid in a shared folder", |lab| {
            let path = lab.path("shared");
            let said = lab.attack(&["make-setuid", &path]);
            let is_setuid = fs::metadata(&path).is_ok_and(|data| data.mode() & 0o4000 != 0);
            lab.judge(&said, is_setuid, Guard::Filter)
        }),
        Attack::new("has a crash start a program or leave a core", |lab| {
            let said = lab.attack(&["crash"]);
            assert_eq!(said, Said::Signalled(libc::SIGABRT));
            let has_core = fs::read_dir(lab.build()).unwrap().count() > 0;
            match has_core {
                true => Answer::NotContained,
                false => Answer::by("limit"),
            }
        }),
    ]
}

fn reads(lab: &mut Lab, words: &[&str]) -> Answer {
    let path = lab.file("foreign");
    let said = lab.attack(&[words, &[&path]].concat());
    lab.judge_by_job(&said, lab.guard())
}

pub fn of_the_machine() -> Vec<Attack> {
    let devices: &[&str] =
        &["/dev/mem", "/dev/kmsg", "/dev/console", "/dev/fuse", "/dev/kvm", "/dev/vda", "/dev/sda", "/dev/nvme0n1"];
    vec![
        Attack::new("opens memory, kernel log, console, FUSE, KVM or a disk in `/dev`", move |lab| {
            open_any(lab, "open-to-read", devices)
        }),
        Attack::new("makes a device in its folder", |lab| {
            let path = text(&lab.build().join("device"));
            let said = lab.attack(&["mknod", &path]);
            lab.judge_by_job(&said, Guard::Filter)
        }),
        Attack::new("writes to a terminal of others", |lab| terminal(lab, "write")),
        Attack::new("types into a terminal of others (`TIOCSTI`)", |lab| terminal(lab, "type-into")),
        Attack::new("opens `/proc/sys/kernel/core_pattern` to write", |lab| {
            open_any(lab, "open-to-write", &["/proc/sys/kernel/core_pattern"])
        }),
        Attack::new("opens `/proc/sysrq-trigger` to write", |lab| {
            open_any(lab, "open-to-write", &["/proc/sysrq-trigger"])
        }),
        Attack::new("opens settings of the kernel in `/sys` to write", |lab| {
            let settings =
                ["/sys/kernel/mm/transparent_hugepage/enabled", "/sys/kernel/mm/ksm/run", "/sys/power/state"];
            open_any(lab, "open-to-write", &settings)
        }),
        Attack::new("opens the switch of a processor to write", |lab| {
            open_any(lab, "open-to-write", &["/sys/devices/system/cpu/cpu1/online"])
        }),
    ]
}

/// Only opens them: nothing is read or written.
fn open_any(lab: &mut Lab, verb: &str, paths: &[&str]) -> Answer {
    if !paths.iter().any(|path| Path::new(path).exists()) {
        return Answer::NotPlayed;
    }
    let said = lab.attack(&[&[verb], paths].concat());
    lab.judge_by_job(&said, lab.guard_of_settings())
}

/// A terminal of the test's own, on which nobody else looks.
fn terminal(lab: &mut Lab, verb: &str) -> Answer {
    let flags = libc::O_NOCTTY | libc::O_NONBLOCK;
    let Ok(mut master) = OpenOptions::new().read(true).write(true).custom_flags(flags).open("/dev/ptmx") else {
        return Answer::NotPlayed;
    };
    let (mut number, unlocked) = (0u32, 0i32);
    // SAFETY: both read or write one number, for which there is room.
    let made = unsafe {
        libc::ioctl(master.as_raw_fd(), libc::TIOCSPTLCK, &raw const unlocked) == 0
            && libc::ioctl(master.as_raw_fd(), libc::TIOCGPTN, &raw mut number) == 0
    };
    let path = format!("/dev/pts/{number}");
    let Ok(mut slave) = OpenOptions::new().read(true).write(true).custom_flags(flags).open(&path) else {
        return Answer::NotPlayed;
    };
    assert!(made && fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).is_ok());
    let said = lab.attack(&[verb, &path]);
    // What is written to it comes out at the master, and what is typed also, as it is echoed.
    let is_harmed = [master.read(&mut [0; 8]), slave.read(&mut [0; 8])].iter().any(|read| matches!(read, Ok(1..)));
    lab.judge(&said, is_harmed, if verb == "write" { lab.guard() } else { Guard::Filter })
}
