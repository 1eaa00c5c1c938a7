//! What a job may use of the machine.

use std::path::Path;
use std::time::Duration;

use perturb_cell::{CellOptions, End, Limits, Sandbox};

use crate::support::{has, has_layer, ways, Place, LIMITS};

const SPIN: &str = "while :; do :; done";

fn cpu_limit(milliseconds: u64) -> Limits {
    Limits { cpu: Duration::from_millis(milliseconds), ..LIMITS }
}

#[test]
fn processor_time_runs_out_for_a_program_and_for_all_it_starts_together() {
    let place = Place::new();
    for (way, options) in ways(&place) {
        let mut bench = place.open_with(options);
        let children = format!("({SPIN}) & ({SPIN}) & wait");
        let escaped = format!("(setsid sh -c '{SPIN}' &); sleep 50");
        let many = "while :; do /bin/true; done".to_string();
        for script in [SPIN.to_string(), format!("trap '' XCPU PROF; {SPIN}"), children, escaped, many] {
            let ended = bench.sh_within(&script, cpu_limit(150));
            assert_eq!(ended.how, End::CpuTimeout, "{way}: {script}");
            // Finer than a second, by far, and not before the limit. A busy machine may be late to look.
            assert!(ended.cpu >= Duration::from_millis(150), "{way}: {script}: {:?}", ended.cpu);
            assert!(ended.cpu < Duration::from_millis(900), "{way}: {script}: {:?}", ended.cpu);
        }
        // The same amount for the next one.
        assert_eq!(bench.sh_within("exit 5", cpu_limit(150)).how, End::Exited(5), "{way}");
    }
}

#[test]
fn files_without_contents_are_limited_too() {
    let place = Place::new();
    let mut bench = place.open();
    if !has_layer(&bench, "temporary files in memory", bench.cell.layers().in_memory) {
        return;
    }
    let script = "i=0; while [ $i -lt 20000 ]; do : >$HOME/$i || exit 3; i=$((i+1)); done";
    // The shell ends with 2 when it cannot make one.
    assert_eq!(bench.sh(script).how, End::Exited(2));
    assert_eq!(bench.sh("echo x >$HOME/1").how, End::Exited(0), "the next job has room again");
}

#[test]
fn who_sleeps_or_is_stopped_runs_into_the_wall_clock() {
    let place = Place::new();
    for (way, options) in ways(&place) {
        let mut bench = place.open_with(options);
        let limits = Limits { wall: Duration::from_millis(150), ..LIMITS };
        for script in ["sleep 50", "kill -STOP $$", "trap '' TERM INT HUP; sleep 50 & wait", "(sleep 50) | cat"] {
            let ended = bench.sh_within(script, limits);
            assert_eq!(ended.how, End::WallTimeout, "{way}: {script}");
            assert!(ended.wall >= limits.wall && ended.wall.as_secs() < 40, "{way}: {:?}", ended.wall);
        }
        assert_eq!(bench.sh("exit 5").how, End::Exited(5), "{way}");
    }
}

#[test]
fn processor_time_is_that_of_all_processes() {
    let place = Place::new();
    let mut bench = place.open();
    let script = "i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done";
    let alone = bench.sh(script).cpu;
    let both = bench.sh(&format!("({script}) & {script}; wait")).cpu;
    assert!(both > alone.mul_f64(1.3), "{alone:?} {both:?}");
    assert!(bench.sh("sleep 0.05").cpu < Duration::from_millis(45));
}

/// Starts children until it may not; each sleeps. Bounded, should there be no limit.
const FORKS: &str = "#include <stdio.h>\n#include <unistd.h>\n\
    int main(void) { int n = 0; while (n < 100) { pid_t p = fork(); if (p < 0) break;\n\
    if (p == 0) { sleep(50); _exit(0); } n++; } printf(\"%d\\n\", n); return 0; }\n";

/// Every process starts two more, six generations deep: 127 in all.
const BOMB: &str = "#include <unistd.h>\n\
    int main(void) { for (int i = 0; i < 6; i++) fork(); sleep(50); return 0; }\n";

#[test]
fn processes_are_limited_and_none_is_left() {
    if !has("cc") {
        return;
    }
    let place = Place::new();
    let (forks, bomb) = (place.compile("forks", FORKS), place.compile("bomb", BOMB));
    for (way, options) in ways(&place) {
        let mut bench = place.open_with(options);
        let limits = Limits { processes: 10, ..LIMITS };
        if has_layer(&bench, "user namespace", bench.cell.layers().user_namespace) {
            let ended = bench.run(&forks, &[], limits);
            assert_eq!((ended.how, ended.output.as_slice()), (End::Exited(0), &b"9\n"[..]), "{way}");
        }
        // Where the kernel cannot count for us the server does, and kills.
        let how = bench.run(&bomb, &[], Limits { wall: Duration::from_millis(400), ..limits }).how;
        assert!(matches!(how, End::WallTimeout | End::Signalled(9)), "{way}: {how:?}");
        if has_layer(&bench, "/proc of its own", bench.cell.layers().own_proc) {
            assert_eq!(bench.says("set -- /proc/[0-9]*; echo $#"), "2\n", "the server and a shell");
        }
    }
}

