//! Without private views jobs write to the private folders themselves: nothing of that is there for the next job, for
//! the next cell, or for the next build.

use std::fs;
use std::os::unix::fs::{chown, symlink, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use perturb_cell::{CellOptions, End, PristineCopies, Sandbox};

use crate::support::{has, is_root, watch, Bench, Place, LIMITS, LONG};

/// A folder with some of everything that a build makes.
fn furnish(build: &Path) {
    fs::create_dir_all(build.join("sub/deep")).unwrap();
    fs::create_dir_all(build.join("empty")).unwrap();
    fs::create_dir_all(build.join("read only")).unwrap();
    fs::write(build.join("program"), "#!/bin/sh\necho original\n").unwrap();
    fs::write(build.join("sub/source.c"), "int a;\n").unwrap();
    fs::write(build.join("sub/deep/object.o"), [0u8; 70_000]).unwrap();
    fs::write(build.join("read only/data"), "data\n").unwrap();
    fs::write(build.join("odd\nname\\ 'of a\" file"), "odd\n").unwrap();
    fs::hard_link(build.join("program"), build.join("same program")).unwrap();
    symlink("sub/source.c", build.join("link")).unwrap();
    symlink("nowhere", build.join("dangling")).unwrap();
    let mode = |path: &str, mode| fs::set_permissions(build.join(path), fs::Permissions::from_mode(mode)).unwrap();
    mode("program", 0o755);
    mode("read only/data", 0o444);
    mode("read only", 0o555);
}

/// All that a restored folder must agree in: names, kinds, modes, owners, sizes, times, targets of links, contents, and
/// which names are those of one file.
fn listing(folder: &Path) -> String {
    let script = "find . -printf '%p %y %m %U:%G %T@ %n %l' \\( -type d -printf '\\n' -o -printf ' %s\\n' \\) | sort; \
                  find . -type f -exec sha256sum {} + | sort; test program -ef 'same program' && echo same";
    let output = Command::new("sh").args(["-c", script]).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What mutants may do to a folder. None of it leaves it.
const ATTACKS: [&str; 26] = [
    // In place: with another size; with the same size, and the time set back, once by the program and once by another
    // one.
    "echo more >>sub/source.c",
    "touch -r program ../tmp.time 2>/dev/null; touch -r program $HOME/time; printf '#!/bin/sh\\necho tampered\\n' \
     >program; \
     touch -r $HOME/time program",
    "cp -p program $HOME/p; sed -i s/original/tampered/ $HOME/p; cat $HOME/p >program; touch -r $HOME/time program; \
     true",
    // By another file.
    "cp -p program new; printf '#!/bin/sh\\necho tampered\\n' >new; touch -r program new; mv new program",
    "mv program sub/deep/program",
    "mv program moved; mv sub/source.c program",
    "rm program",
    "rm -rf sub",
    "rm -rf sub; echo file >sub",
    "rm -rf sub; ln -s ../log sub; echo x >sub/through",
    "rm link; ln -s program link",
    "rm link; echo x >link",
    "rm dangling; mkdir dangling; echo x >dangling/x",
    // Something more.
    "echo x >new; mkdir -p more/and/more; echo x >more/and/more/file",
    "echo x >program.gcda; echo x >sub/.hidden; echo x >\"$(printf 'a\\nb\\\\')\"",
    "mkfifo fifo; ln -s /etc/passwd users; ln -s . loop",
    "echo x >empty/new",
    "rmdir empty",
    // Modes and times.
    "chmod 600 program; chmod 777 sub; chmod 0 sub/source.c",
    "chmod 700 'read only'; rm -f 'read only/data'; echo new >'read only/more'; chmod 0 'read only'",
    "mkdir closed; echo x >closed/x; mkdir closed/inner; chmod 0 closed/inner closed",
    "touch -d 2001-01-01 program sub empty .; touch -h -d 2001-01-01 link",
    "chmod 0 sub/deep sub .",
    // Names of files that are there.
    "ln program alias; echo x >>alias",
    "rm 'same program'; cp -p program 'same program'",
    "i=0; while test $i -lt 150; do mkdir -p aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; cd -P \
     aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; \
     i=$((i + 1)); done; echo x >leaf",
];

fn weak(place: &Place) -> CellOptions {
    CellOptions { sandbox: Sandbox::WITHOUT_NAMESPACES, ..place.options() }
}

#[test]
fn whatever_a_job_does_to_a_folder_is_undone() {
    let place = Place::new();
    let build = place.path("build");
    furnish(&build);
    let before = listing(&build);
    let mut bench = place.open_with(weak(&place));
    for script in ATTACKS {
        assert!(matches!(bench.sh(script).how, End::Exited(_)), "{script}");
        assert_eq!(listing(&build), before, "{script}");
        assert_eq!(bench.says("./program; cat link"), "original\nint a;\n", "{script}");
    }
    drop(bench);
    assert_eq!(listing(&build), before);
    let left: Vec<_> = fs::read_dir(place.path("")).unwrap().map(|item| item.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "nothing but the folders themselves: {left:?}");
}

/// Root hands jobs to another user, and gives files back that were that user's; anybody else is the user of its jobs.
#[test]
fn an_ordinary_user_restores_folders_as_root_does() {
    const USER: u32 = 1000;
    if !is_root() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    chown(folder.path(), Some(USER), Some(USER)).unwrap();
    for test in ["whatever_a_job_does_to_a_folder_is_undone", "a_cell_that_is_opened_again_finds_the_folder_as_it_was"]
    {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", &format!("pristine::{test}")]).env("TMPDIR", folder.path()).uid(USER).gid(USER);
        let Ok(output) = command.current_dir("/").output() else {
            eprintln!("skipped: another user cannot start this program");
            return;
        };
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
    }
}

/// What a default access control list would do to all files that are made in a folder later.
#[test]
fn attributes_that_a_job_gives_to_a_folder_are_gone() {
    let place = Place::new();
    let build = place.path("build");
    furnish(&build);
    if !has("cc") {
        return;
    }
    let source = "#include <string.h>\n#include <sys/xattr.h>\nint main(int count, char **words) { char names[999];\n\
                  if (count > 2) return setxattr(words[1], words[2], \"y\", 1, 0) != 0;\n\
                  return listxattr(words[1], names, sizeof names) == 0 ? 0 : 7; }\n";
    let program = place.compile("attributes", source);
    let mut bench = place.open_with(weak(&place));
    for folder in [".", "sub"] {
        if bench.run(&program, &[folder, "user.x"], LIMITS).how != End::Exited(0) {
            eprintln!("skipped: no extended attributes here");
            return;
        }
        assert_eq!(bench.run(&program, &[folder], LIMITS).how, End::Exited(0), "{folder}");
    }
}

#[test]
fn attacks_really_change_the_folder() {
    let place = Place::new();
    let build = place.path("build");
    furnish(&build);
    let before = listing(&build);
    // Inside the cell, so that this test does not bypass what it is about.
    let look = "find . -printf '%p %y %m %C@ %s %l\\n' 2>/dev/null | sort";
    let mut bench = place.open_with(weak(&place));
    let fresh = bench.says(look);
    for script in ATTACKS {
        let home = bench.says("pwd").trim_end().to_string();
        let after = bench.says(&format!("{script}\ncd -P \"{home}\"; {look}"));
        assert_ne!(after, fresh, "{script}");
        // The times of the inodes that were restored are new ones.
        assert_ne!(bench.says(look), "", "{script}");
    }
    assert_eq!(listing(&build), before);
}

#[test]
fn a_cell_that_is_opened_again_finds_the_folder_as_it_was() {
    let place = Place::new();
    let build = place.path("build");
    furnish(&build);
    let before = listing(&build);
    for script in ATTACKS {
        place.open_with(weak(&place)).sh(script);
        assert_eq!(listing(&build), before, "{script}");
    }
    // Also where the job did not come to its end.
    let told = watch(place.fifo("started"));
    let mut bench = place.open_with(weak(&place));
    let stopper = bench.cell.stopper().unwrap();
    std::thread::scope(|scope| {
        let running = scope.spawn(move || {
            let script = "rm -rf sub; echo tampered >program; echo >../log/started; \
                          while :; do echo x >new; rm new; done";
            assert!(bench.try_run(Path::new("/bin/sh"), &["-c", script], LIMITS).is_err());
        });
        assert_eq!(told.recv_timeout(LONG), Ok("started"));
        stopper.stop();
        running.join().unwrap();
    });
    assert_eq!(listing(&build), before);
}

#[test]
fn a_build_between_two_jobs_is_kept_and_what_a_job_made_of_it_is_not() {
    let place = Place::new();
    let build = place.path("build");
    furnish(&build);
    let mut bench = place.open_with(weak(&place));
    for round in ["one", "two", "same"] {
        bench.sh("echo tampered >program; echo x >new; rm -rf sub");
        // A build: in place, by another file, a new folder, and one file less.
        fs::write(build.join("program"), format!("#!/bin/sh\necho {round}\n")).unwrap();
        fs::write(build.join("draft"), round).unwrap();
        fs::rename(build.join("draft"), build.join("sub/source.c")).unwrap();
        fs::create_dir_all(build.join(round)).unwrap();
        let _ = fs::remove_file(build.join("dangling"));
        bench.cell.folders_changed();
        let built = listing(&build);
        assert_eq!(bench.says("./program; cat sub/source.c; rm -rf sub; rmdir empty"), format!("{round}\n{round}"));
        assert_eq!(listing(&build), built, "{round}");
    }
}

#[test]
fn cells_that_share_folders_take_turns_and_restore_for_each_other() {
    let place = Place::new();
    let build = place.path("build");
    furnish(&build);
    let before = listing(&build);
    let home = place.path("home of copies");
    fs::create_dir(&home).unwrap();
    let copies = Arc::new(PristineCopies::new(&home));
    let options = || {
        let pristine = Some(copies.clone());
        CellOptions { pristine, scratch: place.path(&format!("{:?}", std::time::Instant::now())), ..weak(&place) }
    };
    let mut benches: Vec<Bench> = (0..3).map(|_| place.open_with(options())).collect();
    assert!(home.join("unrestored").exists());
    std::thread::scope(|scope| {
        for (number, bench) in benches.iter_mut().enumerate() {
            scope.spawn(move || {
                let script = format!(
                    "test ! -e x && ./program && echo {number} >x && echo 'echo tampered' >program && sleep 0.02 && \
                     cat x"
                );
                (0..10).for_each(|_| assert_eq!(bench.says(&script), format!("original\n{number}\n")));
            });
        }
    });
    assert_eq!(listing(&build), before);
    benches.pop();
    assert!(home.join("unrestored").exists(), "others are still open");
    drop(benches);
    assert!(!home.join("unrestored").exists());
    // What is known of the folder is used again by the next cell.
    fs::write(build.join("program"), "#!/bin/sh\necho rebuilt\n").unwrap();
    assert_eq!(place.open_with(options()).says("./program"), "rebuilt\n");
}

/// A file in memory can be written through a mapping without a change of its times.
#[test]
fn a_file_that_is_changed_through_a_mapping_is_restored() {
    if !has("cc") || !Path::new("/dev/shm").is_dir() {
        return;
    }
    let source = "#include <fcntl.h>\n#include <sys/mman.h>\nint main(void) {\nint fd = open(\"data\", O_RDWR); char \
        *p, c;\n\
                  p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0); c = *p; *p = c + 1; return p[1] != \
                  'B'; }\n";
    for place in [Place::new(), Place::within(Path::new("/dev/shm"))] {
        let program = place.compile("maps", source);
        fs::write(place.path("build").join("data"), "ABC\n".repeat(1024)).unwrap();
        let mut bench = place.open_with(weak(&place));
        for _ in 0..3 {
            assert_eq!(bench.run(&program, &[], LIMITS).how, End::Exited(0));
            assert_eq!(bench.says("head -c 4 data"), "ABC\n", "{}", place.path("").display());
        }
    }
}

#[test]
fn copies_cannot_be_reached_by_jobs() {
    let place = Place::new();
    let build = place.path("build");
    furnish(&build);
    let options = CellOptions { scratch: place.path("bare"), ..weak(&place) };
    let mut bench = place.open_with(options);
    if bench.cell.layers().landlock.is_none() {
        eprintln!("skipped: no Landlock here");
        return;
    }
    let copies = place.path("bare.pristine/pristine/0");
    let before: Vec<_> = fs::read_dir(&copies).unwrap().collect();
    assert!(before.len() > 5);
    // By their names: a job cannot list them.
    let names: Vec<String> =
        before.iter().map(|item| item.as_ref().unwrap().file_name().into_string().unwrap()).collect();
    let names: String = names.iter().map(|name| format!(" $c/pristine/0/{name}")).collect();
    let text = bench.says(&format!(
        "c=../bare.pristine; for f in{names}; do (echo x >>$f) 2>/dev/null && echo written; \
         (: >$f) 2>/dev/null && echo emptied; ln $f linked 2>/dev/null && echo linked; \
         ln -f program $f 2>/dev/null && echo replaced; mv $f $HOME 2>/dev/null && echo moved; \
         rm -f $f 2>/dev/null && echo removed; done; rm -f $c/unrestored 2>/dev/null && echo unmarked; \
         mv $c ../gone 2>/dev/null && echo away; echo end",
    ));
    assert_eq!(text, "end\n");
    assert_eq!(bench.says("./program"), "original\n");
}

#[test]
fn what_a_job_leaves_in_home_and_temporary_folders_is_gone_whatever_it_is() {
    let place = Place::new();
    let mut bench = place.open_with(weak(&place));
    let look = "find $HOME $TMPDIR -printf '%P %y %m\\n'";
    let fresh = bench.says(look);
    for script in [
        "for d in $HOME $TMPDIR; do mkdir -p $d/a/b; echo x >$d/a/b/c; chmod 0 $d/a/b/c $d/a/b $d/a; chmod 0 $d; done",
        "for d in $HOME $TMPDIR; do echo x >\"$d/$(printf 'a\\nb \\\\ \\377')\"; echo x >$d/.x; echo x >$d/-rf; done",
        "for d in $HOME $TMPDIR; do ln -s / $d/root; ln -s . $d/loop; mkfifo $d/fifo; ln -s $PWD $d/build; done",
        "cd $HOME; i=0; while test $i -lt 300; do mkdir aaaaaaaaaaaaaaaaaaaaaaaa; cd -P aaaaaaaaaaaaaaaaaaaaaaaa; \
         i=$((i + 1)); done",
        "mkdir $TMPDIR/d; echo x >$TMPDIR/d/f; chmod 500 $TMPDIR/d; chmod 400 $TMPDIR/d/f; chmod 500 $TMPDIR",
    ] {
        assert!(matches!(bench.sh(script).how, End::Exited(_)), "{script}");
        assert_eq!(bench.says(look), fresh, "{script}");
    }
}
