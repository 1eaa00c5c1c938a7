/* Attacks by using much: memory, disk, output. Each is at its end when it has used what the test names, in MiB. */
#include "attack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEP_MIB = 16 };
#define MIB ((size_t)1 << 20)

/* Slow enough to be looked at meanwhile, on a machine that is busy too. */
static void pause_shortly(void) {
    usleep(8000);
}

static int take(size_t mib, int kind) {
    for (size_t taken = 0; taken < mib; taken += STEP_MIB) {
        char *memory = mmap(NULL, STEP_MIB * MIB, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return refused("mmap");
        memset(memory, 1, STEP_MIB * MIB);
        pause_shortly();
    }
    return done();
}

static int take_private(char **words) {
    return take(number(words[0]), MAP_PRIVATE);
}

static int take_shared(char **words) {
    return take(number(words[0]), MAP_SHARED);
}

/* Sixteen processes, each with less than one may have. */
static int take_by_many(char **words) {
    int status, ends = 0;
    for (int i = 0; i < 16; i++)
        if (fork() == 0) {
            int end = take(number(words[0]) / 16, MAP_PRIVATE);
            if (end == 0)
                usleep(500000);
            _exit(end);
        }
    while (wait(&status) > 0)
        ends |= status;
    return ends ? nothing("for some") : done();
}

static int fill(int file, size_t mib) {
    static char block[1 << 20];
    memset(block, 1, sizeof block);
    for (size_t written = 0; written < mib; written++) {
        if (write(file, block, sizeof block) != (ssize_t)sizeof block)
            return refused("write");
        if (written % STEP_MIB == 0)
            pause_shortly();
    }
    return done();
}

static int take_memfd(char **words) {
    int file = memfd_create("perturb-attack", 0);
    return file < 0 ? refused("memfd_create") : fill(file, number(words[0]));
}

static int take_segments(char **words) {
    for (size_t taken = 0; taken < (size_t)number(words[0]); taken += STEP_MIB) {
        int segment = shmget(IPC_PRIVATE, STEP_MIB * MIB, IPC_CREAT | 0600);
        char *memory = segment < 0 ? (void *)-1 : shmat(segment, NULL, 0);
        if (memory == (void *)-1)
            return refused("shmget");
        memset(memory, 1, STEP_MIB * MIB);
        shmdt(memory);
        pause_shortly();
    }
    return done();
}

/* Of the kernel: its tables of pages that are only read take 512 times less than what they are of. */
static int take_tables(char **words) {
    size_t span = (size_t)number(words[0]) * MIB * 512;
    volatile char *memory = mmap(NULL, span, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return refused("mmap");
    madvise((void *)memory, span, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < span; at += 2 * MIB) {
        (void)memory[at];
        if (at % (STEP_MIB * 512 * MIB) == 0)
            pause_shortly();
    }
    return done();
}

/* Where it stands in the order in which processes are ended when the machine has no memory left. */
static int ending_order(char **words) {
    char text[16] = "";
    int file = open("/proc/self/oom_score_adj", O_RDONLY);
    (void)words;
    return read(file, text, sizeof text - 1) > 0 ? done_with(strtol(text, NULL, 10)) : refused("read");
}

/* In files of 8 MiB in a folder. */
static int take_files(char **words) {
    for (long i = 0; i < number(words[1]) / 8; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/perturb-attack-%ld", words[0], i);
        int file = open(path, O_CREAT | O_WRONLY | O_EXCL, 0666);
        if (file < 0)
            return refused("open");
        int end = fill(file, 8);
        if (end)
            return end;
        close(file);
    }
    return done();
}

static int write_large_file(char **words) {
    int file = open(words[0], O_CREAT | O_WRONLY, 0666);
    return file < 0 ? refused("open") : fill(file, number(words[1]));
}

/* In blocks, so that it ends soon. */
static int print_much(char **words) {
    static char block[1 << 16];
    memset(block, 'x', sizeof block);
    for (long i = 0; i < number(words[0]) * 16; i++)
        if (write(1, block, sizeof block) < 0)
            return 1;
    return 0;
}

const struct attack memory_attacks[] = {
    { "take-private", take_private },
    { "take-shared", take_shared },
    { "take-by-many", take_by_many },
    { "take-memfd", take_memfd },
    { "take-segments", take_segments },
    { "take-tables", take_tables },
    { "ending-order", ending_order },
    { "take-files", take_files },
    { "write-large-file", write_large_file },
    { "print-much", print_much },
    { 0 },
};
