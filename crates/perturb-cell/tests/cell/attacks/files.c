/* Attacks on files, FIFOs, devices and links. */
#include "attack.h"

#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

static int read_byte(int file) {
    char byte;
    ssize_t got = file < 0 ? -1 : read(file, &byte, 1);
    if (got < 0)
        return refused("read");
    return got ? done() : nothing("in it");
}

static int write_text(int file) {
    return judged(file < 0 ? -1 : write(file, "attacked", 8), "write");
}

static int read_path(char **words) {
    return read_byte(open(words[0], O_RDONLY | O_NONBLOCK));
}

static int write_path(char **words) {
    return write_text(open(words[0], O_WRONLY | O_NONBLOCK | O_APPEND | O_NOCTTY));
}

static int create_path(char **words) {
    return write_text(open(words[0], O_WRONLY | O_CREAT | O_EXCL, 0666));
}

/* Only opens the first of these that can be: nothing is written or read. */
static int open_any(char **words, int how) {
    int reason = ENOENT;
    for (; *words; words++) {
        if (open(*words, how | O_NONBLOCK | O_NOCTTY) >= 0)
            return done();
        if (errno != ENOENT)
            reason = errno;
    }
    errno = reason;
    return refused("open");
}

static int open_to_read(char **words) {
    return open_any(words, O_RDONLY);
}

static int open_to_write(char **words) {
    return open_any(words, O_WRONLY);
}

static int make_device(char **words) {
    if (mknod(words[0], S_IFCHR | 0666, makedev(1, 11)) < 0)
        return refused("mknod");
    return judged(open(words[0], O_RDONLY | O_NONBLOCK), "open");
}

static int cut(char **words) {
    return judged(truncate(words[0], 0), "truncate");
}

static int delete(char **words) {
    return judged(unlink(words[0]), "unlink");
}

static int move(char **words) {
    return judged(rename(words[0], words[1]), "rename");
}

static int change_mode(char **words) {
    return judged(chmod(words[0], 0604), "chmod");
}

/* The mode of a file that is only open for reading. */
static int change_mode_of_open(char **words) {
    int file = open(words[0], O_RDONLY);
    if (file < 0)
        return refused("open");
    return judged(fchmod(file, 0604), "fchmod");
}

static int change_time(char **words) {
    struct timespec times[2] = { { 1000000000, 0 }, { 1000000000, 0 } };
    return judged(utimensat(AT_FDCWD, words[0], times, 0), "utimensat");
}

static int add_attribute(char **words) {
    return judged(setxattr(words[0], "user.attacked", "x", 1, 0), "setxattr");
}

static int look_at(char **words) {
    struct stat data;
    return judged(stat(words[0], &data), "stat");
}

static int watch_folder(char **words) {
    int watcher = inotify_init();
    if (watcher < 0)
        return refused("inotify_init");
    return judged(inotify_add_watch(watcher, words[0], IN_ALL_EVENTS), "inotify_add_watch");
}

/* Writes to the first by a link that is the second. */
static int write_by_symlink(char **words) {
    if (symlink(words[0], words[1]) < 0)
        return refused("symlink");
    return write_path(words + 1);
}

static int write_by_hard_link(char **words) {
    if (link(words[0], words[1]) < 0)
        return refused("link");
    return write_path(words + 1);
}

/* Puts a link to the second in the place of the first, an empty folder. */
static int replace_by_link(char **words) {
    if (rmdir(words[0]) < 0)
        return refused("rmdir");
    return judged(symlink(words[1], words[0]), "symlink");
}

/* Goes up from a folder that is only open as a path, as far as it goes, and down again to the word. */
static int climb(char **words) {
    int folder = open(".", O_PATH | O_DIRECTORY);
    for (int i = 0; i < 64 && folder >= 0; i++)
        folder = openat(folder, "..", O_PATH | O_DIRECTORY);
    return read_byte(folder < 0 ? -1 : openat(folder, words[0] + 1, O_RDONLY));
}

