//! What jobs see of files, and what is left of what they write.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;

use perturb_cell::{CellOptions, End, Exchange, Job};

use crate::support::{has, has_layer, is_root, watch, ways, Bench, Place, LIMITS, LONG};

#[test]
fn what_a_job_writes_into_a_private_folder_is_gone_with_it() {
    let place = Place::new();
    fs::create_dir_all(place.path("build").join("sub/folder")).unwrap();
    fs::write(place.path("build").join("sub/old"), "old\n").unwrap();
    let before = listing(&place);
    for (way, options) in ways(&place).into_iter().take(2) {
        let mut bench = place.open_with(options);
        if !has_layer(&bench, "private views", bench.cell.layers().private_views) {
            return;
        }
        let look = "find . | sort; cat sub/old; stat -c %a . sub";
        let fresh = bench.says(look);
        for script in [
            "echo new >new",
            "echo more >>sub/old",
            "rm sub/old",
            "rm -r sub; mkdir sub; echo x >sub/old",
            "mv sub/old sub/folder/x",
            "chmod 700 sub",
            "chmod 700 .",
            "touch -d 2001-01-01 .",
            "mkdir -p a/b/c; chmod 0 a/b; ln -s /etc/passwd link; mkfifo fifo",
            "echo x >file; rm file",
        ] {
            assert_eq!(bench.sh(script).how, End::Exited(0), "{way}: {script}");
            assert_eq!(bench.says(look), fresh, "{way}: {script}");
        }
    }
    assert_eq!(listing(&place), before, "the folder itself was written to");
}

fn listing(place: &Place) -> Vec<u8> {
    let script = "find . -printf '%p %m %U %T@ %s %l\\n' | sort";
    let output = std::process::Command::new("sh").args(["-c", script]).current_dir(place.path("build")).output();
    output.unwrap().stdout
}

#[test]
fn a_job_sees_its_own_writes_and_another_cell_does_not() {
    let place = Place::new();
    let told = watch(place.fifo("ready"));
    // Open for both, so that nobody waits for the other side to open it.
    let mut go = fs::File::options().read(true).write(true).open(place.fifo("go")).unwrap();
    let (mut one, mut other) = (place.open(), place.open());
    if !has_layer(&one, "private views", one.cell.layers().private_views) {
        return;
    }
    let script = "echo x >new; echo x >/tmp/perturb-test; echo x >$HOME/h; echo >../log/ready; read line <../log/go; \
                  cat new /tmp/perturb-test";
    let running = std::thread::spawn(move || one.says(script));
    assert_eq!(told.recv_timeout(LONG), Ok("started"));
    assert_eq!(other.says("ls -A; ls -A $HOME; ls /tmp/perturb-test 2>/dev/null; echo end"), "end\n");
    go.write_all(b"\n").unwrap();
    assert_eq!(running.join().unwrap(), "x\nx\n");
}

/// What closes a folder, where a job may: an ordinary user's without a root of its own may not.
fn chmod(bench: &Bench) -> &'static str {
    let may = is_root() || bench.cell.layers().mount_namespace;
    if may {
        "chmod"
    } else {
        "true"
    }
}

#[test]
fn home_and_temporary_folders_are_empty_again_for_every_job() {
    let place = Place::new();
    for (way, options) in ways(&place) {
        let mut bench = place.open_with(options);
        let chmod = chmod(&bench);
        let look = "cd; ls -A . $TMPDIR; echo $PWD; stat -c %a .; test -w . && test -w $TMPDIR";
        let fresh = bench.sh(look);
        assert_eq!(fresh.how, End::Exited(0), "{way}");
        for script in [
            &format!("mkdir -p $HOME/.cache/a $TMPDIR/b; echo x >$TMPDIR/b/c; {chmod} 0 $HOME/.cache $TMPDIR/b"),
            &format!("{chmod} 500 $HOME"),
            "rm -rf $HOME $TMPDIR; true",
        ] {
            assert_eq!(bench.sh(script).how, End::Exited(0), "{way}: {script}");
            assert_eq!(bench.sh(look).output, fresh.output, "{way}: {script}");
        }
        if bench.cell.layers().mount_namespace {
            let script = "for d in /tmp /var/tmp /dev/shm; do ! test -e $d/perturb-test && : >$d/perturb-test; done";
            assert_eq!((bench.sh(script).how, bench.sh(script).how), (End::Exited(0), End::Exited(0)), "{way}");
        }
    }
}

