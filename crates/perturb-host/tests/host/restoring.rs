//! Without private views, a run that is killed leaves the copy of a project as a job made it: the next run makes the
//! copy anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use perturb_cell::{Cell, CellOptions, Job, Limits, Sandbox};
use perturb_host::{discover, DiscoverOptions, Shadow};

use crate::support::{has, watch, Scene, LONG};

/// Says where the process that is to be killed finds its folders.
const WORK: &str = "PERTURB_TEST_PRISTINE";

/// The other half of the test below: it does something only in the process that it starts.
#[test]
fn tampers_until_it_is_killed() {
    let Some(folder) = std::env::var_os(WORK).map(PathBuf::from) else { return };
    let (root, work, log) = (folder.join("my project"), folder.join("it's work"), folder.join("log"));
    let project = discover(&root, &work, &DiscoverOptions::default(), &mut |_| ()).unwrap();
    let shadow = Shadow::open(&project, &work, None, &DiscoverOptions::default(), &mut |_| ()).unwrap();
    let options = CellOptions {
        private: shadow.folders(),
        pristine: Some(shadow.pristine()),
        shared: vec![log.clone()],
        sandbox: Sandbox::WITHOUT_NAMESPACES,
        ..CellOptions::new(work.join("cells/0"))
    };
    let mut cell = Cell::open(&options).unwrap();
    let script = "exec 3>\"$1/pipe\"; cp show.o core.o; sed -i s/original/tampered/ src/show.c; \
                  mkdir -p src/x; chmod 0 src/x; printf '#!/bin/sh\\necho tampered' >draft; \
                  touch -r show draft; cat draft >show; touch -r draft show; echo started >&3; sleep 50";
    let arguments = ["-c".into(), script.into(), "sh".into(), log.into_os_string()];
    let (directory, limits) = (shadow.tree(), Limits::default());
    let job = Job { program: Path::new("/bin/sh"), arguments: &arguments, directory, environment: &[], limits };
    panic!("the job went to its end: {:?}", cell.run(&job));
}

#[test]
fn after_a_kill_the_next_run_makes_the_folders_anew() {
    if !has("make") || !has("cc") {
        return;
    }
    let scene = Scene::new(&[
        ("src/show.c", "#include <stdio.h>\nint main(void) { puts(\"original\"); return 0; }\n"),
        ("Makefile", "show: show.o\n\tcc -o $@ show.o\nshow.o: src/show.c\n\tcc -c -o $@ src/show.c\n"),
    ]);
    let build = || {
        let project = scene.discover().unwrap();
        let mut shadow = Shadow::open(&project, &scene.work(), None, &DiscoverOptions::default(), &mut |_| ()).unwrap();
        assert!(shadow.build(1, &scene.work().join("log")).unwrap().success);
        let said = Command::new(shadow.tree().join("show")).output().unwrap().stdout;
        (String::from_utf8(said).unwrap(), shadow.tree().to_path_buf())
    };
    assert_eq!(build().0, "original\n");
    let log = scene.root().with_file_name("log");
    fs::create_dir(&log).unwrap();
    assert!(Command::new("mkfifo").arg("-m666").arg(log.join("pipe")).status().unwrap().success());
    let told = watch(log.join("pipe"));
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "restoring::tampers_until_it_is_killed"]).env(WORK, log.parent().unwrap());
    let mut process = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let started = told.recv_timeout(LONG);
    process.kill().unwrap();
    process.wait().unwrap();
    assert_eq!((started, told.recv_timeout(LONG)), (Ok("started"), Ok("ended")));
    assert!(scene.work().join("unrestored").exists());
    let (said, tree) = build();
    assert_eq!(said, "original\n");
    let mut names: Vec<_> = fs::read_dir(tree.join("src")).unwrap().map(|item| item.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["show.c"]);
    assert!(!scene.work().join("unrestored").exists() && !scene.work().join("pristine").exists());
}