/* By the kernel's links to the root and the folders of processes; the others among the words are those processes. */
static int by_links_of_processes(char **words) {
    int reason = ENOENT;
    for (char **process = words + 1; *process; process++) {
        const char *links[] = { "root", "cwd/../../../../../../../.." };
        char path[4096], target[4096];
        for (int i = 0; i < 2; i++) {
            snprintf(path, sizeof path, "/proc/%s/%s%s", *process, links[i], words[0]);
            if (open(path, O_RDONLY) >= 0)
                return done();
            if (errno != ENOENT)
                reason = errno;
        }
        /* The list of numbers is nothing yet: what they are open for is. */
        snprintf(path, sizeof path, "/proc/%s/fd/0", *process);
        if (readlink(path, target, sizeof target) >= 0)
            return done();
        if (errno != ENOENT)
            reason = errno;
    }
    errno = reason;
    return refused("open");
}

static int own_links(char **words) {
    char path[4096];
    const char *links[] = { "/proc/self/root", "/proc/self/cwd/../../../../../../../..", "/proc/thread-self/root" };
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s", links[i], words[0]);
        int file = open(path, O_RDONLY);
        if (file >= 0)
            return read_byte(file);
    }
    return refused("open");
}

/* A file of the job that whoever executes it would run as its owner. */
static int make_setuid(char **words) {
    int file = open(words[0], O_WRONLY | O_CREAT | O_EXCL, 0755);
    if (file < 0)
        return refused("open");
    if (write(file, "#!/bin/true\n", 12) < 0)
        return refused("write");
    return judged(fchmod(file, 04755), "fchmod");
}

static int run_setuid(char **words) {
    execl(words[0], words[0], "am-i-another-user", (char *)NULL);
    return refused("exec");
}

static int am_i_another_user(char **words) {
    (void)words;
    return geteuid() != getuid() ? done() : nothing("was gained");
}

static int type_into(char **words) {
    int terminal = open(words[0], O_RDWR | O_NOCTTY | O_NONBLOCK);
    return judged(ioctl(terminal < 0 ? 0 : terminal, TIOCSTI, "x"), "ioctl");
}

/* What is open besides standard input, output and error. */
static int descriptors(char **words) {
    (void)words;
    DIR *list = opendir("/proc/self/fd");
    struct dirent *entry;
    if (!list)
        return refused("opendir");
    while ((entry = readdir(list)))
        if (entry->d_name[0] != '.' && number(entry->d_name) > 2 && number(entry->d_name) != dirfd(list))
            return done_with(number(entry->d_name));
    return nothing("is open");
}

static int environment(char **words) {
    return getenv(words[0]) ? done() : nothing("is in it");
}

static int crash(char **words) {
    (void)words;
    abort();
}

const struct attack file_attacks[] = {
    { "read", read_path },
    { "write", write_path },
    { "create", create_path },
    { "open-to-read", open_to_read },
    { "open-to-write", open_to_write },
    { "mknod", make_device },
    { "truncate", cut },
    { "delete", delete },
    { "move", move },
    { "chmod", change_mode },
    { "fchmod", change_mode_of_open },
    { "change-time", change_time },
    { "add-attribute", add_attribute },
    { "stat", look_at },
    { "watch", watch_folder },
    { "write-by-symlink", write_by_symlink },
    { "write-by-hard-link", write_by_hard_link },
    { "replace-by-link", replace_by_link },
    { "climb", climb },
    { "by-links-of-processes", by_links_of_processes },
    { "own-links", own_links },
    { "make-setuid", make_setuid },
    { "run-setuid", run_setuid },
    { "am-i-another-user", am_i_another_user },
    { "type-into", type_into },
    { "descriptors", descriptors },
    { "environment", environment },
    { "crash", crash },
    { 0 },
};
