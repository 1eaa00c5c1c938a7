//! Exit statuses, signals and output, exactly.

use std::path::Path;

use perturb_cell::{CellError, End, Limits};

use crate::support::{ways, Place, LIMITS};

#[test]
fn exit_statuses_and_signals_are_exact() {
    let place = Place::new();
    for (way, options) in ways(&place) {
        let mut bench = place.open_with(options);
        for (script, expected) in [
            ("exit 0", End::Exited(0)),
            ("exit 3", End::Exited(3)),
            ("exit 127", End::Exited(127)),
            ("exit 137", End::Exited(137)),
            ("exit 255", End::Exited(255)),
            ("kill -ABRT $$", End::Signalled(6)),
            ("kill -KILL $$", End::Signalled(9)),
            ("kill -SEGV $$", End::Signalled(11)),
            ("kill -PIPE $$", End::Signalled(13)),
            ("kill -TERM $$", End::Signalled(15)),
            // Signals by which limits are told: without having used anything they are the program's own.
            ("kill -XCPU $$", End::Signalled(24)),
            ("kill -PROF $$", End::Signalled(27)),
            ("kill -INT 0; sleep 60", End::Signalled(2)),
        ] {
            assert_eq!(bench.sh(script).how, expected, "{way}: {script}");
        }
    }
}

#[test]
fn standard_output_and_error_come_together_in_their_order() {
    let place = Place::new();
    let mut bench = place.open();
    let ended = bench.sh("echo one; echo two >&2; cat; echo three");
    assert_eq!((ended.output.as_slice(), ended.cut, ended.output_bytes), (&b"one\ntwo\nthree\n"[..], None, 14));
}

#[test]
fn endless_output_is_drained_and_its_ends_are_kept() {
    let place = Place::new();
    for (way, options) in ways(&place) {
        let mut bench = place.open_with(options);
        let limits = Limits { output_bytes: 1000, ..LIMITS };
        let ended = bench.sh_within("echo first; head -c 5000000 /dev/zero; echo last", limits);
        assert_eq!((ended.how, ended.output_bytes, ended.cut), (End::Exited(0), 5_000_011, Some(500)), "{way}");
        assert_eq!(ended.output.len(), 1000);
        assert!(ended.output.starts_with(b"first\n\0") && ended.output.ends_with(b"\0last\n"), "{way}");
    }
}

#[test]
fn a_daemon_that_keeps_the_output_open_is_not_waited_for() {
    let place = Place::new();
    for (way, options) in ways(&place) {
        let mut bench = place.open_with(options);
        let ended = bench.sh("(setsid sleep 50 &) ; echo done");
        assert_eq!((ended.how, ended.output.as_slice()), (End::Exited(0), &b"done\n"[..]), "{way}");
        assert!(ended.wall.as_secs() < 40, "{way}: {:?}", ended.wall);
    }
}

#[test]
fn a_program_that_cannot_be_started_is_named_with_the_reason() {
    let place = Place::new();
    for (way, options) in ways(&place) {
        let mut bench = place.open_with(options);
        for (program, reason) in [("/no/such/program", "No such file"), ("/etc/passwd", "Permission denied")] {
            let error = bench.try_run(Path::new(program), &[], LIMITS).unwrap_err();
            assert!(matches!(error, CellError::ProgramNotStarted { .. }), "{way}: {error}");
            assert!(error.to_string().contains(program) && error.to_string().contains(reason), "{way}: {error}");
        }
        let long = "x".repeat(9 << 20);
        let error = bench.try_run(Path::new("/bin/true"), &[&long], LIMITS).unwrap_err();
        assert!(error.to_string().contains("too long"), "{way}: {error}");
        bench.directory = "/no/such/folder".into();
        let error = bench.try_run(Path::new("/bin/true"), &[], LIMITS).unwrap_err();
        assert!(error.to_string().contains("folder"), "{way}: {error}");
        bench.directory = "/".into();
        assert_eq!(bench.sh("exit 4").how, End::Exited(4), "{way}: works on after errors");
    }
}

#[test]
fn many_arguments_arrive() {
    let place = Place::new();
    let mut bench = place.open();
    let many = vec!["argument"; 50_000];
    let arguments: Vec<&str> = ["-c", "echo $#", "sh"].into_iter().chain(many).collect();
    assert_eq!(bench.run(Path::new("/bin/sh"), &arguments, LIMITS).output, b"50000\n");
}
