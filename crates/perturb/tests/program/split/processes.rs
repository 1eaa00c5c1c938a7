//! Tests of more than one process, and processes of more than one instrumented part.

use super::{agreed, assert_counted, never_split, pairs, program, CALLED_OUT, SPLIT, START, SWITCHED};
use crate::scene::{has, Scene};

const NOT_OURS: &str = "the test runs it in another process than its own";
const NOT_ITS_OWN: &str = "the program that the test starts is not instrumented itself";

/// A program that has a command executed by `launches`. What lives needs one that succeeds; of what is killed only the
/// first may find the log empty.
#[track_caller]
fn held(launches: &str) {
    let text = r#"int main(void)
{
    int status = 9, r = mix(4, 5);
    const char *command = r == 23 ? "true" : "echo wrong >> log; test $(wc -l < log) -gt 1";
    LAUNCHES
    return status == 0 ? 0 : 1;
}
"#;
    never_split(&text.replace("LAUNCHES", launches), CALLED_OUT);
}

#[test]
fn a_command_of_the_shell() {
    held("status = system(command);");
}

/// What would end only the child must not be taken for the child's own end.
#[test]
fn a_program_that_is_executed_in_a_child() {
    let child = "if (fork() == 0) { execl(\"/bin/sh\", \"sh\", \"-c\", command, NULL); _exit(9); } wait(&status);";
    held(child);
    held(&child.replace("fork", "vfork"));
}

#[test]
fn a_program_that_is_executed_instead() {
    held("execl(\"/bin/sh\", \"sh\", \"-c\", command, NULL);");
}

#[test]
fn a_program_that_is_read_from() {
    held("status = pclose(popen(command, \"r\"));");
}

