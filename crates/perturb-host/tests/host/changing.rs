//! What git says has changed, in a real repository.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::Command;

use perturb_host::changed_lines;

use crate::support::{has, Scene};

#[test]
fn changed_files_are_found_whatever_their_names_and_their_text() {
    if !has("git") {
        return;
    }
    let scene = Scene::new(&[]);
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=A", "-c", "user.email=a@b.c"]).args(arguments).current_dir(scene.root());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        assert!(command.status().unwrap().success());
    };
    let mut names: Vec<PathBuf> =
        ["plain.c", "a b.c", "größe \"x\".c", "back\\slash.c", "tab\t.c", "line\nline.c", "q'\".c", "\u{1}1.c"]
            .map(PathBuf::from)
            .to_vec();
    names.push(PathBuf::from(OsStr::from_bytes(b"latin\xe4.c")));
    names.sort();
    let write = |text: &str| names.iter().for_each(|name| fs::write(scene.root().join(name), text).unwrap());
    write("int a;\nint b;\n");
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "first"]);
    // A line that looks like the header of a file, and one at the end without its end.
    write("int a;\n++ b/other.c\nint c;");
    let changed = changed_lines(&scene.root(), "HEAD").unwrap();
    assert_eq!(changed.keys().cloned().collect::<Vec<_>>(), names);
    assert!(changed.values().all(|lines| *lines == [2..=3]), "{changed:?}");
}
