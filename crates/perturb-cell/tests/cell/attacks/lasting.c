/* What a job can leave behind: one half of each attack leaves something, with the other a later job looks for it. */
#include "attack.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { KEY = 0x70727462 };

static int leave_memory(char **words) {
    (void)words;
    return judged(shmget(KEY, 4096, IPC_CREAT | 0666), "shmget");
}

static int find_memory(char **words) {
    (void)words;
    return judged(shmget(KEY, 0, 0), "shmget");
}

static int leave_semaphore(char **words) {
    (void)words;
    return judged(semget(KEY, 1, IPC_CREAT | 0666), "semget");
}

static int find_semaphore(char **words) {
    (void)words;
    return judged(semget(KEY, 0, 0), "semget");
}

static int leave_messages(char **words) {
    (void)words;
    return judged(msgget(KEY, IPC_CREAT | 0666), "msgget");
}

static int find_messages(char **words) {
    (void)words;
    return judged(msgget(KEY, 0), "msgget");
}

static int leave_queue(char **words) {
    (void)words;
    return judged(mq_open("/perturb-attack", O_CREAT | O_RDWR, 0666, NULL), "mq_open");
}

static int find_queue(char **words) {
    (void)words;
    return judged(mq_open("/perturb-attack", O_RDWR), "mq_open");
}

/* In the ring of the user, which lives as long as the user has a process. */
static int leave_key(char **words) {
    (void)words;
    return judged(syscall(SYS_add_key, "user", "perturb-attack", "x", 1L, -4L), "add_key");
}

static int find_key(char **words) {
    (void)words;
    if (syscall(SYS_request_key, "user", "perturb-attack", NULL, 0L) >= 0)
        return done();
    return judged(syscall(SYS_keyctl, 10L, -4L, "user", "perturb-attack", 0L), "keyctl");
}

static int leave_file(char **words) {
    return judged(open(words[0], O_CREAT | O_WRONLY, 0666), "open");
}

static int find_file(char **words) {
    return judged(access(words[0], F_OK), "access");
}

/* Folders in folders, more than a path can name, and all closed. */
static int leave_nest(char **words) {
    if (chdir(words[0]) < 0)
        return refused("chdir");
    const char *name = "nested-a-little-deeper-than-whoever-removes-it-may-have-thought-of";
    for (int i = 0; i < 150; i++)
        if (mkdir(name, 0700) < 0 || chdir(name) < 0)
            return refused("mkdir");
    return done();
}

/* A file in a folder, both closed to everybody, in a folder that is closed as well. */
static int leave_closed(char **words) {
    char inner[4096], file[4096];
    snprintf(inner, sizeof inner, "%s/closed", words[0]);
    snprintf(file, sizeof file, "%s/closed/file", words[0]);
    if (mkdir(inner, 0700) < 0 || open(file, O_CREAT | O_WRONLY, 0) < 0)
        return refused("mkdir");
    if (chmod(inner, 0) < 0)
        return refused("chmod");
    return judged(chmod(words[0], 0), "chmod");
}

const struct attack lasting_attacks[] = {
    { "leave-memory", leave_memory },       { "find-memory", find_memory },
    { "leave-semaphore", leave_semaphore }, { "find-semaphore", find_semaphore },
    { "leave-messages", leave_messages },   { "find-messages", find_messages },
    { "leave-queue", leave_queue },         { "find-queue", find_queue },
    { "leave-key", leave_key },             { "find-key", find_key },
    { "leave-file", leave_file },           { "find-file", find_file },
    { "leave-nest", leave_nest },           { "leave-closed", leave_closed },
    { 0 },
};
