/* System calls that change a machine or open a way out of the sandbox. Those that could do harm get arguments that the
   kernel would refuse if it looked at them: reboot without its magic numbers, a module of no bytes. */
#include "attack.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

/* Calls one after another. Refused only if all were; ENOSYS and EPERM are refusals of the sandbox. Whatever else the
   kernel says means that it looked at the arguments. */
struct call {
    long number;
    long words[6];
};

#define COUNT(all) (sizeof(all) / sizeof *(all))

static int make_calls(const struct call *all, size_t count) {
    int reason = EPERM;
    for (size_t i = 0; i < count; i++) {
        const long *w = all[i].words;
        long result = syscall(all[i].number, w[0], w[1], w[2], w[3], w[4], w[5]);
        if (result >= 0 || (errno != EPERM && errno != ENOSYS))
            return done_with(all[i].number);
        reason = errno;
    }
    errno = reason;
    return refused("call");
}

static int io_uring(char **words) {
    static char parameters[256];
    (void)words;
    return judged(syscall(SYS_io_uring_setup, 1, parameters), "io_uring_setup");
}

static int bpf(char **words) {
    struct { uint32_t type, key, value, entries; char rest[112]; } map = { 2, 4, 4, 1, { 0 } };
    (void)words;
    return judged(syscall(SYS_bpf, 0, &map, sizeof map), "bpf");
}

static int userfaultfd(char **words) {
    (void)words;
    return judged(syscall(SYS_userfaultfd, 1), "userfaultfd");
}

static int perf_events(char **words) {
    struct { uint32_t type, size; uint64_t event, rest[14]; } counter = { 1, 128, 0, { 0 } };
    counter.rest[3] = 1 << 5 | 1 << 6;
    (void)words;
    return judged(syscall(SYS_perf_event_open, &counter, 0, -1, -1, 0), "perf_event_open");
}

static int namespaces(char **words) {
    int all[] = { CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP };
    (void)words;
    for (size_t i = 0; i < COUNT(all); i++)
        if (unshare(all[i]) == 0 || errno != EPERM)
            return done();
    return refused("unshare");
}

static int clone_namespaces(char **words) {
    (void)words;
    long process = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    if (process == 0)
        _exit(0);
    return judged(process, "clone");
}

static int clone3_namespaces(char **words) {
    struct { uint64_t flags, pidfd, child, parent, signal, stack, size, tls; } how = { .flags = CLONE_NEWUSER };
    how.signal = SIGCHLD;
    (void)words;
    long process = syscall(SYS_clone3, &how, sizeof how);
    if (process == 0)
        _exit(0);
    return judged(process, "clone3");
}

/* Enters the namespaces of the process that the word names, or its own again. */
static int enter_namespace(char **words) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%s/ns/user", words[0]);
    int file = open(path, O_RDONLY);
    file = file < 0 ? open("/proc/self/ns/net", O_RDONLY) : file;
    return judged(setns(file, 0), "setns");
}

static int mount_something(char **words) {
    if (mount("none", words[0], "tmpfs", 0, "size=4k") == 0)
        return done();
    return judged(umount2(words[0], MNT_DETACH), "umount");
}

static int mount_anew(char **words) {
    long path = (long)words[0];
    const struct call all[] = {
        { SYS_fsopen, { (long)"tmpfs" } },
        { SYS_open_tree, { AT_FDCWD, path, 1 } },
        { SYS_move_mount, { AT_FDCWD, path, AT_FDCWD, path } },
        { SYS_fspick, { AT_FDCWD, path } },
        { SYS_mount_setattr, { AT_FDCWD, path } },
    };
    return make_calls(all, COUNT(all));
}

static int change_root(char **words) {
    const struct call all[] = { { SYS_chroot, { (long)words[0] } }, { SYS_pivot_root, { (long)"/", (long)"/" } } };
    return make_calls(all, COUNT(all));
}

/* By a handle, which skips the folders on the way to a file. */
static int open_by_handle(char **words) {
    struct { struct file_handle handle; char bytes[128]; } all = { .handle.handle_bytes = 128 };
    int mount = -1;
    (void)words;
    if (name_to_handle_at(AT_FDCWD, "/proc/self/exe", &all.handle, &mount, AT_SYMLINK_FOLLOW) < 0)
        all.handle.handle_bytes = 8;
    int root = open("/", O_RDONLY | O_DIRECTORY);
    long opened = syscall(SYS_open_by_handle_at, root < 0 ? AT_FDCWD : root, &all.handle, O_RDONLY);
    return judged(opened, "open_by_handle_at");
}

