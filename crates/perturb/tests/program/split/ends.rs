//! How copies end: by exit codes, signals, limits of time and memory, and in ways that would harm the original.

use super::{agreed, pairs, SPLIT, START, SWITCHED};
use crate::run::{fine, Told};
use crate::scene::{has, text, Scene};

/// Each function has a test of its own, whose name is its word.
const SOURCE: &str = r#"
int code(int n)
{
    return n + 1;
}

int halts(int n)
{
    if (n == 3)
        abort();
    return n;
}

int divides(int a, int b)
{
    if (b != 0)
        return a / b;
    return 0;
}

int follows(const int *values)
{
    if (values == NULL)
        return -1;
    return values[0];
}

int steps(int n)
{
    int count = 0;
    while (n > 0) {
        n -= 1;
        count++;
    }
    return count;
}

int deepens(int n)
{
    char room[1000];
    memset(room, n, sizeof room);
    if (n <= 0)
        return room[0];
    return deepens(n - 1) + room[5];
}

int grows(int n)
{
    int count = 0;
    while (n > 0) {
        char *room = malloc(64 << 20);
        if (room == NULL)
            return -1;
        memset(room, 1, 4096);
        count += room[7];
        n -= 1;
    }
    return count;
}

int fills(int *values, int n)
{
    int i;
    for (i = 0; i < n; i++)
        values[i] = 7;
    return values[0];
}

int closes(int n)
{
    int file;
    for (file = 3; file < n; file++)
        close(file);
    return write(1, "x", 1);
}

int main(int count, char **words)
{
    static int values[64];
    const struct rlimit gibibyte = {1 << 30, 1 << 30};
    const char *what = words[1];
    if (strcmp(what, "code") == 0)
        return code(2) - 3;
    if (strcmp(what, "halts") == 0)
        return halts(2) != 2;
    if (strcmp(what, "divides") == 0)
        return divides(6, 3) != 2 || divides(1, 0) != 0;
    if (strcmp(what, "follows") == 0)
        return follows(NULL) != -1 || follows(values) != 0;
    if (strcmp(what, "steps") == 0)
        return steps(3) != 3;
    if (strcmp(what, "deepens") == 0)
        return deepens(3) != 6;
    if (strcmp(what, "grows") == 0)
        return setrlimit(RLIMIT_AS, &gibibyte) != 0 || grows(2) != 2;
    if (strcmp(what, "fills") == 0)
        return fills(values, 64) != 7 || values[63] != 7;
    if (strcmp(what, "closes") == 0)
        return closes(5) != 1;
    return 99;
}
"#;

const TESTS: [&str; 9] = ["code", "halts", "divides", "follows", "steps", "deepens", "grows", "fills", "closes"];

fn project() -> Option<Scene> {
    let mut makefile = "all: t\nt: src/p.c\n\t$(CC) -w -pthread -o $@ $<\ncheck: all\n".to_string();
    for test in TESTS {
        makefile += &format!("\t./t {test}\n");
    }
    let scene = Scene::new(&[("Makefile", &makefile)]);
    scene.write("src/p.c", format!("{START}{SOURCE}"));
    has("make").then_some(scene)
}

/// How killed mutants were noticed, each way once.
fn ways(told: &Told) -> Vec<&str> {
    let mut ways: Vec<&str> = told.mutants().values().map(|mutant| text(mutant, "how")).collect();
    ways.sort_unstable();
    ways.dedup();
    ways
}

/// Both engines agree on a function; the reasons for which pairs were not split, and the ways in which mutants were
/// noticed.
#[track_caller]
fn check(function: &str, why: &[&str], expected: &[&str]) {
    let Some(scene) = project() else { return };
    let told = agreed(&scene, &["--function", function]);
    let ways = ways(&told);
    for way in expected {
        assert!(ways.contains(way), "{function}: {way} is not among {ways:?}");
    }
    let not_split: Vec<&str> =
        pairs(&told).into_keys().filter(|word| ![SPLIT, SWITCHED, "rebuild"].contains(word)).collect();
    assert_eq!(not_split, why, "{:?}", pairs(&told));
    assert!(pairs(&told)[SPLIT] > 5, "{:?}", pairs(&told));
}

#[test]
fn exit_codes() {
    check("code", &[], &["the test failed"]);
}

#[test]
fn signals() {
    check("halts", &[], &["the test failed", "crashed with SIGABRT"]);
    check("divides", &[], &["the test failed", "crashed with SIGFPE"]);
    check("follows", &[], &["the test failed", "crashed with SIGSEGV"]);
}

#[test]
fn loops_without_end() {
    check("steps", &[], &["the test failed", "timed out (CPU time)"]);
}

#[test]
fn stacks_that_overflow() {
    check("deepens", &[], &["the test failed", "crashed with SIGSEGV"]);
}

#[test]
fn memory_that_runs_out() {
    check("grows", &[], &["the test failed"]);
}

/// What a copy closes the original keeps.
#[test]
fn outputs_that_are_closed() {
    check("closes", &[], &["the test failed"]);
}

#[test]
fn writes_far_beyond_an_array() {
    check("fills", &[], &["the test failed", "crashed with SIGSEGV"]);
}

/// What waits for ever may be the machine's fault: the other engine waits once more, and says so.
#[test]
fn sleeps_without_end() {
    const NAPS: &str = r#"int naps(int n)
{
    while (n > 0) {
        usleep(20000);
        n -= 1;
    }
    return n;
}

int main(void)
{
    return naps(2);
}
"#;
    let Some(scene) = super::program(NAPS) else { return };
    // `n -= 1;` left out, and others that do not wait.
    let told = fine(&scene, &["--tce", "off", "--audit", "0", "--function", "naps", "--operators", "SDL"]);
    assert!(ways(&told).contains(&"timed out (wall clock)"), "{:?}", ways(&told));
    assert_eq!(pairs(&told)["it waits longer than the clock on the wall allows"], 1, "{:?}", pairs(&told));
}
