//! Nothing of a job outlives it, its cell, or the process that opened the cell.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use perturb_cell::{Cell, CellError, CellOptions, End, Job, Limits, Sandbox};

use crate::support::{has, has_layer, watch, ways, Place, LIMITS, LONG};

/// Says where the process that is to be killed finds its folders, and how its cell is to be made.
const FOLDER: &str = "PERTURB_TEST_CELL";
const NAMESPACES: &str = "PERTURB_TEST_NAMESPACES";

/// A child, a daemon that closed everything but the pipe, and the job itself: all hold the pipe open until they end.
const JOB: &str = "exec 3>pipe; sleep 50 & (setsid sh -c 'sleep 50' >/dev/null 2>&1 &); echo started >&3; wait";

/// The other half of the test below: it does something only in the process that it starts.
#[test]
fn runs_until_it_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let log = folder.join("log");
    let sandbox = match std::env::var_os(NAMESPACES).is_some_and(|value| value == "true") {
        true => Sandbox::FULL,
        false => Sandbox::WITHOUT_NAMESPACES,
    };
    let scratch = folder.join(format!("cell {}", std::process::id()));
    let options = CellOptions { shared: vec![log.clone()], sandbox, ..CellOptions::new(scratch) };
    let mut cell = Cell::open(&options).unwrap();
    let arguments = ["-c".into(), JOB.into()];
    let job =
        Job { program: Path::new("/bin/sh"), arguments: &arguments, directory: &log, environment: &[], limits: LIMITS };
    panic!("the job went to its end: {:?}", cell.run(&job));
}

#[test]
fn an_owner_that_is_killed_leaves_no_process() {
    for namespaces in ["true", "false"] {
        let place = Place::new();
        let told = watch(place.fifo("pipe"));
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "outliving::runs_until_it_is_killed"]);
        command.env(FOLDER, place.path("")).env(NAMESPACES, namespaces);
        let mut process = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let started = told.recv_timeout(LONG);
        process.kill().unwrap();
        process.wait().unwrap();
        assert_eq!((started, told.recv_timeout(LONG)), (Ok("started"), Ok("ended")), "namespaces: {namespaces}");
    }
}

#[test]
fn a_job_that_is_over_leaves_no_process() {
    let place = Place::new();
    for (way, options) in ways(&place) {
        let told = watch(place.fifo(way));
        let mut bench = place.open_with(options);
        let script = JOB.replace("pipe", &format!("'../log/{way}'")).replace("; wait", "");
        assert_eq!(bench.sh(&script).how, End::Exited(0), "{way}");
        assert_eq!((told.recv_timeout(LONG), told.recv_timeout(LONG)), (Ok("started"), Ok("ended")), "{way}");
    }
}

#[test]
fn a_job_that_timed_out_leaves_no_process() {
    let place = Place::new();
    for (way, options) in ways(&place) {
        let told = watch(place.fifo(way));
        let mut bench = place.open_with(options);
        let limits = Limits { wall: Duration::from_millis(300), ..LIMITS };
        let ended = bench.sh_within(&JOB.replace("pipe", &format!("'../log/{way}'")), limits);
        assert_eq!(ended.how, End::WallTimeout, "{way}");
        assert_eq!((told.recv_timeout(LONG), told.recv_timeout(LONG)), (Ok("started"), Ok("ended")), "{way}");
    }
}

#[test]
fn a_cell_can_be_stopped_while_it_runs_a_job() {
    let place = Place::new();
    for (way, options) in ways(&place) {
        let told = watch(place.fifo(way));
        let mut bench = place.open_with(options.clone());
        let stopper = bench.cell.stopper().unwrap();
        let script = JOB.replace("pipe", &format!("'../log/{way}'"));
        let begun = Instant::now();
        std::thread::scope(|scope| {
            let running = scope.spawn(move || {
                let error = bench.try_run(Path::new("/bin/sh"), &["-c", &script], LIMITS).unwrap_err();
                (error, bench.try_run(Path::new("/bin/true"), &[], LIMITS).unwrap_err())
            });
            assert_eq!(told.recv_timeout(LONG), Ok("started"), "{way}");
            stopper.stop();
            let (first, later) = running.join().unwrap();
            assert!(matches!((first, later), (CellError::Stopped, CellError::Stopped)), "{way}");
        });
        assert_eq!(told.recv_timeout(LONG), Ok("ended"), "{way}");
        assert!(begun.elapsed() < Duration::from_secs(40) && !options.scratch.exists(), "{way}");
    }
}

#[test]
fn a_job_has_a_session_of_its_own() {
    let place = Place::new();
    for (way, options) in ways(&place) {
        let mut bench = place.open_with(options);
        let script = "set -- $(sed 's/.*) //' /proc/$$/stat); test $3 = $$ && test $4 = $$ && test $5 = 0";
        if bench.cell.layers().own_proc || way == "without namespaces" {
            assert_eq!(bench.sh(script).how, End::Exited(0), "{way}: group, session and terminal");
        }
    }
}

#[test]
fn shared_memory_semaphores_and_queues_do_not_outlive_a_job() {
    if !has("cc") {
        return;
    }
    let place = Place::new();
    let mut bench = place.open();
    if !has_layer(&bench, "ipc namespace", bench.cell.layers().ipc_namespace) {
        return;
    }
    let source = "#include <fcntl.h>\n#include <mqueue.h>\n#include <semaphore.h>\n#include <stdlib.h>\n\
        #include <sys/ipc.h>\n#include <sys/mman.h>\n#include <sys/msg.h>\n#include <sys/sem.h>\n#include <sys/shm.h>\n\
        int main(int c, char **v) { int f = IPC_CREAT | IPC_EXCL | 0600, o = O_CREAT | O_EXCL | O_RDWR; (void)c;\n\
        switch (atoi(v[1])) { case 0: return shmget(7, 4096, f) < 0; case 1: return semget(7, 1, f) < 0;\n\
        case 2: return msgget(7, f) < 0; case 3: return mq_open(\"/perturb\", o, 0600, 0) == (mqd_t)-1;\n\
        case 4: return sem_open(\"/perturb\", o, 0600, 1) == SEM_FAILED; default: return shm_open(\"/perturb\", o, \
        0600) < 0; } }\n";
    let program = place.compile("shares", source);
    for kind in ["0", "1", "2", "3", "4", "5"] {
        for _ in 0..2 {
            assert_eq!(bench.run(&program, &[kind], LIMITS).how, End::Exited(0), "{kind}");
        }
    }
}
