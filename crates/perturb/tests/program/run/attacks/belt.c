/*
 * belt USER PERTURB PROJECT SCRIPT: the belt around attacks. Runs a shell script in namespaces of its own that are thrown away
 * with it, so that a hole in the sandbox under test does no harm to this machine: other users than any of the machine's (user 0
 * inside is 100000 outside), other processes, no network but a loopback, all files read-only but for small ones in memory, and
 * limits on processes, sizes and time. In it are /mnt/perturb, /mnt/project, /mnt/home, and a bystander that listens on port 7007.
 *
 * Must be started by root. Exits with 125 if the belt cannot be put on: then nothing has run.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST = 100000, COUNT = 65536, SECONDS = 240 };

static char **words;
static int begin[2];

static int need(const char *what, int result)
{
    if (result < 0) {
        fprintf(stderr, "belt: cannot %s: %m\n", what);
        _exit(125);
    }
    return result;
}

static void limit(int resource, rlim_t most)
{
    struct rlimit both = { most, most };
    need("set a limit", setrlimit(resource, &both));
}

static void write_file(const char *path, const char *text)
{
    int file = need(path, open(path, O_WRONLY | O_CLOEXEC));
    need(path, write(file, text, strlen(text)));
    close(file);
}

static void in_memory(const char *folder, const char *options)
{
    need(folder, mount("belt", folder, "tmpfs", MS_NOSUID | MS_NODEV, options));
}

static void raise_loopback(void)
{
    struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
    int any = need("open a socket", socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    need("raise the loopback", ioctl(any, SIOCSIFFLAGS, &request));
    close(any);
}

/* Whom attacks must not reach: notes whether somebody called, and the most processes that there were at one time. */
static void stand_by(void)
{
    struct sockaddr_in own = { .sin_family = AF_INET, .sin_port = htons(7007) };
    int door = need("open a socket", socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), most = 0;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    need("take a port", bind(door, (struct sockaddr *)&own, sizeof own));
    need("listen", listen(door, 4));
    for (;;) {
        struct pollfd called = { door, POLLIN, 0 };
        int count = 0;
        DIR *all = opendir("/proc");
        struct dirent *entry;
        while (all && (entry = readdir(all)))
            count += entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
        closedir(all);
        if (count > most) {
            FILE *note = fopen("/mnt/outside/most", "w");
            most = count;
            fprintf(note, "%d\n", most);
            fclose(note);
        }
        if (poll(&called, 1, 20) > 0) {
            close(accept(door, 0, 0));
            close(open("/mnt/outside/reached", O_CREAT | O_WRONLY, 0600));
        }
    }
}

/* Runs a command of ours to its end, before anything else runs. */
static void prepare(const char *command)
{
    need(command, system(command) == 0 ? 0 : -1);
}

static int belted(void *nothing)
{
    /* Read-only, and all mounts below as well. */
    const struct { unsigned long long set, clear, propagation, space; } read_only = { 1, 0, 0, 0 };
    int user = atoi(words[1]), bystander;
    char text[4200];
    (void)nothing;
    need("end with the test", prctl(PR_SET_PDEATHSIG, SIGKILL));
    close(begin[1]);
    if (read(begin[0], text, 1) != 1)
        _exit(125);
    close(begin[0]);
    need("leave all groups", setgroups(0, 0));
    need("change the group", setresgid(0, 0, 0));
    need("change the user", setresuid(0, 0, 0));
    need("leave the mounts", mount(0, "/", 0, MS_REC | MS_PRIVATE, 0));
    raise_loopback();
    in_memory("/mnt", "mode=755,size=512m");
    prepare("mkdir /mnt/home /mnt/project /mnt/outside && touch /mnt/perturb && echo mine > /mnt/home/letter");
    need("show perturb", mount(words[2], "/mnt/perturb", 0, MS_BIND, 0));
    snprintf(text, sizeof text, "cp -r '%s'/. /mnt/project && chown -R %d:%d /mnt/home /mnt/project /mnt/outside", words[3], user, user);
    prepare(text);
    need("make all read-only", syscall(SYS_mount_setattr, AT_FDCWD, "/", 0x8000 /* all below */, &read_only, sizeof read_only));
    in_memory("/tmp", "mode=1777,size=64m");
    in_memory("/var/tmp", "mode=1777,size=16m");
    in_memory("/dev/shm", "mode=1777,size=16m");
    need("mount processes", mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, 0));
    need("open the files in memory", mount(0, "/mnt", 0, MS_REMOUNT | MS_BIND | MS_NOSUID | MS_NODEV, 0));
    limit(RLIMIT_NPROC, 1500);
    limit(RLIMIT_FSIZE, 1 << 30);
    limit(RLIMIT_CPU, SECONDS);
    limit(RLIMIT_CORE, 0);
    need("change the group", setresgid(user, user, user));
    need("change the user", setresuid(user, user, user));
    need("be seen", prctl(PR_SET_DUMPABLE, 1));
    need("go", chdir("/mnt"));
    need("set HOME", setenv("HOME", "/mnt/home", 1));
    need("set TMPDIR", unsetenv("TMPDIR"));
    bystander = need("start a bystander", fork());
    if (bystander == 0)
        stand_by();
    snprintf(text, sizeof text, "%d", bystander);
    need("name the bystander", setenv("BYSTANDER", text, 1));
    execl("/bin/sh", "sh", "-c", words[4], (char *)0);
    _exit(125);
}

int main(int count, char **given)
{
    static char stack[1 << 16];
    const int spaces = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
    char path[64], map[64];
    int status, process;
    words = given;
    if (count != 5 || geteuid() != 0)
        return 125;
    need("make a pipe", pipe(begin));
    process = need("put the belt on", clone(belted, stack + sizeof stack, spaces | SIGCHLD, 0));
    snprintf(map, sizeof map, "0 %d %d\n", FIRST, COUNT);
    snprintf(path, sizeof path, "/proc/%d/uid_map", process);
    write_file(path, map);
    snprintf(path, sizeof path, "/proc/%d/gid_map", process);
    write_file(path, map);
    need("begin", write(begin[1], "x", 1));
    close(begin[1]);
    close(begin[0]);
    for (int tenths = 0; tenths < SECONDS * 10; tenths++) {
        if (waitpid(process, &status, WNOHANG) == process)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        usleep(100000);
    }
    kill(process, SIGKILL);
    waitpid(process, &status, 0);
    return 124;
}
