//! Standard output is data, standard error is for people; colour only where it is seen or asked for.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use super::small;
use crate::scene::{text, Scene, FINE, USAGE};

const ESCAPE: char = '\u{1b}';

#[test]
fn warnings_never_mix_with_data() {
    let scene = small();
    scene.write("src/other.c", "#include \"gone.h\"\nint other(int a) { return a * 2; } // perturb: ignor\n");
    let ran = scene.run(&["mutants", "--format", "json"]).expect(FINE).told(&["warning", "gone.h", "perturb: ignor"]);
    assert!(!ran.mutants().is_empty());
}

#[test]
fn a_run_without_anything_to_tell_is_silent_on_standard_error() {
    let ran = small().run(&["mutants"]).expect(FINE);
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_log_has_steps_commands_and_caches_on_standard_error_and_nothing_that_acts_on_a_terminal() {
    let scene = small();
    scene.write("a\u{1b}[31m.c", "int other(int a) { return a * 2; }\n");
    let logged = |filter: &str| {
        let mut command = scene.command(&[
            "run",
            "--until",
            "baseline",
            "--build",
            "cc -c src/*.c -Iinclude",
            "--test-command",
            "true",
            "--test",
            "t",
        ]);
        scene.finish({
            command.env("PERTURB_LOG", filter);
            command
        })
    };
    let plain = scene
        .run(&[
            "run",
            "--until",
            "baseline",
            "--build",
            "cc -c src/*.c -Iinclude",
            "--test-command",
            "true",
            "--test",
            "t",
        ])
        .expect(FINE);
    assert!(!plain.stderr.contains("perturb_host"), "{}", plain.stderr);
    let all = logged("trace").expect(FINE);
    for part in ["step{name=baseline}", "ran a command command=", "ran a test in a cell"] {
        assert!(all.stderr.contains(part), "{part}: {}", all.stderr);
    }
    assert!(!all.stderr.contains(ESCAPE) && !all.stdout.contains("perturb_host"), "{}", all.stderr);
    let some = logged("info").expect(FINE).stderr;
    assert!(some.contains("step{name=baseline}") && !some.contains("ran a command"), "{some}");
    logged("perturb=loud").expect_error(USAGE, &["PERTURB_LOG", "perturb=loud", "debug"]);
}

#[test]
fn quiet_leaves_notes_out_and_keeps_warnings() {
    let scene = small();
    scene.write("src/other.c", "#include \"gone.h\"\nint other(int a) { return a * 2; }\n");
    let database = scene.read("compile_commands.json");
    scene.write(
        "compile_commands.json",
        database.replacen("[{", "[{\"directory\":\".\",\"file\":\"gone.c\",\"command\":\"cc -c gone.c\"},{", 1),
    );
    scene.run(&["mutants"]).expect(FINE).told(&["note: ", "warning: "]);
    let ran = scene.run(&["mutants", "--quiet"]).expect(FINE).told(&["warning: "]);
    assert!(!ran.stderr.contains("note: "), "{}", ran.stderr);
}

#[test]
fn there_is_no_colour_in_a_pipe_unless_it_is_asked_for() {
    let scene = small();
    let id = text(&scene.mutants(&[])[0], "id").to_string();
    for command in [&["mutants"][..], &["mutants", "--stats"], &["show", &id], &["doctor"]] {
        let plain = scene.run(command).expect(FINE);
        assert!(!plain.stdout.contains(ESCAPE) && !plain.stderr.contains(ESCAPE), "{command:?}");
        let coloured = scene.run(&[command, &["--color", "always"]].concat()).expect(FINE);
        assert!(coloured.stdout.contains(ESCAPE), "{command:?}");
        let never = scene.run(&[command, &["--color", "never"]].concat()).expect(FINE);
        assert_eq!(never.stdout, plain.stdout, "{command:?}");
    }
}

#[test]
fn formats_for_programs_have_no_colour_even_if_it_is_asked_for() {
    let scene = small();
    for format in ["json", "jsonl", "csv", "diff"] {
        let ran = scene.run(&["mutants", "--format", format, "--color", "always"]).expect(FINE);
        assert!(!ran.stdout.contains(ESCAPE), "{format}");
    }
}

/// Enough mutants to fill a pipe many times.
fn large() -> Scene {
    let body: String = (0..400).map(|i| format!("    a = a + {i} * b - c;\n")).collect();
    Scene::compiled(&[("a.c", &format!("int f(int a, int b, int c)\n{{\n{body}    return a;\n}}\n"))])
}

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    let scene = large();
    for format in ["text", "json", "jsonl", "csv", "diff"] {
        let mut command = scene.command(&["mutants", "--format", format]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::with_capacity(64, child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        let code = child.wait().unwrap().code();
        assert_eq!((code, stderr.as_str()), (Some(FINE), ""), "{format}");
    }
}

#[test]
fn a_full_disk_is_told_and_is_no_success() {
    let Ok(full) = File::options().write(true).open("/dev/full") else {
        eprintln!("skipped: there is no /dev/full");
        return;
    };
    let scene = large();
    for format in ["text", "json", "csv", "diff"] {
        let mut command = scene.command(&["mutants", "--format", format]);
        command.stdin(Stdio::null()).stdout(full.try_clone().unwrap()).stderr(Stdio::piped());
        let output = command.spawn().unwrap().wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(crate::scene::UNUSABLE), "{format}: {stderr}");
        assert!(stderr.contains("cannot write the output"), "{format}: {stderr}");
    }
}

#[test]
fn bytes_that_are_no_utf_8_are_escaped_in_json_and_kept_by_apply() {
    let scene = Scene::compiled(&[("a.c", "")]);
    scene.write("a.c", b"int f(int a)\n{\n    return a + 1; /* caf\xe9 */\n}\n");
    let mutants = scene.mutants(&[]);
    let found = mutants.iter().find(|m| text(m, "operator") == "AOR").unwrap();
    let to = scene.outside("out");
    scene.run(&["apply", text(found, "id"), "--to", to.to_str().unwrap()]).expect(FINE);
    let written = fs::read(to.join("a.c")).unwrap();
    assert!(written.windows(4).any(|bytes| bytes == b"caf\xe9"), "the comment is kept byte for byte");
}
