//! Whom a job runs as, and what it can do to others.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use perturb_cell::{End, RunsAs, User};

use crate::support::{has_layer, is_root, ways, Place};

#[test]
fn root_hands_jobs_to_an_unprivileged_user() {
    if !is_root() {
        eprintln!("skipped: not root");
        return;
    }
    let place = Place::new();
    for (way, mut options) in ways(&place) {
        let mut bench = place.open_with(options.clone());
        assert_ne!(bench.cell.layers().user, RunsAs::Ourselves, "{way}");
        assert_eq!(bench.says("id -u; id -g; grep -c 'NoNewPrivs:.1' /proc/self/status"), "65534\n65534\n1\n", "{way}");
        drop(bench);
        options.user = User { uid: 4711, gid: 4712 };
        assert_eq!(place.open_with(options).says("id -u; id -G"), "4711\n4712\n", "{way}");
    }
}

#[test]
fn a_job_has_no_privileges() {
    let place = Place::new();
    let mut bench = place.open();
    if !has_layer(&bench, "mount namespace", bench.cell.layers().mount_namespace) {
        return;
    }
    let sets = bench.says("grep ^Cap /proc/self/status | grep -cv '0000000000000000$'");
    assert_eq!(sets, if matches!(bench.cell.layers().user, RunsAs::OtherWithFiles { .. }) { "5\n" } else { "0\n" });
    assert_ne!(bench.sh("umount /tmp").how, End::Exited(0));
    assert_ne!(bench.sh("mount -t tmpfs none $HOME").how, End::Exited(0));
    assert_ne!(bench.sh("ls /proc/1/cwd/").how, End::Exited(0), "the stage cannot be reached");
}

#[test]
fn a_job_cannot_end_its_cell() {
    let place = Place::new();
    let mut bench = place.open();
    if !has_layer(&bench, "pid namespace", bench.cell.layers().own_proc) {
        return;
    }
    // Should it not be in a namespace of its own after all, it does not try.
    for script in ["test $$ = 2 && kill -KILL 1; exit 7", "test $$ = 2 && kill -STOP 1; exit 7"] {
        assert_eq!(bench.sh(script).how, End::Exited(7));
    }
    assert_eq!(bench.sh("test $$ = 2 && kill -KILL -1; exit 7").how, End::Exited(7));
    assert_eq!(bench.sh("exit 8").how, End::Exited(8));
}

#[test]
fn a_tree_that_only_its_owner_may_read_is_read_all_the_same() {
    // Where the folder is not below one for temporary files, which are covered anyway, the closed one itself is.
    let place = Place::within(Path::new(env!("CARGO_TARGET_TMPDIR")));
    let (tree, build) = (place.path("tree"), place.path("build"));
    fs::write(tree.join("data"), "data\n").unwrap();
    fs::write(build.join("old"), "old\n").unwrap();
    let close = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    close(&tree.join("data"), 0o600);
    close(&build.join("old"), 0o600);
    [&tree, &build, &place.path("log"), &place.path("")].iter().for_each(|folder| close(folder, 0o700));
    for (way, options) in ways(&place) {
        let mut bench = place.open_with(options);
        let script = "cat ../tree/data old; echo more >>old; cat old; echo x >new; echo log >>../log/file; ls";
        assert_eq!(bench.says(script), "data\nold\nold\nmore\nnew\nold\n", "{way}");
        // Without views the folder itself was written to.
        fs::write(build.join("old"), "old\n").unwrap();
        let _ = fs::remove_file(build.join("new"));
        bench.cell.folders_changed();
    }
    assert_eq!(fs::read_to_string(place.path("log").join("file")).unwrap(), "log\nlog\nlog\n");
}
