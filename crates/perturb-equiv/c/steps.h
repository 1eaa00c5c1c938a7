/* How far a call may go, and what ends it: every block of the unit counts as a step, of which a call has so many, and
 * what is undefined traps. Part of the driver. */

static sigjmp_buf back;
static volatile sig_atomic_t is_calling;
static unsigned long steps, most_steps = 100000, started;
/* What all calls have taken, in steps, and how much of it a search may take for each function. */
static unsigned long long work, most_work = ~0ull;

/* For each block, how often a call has come to it, as one of eight bits: once, twice, three times, up to 7, 15, 31,
 * 127, more often. */
static unsigned char covered[1 << 16];
static unsigned long new_cover;
/* How often the call of the original that is under way has come to each, and to which at all. */
static unsigned char visits[1 << 16];
static unsigned short visited[1 << 16];
static unsigned visited_count;
static int is_original;

/* Ends a call. */
__attribute__((noreturn)) static void leave(enum ending ending)
{
    is_calling = 0;
    siglongjmp(back, ending);
}

void __sanitizer_cov_trace_pc(void)
{
    if (!is_calling)
        return;
    if (++steps > most_steps)
        leave(ENDLESS);
    unsigned long pc = (unsigned long)__builtin_return_address(0);
    unsigned at = (unsigned)((pc * 0x9e3779b97f4a7c15ull) >> 48);
    if (is_original) {
        if (visits[at] == 0)
            visited[visited_count++] = (unsigned short)at;
        visits[at] += visits[at] < 255;
    } else if (!covered[at]) {
        covered[at] = 1;
        new_cover++;
    }
}

/* What the original has come to is covered. */
static void count_visits(void)
{
    while (visited_count > 0) {
        unsigned at = visited[--visited_count], times = visits[at];
        unsigned bit = times < 4 ? times - 1 : times < 8 ? 3 : times < 16 ? 4 : times < 32 ? 5 : times < 128 ? 6 : 7;
        new_cover += !(covered[at] >> bit & 1);
        covered[at] |= (unsigned char)(1u << bit);
        visits[at] = 0;
    }
}

/* A call that takes no steps at all, in a function of a library, is endless too after a while. */
static void on_tick(int number)
{
    static unsigned long last_call, last_steps;
    static unsigned ticks;
    (void)number;
    if (!is_calling || last_call != started || last_steps != steps) {
        last_call = started, last_steps = steps, ticks = 0;
        return;
    }
    if (++ticks >= 20)
        leave(ENDLESS);
}

void perturb_end(void)
{
    if (!is_calling)
        _exit(99);
    leave(ENDED);
}

#include "streams.h"

/* Where the stack ends. */
static uintptr_t stack_end;

/* Whether a function was called by its name that the program does not have: its address is zero, and the call says so
 * itself. */
static int is_missing(const void *context)
{
    const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;
#if defined(__x86_64__)
    const unsigned char *const *stack = (const unsigned char *const *)machine->gregs[REG_RSP];
    return machine->gregs[REG_RIP] == 0 && (*stack)[-5] == 0xe8;
#elif defined(__aarch64__)
    const unsigned *after = (const unsigned *)machine->regs[30];
    return machine->pc == 0 && after[-1] >> 26 == 0x25;
#else
    (void)machine;
    return 0;
#endif
}

static void on_trap(int number, siginfo_t *info, void *context)
{
    if (!is_calling)
        _exit(100 + number);
    if (number == SIGSEGV && is_missing(context))
        leave(MISSING);
    /* A stack that overflows is a recursion without end. */
    uintptr_t at = (uintptr_t)info->si_addr, near = 2 << 20;
    if (number == SIGSEGV && is_forbidden(at))
        leave(BEYOND);
    int is_stack = number == SIGSEGV && stack_end != 0 && at > stack_end - near && at < stack_end + near;
    leave(is_stack ? ENDLESS : TRAPPED);
}

static void catch_traps(void)
{
    static char stack[1 << 16];
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternative, NULL);
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
    struct sigaction tick = {.sa_handler = on_tick, .sa_flags = SA_ONSTACK | SA_NODEFER | SA_RESTART};
    sigaction(SIGVTALRM, &tick, NULL);
    struct itimerval often = {.it_interval = {.tv_usec = 10000}, .it_value = {.tv_usec = 10000}};
    setitimer(ITIMER_VIRTUAL, &often, NULL);
}
