//! Mutants that do harm while they are built, as a build may run what it builds: nothing outside is written or waited
//! for, and the verdict of every other mutant is the one that it is without harm.

use std::collections::BTreeMap;
use std::fs;

use super::super::{fine, Told};
use crate::scene::{has, text, Scene};

/// The tests and a program that the build runs share `is_less`. By their names, one file comes before its own and one
/// after.
const MAKEFILE: &str = "all: t\n\
                        generate: src/less.c tools/generate.c\n\t$(CC) -o $@ src/less.c tools/generate.c\n\
                        table.h: generate\n\t./generate > $@\n\
                        first.o: first/first.c table.h\n\t$(CC) -I. -c -o $@ first/first.c\n\
                        then.o: then/then.c\n\t$(CC) -c -o $@ then/then.c\n\
                        t: tests/t.c src/less.c first.o then.o\n\t$(CC) -o $@ tests/t.c src/less.c first.o then.o\n";

const LESS: &str = "int is_less(int a, int b)\n{\n    return a < b;\n}\n";

/// Does harm with the mutant that returns `b`, and with no other.
const GENERATE: &str = r##"#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int is_less(int a, int b);

static void put(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    if (out) {
        fputs(text, out);
        fclose(out);
    }
}

int main(void)
{
    (void)put;
    if (is_less(0, -1)) {
        HARM
    }
    puts("#define LIMIT 7");
    return 0;
}
"##;

const TEST: &str = "int is_less(int a, int b);\nint first(int x);\nint then(int x);\n\n\
                    int main(void)\n{\n    return !(is_less(1, 2) && first(6) && !first(7) && then(69) && !then(70));\n\
                    }\n";

fn project(harm: &str) -> Scene {
    let scene = Scene::new(&[
        ("Makefile", MAKEFILE),
        ("src/less.c", LESS),
        ("first/first.c", "#include \"table.h\"\n\nint first(int x)\n{\n    return x < LIMIT;\n}\n"),
        ("then/then.c", "int then(int x)\n{\n    return x < 70;\n}\n"),
        ("tests/t.c", TEST),
        ("perturb.toml", "[tests]\ncommand = \"./t\"\nnames = [\"all\"]\n"),
    ]);
    let outside = scene.outside("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("less.c"), "mine\n").unwrap();
    scene.write("tools/generate.c", GENERATE.replace("HARM", &harm.replace("OUTSIDE", outside.to_str().unwrap())));
    scene
}

/// By the names of all but the mutant that does harm. In any order of execution there are some after it.
fn of_others(told: &Told) -> BTreeMap<String, String> {
    let mutants = told.mutants().into_values();
    let named = mutants.map(|value| (text(value, "name").to_string(), text(value, "outcome").to_string()));
    named.filter(|(name, _)| !name.contains("less.c") && !name.contains("generate.c")).collect()
}

fn check(harm: &str) {
    if !has("make") {
        return;
    }
    let options = ["--engine", "rebuild", "--jobs", "1", "--audit", "0", "--operators", "ROD"];
    let run = |scene: &Scene| of_others(&fine(scene, &options));
    let expected = run(&project(";"));
    assert_eq!(expected.values().filter(|outcome| *outcome == "killed").count(), expected.len(), "{expected:?}");
    assert!(expected.len() >= 3, "{expected:?}");
    let scene = project(harm);
    for time in ["this run", "the next run"] {
        assert_eq!(run(&scene), expected, "{harm}: {time}");
        assert_eq!(fs::read_to_string(scene.outside("outside").join("less.c")).unwrap(), "mine\n", "{harm}: {time}");
        // All is executed anew, in the same copies.
        for name in ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm", "verdicts.log"] {
            let _ = fs::remove_file(scene.outside("work").join(name));
        }
    }
    assert!(!scene.outside("work/shadow/rebuild-0/as-built/unrestored").exists());
}

#[test]
fn a_link_that_a_build_puts_in_the_place_of_a_folder_is_not_written_through() {
    check("rename(\"src\", \"elsewhere\"); symlink(\"OUTSIDE\", \"src\");");
}

#[test]
fn what_a_build_leaves_in_the_place_of_a_source_is_not_waited_for() {
    check("unlink(\"src/less.c\"); mkfifo(\"src/less.c\", 0666);");
    check("unlink(\"src/less.c\"); mkdir(\"src/less.c\", 0777); chmod(\"src\", 0);");
}

#[test]
fn what_a_build_writes_over_sources_and_objects_is_gone_before_the_next_one() {
    check("put(\"then/then.c\", \"#error\\n\"); put(\"first/first.c\", \"#error\\n\");");
    check("put(\"then.o\", \"\"); put(\"first.o\", \"\"); put(\"GNUmakefile\", \"all:\\n\\tfalse\\n\");");
}
