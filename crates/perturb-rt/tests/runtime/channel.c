/*
 * What the original believes of what a group's copy has written, and what a copy writes. Exits with the number of the
 * line that is not as it should be.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "perturb.h"

enum { POINTS = 2, MUTANTS = 90 };

static unsigned char state[POINTS], living[MUTANTS];
static const unsigned first[POINTS + 1] = { 10, 80, 90 };
static unsigned char codes[MUTANTS];
static struct __perturb_file file;
static int channel[2];

#define CHECK(is) do { if (!(is)) return __LINE__; } while (0)

/* A group of the mutants from 20 to 69, of the 70 that the first point has. */
static unsigned form_group(void)
{
    unsigned m;

    file.first = first;
    file.living = living;
    file.codes = codes;
    file.state = state;
    for (m = 0; m < MUTANTS; m++) {
        living[m] = m >= 20 && m < 70 ? PERTURB_LEAVES : m < 80 ? PERTURB_LIVES : PERTURB_LEAVES;
        codes[m] = (unsigned char)m;
    }
    return 50;
}

/* What is believed of these bytes, written in parts of so many. */
static int believed(const void *bytes, unsigned long size, unsigned long part)
{
    unsigned count = form_group();
    unsigned long at;
    int is_true;

    if (!__perturb_open_channel(channel))
        return -1;
    for (at = 0; at < size; at += part)
        if (write(channel[1], (const char *)bytes + at, size - at < part ? size - at : part) < 0)
            return -1;
    close(channel[1]);
    is_true = __perturb_take_left(&file, 0, count, channel[0]);
    close(channel[0]);
    return is_true;
}

static unsigned marked(unsigned mark)
{
    unsigned m, count = 0;

    for (m = 0; m < MUTANTS; m++)
        count += living[m] == mark;
    return count;
}

static int reads(void)
{
    static unsigned char garbage[5000];
    unsigned some[] = { 20, 69, 33 }, twice[] = { 21, 22, 21 }, all[50], other, i;

    CHECK(believed("", 0, 1) == 1 && marked(PERTURB_HAS_LEFT) == 0);
    CHECK(believed(some, sizeof some, sizeof some) == 1);
    CHECK(marked(PERTURB_HAS_LEFT) == 3 && living[20] == PERTURB_HAS_LEFT && living[69] == PERTURB_HAS_LEFT);
    CHECK(living[33] == PERTURB_HAS_LEFT && living[21] == PERTURB_LEAVES && living[10] == PERTURB_LIVES);
    CHECK(believed(some, sizeof some, 3) == 1 && marked(PERTURB_HAS_LEFT) == 3);
    CHECK(believed(twice, sizeof twice, 4) == 0);
    for (i = 1; i < 4; i++)
        CHECK(believed(some, sizeof some - i, 4) == 0);
    /* Beside the group, of another point, of no point. */
    for (i = 0; i < 7; i++) {
        const unsigned none[] = { 0, 9, 10, 19, 70, 80, 0xffffffffu };
        other = none[i];
        CHECK(believed(&other, sizeof other, 4) == 0);
    }
    for (i = 0; i < 50; i++)
        all[i] = 69 - i;
    CHECK(believed(all, sizeof all, 4) == 0);
    CHECK(believed(all, sizeof all - 4, 4) == 1 && marked(PERTURB_HAS_LEFT) == 49 && living[20] == PERTURB_LEAVES);
    CHECK(believed(garbage, sizeof garbage, 997) == 0);
    return 0;
}

/* A copy tells of 39 members at once; one that cannot ends by SIGKILL, whatever stands in the way. */
static int writes(void)
{
    int how, status;
    unsigned m;

    for (how = 0; how < 4; how++) {
        form_group();
        CHECK(__perturb_open_channel(channel));
        PERTURB_MEETING->channel = channel[1];
        __perturb_identify(channel[1], PERTURB_MEETING->channel_is);
        if (fork() == 0) {
            PERTURB_MEETING->pid = (unsigned)getpid();
            for (m = 0; m < MUTANTS; m++)
                living[m] = m < 20 || m >= 70 ? PERTURB_GONE : m % 5 && m != 21 ? PERTURB_LEAVES : PERTURB_LIVES;
            if (how == 1)
                close(channel[1]);
            else if (how == 2)
                dup2(open("/dev/null", O_WRONLY), channel[1]);
            else if (how == 3)
                while (write(channel[1], living, sizeof living) > 0) {
                }
            __perturb_drop(&file, 0);
            _exit(state[0] == PERTURB_IDLE ? 0 : 1);
        }
        wait(&status);
        CHECK(how == 0 ? WIFEXITED(status) && WEXITSTATUS(status) == 0 : WIFSIGNALED(status) && WTERMSIG(status) == 9);
        close(channel[1]);
        CHECK(__perturb_take_left(&file, 0, 50, channel[0]) == (how != 3));
        CHECK(how == 3 || marked(PERTURB_HAS_LEFT) == (how ? 0 : 39));
        close(channel[0]);
    }
    return 0;
}

/* The last member needs no channel. */
static int settles(void)
{
    unsigned m, index = 0;

    form_group();
    CHECK(__perturb_open_channel(channel));
    PERTURB_MEETING->channel = channel[1];
    __perturb_identify(channel[1], PERTURB_MEETING->channel_is);
    for (m = 0; m < MUTANTS; m++)
        living[m] = m == 40 ? PERTURB_LIVES : m == 41 ? PERTURB_LEAVES : PERTURB_GONE;
    __perturb_drop(&file, 0);
    CHECK(state[0] == PERTURB_ACTIVE && fcntl(channel[1], F_GETFD) < 0);
    CHECK(read(channel[0], &index, sizeof index) == sizeof index && index == 41 && read(channel[0], &index, 1) == 0);
    return 0;
}

int main(void)
{
    struct __perturb_meeting *meeting = PERTURB_MEETING;
    const int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    int line;

    if (mmap(meeting, sizeof *meeting, PROT_READ | PROT_WRITE, kind, -1, 0) != meeting)
        return __LINE__;
    meeting->calls[PERTURB_FCNTL] = SYS_fcntl;
    meeting->calls[PERTURB_STATX] = SYS_statx;
    meeting->calls[PERTURB_CLOSE] = SYS_close;
    meeting->calls[PERTURB_TGKILL] = SYS_tgkill;
    meeting->calls[PERTURB_SOCKETPAIR] = SYS_socketpair;
    meeting->calls[PERTURB_READ] = SYS_read;
    meeting->calls[PERTURB_WRITE] = SYS_write;
    if ((line = reads()) || (line = writes()))
        return line;
    return settles();
}
