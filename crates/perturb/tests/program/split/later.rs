//! What a copy would do later on, and others would see: without the filter for system calls all killed mutants but the
//! first would be taken for live.

use super::{all_split, marking, never_split, partly_split, CALLED_OUT};

#[track_caller]
fn held(before: &str, mark: &str) {
    partly_split(&marking(before, mark), CALLED_OUT);
}

const MADE: &str = "close(open(\"made\", O_WRONLY | O_CREAT, 0600)); mkdir(\"folder\", 0700);";

#[test]
fn a_file_that_is_created() {
    held("", "return open(\"new\", O_RDONLY) < 0 && fopen(\"new\", \"w\") ? 1 : 0;");
}

#[test]
fn a_file_that_is_appended_to() {
    held(MADE, "FILE *log = fopen(\"made\", \"a\"); fputs(\"x\", log); fflush(log); return ftell(log) > 1 ? 0 : 1;");
}

#[test]
fn a_file_that_is_truncated() {
    let before = "FILE *out = fopen(\"made\", \"w\"); fputs(\"text\", out); fclose(out);";
    held(before, "struct stat s; stat(\"made\", &s); truncate(\"made\", 0); return s.st_size > 0 ? 1 : 0;");
}

#[test]
fn a_file_that_is_removed() {
    held(MADE, "return remove(\"made\") == 0 ? 1 : 0;");
}

#[test]
fn a_file_that_is_renamed() {
    held(MADE, "return rename(\"made\", \"other\") == 0 ? 1 : 0;");
}

#[test]
fn a_file_that_is_linked() {
    held(MADE, "return link(\"made\", \"other\") == 0 ? 1 : 0;");
    held(MADE, "return symlink(\"made\", \"other\") == 0 ? 1 : 0;");
}

#[test]
fn a_folder_that_is_made_or_removed() {
    held("", "return mkdir(\"new\", 0700) == 0 ? 1 : 0;");
    held(MADE, "return rmdir(\"folder\") == 0 ? 1 : 0;");
}

#[test]
fn a_mode_or_a_time_that_is_changed() {
    let is_first = "struct stat s; stat(\"made\", &s); if (s.st_mode & 0100) return 0;";
    held(MADE, &format!("{is_first} chmod(\"made\", 0700); return 1;"));
    let is_first = "struct stat s; stat(\"made\", &s); if (s.st_mtime == 5) return 0;";
    held(
        MADE,
        &format!(
            "{is_first} struct timespec to[2] = {{{{5}}, {{5}}}}; utimensat(AT_FDCWD, \"made\", to, 0); return 1;"
        ),
    );
}

/// Handlers of `atexit` run at the end of every copy.
#[test]
fn a_file_that_is_written_at_the_end() {
    never_split(
        r#"static int r;

static void note(void)
{
    FILE *log = fopen("log", "a");
    fputs(r == 23 ? "" : "wrong\n", log);
    fflush(log);
    if (r != 23)
        _exit(ftell(log) > 6 ? 0 : 1);
}

int main(void)
{
    atexit(note);
    r = mix(4, 5);
    return 0;
}
"#,
        CALLED_OUT,
    );
}

#[test]
fn an_end_that_only_prints_is_a_copys_own() {
    all_split(
        r#"static int r;

static void note(void)
{
    puts(r == 23 ? "right" : "wrong");
    fflush(stdout);
    fprintf(stderr, "%d\n", r);
}

__attribute__((destructor)) static void last(void)
{
    if (r != 23)
        _exit(9);
}

int main(void)
{
    printf("not flushed ");
    atexit(note);
    r = mix(4, 5);
    return 0;
}
"#,
    );
}

#[test]
fn shared_memory_that_is_asked_for_later() {
    held("", "int name = shm_open(\"/perturb-split\", O_RDWR | O_CREAT | O_EXCL, 0600); return name >= 0 ? 1 : 0;");
    held(
        "",
        "int *n = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
         if (fork() == 0) { ++*n; _exit(0); } wait(NULL); return *n == 1 ? 1 : 0;",
    );
}

#[test]
fn a_thread_that_is_started_later() {
    let before = "pthread_t thread;";
    held(before, "return pthread_create(&thread, NULL, (void *(*)(void *))mix, NULL) == 0 ? 1 : 0;");
}

#[test]
fn a_pipe_or_a_socket_that_is_opened_later() {
    held("", "int ends[2]; return pipe(ends) == 0 && write(ends[1], \"x\", 1) == 1 ? 1 : 0;");
    held("", "return socket(AF_UNIX, SOCK_STREAM, 0) >= 0 ? 1 : 0;");
}

#[test]
fn a_signal_that_is_sent() {
    let before = "sigset_t set; sigemptyset(&set); sigaddset(&set, SIGUSR1); sigprocmask(SIG_BLOCK, &set, NULL); \
                  pid_t it = getpid();";
    let mark = "int n = 0; kill(it, SIGUSR1); sigpending(&set); return sigismember(&set, SIGUSR1) ? 1 : 0;";
    held(before, mark);
}

/// A copy is a child of the original; without copies that would be the cell's.
#[test]
fn a_question_who_the_parent_is() {
    never_split(
        r#"int main(void)
{
    pid_t parent = getppid();
    int r = mix(4, 5);
    return getppid() == parent && r == 23 ? 0 : 1;
}
"#,
        CALLED_OUT,
    );
}

#[test]
fn a_question_how_far_the_output_is() {
    never_split(
        r#"int main(void)
{
    int r = mix(4, 5);
    return ftell(stdout) == -1 && errno == ESPIPE && r == 23 ? 0 : 1;
}
"#,
        CALLED_OUT,
    );
}

/// The time of the processor starts anew in a copy.
#[test]
fn a_question_what_the_processor_was_used_for() {
    const USAGE: &str = "getrusage(RUSAGE_SELF, &usage) != 0 ? -1 : usage.ru_utime.tv_usec + usage.ru_stime.tv_usec";
    const TIMES: &str = "times(&spent) < 0 ? -1 : (spent.tms_utime + spent.tms_stime) * 10000";
    for question in [USAGE, TIMES] {
        let text = r#"static long used(void)
{
    struct rusage usage;
    struct tms spent;
    return QUESTION;
}

int main(void)
{
    long before;
    int r;
    while ((before = used()) < 20000) {
    }
    r = mix(4, 5);
    return used() >= before && r == 23 ? 0 : 1;
}
"#;
        never_split(&text.replace("QUESTION", question), CALLED_OUT);
    }
}

/// As many files as the program could have without us: a copy that opens more than the original must not fail.
#[test]
fn many_files_that_are_read_are_no_trace() {
    all_split(
        r#"int main(void)
{
    int n, r = mix(4, 5);
    if (r < 10)
        return 1;
    for (n = 0; n < 100 && r != 23; n++)
        if (open("Makefile", O_RDONLY) < 0)
            return 2;
    return 0;
}
"#,
    );
}
