/* Attacks on other processes, and by many processes. A signal goes to nobody but the process that the test names. */
#include "attack.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What others try to change. */
static volatile long watched = 7;

/* A victim: tells where its number is, and waits, not for ever. */
static int be_victim(char **words) {
    (void)words;
    printf("%p\n", (void *)&watched);
    fflush(stdout);
    for (int i = 0; i < 1000; i++)
        usleep(100000);
    return (int)watched;
}

/* The word in its second place is only a mark by which the test finds it. */
static int wait_long(char **words) {
    (void)words;
    for (int i = 0; i < 100; i++)
        usleep(100000);
    return done();
}

static int send_signal(char **words) {
    return judged(kill(number(words[0]), number(words[1])), "kill");
}

static int signal_thread(char **words) {
    long victim = number(words[0]);
    return judged(syscall(SYS_tgkill, victim, victim, SIGKILL), "tgkill");
}

static int signal_by_descriptor(char **words) {
    long victim = syscall(SYS_pidfd_open, number(words[0]), 0);
    if (victim < 0)
        return refused("pidfd_open");
    return judged(syscall(SYS_pidfd_send_signal, victim, SIGKILL, NULL, 0), "pidfd_send_signal");
}

static int queue_signal(char **words) {
    return judged(sigqueue(number(words[0]), SIGKILL, (union sigval){ 0 }), "sigqueue");
}

/* Has the kernel send a signal to the victim, as the owner of a pipe that becomes readable. */
static int signal_by_owner(char **words) {
    int ends[2];
    if (pipe(ends) || fcntl(ends[0], F_SETSIG, SIGKILL) || fcntl(ends[0], F_SETOWN, (int)number(words[0])))
        return refused("fcntl");
    if (fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK) || write(ends[1], "x", 1) != 1)
        return refused("fcntl");
    return done();
}

static int trace(char **words) {
    return judged(ptrace(PTRACE_SEIZE, number(words[0]), 0, 0), "ptrace");
}

static int write_memory(char **words) {
    long eight = 8;
    struct iovec from = { &eight, sizeof eight }, to = { (void *)number(words[1]), sizeof eight };
    return judged(process_vm_writev(number(words[0]), &from, 1, &to, 1, 0), "process_vm_writev");
}

static int write_memory_file(char **words) {
    char path[64];
    long eight = 8;
    snprintf(path, sizeof path, "/proc/%ld/mem", number(words[0]));
    int file = open(path, O_RDWR);
    if (file < 0)
        return refused("open");
    return judged(pwrite(file, &eight, sizeof eight, number(words[1])), "pwrite");
}

static int lower_priority(char **words) {
    return judged(setpriority(PRIO_PROCESS, number(words[0]), 5), "setpriority");
}

/* Of a user that nobody is. */
static int lower_priority_of_user(char **words) {
    (void)words;
    return judged(setpriority(PRIO_USER, 4000000, 5), "setpriority");
}

static int limit_other(char **words) {
    struct rlimit limit = { 1000, 1000 };
    return judged(prlimit(number(words[0]), RLIMIT_NOFILE, &limit, NULL), "prlimit");
}

static int pin_other(char **words) {
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    return judged(sched_setaffinity(number(words[0]), sizeof first, &first), "sched_setaffinity");
}

static int make_other_idle(char **words) {
    struct sched_param none = { 0 };
    return judged(sched_setscheduler(number(words[0]), SCHED_IDLE, &none), "sched_setscheduler");
}

static int make_other_io_idle(char **words) {
    enum { PROCESS = 1, IDLE = 3 << 13 };
    return judged(syscall(SYS_ioprio_set, PROCESS, number(words[0]), IDLE), "ioprio_set");
}

static int raise_own_limits(char **words) {
    int all[] = { RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_CPU };
    (void)words;
    for (int i = 0; i < 3; i++) {
        struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
        if (setrlimit(all[i], &none) == 0)
            return done();
    }
    return refused("setrlimit");
}

static int be_urgent(char **words) {
    struct sched_param lowest = { 1 };
    (void)words;
    if (setpriority(PRIO_PROCESS, 0, -5) == 0)
        return done();
    return judged(sched_setscheduler(0, SCHED_FIFO, &lowest), "sched_setscheduler");
}

/* Leaves the job by all that a program can do to become a stranger to it. */
static int be_daemon(char **words) {
    pid_t process = fork();
    if (process == 0) {
        setsid();
        if (fork() > 0)
            _exit(0);
        signal(SIGHUP, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
        prctl(PR_SET_PDEATHSIG, 0);
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        if (fork() == 0)
            setpgid(0, 0);
        for (int file = 0; file < 3; file++)
            close(file);
        return wait_long(words);
    }
    waitpid(process, NULL, 0);
    usleep(20000);
    return done();
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

/* A process that is a new one again and again, so that whoever ends it comes too late; for three seconds at most. */
static int hop(char **words) {
    double until = now() + 3;
    (void)words;
    if (fork() > 0) {
        usleep(20000);
        return done();
    }
    setsid();
    while (now() < until)
        if (fork() > 0)
            _exit(0);
    return 0;
}

/* At most 400, each of which sleeps. */
static int fork_bomb(char **words) {
    (void)words;
    for (int i = 0; i < 400; i++) {
        pid_t process = fork();
        if (process < 0)
            return refused("fork");
        if (process == 0) {
            wait_long(words);
            _exit(0);
        }
        usleep(1000);
    }
    return done();
}

/* Three processes, two of which are daemons, for three seconds at most. */
static int spin(char **words) {
    double until = now() + 3;
    (void)words;
    if (fork() == 0)
        setsid();
    fork();
    while (now() < until)
        continue;
    return done();
}

/* Stops itself, and cannot be asked to end. */
static int stop(char **words) {
    (void)words;
    signal(SIGTERM, SIG_IGN);
    raise(SIGSTOP);
    return done();
}

const struct attack process_attacks[] = {
    { "be-victim", be_victim },
    { "wait", wait_long },
    { "signal", send_signal },
    { "signal-thread", signal_thread },
    { "signal-by-descriptor", signal_by_descriptor },
    { "queue-signal", queue_signal },
    { "signal-by-owner", signal_by_owner },
    { "trace", trace },
    { "write-memory", write_memory },
    { "write-memory-file", write_memory_file },
    { "lower-priority", lower_priority },
    { "lower-priority-of-user", lower_priority_of_user },
    { "limit-other", limit_other },
    { "pin-other", pin_other },
    { "make-other-idle", make_other_idle },
    { "make-other-io-idle", make_other_io_idle },
    { "raise-own-limits", raise_own_limits },
    { "be-urgent", be_urgent },
    { "daemon", be_daemon },
    { "hop", hop },
    { "fork-bomb", fork_bomb },
    { "spin", spin },
    { "stop", stop },
    { 0 },
};
