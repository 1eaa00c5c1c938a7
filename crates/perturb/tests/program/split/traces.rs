//! What is open when a copy is made, and seen by others: without the fallback all killed mutants but the first would be
//! taken for live.

use super::{all_split, never_split};

/// A program that passes if `mix` is right, or if `mark` says that it is not the first to have been here.
fn marking(before: &str, mark: &str) -> String {
    format!("int main(void)\n{{\n    int r;\n{before}\n    r = mix(4, 5);\n    if (r == 23)\n        return 0;\n{mark}\n}}\n")
}

#[test]
fn a_file_open_for_writing() {
    let before = "FILE *log = fopen(\"log\", \"w+\");";
    let mark = "fputs(\"wrong\\n\", log); fflush(log); return ftell(log) > 6 ? 0 : 1;";
    never_split(&marking(before, mark), "a file is open for writing");
}

#[test]
fn a_file_open_for_writing_far_up() {
    let before = "struct rlimit limit; int log;
        getrlimit(RLIMIT_NOFILE, &limit); limit.rlim_cur = limit.rlim_max; setrlimit(RLIMIT_NOFILE, &limit);
        log = dup2(open(\"log\", O_RDWR | O_CREAT, 0600), 200); close(3);";
    let mark = "write(log, \"wrong\\n\", 6); return lseek(log, 0, SEEK_CUR) > 6 ? 0 : 1;";
    never_split(&marking(before, mark), "a pipe, a socket or a device is open");
}

#[test]
fn a_pipe() {
    let before = "int ends[2]; pipe(ends);";
    let mark = "int n = 0; write(ends[1], \"x\", 1); ioctl(ends[0], FIONREAD, &n); return n > 1 ? 0 : 1;";
    never_split(&marking(before, mark), "a pipe, a socket or a device is open");
}

#[test]
fn a_socket() {
    let before = "int ends[2]; socketpair(AF_UNIX, SOCK_STREAM, 0, ends);";
    let mark = "int n = 0; write(ends[1], \"x\", 1); ioctl(ends[0], FIONREAD, &n); return n > 1 ? 0 : 1;";
    never_split(&marking(before, mark), "a pipe, a socket or a device is open");
}

#[test]
fn shared_memory() {
    let before = "int *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);";
    let mark = "return ++*count > 1 ? 0 : 1;";
    never_split(&marking(before, mark), "memory is shared with other processes");
}

#[test]
fn shared_memory_that_can_be_written_only_later() {
    let before = "int *count = mmap(NULL, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);";
    let mark = "mprotect(count, 4096, PROT_READ | PROT_WRITE); return ++*count > 1 ? 0 : 1;";
    super::partly_split(
        &marking(before, mark),
        "it goes on to what a copy may not do: change files, start processes, ask for its own time",
    );
}

#[test]
fn a_mapped_file() {
    let before = "int *count, file = open(\"count\", O_RDWR | O_CREAT, 0600); ftruncate(file, 4096);
        count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0); close(file);";
    let mark = "return ++*count > 1 ? 0 : 1;";
    never_split(&marking(before, mark), "memory is shared with other processes");
}

#[test]
fn output_that_goes_to_a_file_and_is_read_again() {
    let before = "freopen(\"log\", \"w+\", stdout);";
    let mark = "puts(\"wrong\"); fflush(stdout); return ftell(stdout) > 6 ? 0 : 1;";
    never_split(&marking(before, mark), "standard output or error is not what it was at the start");
}

/// How far a file is read is the same for all who have it from before.
#[test]
fn a_file_that_is_read_on() {
    let before = "char line[8] = \"\"; int in = open(\"Makefile\", O_RDONLY); read(in, line, 3);";
    let mark = "read(in, line, 3); return strcmp(line, \": t\") == 0 ? 1 : 0;";
    all_split(&marking(before, mark));
    let buffered =
        "char line[99]; FILE *in = fopen(\"Makefile\", \"r\"); setvbuf(in, NULL, _IONBF, 0); fgets(line, 99, in);";
    let mark = "fgets(line, 99, in); return strncmp(line, \"t: src/p.c\", 10) == 0 ? 1 : 0;";
    all_split(&marking(buffered, mark));
}

#[test]
fn standard_input_is_read_by_all() {
    let before =
        "char line[8]; freopen(\"Makefile\", \"r\", stdin); setvbuf(stdin, NULL, _IONBF, 0); fgets(line, 8, stdin);";
    let mark = "return fgets(line, 8, stdin) && strncmp(line, \"t: src\", 6) == 0 ? 1 : 0;";
    all_split(&marking(before, mark));
}

#[test]
fn a_folder_that_is_read_on() {
    let before = "char entries[64]; long n; int folder = open(\"/\", O_RDONLY | O_DIRECTORY);
        n = lseek(folder, 0, SEEK_CUR);";
    let mark = "if (lseek(folder, 0, SEEK_CUR) != n) return 0; lseek(folder, 7, SEEK_SET); return 1;";
    all_split(&marking(before, mark));
}
