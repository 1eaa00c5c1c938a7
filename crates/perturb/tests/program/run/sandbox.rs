//! What users see and say of the sandbox: its layers, what tests are permitted, and a machine that has too few.

mod building;
mod tampering;

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use super::subject::subject;
use super::{fine, Told};
use crate::scene::{has, run_in_time, text, Ran, Scene, FINE, UNUSABLE, USAGE};

/// A project with a test that writes to a folder outside of it and one that calls a port.
fn needy(scene: &Scene, port: u16) {
    let out = scene.outside("out");
    fs::create_dir(&out).unwrap();
    // To whoever runs the tests.
    fs::set_permissions(&out, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    scene.write("Makefile", "all: t\nt: src/a.c tests/t.c\n\t$(CC) -o t src/a.c tests/t.c\n");
    scene.write("src/a.c", "int twice(int x)\n{\n    return x + x;\n}\n");
    let test = format!(
        "#include <arpa/inet.h>\n#include <stdio.h>\n#include <string.h>\n#include <sys/socket.h>\nint twice(int);\n\
         int main(int count, char **words)\n{{\n    struct sockaddr_in to = {{ .sin_family = AF_INET, .sin_port = \
         htons({port}) }};\n    FILE *out;\n    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);\n    if (twice(4) != 8 || \
         count != 2) return 1;\n    if (!strcmp(words[1], \"writes\")) return !(out = fopen(\"{}/note\", \"w\")) || \
         fputs(\"x\", out) < 0 || fclose(out);\n    if (!strcmp(words[1], \"calls\")) return connect(socket(AF_INET, \
         SOCK_STREAM, 0), (struct sockaddr *)&to, sizeof to) != 0;\n    return 0;\n}}\n",
        out.display()
    );
    scene.write("tests/t.c", test);
    configure(scene, "");
}

fn configure(scene: &Scene, sandbox: &str) {
    let tests = "[tests]\ncommand = \"./t {test}\"\nnames = [\"plain\", \"writes\", \"calls\"]\n";
    scene.write("perturb.toml", format!("{tests}{sandbox}"));
}

fn left_out(told: &Told) -> Vec<&str> {
    told.all("test left out").into_iter().map(|event| text(event, "test")).collect()
}

#[test]
fn tests_have_what_they_are_permitted_and_nothing_else() {
    if !has("make") {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let scene = Scene::new(&[]);
    needy(&scene, listener.local_addr().unwrap().port());
    let without = fine(&scene, &["--until", "baseline"]);
    let layers = text(without.one("sandbox"), "layers");
    if !layers.contains("network namespace") || !layers.contains("read-only") {
        eprintln!("skipped: this machine does not allow enough: {layers}");
        return;
    }
    assert_eq!(left_out(&without), ["writes", "calls"]);
    assert!(!scene.outside("out").join("note").exists());
    configure(&scene, "[sandbox]\nwrite = [\"../out\"]\n[[sandbox.test]]\nnames = [\"cal*\"]\nnetwork = true\n");
    let with = fine(&scene, &["--until", "baseline"]);
    assert_eq!(left_out(&with), Vec::<&str>::new());
    assert!(scene.outside("out").join("note").exists());
    // Named for one, it is permitted to no other.
    configure(&scene, "[[sandbox.test]]\nnames = [\"plain\", \"calls\"]\nwrite = [\"../out\"]\nnetwork = true\n");
    assert_eq!(left_out(&fine(&scene, &["--until", "baseline"])), ["writes"]);
}

#[test]
fn a_verdict_holds_only_on_the_terms_on_which_it_was_found() {
    let Some(scene) = subject() else { return };
    let work = || fine(&scene, &["--function", "average", "--audit", "0"]).work();
    let (executed, _) = work();
    assert!(executed > 0);
    assert_eq!(work().0, 0, "the same again");
    scene.write("perturb.toml", "[sandbox]\nscratch = \"512M\"\n");
    assert_eq!(work(), (executed, 0), "with less to write to");
}

#[test]
fn what_cannot_be_permitted_is_refused_by_name() {
    let scene = Scene::new(&[("a.c", "int f(int x) { return x + 1; }\n"), ("Makefile", "all:\n\tcc -c a.c\n")]);
    for (sandbox, part) in [
        ("write = [\"../none\"]", "none cannot be permitted to tests: No such file"),
        ("write = [\".\"]", "the project is never written to"),
        ("devices = [\"a.c\"]", "it is no device"),
        ("scratch = \"much\"", "`much` is no amount of memory"),
        ("test = [{ names = [\"[\"] }]", "the pattern `[` in `sandbox.test.names`"),
        ("test = [{ network = true }]", "missing field `names`"),
    ] {
        scene.write("perturb.toml", format!("[sandbox]\n{sandbox}\n"));
        scene.run(&["run"]).expect_error(USAGE, &[part]);
    }
}

/// The program on a machine that allows less: what `weak.c` takes away with these options.
fn on_a_weak_machine(scene: &Scene, lacking: &[&str], arguments: &[&str]) -> Ran {
    let weak = scene.outside("weak");
    if !weak.exists() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/run/attacks/weak.c");
        assert!(Command::new("cc").args(["-Wall", "-o"]).arg(&weak).arg(&source).status().unwrap().success());
    }
    let strong = scene.command(arguments);
    let mut command = Command::new(&weak);
    command.args(lacking).arg(strong.get_program()).args(strong.get_args()).current_dir(scene.root());
    run_in_time(command)
}

/// Benches of the instrumented build stay open while mutants are built by themselves and audited, and are used again.
#[test]
fn without_namespaces_all_engines_and_steps_come_to_the_same() {
    let Some(scene) = subject() else { return };
    let with = fine(&scene, &["--audit", "5", "--discard", "on"]);
    let work = scene.outside("weakly");
    let arguments = [
        "run",
        "--events",
        "json",
        "--tce",
        "off",
        "--audit",
        "5",
        "--discard",
        "on",
        "--equivalence",
        "off",
        "--work",
        work.to_str().unwrap(),
    ];
    let ran = on_a_weak_machine(&scene, &["--namespaces"], &arguments);
    if ran.stderr.contains("the sandbox is too weak") {
        eprintln!("skipped: without namespaces this machine keeps too little from mutants");
        return;
    }
    let without = Told::of(ran.expect(FINE));
    assert!(!text(without.one("sandbox"), "layers").contains("namespace"), "{}", without.one("sandbox"));
    assert_eq!(without.outcomes(), with.outcomes());
    assert!(without.count("likely equivalent") > 0 && without.one("audited")["checked"] == 5);
}

#[test]
fn where_mutants_could_do_harm_a_run_refuses_unless_it_is_told_to() {
    let Some(scene) = subject() else { return };
    let run = |arguments: &[&str]| on_a_weak_machine(&scene, &[], arguments);
    let refused = run(&["run", "--tce", "off"]);
    let parts =
        ["a mutant could end your own processes", "write to your own files", "allow user namespaces", "--sandbox off"];
    refused.expect_error(UNUSABLE, &["the sandbox is too weak to run mutants in"]).told(&parts);
    run(&["doctor"]).expect(UNUSABLE);
    // Only the original: no mutant is ever run like that outside a belt.
    let off = run(&["run", "--tce", "off", "--sandbox", "off", "--until", "baseline"]).expect(FINE);
    assert!(off.stderr.contains("the sandbox is off: a mutant could"), "{}", off.stderr);
}
