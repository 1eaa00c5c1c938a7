//! Several runs in one work folder, and a work folder in the user's repository.

use std::fs::{self, File};
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use perturb_host::{discover, DiscoverOptions, DiscoveryProgress};

use crate::support::{has, Scene};

const LONG: Duration = Duration::from_secs(60);

fn scene() -> Scene {
    let names: Vec<String> = (0..8).map(|number| format!("f{number}")).collect();
    let objects: Vec<String> = names.iter().map(|name| format!("{name}.o")).collect();
    let scene = Scene::new(&[("Makefile", &format!("all: {}\n%.o: %.c\n\tcc -c $<\n", objects.join(" ")))]);
    names.iter().for_each(|name| scene.write(&format!("{name}.c"), "int x;\n"));
    scene
}

#[test]
fn runs_at_the_same_time_in_a_fresh_work_folder_all_find_the_same() {
    let scene = scene();
    let units: Vec<_> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| scene.discover().unwrap().units)).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert_eq!(units[0].len(), 8);
    assert!(units.iter().all(|other| *other == units[0]));
}

#[test]
fn a_run_tells_that_it_waits_for_another_one() {
    let scene = scene();
    fs::create_dir_all(scene.work()).unwrap();
    let other = File::create(scene.work().join("lock")).unwrap();
    other.lock().unwrap();
    let (sender, told) = mpsc::channel();
    std::thread::scope(|scope| {
        let run = scope.spawn(|| {
            let mut tell = |progress: &DiscoveryProgress| sender.send(progress.clone()).unwrap();
            discover(&scene.root(), &scene.work(), &DiscoverOptions::default(), &mut tell)
        });
        let first = told.recv_timeout(LONG).unwrap();
        assert_eq!(first, DiscoveryProgress::Waiting { work: scene.work() });
        assert!(first.to_string().starts_with("waiting for another perturb in this work folder"), "{first}");
        other.unlock().unwrap();
        assert_eq!(run.join().unwrap().unwrap().units.len(), 8);
    });
    assert!(matches!(told.try_recv().unwrap(), DiscoveryProgress::Building { .. }));
}

#[test]
fn a_work_folder_in_a_repository_is_hidden_from_git_and_headers_in_it_from_nobody() {
    if !has("git") {
        return;
    }
    let scene = Scene::new(&[("Makefile", "all:\n\tcc -c a.c\n"), ("a.c", "#include \"a.h\"\n"), ("a.h", "int a;\n")]);
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(scene.root()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "-q"]);
    let work = scene.root().join(".perturb");
    let project = discover(&scene.root(), &work, &DiscoverOptions::default(), &mut |_| ()).unwrap();
    assert_eq!(git(&["status", "--porcelain", "--untracked-files=all"]), "?? Makefile\n?? a.c\n?? a.h\n");
    assert_eq!(project.headers(), [project.source_root.join("a.h")]);
}