#[test]
fn only_what_is_shared_is_really_written() {
    let place = Place::new();
    fs::create_dir(place.path("build").join("records")).unwrap();
    for (way, mut options) in ways(&place) {
        options.shared.push(place.path("build").join("records"));
        let mut bench = place.open_with(options);
        let inside = way != "without namespaces" && bench.cell.layers().private_views;
        for round in ["1", "2"] {
            let script =
                format!("echo {round} >../log/one; echo {round} >records/two; echo x >gone; echo x >../tree/y");
            let how = bench.sh(&script).how;
            for path in ["log/one", "build/records/two"] {
                assert_eq!(fs::read_to_string(place.path(path)).unwrap(), format!("{round}\n"), "{way}");
            }
            if inside {
                assert_eq!(how, End::Exited(2), "{way}: the tree is read-only");
                assert!(!place.path("build/gone").exists() && !place.path("tree/y").exists(), "{way}");
            }
        }
        let script = "cat ../log/one records/two";
        assert_eq!(bench.says(script), "2\n2\n", "{way}");
    }
}

#[test]
fn a_build_that_changed_a_private_folder_is_seen() {
    let place = Place::new();
    let (program, new) = (place.path("build").join("program"), place.path("build").join("new"));
    for (way, options) in ways(&place) {
        fs::write(&program, "one\n").unwrap();
        let mut bench = place.open_with(options);
        assert_eq!(bench.says("cat program"), "one\n", "{way}");
        fs::write(&new, "two\n").unwrap();
        fs::rename(&new, &program).unwrap();
        fs::write(place.path("build").join("more"), "more\n").unwrap();
        bench.cell.folders_changed();
        assert_eq!(bench.says("cat program more"), "two\nmore\n", "{way}");
        fs::remove_file(place.path("build").join("more")).unwrap();
        bench.cell.folders_changed();
        assert_eq!(bench.says("ls"), "program\n", "{way}");
    }
}

#[test]
fn every_job_starts_from_the_same_environment() {
    let place = Place::new();
    let mut bench = place.open();
    let environment: [(OsString, Option<OsString>); 2] = [("ADDED".into(), Some("a b".into())), ("SHELL".into(), None)];
    let arguments = ["-c".into(), "env; echo $ADDED; echo $SHELL; umask; ls /proc/self/fd | wc -l; cat".into()];
    let directory = &bench.directory;
    let job = Job {
        program: Path::new("/bin/sh"),
        arguments: &arguments,
        directory,
        environment: &environment,
        limits: LIMITS,
    };
    let text = String::from_utf8(bench.cell.run(&job).unwrap().output).unwrap();
    assert!(text.ends_with("\na b\n\n0022\n4\n"), "{text}");
    assert!(text.contains("\nPATH=") || text.starts_with("PATH="), "{text}");
    assert!(!text.contains("CARGO") && !text.contains("TERM=") && !text.contains("SHELL="), "{text}");
    if bench.cell.layers().own_proc {
        let number = "echo $$; sh -c 'echo $$'; head -c 30 /proc/self/maps";
        assert_eq!(bench.says(number), bench.says(number), "the same process numbers and addresses");
        assert!(bench.says(number).starts_with("2\n3\n"));
    }
}

