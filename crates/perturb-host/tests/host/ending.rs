//! A build ends with us, in whatever way we end.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use perturb_host::{discover, DiscoverOptions};

use crate::support::{has, watch, Scene, LONG};

/// Names the folder in which the process that is to be ended finds its project.
const FOLDER: &str = "PERTURB_TEST_ENDING";

/// A process below `make`, one in the background of the same shell, and one in a group of its own: all hold the pipe
/// open until they end.
const MAKEFILE: &str = "all:\n\texec 3>pipe; sleep 90 & timeout 90 sleep 90 & echo started >&3; wait\n";

/// The other half of the tests below: it does something only in the process that they start.
#[test]
fn discovers_until_it_is_ended() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let options = DiscoverOptions { build_command: Some("make".to_string()), ..DiscoverOptions::default() };
    let found = discover(&folder, &folder.with_file_name("work"), &options, &mut |_| ());
    panic!("the build went to its end: {found:?}");
}

/// Starts that test as a process. With `nohup` hang-ups are ignored, in the background of a script interrupts are, and
/// the process would be right to do so.
fn start(folder: &Path) -> Child {
    let mut command = Command::new("env");
    command.arg("--default-signal").arg(std::env::current_exe().unwrap());
    command.args(["--exact", "ending::discovers_until_it_is_ended"]).env(FOLDER, folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn ends_by(signal: &str) {
    if !has("make") || !has("timeout") {
        return;
    }
    let scene = Scene::new(&[("a.c", "int a;\n")]);
    let pipe = scene.root().with_file_name("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    scene.write("Makefile", &MAKEFILE.replace("pipe", &format!("'{}'", pipe.display())));
    let told = watch(pipe);
    let mut process = start(&scene.root());
    let started = told.recv_timeout(LONG);
    let signalled = Command::new("kill").args([signal, &process.id().to_string()]).status().unwrap();
    let ended = told.recv_timeout(LONG);
    process.kill().unwrap();
    assert!(signalled.success() && !process.wait().unwrap().success());
    assert_eq!((started, ended), (Ok("started"), Ok("ended")), "the build goes on without us");
}

#[test]
fn a_build_ends_when_we_are_told_to_end() {
    ends_by("-TERM");
    ends_by("-INT");
    ends_by("-HUP");
}

#[test]
fn a_build_ends_when_we_are_killed() {
    ends_by("-KILL");
}