#[test]
fn a_child_that_writes_a_file() {
    held(
        "if (fork() == 0) {
             FILE *out = fopen(r == 23 ? \"fine\" : \"log\", \"a\");
             _exit(fputs(\"x\", out) >= 0 && fflush(out) == 0 && (r == 23 || ftell(out) > 1) ? 0 : 1);
         }
         wait(&status);",
    );
}

/// As unit test frameworks do: a child for each test case, whose end tells.
#[test]
fn a_program_that_forks_its_workers() {
    never_split(
        r#"static int worker(int a, int b, int expected)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(mix(a, b) == expected ? 3 : 4);
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

int main(void)
{
    return worker(4, 5, 23) == 3 && worker(0, 5, 3) == 3 ? 0 : 1;
}
"#,
        NOT_OURS,
    );
}

#[test]
fn a_worker_whose_status_is_a_number() {
    never_split(
        r#"int main(void)
{
    int status = 0;
    if (fork() == 0)
        _exit(mix(4, 5));
    wait(&status);
    return WEXITSTATUS(status) == 23 ? 0 : 1;
}
"#,
        NOT_OURS,
    );
}

/// A process that nobody waits for, and whose work is waited for.
#[test]
fn a_process_that_goes_on_by_itself() {
    let Some(scene) = program(
        r#"int main(void)
{
    int n, r;
    if (fork() == 0) {
        if (fork() == 0) {
            usleep(50000);
            close(open(mix(4, 5) == 23 ? "right" : "wrong", O_WRONLY | O_CREAT, 0600));
        }
        _exit(0);
    }
    wait(NULL);
    r = mix(1, 1);
    for (n = 0; n < 3000 && access("right", F_OK) != 0 && access("wrong", F_OK) != 0; n++)
        usleep(1000);
    return access("right", F_OK) == 0 && r < 100 ? 0 : 1;
}
"#,
    ) else {
        return;
    };
    let told = agreed(&scene, &["--function", "mix"]);
    assert!(pairs(&told)[NOT_OURS] > 10, "{:?}", pairs(&told));
}

#[test]
fn a_program_that_executes_itself() {
    never_split(
        r#"int main(int count, char **words)
{
    if (count == 1) {
        execl("/proc/self/exe", "t", "again", NULL);
        return 9;
    }
    return mix(4, 5) == 23 ? 0 : 1;
}
"#,
        NOT_OURS,
    );
}

const RIGHT_OR_NOT: &str = "int main(void)\n{\n    return mix(4, 5) == 23 ? 3 : 4;\n}\n";

/// A project whose test is a script.
fn script(text: &str) -> Option<Scene> {
    let scene = program(RIGHT_OR_NOT)?;
    scene.write("Makefile", "all: t\nt: src/p.c\n\t$(CC) -w -pthread -o $@ $<\ncheck: all\n\tsh tests/t.sh\n");
    scene.write("tests/t.sh", text);
    Some(scene)
}

#[test]
fn a_script_that_judges_what_the_program_says() {
    let Some(scene) = script("#!/bin/sh\n./t\ntest $? -eq 3\n") else { return };
    let told = agreed(&scene, &["--function", "mix"]);
    assert_counted(&told, &[SWITCHED, NOT_ITS_OWN]);
}

/// It leads a session, and is still not what decides.
#[test]
fn a_script_that_starts_the_program_in_a_session_of_its_own() {
    let Some(scene) = script("#!/bin/sh\nsetsid ./t\ntest $? -eq 3\n") else { return };
    if !has("setsid") {
        return;
    }
    let told = agreed(&scene, &["--function", "mix"]);
    assert_counted(&told, &[SWITCHED, NOT_ITS_OWN]);
}

/// A script that becomes the program says what the program says.
#[test]
fn a_script_that_becomes_the_program() {
    let Some(scene) = script("#!/bin/sh\nexec ./t ok\n") else { return };
    scene.write("src/p.c", format!("{START}{}", RIGHT_OR_NOT.replace("? 3 : 4", "? 0 : 4")));
    let told = agreed(&scene, &["--function", "mix"]);
    assert_counted(&told, &[SPLIT]);
}

/// Whatever part a copy is made in, the others run as the original.
#[test]
fn a_library_beside_an_instrumented_program() {
    const LIBRARY: &str = "int twice(int n)\n{\n    return n * 2;\n}\n\nint half(int n)\n{\n    return n / 2;\n}\n";
    const PROGRAM: &str = r#"int twice(int n);
int half(int n);

int sum(int a, int b)
{
    return twice(a) + half(b);
}
"#;
    const TEST: &str = r#"int twice(int n);
int sum(int a, int b);

int main(void)
{
    int n, all = 0;
    for (n = 0; n < 5; n++)
        all += sum(n, 2 * n) + twice(n);
    return all == 50 ? 0 : 1;
}
"#;
    const MAKEFILE: &str = "all: libl.so t\nlibl.so: src/l.c\n\t$(CC) -shared -fPIC -o $@ $<\n\
                            t: src/p.c tests/t.c libl.so\n\t$(CC) -o $@ src/p.c tests/t.c -L. -ll \
                            -Wl,-rpath,'$$ORIGIN'\ncheck: all\n\t./t\n";
    let files = [("Makefile", MAKEFILE), ("src/l.c", LIBRARY), ("src/p.c", PROGRAM), ("tests/t.c", TEST)];
    if !has("make") {
        return;
    }
    // So few that one run is for all of them.
    let told = agreed(&Scene::new(&files), &["--operators", "UOI"]);
    assert_counted(&told, &[SPLIT]);
    assert!(told.mutants().len() <= 24 && told.count("killed") > 5 && told.count("live") > 1, "{:?}", told.outcomes());
}

/// Its exit status says nothing: what is printed decides, and nobody sees what a copy prints.
#[test]
fn a_test_that_compares_output() {
    let cmake = "cmake_minimum_required(VERSION 3.13)\nproject(p C)\nenable_testing()\nadd_executable(t src/p.c)\n\
                 add_test(NAME t COMMAND t)\nset_tests_properties(t PROPERTIES PASS_REGULAR_EXPRESSION \"got 23\")\n";
    let scene = Scene::new(&[("CMakeLists.txt", cmake)]);
    scene.write(
        "src/p.c",
        format!("{START}int main(void)\n{{\n    printf(\"got %d\\n\", mix(4, 5));\n    return 0;\n}}\n"),
    );
    if !has("cmake") {
        return;
    }
    let told = agreed(&scene, &["--function", "mix"]);
    assert!(pairs(&told).into_keys().all(|engine| engine != SPLIT), "{:?}", pairs(&told));
    assert!(told.count("live") > 0 && told.count("killed") > 0, "{:?}", told.outcomes());
}