static int machine(char **words) {
    const struct call all[] = {
        { SYS_reboot, { 0, 0, 0, 0 } },
        { SYS_swapon, { (long)"/perturb-attack", 0 } },
        { SYS_swapoff, { (long)"/perturb-attack" } },
        { SYS_init_module, { 0, 0, (long)"" } },
        { SYS_finit_module, { -1, (long)"", 0 } },
        { SYS_delete_module, { (long)"perturb-attack", O_NONBLOCK } },
        { SYS_kexec_load, { 0, 0, 0, -1 } },
        { SYS_acct, { (long)"/perturb-attack" } },
        { SYS_quotactl, { 0, (long)"/perturb-attack", 0, 0 } },
        { SYS_syslog, { 10, 0, 0 } },
        { SYS_fanotify_init, { 0, 0 } },
        { SYS_sethostname, { (long)"", -1 } },
        { SYS_setdomainname, { (long)"", -1 } },
        { SYS_vhangup, { 0 } },
#ifdef SYS_iopl
        { SYS_iopl, { 0 } },
#endif
    };
    (void)words;
    return make_calls(all, COUNT(all));
}

/* To what it is. */
static int set_clock(char **words) {
    struct timespec time;
    struct timeval coarse;
    struct timex none = { 0 };
    (void)words;
    clock_gettime(CLOCK_REALTIME, &time);
    coarse = (struct timeval){ time.tv_sec, time.tv_nsec / 1000 };
    if (clock_settime(CLOCK_REALTIME, &time) == 0 || settimeofday(&coarse, NULL) == 0)
        return done();
    return judged(adjtimex(&none), "adjtimex");
}

/* Calls that are newer than the sandbox, up to the number of those that no kernel has yet. */
static int new_calls(char **words) {
    (void)words;
    for (long number = 467; number < 600; number++)
        if (syscall(number, -1, -1, -1, -1, -1, -1) >= 0 || errno != ENOSYS)
            return done_with(number);
    return refused("call");
}

#ifdef __x86_64__
/* In the way of a 32-bit program: other numbers, and pointers of 32 bits. */
static long call_32(long number, long one, long two, long three, long four, long five) {
    long result;
    register long fourth __asm__("rsi") = four;
    register long fifth __asm__("rdi") = five;
    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(number), "b"(one), "c"(two), "d"(three), "r"(fourth), "r"(fifth)
                     : "memory", "r8", "r9", "r10", "r11");
    return result;
}

static int by_32_bits(char **words) {
    uint32_t *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    long result = -1;
    /* A socket of the kernel's ciphers; and text for a mount of a file system that there is not. */
    low[0] = AF_ALG, low[1] = SOCK_SEQPACKET, low[2] = 0;
    strcpy((char *)(low + 8), "perturb");
    if (!strcmp(words[0], "getpid"))
        result = call_32(20, 0, 0, 0, 0, 0);
    else if (!strcmp(words[0], "keyctl"))
        result = call_32(288, 0, -3, 0, 0, 0);
    else if (!strcmp(words[0], "unshare"))
        result = call_32(310, CLONE_NEWUSER, 0, 0, 0, 0);
    else if (!strcmp(words[0], "mount"))
        result = call_32(21, (long)(low + 8), (long)(low + 8), (long)(low + 8), 0, 0);
    else if (!strcmp(words[0], "socketcall"))
        result = call_32(102, 1, (long)low, 0, 0, 0);
    return done_with(result);
}

static int by_x32(char **words) {
    (void)words;
    return done_with(syscall(0x40000000 | SYS_getpid));
}
#endif

const struct attack call_attacks[] = {
    { "io_uring", io_uring },
    { "bpf", bpf },
    { "userfaultfd", userfaultfd },
    { "perf-events", perf_events },
    { "namespaces", namespaces },
    { "clone-namespaces", clone_namespaces },
    { "clone3-namespaces", clone3_namespaces },
    { "enter-namespace", enter_namespace },
    { "mount", mount_something },
    { "mount-anew", mount_anew },
    { "change-root", change_root },
    { "open-by-handle", open_by_handle },
    { "machine", machine },
    { "set-clock", set_clock },
    { "new-calls", new_calls },
#ifdef __x86_64__
    { "by-32-bits", by_32_bits },
    { "by-x32", by_x32 },
#endif
    { 0 },
};