#[test]
fn cells_side_by_side_do_not_disturb_each_other() {
    let place = Place::new();
    let mut benches: Vec<_> = (0..4).map(|_| place.open()).collect();
    if !has_layer(&benches[0], "private views", benches[0].cell.layers().private_views) {
        return;
    }
    std::thread::scope(|scope| {
        for (number, bench) in benches.iter_mut().enumerate() {
            scope.spawn(move || {
                let script = format!("test ! -e x && echo {number} >x && echo {number} >/tmp/x && cat x /tmp/x");
                (0..25).for_each(|_| assert_eq!(bench.says(&script), format!("{number}\n{number}\n")));
            });
        }
    });
}

#[test]
fn a_cell_removes_its_scratch_and_takes_one_that_was_left() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    for (way, options) in ways(&place) {
        let left = options.scratch.join("left/closed");
        fs::create_dir_all(&left).unwrap();
        fs::write(left.join("file"), "").unwrap();
        fs::set_permissions(&left, fs::Permissions::from_mode(0o0)).unwrap();
        let mut bench = place.open_with(CellOptions { ..options.clone() });
        let script = format!("mkdir $HOME/a; echo x >$HOME/a/b; {} 0 $HOME/a", chmod(&bench));
        assert_eq!(bench.sh(&script).how, End::Exited(0), "{way}");
        drop(bench);
        assert!(!options.scratch.exists(), "{way}");
    }
}

#[test]
fn of_the_devices_a_job_sees_those_that_do_no_harm() {
    let place = Place::new();
    let mut bench = place.open();
    if !has_layer(&bench, "mount namespace", bench.cell.layers().mount_namespace) {
        return;
    }
    let script = "head -c 3 /dev/zero >/dev/null; head -c 5 /dev/urandom | wc -c; echo fd >/dev/stdout; \
                  for f in /dev/*; do if test ! -L $f && { test -b $f || test -c $f; }; then echo $f; fi; done";
    let text = bench.says(script);
    let devices = "/dev/full\n/dev/null\n/dev/random\n/dev/tty\n/dev/urandom\n/dev/zero\n";
    assert_eq!(text, format!("5\nfd\n{devices}"));
    let source = "#define _XOPEN_SOURCE 600\n#include <fcntl.h>\n#include <stdlib.h>\n\
                  int main(void) { int m = posix_openpt(O_RDWR | O_NOCTTY);\n\
                  if (m < 0 || grantpt(m) || unlockpt(m)) return 1; return open(ptsname(m), O_RDWR | O_NOCTTY) < 0; \
                  }\n";
    if has("cc") {
        let program = place.compile("terminal", source);
        assert_eq!(bench.run(&program, &[], LIMITS).how, End::Exited(0), "a terminal can be had");
    }
}

#[test]
fn a_job_and_the_owner_of_its_cell_exchange_files_that_cannot_grow() {
    let place = Place::new();
    for (way, options) in ways(&place) {
        let path = place.path("note");
        let exchange = vec![Exchange { path: path.clone(), bytes: 6 }];
        let mut bench = place.open_with(CellOptions { exchange, ..options });
        let mut file = bench.cell.exchange()[0].try_clone().unwrap();
        file.write_all(b"asked\n").unwrap();
        let path = path.display();
        let script = format!("cat \"{path}\" && printf told | dd of=\"{path}\" conv=notrunc 2>/dev/null");
        assert_eq!(bench.says(&script), "asked\n", "{way}");
        let mut told = [0; 6];
        file.read_exact_at(&mut told, 0).unwrap();
        assert_eq!(&told, b"toldd\n", "{way}");
        if bench.cell.layers().mount_namespace {
            let grow = format!("dd if=/dev/zero of=\"{path}\" bs=64k count=4");
            assert_ne!(bench.sh(&grow).how, End::Exited(0), "{way}: it has room for no more");
            assert_ne!(bench.sh(&format!("rm -f \"{path}\"")).how, End::Exited(0), "{way}");
            assert!(!place.path("note").exists(), "{way}: it is nowhere else");
        }
    }
}
