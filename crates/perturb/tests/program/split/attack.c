/*
 * What a mutant might do to the other mutants of a run, and to the original. Each attack begins where its guard is
 * broken, and again where the mutants that broke it have parted. Never to be run outside the belt of the tests.
 */
#define _GNU_SOURCE
#include "../src/guards.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PLACE ((void *)0x7e8074755000ul)

enum { DESCRIPTORS = 256 };

/* The original, if this is a copy of it. Asking the kernel for it is not allowed there. */
static int parent(void)
{
    char text[256] = "";
    int file = open("/proc/self/stat", O_RDONLY), id = 0;
    if (read(file, text, sizeof text - 1) > 0)
        sscanf(strrchr(text, ')'), ") %*c %d", &id);
    close(file);
    return id;
}

/* All memory that is shared and can be written, and the place where the parts of a process meet. */
static void memory(void)
{
    static char zeros[1 << 16];
    char line[512];
    int zero = open("/dev/zero", O_RDONLY);
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        char how[5];
        if (sscanf(line, "%lx-%lx %4s", &start, &end, how) == 3 && how[1] == 'w' && how[3] == 's') {
            unsigned long at;
            for (at = start; at < end; at += sizeof zeros)
                memcpy((void *)at, zeros, end - at < sizeof zeros ? end - at : sizeof zeros);
        }
    }
    fclose(maps);
    /* By the kernel, so that it is no crash where that is not there. */
    if (read(zero, PLACE, 4096) > 0)
        *(int *)PLACE = 1;
    close(zero);
}

static void garbage(void)
{
    char block[997];
    int file, n;
    memset(block, 0x5a, sizeof block);
    for (file = 3; file < DESCRIPTORS; file++)
        for (n = 0; n < 1000 && write(file, block, sizeof block) > 0; n++) {
        }
}

/* Each number that could be the index of a mutant, as if it had gone. */
static void indices(void)
{
    unsigned file, index;
    for (file = 3; file < DESCRIPTORS; file++)
        for (index = 0; index < 400 && write(file, &index, sizeof index) > 0; index++) {
        }
}

/* One byte: no index is complete any more. */
static void byte(void)
{
    int file;
    for (file = 3; file < DESCRIPTORS; file++)
        if (write(file, "x", 1) != 1)
            errno = 0;
}

static void closed(void)
{
    int file;
    for (file = 3; file < DESCRIPTORS; file++)
        close(file);
}

static void replaced(void)
{
    int file;
    for (file = 3; file < DESCRIPTORS; file++)
        dup2(1, file);
}

/* Takes back what was written. */
static void stolen(void)
{
    char path[64], block[4096];
    int file, again;
    for (file = 3; file < DESCRIPTORS; file++) {
        if (fcntl(file, F_GETFD) < 0)
            continue;
        read(file, block, sizeof block);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        again = open(path, O_RDONLY | O_NONBLOCK);
        if (again >= 0) {
            read(again, block, sizeof block);
            close(again);
        }
    }
}

/* What a copy that cannot go on does to itself. */
static void gives_up(void)
{
    raise(SIGKILL);
}

static void signals(void)
{
    syscall(SYS_tgkill, parent(), parent(), SIGKILL);
}

static void kills(void)
{
    kill(parent(), SIGTERM);
}

static void names(void)
{
    int file = syscall(SYS_pidfd_open, parent(), 0);
    syscall(SYS_pidfd_send_signal, file, SIGKILL, 0, 0);
}

static void traces(void)
{
    ptrace(PTRACE_ATTACH, parent(), 0, 0);
}

static void pokes(void)
{
    int zero = 0;
    struct iovec own = { &zero, sizeof zero }, its = { PLACE, sizeof zero };
    process_vm_writev(parent(), &own, 1, &its, 1, 0);
}

static void patches(void)
{
    char path[64];
    int file, zero = 0;
    snprintf(path, sizeof path, "/proc/%d/mem", parent());
    file = open(path, O_RDWR);
    if (pwrite(file, &zero, sizeof zero, (long)PLACE) == sizeof zero)
        errno = 0;
}

static void unlocks(void)
{
    mprotect(PLACE, 4096, PROT_READ | PROT_WRITE);
    memory();
}

/* Its own verdict, and those of all others. */
static void forges(void)
{
    const char *path = getenv("PERTURB_SPLIT");
    int file = open(path ? path : "/dev/null", O_RDWR);
    char zeros[4096] = "";
    if (write(file, zeros, sizeof zeros) < 0)
        errno = 0;
}

static void multiplies(void)
{
    if (fork() == 0)
        _exit(0);
}

int main(int count, char **words)
{
    const struct {
        const char *name;
        int (*may)(int, int);
        void (*attack)(void);
    } attacks[] = {
        { "memory", may_memory, memory },
        { "garbage", may_garbage, garbage },
        { "indices", may_indices, indices },
        { "byte", may_byte, byte },
        { "closed", may_closed, closed },
        { "replaced", may_replaced, replaced },
        { "stolen", may_stolen, stolen },
        { "gives_up", may_give_up, gives_up },
        { "signals", may_signal, signals },
        { "kills", may_kill, kills },
        { "names", may_name, names },
        { "traces", may_trace, traces },
        { "pokes", may_poke, pokes },
        { "patches", may_patch, patches },
        { "unlocks", may_unlock, unlocks },
        { "forges", may_forge, forges },
        { "multiplies", may_multiply, multiplies },
    };
    unsigned i;
    for (i = 0; count == 2 && i < sizeof attacks / sizeof *attacks; i++) {
        int first, last, begun, later;
        if (strcmp(words[1], attacks[i].name) != 0)
            continue;
        first = before(4, 5);
        begun = attacks[i].may(1, 1);
        if (begun)
            attacks[i].attack();
        /* Those that have begun part here: some of them pass. */
        later = attacks[i].may(2, 1);
        if (begun)
            attacks[i].attack();
        last = after(2, 3);
        if (first != 17 || last != 8)
            return 1;
        return begun && !later ? 4 : 0;
    }
    return 2;
}
