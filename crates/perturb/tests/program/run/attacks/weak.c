/*
 * weak PROGRAM ARGUMENTS: runs a program as on a machine that allows no sandbox: no namespaces, no Landlock, no other user.
 * weak --namespaces PROGRAM ARGUMENTS: as on one that only lacks the first.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(what) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, what))
#define REFUSE(with) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (with))
#define IF(test, value, skip) BPF_JUMP(BPF_JMP | test | BPF_K, value, 0, skip)

int main(int count, char **words)
{
    const unsigned namespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC;
    struct sock_filter lines[] = {
        LOAD(nr),
        IF(BPF_JEQ, 444 /* landlock_create_ruleset */, 1), REFUSE(ENOSYS),
        IF(BPF_JEQ, SYS_clone3, 1), REFUSE(ENOSYS),
        IF(BPF_JEQ, SYS_unshare, 1), REFUSE(EPERM),
        IF(BPF_JEQ, SYS_clone, 3), LOAD(args[0]), IF(BPF_JSET, namespaces, 1), REFUSE(EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = { sizeof lines / sizeof *lines, lines };
    int capability;
    if (count > 2 && !strcmp(words[1], "--namespaces")) {
        /* The rest of the filter stands behind what is about Landlock. */
        lines[1].k = ~0u;
        words++;
        count--;
        capability = 64;
    } else {
        capability = 0;
    }
    if (count < 2)
        return 125;
    /* Refused where there is none to drop. */
    for (; capability < 64; capability++)
        prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        return 125;
    execv(words[1], words + 1);
    perror(words[1]);
    return 125;
}