#[test]
fn cells_do_not_count_each_others_processes() {
    if !has("cc") {
        return;
    }
    let place = Place::new();
    let program = place.compile("forks", FORKS);
    let limits = Limits { processes: 10, ..LIMITS };
    let mut benches = [place.open(), place.open(), place.open()];
    if !has_layer(&benches[0], "user namespace", benches[0].cell.layers().user_namespace) {
        return;
    }
    std::thread::scope(|scope| {
        for bench in &mut benches {
            scope.spawn(|| {
                for _ in 0..10 {
                    assert_eq!(bench.run(&program, &[], limits).output, b"9\n");
                }
            });
        }
    });
}

#[test]
fn memory_and_files_are_limited() {
    if !has("cc") {
        return;
    }
    let place = Place::new();
    let source = "#include <stdlib.h>\n#include <string.h>\n\
                  int main(void) { for (int n = 0; n < 256; n++) {\n\
                  char *p = malloc(1 << 20); if (!p) return 12; memset(p, 1, 1 << 20); } return 0; }\n";
    let program = place.compile("hog", source);
    for (way, options) in ways(&place) {
        let mut bench = place.open_with(options);
        let limits = Limits { memory_bytes: Some(32 << 20), file_bytes: 100_000, ..LIMITS };
        assert_eq!(bench.run(&program, &[], limits).how, End::Exited(12), "{way}");
        let how = bench.sh_within("exec head -c 200000 /dev/zero >$HOME/file", limits).how;
        assert_eq!(how, End::Signalled(25), "{way}: SIGXFSZ");
        assert_eq!(bench.sh_within("exec head -c 90000 /dev/zero >$HOME/file", limits).how, End::Exited(0), "{way}");
    }
}

#[test]
fn a_job_cannot_fill_more_memory_with_files_than_the_cell_has() {
    let place = Place::new();
    let mut bench = place.open();
    if !has_layer(&bench, "scratch in memory", bench.cell.layers().in_memory) {
        return;
    }
    let script = "i=0; while [ $i -lt 20 ]; do head -c 8000000 /dev/zero >$TMPDIR/$i || exit 28; i=$((i+1)); done";
    assert_eq!(bench.sh(script).how, End::Exited(28));
    assert_eq!(bench.sh("head -c 8000000 /dev/zero >$TMPDIR/new").how, End::Exited(0), "it is given back");
}

/// The processor time of this process and of all those that it started and that have ended.
fn cpu_with_children() -> Duration {
    let of = |whose: libc::c_int| {
        // SAFETY: `rusage` is a plain structure of integers, for which all zeros is a value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: the pointer is to a value that lives longer than the call.
        unsafe { libc::getrusage(whose, &mut usage) };
        [usage.ru_utime, usage.ru_stime]
            .into_iter()
            .map(|time| {
                Duration::from_secs(time.tv_sec.try_into().unwrap())
                    + Duration::from_micros(time.tv_usec.try_into().unwrap())
            })
            .sum::<Duration>()
    };
    of(libc::RUSAGE_SELF) + of(libc::RUSAGE_CHILDREN)
}

/// Not a check but a measurement, for `bench/spawn`: CPU of a job, in microseconds, with one layer more from line to
/// line.
#[test]
#[ignore = "measures"]
fn cost_of_a_job() {
    const JOBS: u32 = 1000;
    let place = Place::new();
    let bare = || {
        let start = cpu_with_children();
        for _ in 0..JOBS {
            assert!(std::process::Command::new("/bin/true").status().unwrap().success());
        }
        cpu_with_children() - start
    };
    let in_cell = |sandbox: Sandbox, job_memory: Option<u64>, script: &str, jobs: u32| {
        let start = cpu_with_children();
        let mut bench = place.open_with(CellOptions { sandbox, job_memory, ..place.options() });
        for _ in 0..jobs {
            let ended = match script {
                "" => bench.run(Path::new("/bin/true"), &[], LIMITS),
                script => bench.sh(script),
            };
            assert_eq!(ended.how, End::Exited(0));
        }
        let layers = bench.cell.layers().to_string();
        // What its server took is known when it has ended.
        drop(bench);
        (cpu_with_children() - start, layers)
    };
    let tell = |name: &str, cpu: Duration, jobs: u32, layers: &str| {
        println!("cost\t{name}\t{:.1}\t{layers}", cpu.as_secs_f64() * 1e6 / f64::from(jobs));
    };
    tell("a process of its own", bare(), JOBS, "");
    let landlock = Sandbox { landlock: true, ..Sandbox::OFF };
    let ways = [
        ("limits, user, output", Sandbox::OFF, None, ""),
        ("and Landlock", landlock, None, ""),
        ("and seccomp", Sandbox::WITHOUT_NAMESPACES, None, ""),
        ("and namespaces with views", Sandbox::FULL, None, ""),
        ("and a control group", Sandbox::FULL, Some(1 << 30), ""),
        ("a shell that writes nothing", Sandbox::FULL, Some(1 << 30), ":"),
        ("a shell that writes", Sandbox::FULL, Some(1 << 30), "echo x > file; echo x > $TMPDIR/y"),
    ];
    for (name, sandbox, memory, script) in ways {
        let (one, _) = in_cell(sandbox, memory, script, 1);
        let (all, layers) = in_cell(sandbox, memory, script, JOBS + 1);
        tell(name, all.saturating_sub(one), JOBS, &layers);
        if script.is_empty() {
            tell(&format!("opening a cell: {name}"), one, 1, &layers);
        }
    }
}
