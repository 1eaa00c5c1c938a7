//! The machine: closed and full outputs, full disks, limits, missing rights.

use std::path::Path;
use std::process::Command;

use super::{Machine, Project, Row, GOOD};
use crate::scene::{self, Scene, FINE, STORE, UNUSABLE};

const fn shell(name: &'static str, script: &'static str, code: i32, told: &'static [&'static str]) -> Row {
    Row { name, machine: Machine::Shell(script), code, told, ..GOOD }
}

pub const ROWS: &[Row] = &[
    shell("a reader who goes away", "\"$@\" | true", FINE, &[]),
    shell("a closed output", "exec \"$@\" >&-", FINE, &[]),
    shell(
        "an output on a full disk",
        "exec \"$@\" >/dev/full",
        UNUSABLE,
        &["cannot write the output", "No space left"],
    ),
    Row {
        command: &["mutants", "--format", "json"],
        ..shell("an output of data on a full disk", "exec \"$@\" >/dev/full", UNUSABLE, &["cannot write the output"])
    },
    shell("a closed input and no variables", "exec env -i PATH=\"$PATH\" \"$@\" <&-", FINE, &[]),
    Row {
        project: Project::Make,
        command: &["run", "--work", "OUT", "--tce", "off"],
        machine: Machine::Mounting("mount -t tmpfs -o size=64k none OUT && exec \"$@\""),
        ..shell("a full disk", "", STORE, &["no space left", "free some"])
    },
    Row {
        project: Project::Make,
        command: &["run", "--work", "OUT", "--tce", "off"],
        machine: Machine::Mounting("mount -t tmpfs -o ro none OUT && exec \"$@\""),
        ..shell("a disk that is only for reading", "", STORE, &["out", "ead-only"])
    },
    Row {
        project: Project::Make,
        command: &["run", "--tce", "off"],
        ..shell("files that may not grow", "ulimit -f 8; exec \"$@\"", STORE, &["no space left", "work/store.sqlite"])
    },
    shell(
        "no memory for the stack of a thread",
        "ulimit -v 400000; exec \"$@\"",
        UNUSABLE,
        &["no more than 390 MB", "cannot start a thread", "ulimit -v", "--jobs 1"],
    ),
    shell(
        "no memory for libclang",
        "ulimit -v 150000; exec \"$@\"",
        UNUSABLE,
        &["no more than 146 MB", "cannot be used as libclang"],
    ),
    shell("a gigabyte of memory", "ulimit -v 1000000; exec \"$@\"", FINE, &[]),
    Row {
        project: Project::Make,
        command: &["run", "--jobs", "2"],
        ..shell("a gigabyte of memory for a run", "ulimit -v 1000000; exec \"$@\"", FINE, &[])
    },
    Row {
        command: &["report"],
        ..shell("a report with little memory", "ulimit -v 100000; exec \"$@\"", STORE, &["no analysis in"])
    },
    Row {
        project: Project::Make,
        command: &["run", "--tce", "off"],
        ..shell(
            "too few open files",
            "ulimit -n 8; exec \"$@\"",
            STORE,
            &["cannot write", "work.id", "Too many open files"],
        )
    },
];

/// A command behind a shell's script, which starts it as `"$@"`.
pub fn by_shell(plain: &Command, script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh"]).arg(plain.get_program()).args(plain.get_args());
    alike(&mut command, plain);
    command
}

fn alike(command: &mut Command, plain: &Command) {
    if let Some(folder) = plain.get_current_dir() {
        command.current_dir(folder);
    }
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

/// The same, with mounts of its own, where the kernel allows that.
pub fn with_own_mounts(plain: &Command, script: &str, place: &Path) -> Option<Command> {
    let mut command = scene::with_own_mounts(&script.replace("OUT", place.to_str().expect("a plain path")))?;
    command.arg("sh").arg(plain.get_program()).args(plain.get_args());
    alike(&mut command, plain);
    Some(command)
}

/// Whether nothing is forbidden to this user.
pub fn may_do_all(scene: &Scene) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let file = scene.outside("forbidden");
    std::fs::write(&file, "").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o000)).unwrap();
    std::fs::read(&file).is_ok()
}
