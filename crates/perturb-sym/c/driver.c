/* Compares functions by calling them: the first of a table is the original, the others are compared with it.
 *
 * The unit that holds the functions comes with tables (see driver.h). Both are given the same arguments, memory and variables;
 * what they return and leave behind is compared. What is undefined traps: the unit is compiled so, pointers lead to memory between
 * two pages that nobody may touch, and every block counts as a step, of which a call has so many. So the same inputs have
 * the same results on every run, however busy the machine is.
 *
 * It answers on standard output, one line for each finding; see native/answer.rs. */
#define _GNU_SOURCE
/* What the driver writes to is not what functions come by: see streams.h. */
#pragma redefine_extname stdout __real_stdout
#include "driver.h"
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

enum ending { RETURNED, TRAPPED, ENDLESS, ENDED, MISSING, BEYOND };

/* What a call leaves behind. */
struct outcome {
    enum ending ending;
    unsigned char *bytes;
    struct left *left;
};

static size_t input_size, output_size;
/* Where each leaf is in an input. */
static size_t *leaf_at;
/* Where an input says which allocation fails, or -1; and the last one that may. */
static int refusal_at = -1;
static unsigned most_refused;
static unsigned char *memory[PERTURB_MOST_OBJECTS];
static unsigned char *initial[PERTURB_MOST_OBJECTS];
static unsigned char result[PERTURB_MOST_RESULT];
/* What is known of each function. Of one that differs by something undefined alone, a difference that a test can see is still sought. */
enum standing { DIFFERENT, ALIKE, UNDEFINED };
static unsigned char *standing;
static unsigned sought;
/* Whether something of them is not known. */
static unsigned char *is_doubtful;

/* ---- Steps and coverage ---- */

static sigjmp_buf back;
static volatile sig_atomic_t is_calling;
static unsigned long steps, most_steps = 100000, started;
/* What all calls have taken, in steps, and how much of it a search may take for each function. */
static unsigned long long work, most_work = ~0ull;

/* For each block, how often a call has come to it, as one of eight bits: once, twice, three times, up to 7, 15, 31, 127, more often. */
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

/* Whether a function was called by its name that the program does not have: its address is zero, and the call says so itself. */
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

/* ---- Memory ---- */

/* Right before a page that traps, or right behind one. */
static int is_left;

static void *guarded(size_t size)
{
    size_t page = 4096, room = (size + page - 1) / page * page;
    if (room == 0)
        room = page;
    unsigned char *all = mmap(NULL, room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || mprotect(all + page, room, PROT_READ | PROT_WRITE) != 0)
        _exit(90);
    return is_left ? all + page : all + page + room - size;
}

/* Where texts are that a list of variable arguments delivers when they are elsewhere. */
static unsigned char *moved[PERTURB_MOST_OBJECTS];

/* Whether a pointer is one of a list, which is a number if it does not lead to this object. */
static int is_of_list(const struct perturb_link *link)
{
    return link->other_at >= 0 && link->target < 0;
}

static void make_memory(void)
{
    for (unsigned made = 0; made < perturb_object_count; made++) {
        /* In the other order with the other guard: which of two objects has the higher address is nothing to rely on. */
        unsigned i = is_left ? perturb_object_count - 1 - made : made;
        const struct perturb_object *object = &perturb_objects[i];
        memory[i] = object->fixed ? object->fixed : guarded(object->size);
        initial[i] = malloc(object->size + 1);
        memcpy(initial[i], memory[i], object->size);
    }
    for (unsigned i = 0; i < perturb_link_count; i++) {
        const struct perturb_link *link = &perturb_links[i];
        /* Each by another distance, so that no bit of an address, and no difference of two, stays what it was. */
        size_t off = 8 * (17 + 3 * (size_t)i);
        if (is_of_list(link))
            moved[link->other] = (unsigned char *)guarded(perturb_objects[link->other].size + off) + (is_left ? off : 0);
    }
}

/* Objects that have a place, by that. */
static unsigned placed[PERTURB_MOST_OBJECTS], placed_count;

/* All around what is made here stand pages that are nobody else's. */
static unsigned around(unsigned object)
{
    return perturb_objects[object].fixed ? 0 : 4096;
}

/* The first address that counts as that of an object. */
static unsigned long long first_of(unsigned object)
{
    return (uintptr_t)memory[object] - around(object);
}

/* Of several at one place, one that has a size is the last, which is the one that is found. */
static int comes_behind(unsigned object, unsigned other)
{
    unsigned long long own = first_of(object), its = first_of(other);
    return own > its || (own == its && perturb_objects[other].size == 0);
}

static void sort_objects(void)
{
    placed_count = 0;
    for (unsigned i = 0; i < perturb_object_count; i++) {
        unsigned at = placed_count++;
        for (; at > 0 && comes_behind(placed[at - 1], i); at--)
            placed[at] = placed[at - 1];
        placed[at] = i;
    }
}

static void move_texts(void)
{
    for (unsigned i = 0; i < perturb_object_count; i++) {
        unsigned char *here = memory[i];
        if (moved[i])
            memory[i] = moved[i], moved[i] = here;
    }
    sort_objects();
}

static void place(const unsigned char *input)
{
    close_streams();
    for (unsigned i = 0; i < perturb_object_count; i++)
        memcpy(memory[i], initial[i], perturb_objects[i].size);
    size_t at = 0;
    for (unsigned i = 0; i < perturb_leaf_count; i++) {
        const struct perturb_leaf *leaf = &perturb_leaves[i];
        if (leaf->kind != 'n' && leaf->kind != 'o' && leaf->kind != 'm')
            memcpy(memory[leaf->object] + leaf->offset, input + at, leaf->size);
        at += leaf->size;
    }
    open_streams();
    for (unsigned i = 0; i < perturb_link_count; i++) {
        const struct perturb_link *link = &perturb_links[i];
        unsigned char *target = link->target < 0 ? NULL : start_of((unsigned)link->target);
        if (link->other_at >= 0 && input[link->other_at])
            target = start_of((unsigned)link->other);
        else if (is_of_list(link))
            continue; /* It is a number. */
        if (link->place_at >= 0) {
            unsigned short steps_behind;
            memcpy(&steps_behind, input + link->place_at, sizeof steps_behind);
            target += (size_t)steps_behind * link->step;
        }
        if (link->null_at >= 0 && input[link->null_at])
            target = NULL;
        memcpy(memory[link->object] + link->offset, &target, sizeof target);
    }
}

static int is_nan(const unsigned char *bytes, unsigned size)
{
    if (size == 4) {
        float value;
        memcpy(&value, bytes, 4);
        return value != value;
    }
    double value;
    memcpy(&value, bytes, 8);
    return value != value;
}

static int object_at(unsigned long long address);

#include "heap.h"
#include "guide.h"

/* The object that an address is in, or around; -1 if there is none. */
static int object_at(unsigned long long address)
{
    unsigned low = 0, high = placed_count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (first_of(placed[middle]) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return -1;
    unsigned found = placed[low - 1];
    unsigned long long start = (uintptr_t)memory[found];
    /* A function has no size. */
    return address == start || address < start + perturb_objects[found].size + around(found) ? (int)found : -1;
}

/* Where the program is, and the libraries that it uses. */
static struct { unsigned long long from, to; } loaded[64];
static unsigned loaded_count;

static int note_loaded(struct dl_phdr_info *info, size_t size, void *nothing)
{
    (void)size, (void)nothing;
    for (unsigned i = 0; i < info->dlpi_phnum && loaded_count < sizeof loaded / sizeof *loaded; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD) {
            unsigned long long from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            loaded[loaded_count].from = from;
            loaded[loaded_count++].to = from + info->dlpi_phdr[i].p_memsz;
        }
    return 0;
}

static int is_loaded(unsigned long long address)
{
    for (unsigned i = 0; i < loaded_count; i++)
        if (loaded[i].from <= address && address < loaded[i].to)
            return 1;
    return 0;
}

/* Other places in them, from what the original leaves on: in the order in which they are met. */
static unsigned long long met[256];
static unsigned met_count;

static unsigned long long place_in_program(unsigned long long address)
{
    if (!is_loaded(address))
        return address;
    for (unsigned at = 0; at < met_count; at++)
        if (met[at] == address)
            return 1ull << 61 | at;
    if (met_count == sizeof met / sizeof *met)
        return address;
    met[met_count] = address;
    return 1ull << 61 | met_count++;
}

/* A pointer as which object it leads to and how far from its start, so that it is the same wherever that object is: objects have
 * other addresses in another run, and functions in another program; so is memory that was allocated, and so are constants. What leads to
 * none of them stays as it is; no such address has one of the three highest bits. */
static unsigned long long place_of_pointer(unsigned long long address)
{
    const struct block *block = block_at((const void *)(uintptr_t)address);
    if (block)
        return place_in_arena(block, address);
    int stream = stream_at(address);
    if (stream >= 0)
        return 1ull << 63 | (unsigned long long)stream << 32;
    int object = object_at(address);
    if (object >= 0)
        return 1ull << 63 | (unsigned long long)object << 32 | (unsigned)(address - (uintptr_t)memory[object]);
    const struct block *constant = constant_at(address);
    return constant ? place_in_arena(constant, address) : place_in_program(address);
}

/* Views that are looked at as one: bytes of one object, one behind the other. */
static struct run { const struct perturb_leaf *first; unsigned size; } *runs;
static unsigned run_count;

static void find_runs(void)
{
    int was_plain = 0;
    runs = calloc(perturb_view_count + 1, sizeof *runs);
    for (unsigned i = 0; i < perturb_view_count; i++) {
        const struct perturb_leaf *view = &perturb_views[i];
        int is_plain = view->kind == 'i' || view->kind == 'u';
        struct run *last = &runs[run_count - (run_count > 0)];
        if (is_plain && was_plain && last->first->object == view->object && last->first->offset + last->size == view->offset)
            last->size += view->size;
        else
            runs[run_count++] = (struct run){view, view->size};
        was_plain = is_plain;
    }
}

/* What can be seen of a call, with all NaNs alike. */
static void look(unsigned char *bytes)
{
    for (unsigned i = 0; i < run_count; i++) {
        const struct perturb_leaf *view = runs[i].first;
        const unsigned char *from = (view->object == PERTURB_RESULT ? result : memory[view->object]) + view->offset;
        if (view->kind == 'f' && is_nan(from, view->size))
            memset(bytes, 0xff, view->size);
        else if (view->kind == 'b')
            *bytes = *from & 1;
        else if (view->kind == 'p') {
            unsigned long long address;
            memcpy(&address, from, sizeof address);
            address = place_of_pointer(address);
            memcpy(bytes, &address, sizeof address);
        } else
            memcpy(bytes, from, runs[i].size);
        bytes += runs[i].size;
    }
}

static struct outcome original, other;

/* A call takes as long as so many steps, besides what it is given and leaves behind. */
#define CALL_WORK 100

/* Calls a function: of those that are not the original, right behind that. */
static void run(unsigned which, const unsigned char *input, struct outcome *outcome)
{
    place(input);
    start_heap(refusal_at < 0 ? 0 : input[refusal_at]);
    memset(result, 0, sizeof result);
    steps = 0;
    started++;
    is_original = which == 0;
    if (is_original)
        met_count = 0;
    int ended = sigsetjmp(back, 0);
    if (ended == 0) {
        is_calling = 1;
        perturb_call(which, memory, result);
        /* A pointer that leads nowhere traps when it is followed. */
        if (is_heap_intact())
            look_at_heap(outcome->left, which == 0 ? NULL : original.left);
        else
            ended = TRAPPED;
        is_calling = 0;
        leave_streams();
        look(outcome->bytes);
    }
    outcome->ending = (enum ending)ended;
    work += steps + CALL_WORK + (input_size + output_size) / 4;
    if (is_original)
        count_visits();
}

/* ---- Random numbers and values ---- */

static unsigned long long state;

static unsigned long long next(void)
{
    state += 0x9e3779b97f4a7c15ull;
    unsigned long long z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static unsigned below(unsigned n)
{
    return (unsigned)(next() % n);
}

static double special_float(void)
{
    static const double values[] = {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 10.0, 1e10, 1e-10, 1e300, -1e300, 5e-324, 2.2250738585072014e-308,
                                    1.7976931348623157e308, 3.4028234663852886e38, 1.1754943508222875e-38, 0.1, 3.0, 100.0};
    switch (below(8)) {
    case 0:
        return perturb_float_count ? perturb_floats[below(perturb_float_count)] : 1.0;
    case 1: {
        double value = perturb_float_count ? perturb_floats[below(perturb_float_count)] : (double)(long long)below(100);
        return value + ((int)below(3) - 1);
    }
    case 2:
        return below(2) ? __builtin_inf() : -__builtin_inf();
    case 3:
        return __builtin_nan("");
    case 4:
        return (double)((int)below(201) - 100);
    case 5:
        return (double)((int)below(2001) - 1000) / 8;
    default:
        return values[below(sizeof values / sizeof *values)];
    }
}

static long long special_integer(unsigned bits)
{
    switch (below(10)) {
    case 0:
    case 1:
        return (long long)below(9) - 2;
    case 2:
        return perturb_integer_count ? perturb_integers[below(perturb_integer_count)] : 0;
    case 3:
        return (perturb_integer_count ? perturb_integers[below(perturb_integer_count)] : 0) + (long long)below(3) - 1;
    case 4:
        return (long long)((1ull << below(bits)) - below(2));
    case 5:
        return -(long long)((1ull << below(bits)) - below(2));
    case 6:
        return (long long)((1ull << (bits - 1)) - 1);
    case 7:
        return (long long)(1ull << (bits - 1));
    case 8:
        return (long long)below(256);
    default:
        return (long long)(next() >> below(63));
    }
}

/* The number that an input has there. */
static long long value_at(const struct perturb_leaf *leaf, const unsigned char *at)
{
    long long value = 0;
    memcpy(&value, at, leaf->size);
    if (leaf->kind == 'i' && leaf->size < 8)
        value = (long long)((unsigned long long)value << (64 - 8 * leaf->size)) >> (64 - 8 * leaf->size);
    return value;
}

/* A value that the contract permits, as near as can be to the one that was asked for. */
static long long permitted(const struct perturb_leaf *leaf, long long value)
{
    if (leaf->low > leaf->high)
        return value;
    if (leaf->kind == 'u' ? (unsigned long long)value >= (unsigned long long)leaf->low && (unsigned long long)value <= (unsigned long long)leaf->high
                          : value >= leaf->low && value <= leaf->high)
        return value;
    unsigned long long width = (unsigned long long)leaf->high - (unsigned long long)leaf->low + 1;
    return width == 0 ? value : (long long)((unsigned long long)leaf->low + (unsigned long long)value % width);
}

/* Whether a number is given what it is worth being tried with: seven times of eight. */
static int is_likely(const struct perturb_leaf *leaf)
{
    return leaf->likely_low <= leaf->likely_high && below(8) != 0;
}

static long long likely(const struct perturb_leaf *leaf)
{
    return leaf->likely_low + (long long)below((unsigned)(leaf->likely_high - leaf->likely_low) + 1);
}

static void put(const struct perturb_leaf *leaf, unsigned char *at, int is_special)
{
    if (leaf->kind == 'f' && leaf->low > leaf->high) {
        if (is_special) {
            double value = special_float();
            float narrow = (float)value;
            memcpy(at, leaf->size == 4 ? (void *)&narrow : (void *)&value, leaf->size);
        } else {
            unsigned long long bits = next();
            memcpy(at, &bits, leaf->size);
        }
        return;
    }
    if (leaf->kind == 'm') {
        /* Mostly all is well. */
        *at = (unsigned char)(below(2) ? 0 : 1 + below((unsigned)leaf->high));
        return;
    }
    long long value = is_likely(leaf) ? likely(leaf) : is_special ? special_integer(8 * leaf->size) : (long long)next();
    if (leaf->kind == 'b' || leaf->kind == 'n')
        value &= 1;
    value = permitted(leaf, value);
    memcpy(at, &value, leaf->size);
}

static void fill(unsigned char *input)
{
    unsigned style = below(6);
    unsigned spread = 1 + below(4);
    size_t at = 0;
    for (unsigned i = 0; i < perturb_leaf_count; i++) {
        const struct perturb_leaf *leaf = &perturb_leaves[i];
        if (leaf->is_element && style < 3 && leaf->likely_low > leaf->likely_high) {
            /* Elements that are alike, in order or in the opposite order. */
            long long value = style == 0 ? (long long)below(spread) : style == 1 ? (long long)i : -(long long)i;
            float narrow = (float)value;
            double wide = (double)value;
            value = permitted(leaf, value);
            const void *from = leaf->kind != 'f' ? (void *)&value : leaf->size == 4 ? (void *)&narrow : (void *)&wide;
            memcpy(input + at, from, leaf->size);
        } else {
            put(leaf, input + at, below(4) != 0);
        }
        at += leaf->size;
    }
}

static void change(unsigned char *input)
{
    unsigned times = 1 + below(3);
    while (times--) {
        unsigned chosen = below(perturb_leaf_count);
        size_t at = leaf_at[chosen];
        const struct perturb_leaf *leaf = &perturb_leaves[chosen];
        long long value;
        switch (below(4)) {
        case 0:
            put(leaf, input + at, 1);
            break;
        case 1:
            put(leaf, input + at, 0);
            break;
        case 2: /* The same as a neighbour. */
            if (chosen > 0 && perturb_leaves[chosen - 1].size == leaf->size && perturb_leaves[chosen - 1].kind == leaf->kind) {
                value = permitted(leaf, value_at(leaf, input + at - leaf->size));
                memcpy(input + at, &value, leaf->size);
            }
            break;
        default:
            if (leaf->kind == 'i' || leaf->kind == 'u' || leaf->kind == 'o') {
                value = permitted(leaf, value_at(leaf, input + at) + (long long)below(5) - 2);
                memcpy(input + at, &value, leaf->size);
            }
        }
    }
}

/* ---- Answers ---- */

static void print_hex(const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        printf("%02x", ((const unsigned char *)bytes)[i]);
}

static void print_input(const unsigned char *input)
{
    printf(input_size == 0 ? " -" : " ");
    print_hex(input, input_size);
}

static void print_left(const struct left *left)
{
    print_hex(&left->live, sizeof left->live);
    print_hex(&left->block_count, sizeof left->block_count);
    print_hex(&left->rest, sizeof left->rest);
    print_hex(left->freed, perturb_object_count);
    print_hex(left->sizes, left->block_count * sizeof *left->sizes);
    for (unsigned i = 0; i < left->count; i++) {
        print_hex(&left->words[i], sizeof left->words[i]);
        print_hex(&left->written[i], 1);
    }
}

/* What can be seen of a call, and what it leaves of the memory that it allocates. */
static void print_outcome(const struct outcome *outcome)
{
    putchar(' ');
    if (outcome->ending != RETURNED || (output_size == 0 && !perturb_has_heap)) {
        putchar('-');
        return;
    }
    print_hex(outcome->bytes, output_size);
    if (perturb_has_heap)
        print_left(outcome->left);
}

static void tell_difference(unsigned which, const unsigned char *input, const struct outcome *original, const struct outcome *other)
{
    static const char *const kinds[] = {"output", "undefined", "endless", "ended"};
    printf("different %u %s", which, kinds[other->ending]);
    print_input(input);
    print_outcome(original);
    print_outcome(other);
    putchar('\n');
}

/* ---- Comparing ---- */

static unsigned long calls, defined, unfinished, missing;
/* Steps of the original that came to no end. */
static unsigned long wasted;
/* What each function has done since something undefined was seen of it, and how much of that is waited for: a trap takes long. */
static struct chance { unsigned long inputs, traps; } *chances, most_chances;

#define MOST_WASTED 10000000ul
/* So many steps the original is waited for. */
static unsigned long patience;

/* Whoever takes a hundred times the steps that the original just took will not come to an end. Answers with what the limit was. */
static unsigned long limit_steps(void)
{
    unsigned long limit = most_steps, enough = steps * 100 + 10000;
    most_steps = enough < limit ? enough : limit;
    return limit;
}

/* So far numbers with fractions may be from those of the original; or so much of them, where they are greater than 1. */
static double tolerance;

/* As generated tests have it. */
static int is_near(const unsigned char *bytes, const unsigned char *expected, unsigned size)
{
    float narrow[2];
    double found, wanted;
    if (size == 4) {
        memcpy(&narrow[0], bytes, 4), memcpy(&narrow[1], expected, 4);
        found = narrow[0], wanted = narrow[1];
    } else
        memcpy(&found, bytes, 8), memcpy(&wanted, expected, 8);
    double far = wanted < 0 ? -wanted : wanted, off = found < wanted ? wanted - found : found - wanted;
    return found == wanted || (far - far == 0 && off <= tolerance * (far > 1 ? far : 1));
}

static int is_same_seen(void)
{
    if (memcmp(other.bytes, original.bytes, output_size) == 0)
        return 1;
    size_t at = 0;
    for (unsigned i = 0; tolerance > 0 && i < perturb_view_count; at += perturb_views[i++].size) {
        const struct perturb_leaf *view = &perturb_views[i];
        const unsigned char *own = other.bytes + at, *its = original.bytes + at;
        if (memcmp(own, its, view->size) != 0 && !(view->kind == 'f' && is_near(own, its, view->size)))
            return 0;
    }
    return tolerance > 0;
}

/* Whether the second comes to the same end as the first, which returns. */
static int is_same(void)
{
    return other.ending == RETURNED && is_same_seen() && is_same_left(original.left, other.left);
}

/* Nobody says what a list of variable arguments is asked for: who takes a pointer for a number has what is undefined, and something else
 * wherever that leads. */
static void run_original(const unsigned char *input)
{
    run(0, input, &original);
    if (original.ending != RETURNED || perturb_list_end == 0)
        return;
    move_texts();
    run(0, input, &other);
    move_texts();
    if (!is_same())
        original.ending = TRAPPED;
}

/* What it would have done is not known. */
static int is_unknown(const struct outcome *outcome)
{
    return outcome->ending == MISSING || outcome->ending == BEYOND;
}

/* An input that shows a difference; the same without a failure of memory, which is easier to bring about, if that shows one as well, and
 * not merely something undefined. */
static void tell_simplest(unsigned which, unsigned char *input)
{
    unsigned char refusal = refusal_at < 0 ? 0 : input[refusal_at];
    int was_trapped = other.ending == TRAPPED;
    if (refusal) {
        input[refusal_at] = 0;
        run_original(input);
        run(which, input, &other);
        if (original.ending != RETURNED || is_unknown(&other) || is_same() || (other.ending == TRAPPED && !was_trapped)) {
            input[refusal_at] = refusal;
            run(0, input, &original);
            run(which, input, &other);
        }
    }
    tell_difference(which, input, &original, &other);
    if (refusal) {
        input[refusal_at] = refusal;
        run(0, input, &original);
    }
}

static void settle(unsigned which)
{
    standing[which] = DIFFERENT;
    sought--;
}

/* One of the others, where the original came to a defined end. */
static void compare_with(unsigned which, unsigned char *input)
{
    run(which, input, &other);
    is_doubtful[which] |= is_unknown(&other) || (other.ending == RETURNED && perturb_has_heap && other.left->is_smaller);
    /* With another input it may need less. */
    if (other.ending == BEYOND)
        return;
    if (other.ending == MISSING) {
        settle(which);
        return;
    }
    int is_trapped = other.ending == TRAPPED;
    if (!is_same() && !(is_trapped && standing[which] == UNDEFINED)) {
        tell_simplest(which, input);
        is_trapped = other.ending == TRAPPED;
        standing[which] = UNDEFINED;
        if (!is_trapped) {
            settle(which);
            return;
        }
    }
    struct chance *chance = &chances[which];
    if (standing[which] == UNDEFINED
        && (++chance->inputs > most_chances.inputs || (chance->traps += (unsigned)is_trapped) > most_chances.traps))
        settle(which);
}

/* One input for all that are sought. The original has so many steps. */
static void compare(unsigned char *input, unsigned long most)
{
    unsigned long limit = most_steps;
    calls++;
    most_steps = most;
    run_original(input);
    most_steps = limit;
    if (original.ending == ENDLESS)
        unfinished++, wasted += steps;
    missing += is_unknown(&original);
    if (original.ending != RETURNED)
        return;
    defined++;
    limit_steps();
    for (unsigned which = 1; which < perturb_function_count; which++)
        if (standing[which] != DIFFERENT)
            compare_with(which, input);
    most_steps = limit;
}

static int digit(int letter)
{
    return letter <= '9' ? letter - '0' : letter - 'a' + 10;
}

/* Reads an input; whether there is one. */
static int read_input(const char *text, unsigned char *input)
{
    if (strlen(text) < 2 * input_size)
        return 0;
    for (size_t i = 0; i < input_size; i++)
        input[i] = (unsigned char)(digit(text[2 * i]) << 4 | digit(text[1 + 2 * i]));
    return 1;
}

static char line[2 * PERTURB_MOST_INPUT + (1 << 16)];

#define MOST_KEPT 2048
static unsigned char *kept[MOST_KEPT];
static unsigned kept_count;
/* The last of what was kept and not yet followed, and how many inputs one may lead to. The newest first: it is deepest in. */
static unsigned unfollowed[MOST_KEPT], unfollowed_count;
#define MOST_LED_TO 192
#define MOST_PLACES 6

static void keep(const unsigned char *input)
{
    if (kept_count == MOST_KEPT)
        return;
    kept[kept_count] = malloc(input_size + 1);
    memcpy(kept[kept_count], input, input_size);
    unfollowed[unfollowed_count++] = kept_count++;
}

/* Inputs from real life, as far as the contract permits them. */
static const char *seeds = "/dev/null";

/* Of what a list of variable arguments delivers, that which nobody asks for is whatever was there. Without it, the same call has the same
 * seed in every run. */
static void forget_unused(unsigned char *input)
{
    size_t at = 0;
    run_original(input);
    for (unsigned i = 0; i < perturb_list_end && original.ending == RETURNED; at += perturb_leaves[i++].size) {
        unsigned char before[8];
        unsigned size = perturb_leaves[i].size;
        if (i < perturb_list_first)
            continue;
        memcpy(before, input + at, size);
        memset(input + at, 0, size);
        run(0, input, &other);
        if (!is_same())
            memcpy(input + at, before, size);
    }
}

static void try_seeds(unsigned char *input)
{
    FILE *lines = fopen(seeds, "r");
    while (lines && fgets(line, sizeof line, lines) && sought > 0) {
        if (!read_input(line, input))
            continue;
        size_t at = 0;
        for (unsigned i = 0; i < perturb_leaf_count; at += perturb_leaves[i++].size) {
            const struct perturb_leaf *leaf = &perturb_leaves[i];
            long long value = leaf->kind == 'f' && leaf->low <= leaf->high ? leaf->low : permitted(leaf, value_at(leaf, input + at));
            memcpy(input + at, &value, leaf->size);
        }
        forget_unused(input);
        unsigned long before = defined;
        compare(input, most_steps);
        if (defined > before)
            keep(input);
    }
}

/* One input more for the search. It is kept if the original does something new with it. */
static void try_input(unsigned char *input)
{
    new_cover = 0;
    unsigned long before = defined;
    compare(input, patience);
    /* Inputs on which it comes to an end are what counts: the more often it does not, the sooner it is given up. */
    if (wasted > MOST_WASTED && patience > 1000)
        patience /= 4, wasted = 0;
    if (new_cover > 0 && defined > before)
        keep(input);
}


/* A number is put in the place of another in an input, where it is the one that was compared; whether it could be. */
static int put_compared(const struct perturb_leaf *leaf, unsigned char *at, const struct compared *pair, unsigned which)
{
    unsigned long long old = pair->values[which], new = pair->values[!which];
    if (leaf->kind == 'f') {
        double value, other;
        float narrow;
        memcpy(&narrow, at, 4), memcpy(&value, at, leaf->size == 8 ? 8 : 4);
        if (leaf->size == 4)
            value = narrow;
        memcpy(&other, &new, 8), narrow = (float)other;
        if (!pair->is_float || leaf->low <= leaf->high || memcmp(&value, &old, 8) != 0)
            return 0;
        memcpy(at, leaf->size == 4 ? (void *)&narrow : (void *)&other, leaf->size);
        return 1;
    }
    if (pair->is_float || (leaf->kind != 'i' && leaf->kind != 'u'))
        return 0;
    unsigned unused = 64 - 8 * pair->size;
    long long value = value_at(leaf, at), is_signed = (long long)(old << unused) >> unused;
    if (value != (long long)old && value != is_signed) {
        /* Of a larger number, the last byte may have been compared. */
        if (old > 255 || new > 255 || leaf->size == 1 || (value & 255) != (long long)old)
            return 0;
        new |= (unsigned long long)value & ~255ull;
    }
    value = permitted(leaf, leaf->kind == 'i' ? (long long)(new << unused) >> unused : (long long)new);
    memcpy(at, &value, leaf->size);
    return 1;
}

/* What was compared with a text of the program becomes that text, as far as there is room. */
static int put_text(const struct compared_text *text, unsigned char *input)
{
    int object = object_at(text->at), is_put = 0;
    size_t at = 0;
    for (unsigned i = 0; object >= 0 && i < perturb_leaf_count; at += perturb_leaves[i++].size) {
        const struct perturb_leaf *leaf = &perturb_leaves[i];
        unsigned long long behind = (uintptr_t)memory[object] + leaf->offset - text->at;
        if (leaf->object == object && leaf->size == 1 && leaf->kind != 'n' && behind < text->size)
            input[at] = (unsigned char)text->wanted[behind], is_put = 1;
    }
    return is_put;
}

/* Each allocation that the original has just made fails. */
static unsigned refuse_each(const unsigned char *kept_one, unsigned char *input)
{
    unsigned all = refusal_at < 0 ? 0 : asked < most_refused ? asked : most_refused;
    for (unsigned which = 1; which <= all; which++) {
        memcpy(input, kept_one, input_size);
        input[refusal_at] = (unsigned char)which;
        try_input(input);
    }
    return all;
}

/* Puts the other side of a comparison where the input has the one: the same number may be in many places, of which those of the same
 * size come first, and no more than a few of each. */
static unsigned follow_side(const unsigned char *kept_one, unsigned char *input, const struct compared *pair, unsigned which)
{
    unsigned tried = 0, first = below(perturb_leaf_count);
    for (unsigned is_other = 0; is_other < 2; is_other++)
        for (unsigned turn = 0, here = 0; turn < perturb_leaf_count && here < MOST_PLACES; turn++) {
            unsigned leaf = (first + turn) % perturb_leaf_count;
            if ((perturb_leaves[leaf].size != pair->size) != is_other)
                continue;
            memcpy(input, kept_one, input_size);
            if (put_compared(&perturb_leaves[leaf], input + leaf_at[leaf], pair, which))
                try_input(input), here++, tried++;
        }
    return tried;
}

/* Follows what the original does when it is given an input that was kept. Answers with how many inputs it has tried. */
static unsigned follow(const unsigned char *kept_one, unsigned char *input)
{
    compared_count = compared_text_count = 0;
    memcpy(input, kept_one, input_size);
    is_noting = 1;
    run(0, input, &original);
    is_noting = 0;
    unsigned tried = refuse_each(kept_one, input);
    for (unsigned i = 0; i < compared_text_count; i++) {
        memcpy(input, kept_one, input_size);
        if (put_text(&compared_texts[i], input))
            try_input(input), tried++;
    }
    /* Where there are too many, those of a loop are no more than those behind it. */
    unsigned sides = 2 * compared_count, first = sides ? below(sides) : 0;
    for (unsigned turn = 0; turn < sides && tried < MOST_LED_TO; turn++) {
        unsigned side = (first + turn) % sides;
        tried += follow_side(kept_one, input, &compared[side / 2], side % 2);
    }
    return tried;
}

static void search(unsigned long inputs)
{
    unsigned char *input = calloc(1, input_size + 1);
    patience = most_steps;
    most_chances = (struct chance){.inputs = inputs / 2, .traps = inputs / 20};
    try_seeds(input);
    unsigned long long enough = most_work > ~0ull / (sought + 1) ? ~0ull : most_work * sought;
    /* Where nothing is given, there is one input. */
    for (unsigned long i = 0; i < (perturb_leaf_count ? inputs : 1) && sought > 0 && work < enough; i++) {
        if (i == 0) {
            memset(input, 0, input_size);
            size_t at = 0;
            for (unsigned leaf = 0; leaf < perturb_leaf_count; at += perturb_leaves[leaf++].size) {
                long long value = perturb_leaves[leaf].kind == 'f' && perturb_leaves[leaf].low > perturb_leaves[leaf].high ? 0 : permitted(&perturb_leaves[leaf], 0);
                memcpy(input + at, &value, perturb_leaves[leaf].size);
            }
        } else if (unfollowed_count > 0 && below(MOST_LED_TO) == 0) {
            i += follow(kept[unfollowed[--unfollowed_count]], input);
            continue;
        } else if (kept_count > 0 && below(2)) {
            memcpy(input, kept[below(kept_count)], input_size);
            change(input);
        } else {
            fill(input);
        }
        try_input(input);
    }
    free(input);
}

/* All inputs there are, or all with elements from 0 to so many. */
static void exhaust(unsigned long most, long long elements)
{
    unsigned char *input = calloc(1, input_size + 1);
    unsigned count = perturb_leaf_count;
    unsigned long long *low = calloc(count + 1, sizeof *low), *width = calloc(count + 1, sizeof *width), *at = calloc(count + 1, sizeof *at);
    __uint128_t total = 1;
    most_chances = (struct chance){.inputs = ~0ul, .traps = 300};
    for (unsigned i = 0; i < count; i++) {
        const struct perturb_leaf *leaf = &perturb_leaves[i];
        if (elements > 0 && leaf->is_element)
            width[i] = (unsigned long long)elements;
        else if (leaf->kind == 'b' || leaf->kind == 'n')
            width[i] = 2;
        else if (leaf->low <= leaf->high)
            low[i] = (unsigned long long)leaf->low, width[i] = (unsigned long long)leaf->high - (unsigned long long)leaf->low + 1;
        else if (leaf->size < 8)
            width[i] = 1ull << (8 * leaf->size);
        if (width[i] == 0 || (total *= width[i]) > most) {
            printf("large\n");
            return;
        }
    }
    for (unsigned long done = 0; done < (unsigned long)total && sought > 0; done++) {
        size_t place_of = 0;
        for (unsigned i = 0; i < count; i++) {
            unsigned long long value = low[i] + at[i];
            memcpy(input + place_of, &value, perturb_leaves[i].size);
            place_of += perturb_leaves[i].size;
        }
        compare(input, most_steps);
        /* An original that never comes to an end is worth no more. */
        if (wasted > MOST_WASTED && defined == 0)
            return;
        for (unsigned i = 0; i < count && ++at[i] == width[i]; i++)
            at[i] = 0;
    }
    for (unsigned which = 1; which < perturb_function_count; which++)
        if (standing[which] != DIFFERENT && !is_doubtful[which] && missing == 0)
            printf("%s %u\n", standing[which] == ALIKE ? "exhausted" : "undefined", which);
    if (unfinished > 0)
        printf("unfinished\n");
}

/* Inputs that others have found: one a line, each behind the number of its function. */
static void replay(const char *path)
{
    unsigned char *input = calloc(1, input_size + 1);
    FILE *lines = fopen(path, "r");
    while (lines && fgets(line, sizeof line, lines)) {
        char *text = strchr(line, ' ');
        if (!text || !read_input(text + 1, input))
            continue;
        unsigned only = (unsigned)atoi(line);
        if (only >= perturb_function_count)
            continue;
        run_original(input);
        if (original.ending != RETURNED) {
            printf("excluded %u\n", only);
            continue;
        }
        run(only, input, &other);
        if (is_unknown(&other))
            continue;
        if (is_same())
            printf("same %u\n", only);
        else
            tell_difference(only, input, &original, &other);
    }
}

/* ---- Choosing inputs for tests ---- */

/* How a function differs from what the original just did: a letter, or `=` if it does not. */
static char difference(unsigned which, const unsigned char *input)
{
    run(which, input, &other);
    if (other.ending == RETURNED)
        return is_same() ? '=' : 'o';
    return "ouexmm"[other.ending];
}

/* Which functions each input of a file tells from the original: a row of letters for each, of none if the original has no defined end. */
static void matrix(const char *path)
{
    unsigned char *input = calloc(1, input_size + 1);
    FILE *lines = fopen(path, "r");
    while (lines && fgets(line, sizeof line, lines)) {
        int is_input = read_input(line, input);
        printf("row ");
        if (is_input)
            run_original(input);
        unsigned long limit = limit_steps();
        for (unsigned which = 1; is_input && original.ending == RETURNED && which < perturb_function_count; which++)
            putchar(difference(which, input));
        most_steps = limit;
        putchar('\n');
    }
}

/* Functions that have to be told from the original, each with how. */
static struct { unsigned which; char how; } wanted[1 << 12];
static unsigned wanted_count;
static unsigned long attempts;

/* In the same way, or by its result, which is plainest. */
static int is_told(char how, char wanted_how)
{
    return how == wanted_how || how == 'o';
}

static int tells_all(const unsigned char *input)
{
    attempts++;
    run_original(input);
    if (original.ending != RETURNED)
        return 0;
    unsigned long limit = limit_steps();
    unsigned told = 0;
    while (told < wanted_count && is_told(difference(wanted[told].which, input), wanted[told].how))
        told++;
    most_steps = limit;
    return told == wanted_count;
}

/* Puts a value in the place of another if that still tells all; whether it did. */
static int try_value(unsigned char *input, size_t at, size_t size, const void *value)
{
    unsigned char before[8];
    if (memcmp(input + at, value, size) == 0)
        return 0;
    memcpy(before, input + at, size);
    memcpy(input + at, value, size);
    if (tells_all(input))
        return 1;
    memcpy(input + at, before, size);
    return 0;
}

/* Whether the input says there that a pointer is null. */
static int says_null(size_t at)
{
    for (unsigned i = 0; i < perturb_link_count; i++)
        if (perturb_links[i].null_at == (long)at)
            return 1;
    return 0;
}

/* The plainest first: nothing, small numbers, and then ever nearer to what it is. */
static int shrink_integer(const struct perturb_leaf *leaf, unsigned char *input, size_t at)
{
    if (says_null(at))
        return try_value(input, at, 1, &(unsigned char){1});
    static const long long plain[] = {0, 1, -1, 2, 3, 'a', 'b', '0', 10, 100};
    long long value = value_at(leaf, input + at);
    for (unsigned i = 0; i < sizeof plain / sizeof *plain; i++) {
        long long tried = permitted(leaf, plain[i]);
        if (tried == value)
            return 0;
        if (!(leaf->kind == 'u' && plain[i] < 0) && try_value(input, at, leaf->size, &tried))
            return 1;
    }
    for (long long step = value / 2; step != 0; step /= 2) {
        long long tried = value - step;
        if (permitted(leaf, tried) == tried && try_value(input, at, leaf->size, &tried))
            return 1;
    }
    return 0;
}

static int shrink_float(const struct perturb_leaf *leaf, unsigned char *input, size_t at)
{
    static const double plain[] = {0, 1, -1, 2, 0.5, 10, 100};
    double value;
    float narrow;
    memcpy(&narrow, input + at, 4);
    if (leaf->size == 4)
        value = narrow;
    else
        memcpy(&value, input + at, 8);
    for (unsigned i = 0; i <= sizeof plain / sizeof *plain; i++) {
        /* The last is the whole number that is nearest. */
        int is_whole = i == sizeof plain / sizeof *plain;
        if (is_whole && !(value > -1e15 && value < 1e15))
            break;
        double tried = is_whole ? (double)(long long)value : plain[i];
        float tried_narrow = (float)tried;
        if (tried == value)
            return 0;
        if (try_value(input, at, leaf->size, leaf->size == 4 ? (void *)&tried_narrow : (void *)&tried))
            return 1;
    }
    return 0;
}

/* Makes inputs plainer as long as they tell the same functions from the original in the same way: one a line, with functions behind it. */
static void shrink(const char *path, unsigned long most_attempts)
{
    unsigned char *input = calloc(1, input_size + 1);
    FILE *lines = fopen(path, "r");
    while (lines && fgets(line, sizeof line, lines)) {
        char *text = strchr(line, ' ');
        if (!text || !read_input(line, input))
            continue;
        run_original(input);
        wanted_count = 0;
        for (char *word = strtok(text, " \n"); word && wanted_count < sizeof wanted / sizeof *wanted; word = strtok(NULL, " \n"), wanted_count++)
            wanted[wanted_count].which = (unsigned)atoi(word), wanted[wanted_count].how = difference(wanted[wanted_count].which, input);
        attempts = 0;
        for (int is_plainer = tells_all(input); is_plainer && attempts < most_attempts;) {
            is_plainer = 0;
            size_t at = 0;
            for (unsigned i = 0; i < perturb_leaf_count && attempts < most_attempts; at += perturb_leaves[i++].size) {
                const struct perturb_leaf *leaf = &perturb_leaves[i];
                int is_fixed = leaf->kind == 'f' && leaf->low <= leaf->high;
                is_plainer |= is_fixed ? 0 : leaf->kind == 'f' ? shrink_float(leaf, input, at) : shrink_integer(leaf, input, at);
            }
        }
        printf("plain");
        print_input(input);
        putchar('\n');
    }
}

/* driver search|exhaust SEED INPUTS ELEMENTS LEFT STEPS FUNCTION... [seeds=FILE]
 * driver replay|matrix 0 0 0 LEFT STEPS FILE
 * driver shrink 0 ATTEMPTS 0 LEFT STEPS FILE
 * and with any of them, tolerance=NUMBER work=NUMBER */
int main(int count, char **arguments)
{
    if (count < 7)
        return 2;
    state = strtoull(arguments[2], NULL, 10);
    unsigned long inputs = strtoul(arguments[3], NULL, 10);
    long long elements = atoll(arguments[4]);
    is_left = atoi(arguments[5]);
    most_steps = strtoul(arguments[6], NULL, 10);
    struct rlimit stack;
    char here;
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY)
        stack_end = (uintptr_t)&here - stack.rlim_cur;
    leaf_at = calloc(perturb_leaf_count + 1, sizeof *leaf_at);
    for (unsigned i = 0; i < perturb_leaf_count; leaf_at[i] = input_size, input_size += perturb_leaves[i++].size)
        if (perturb_leaves[i].kind == 'm')
            refusal_at = (int)input_size, most_refused = (unsigned)perturb_leaves[i].high;
    for (unsigned i = 0; i < perturb_view_count; i++)
        output_size += perturb_views[i].size;
    original.bytes = calloc(1, output_size + 1);
    other.bytes = calloc(1, output_size + 1);
    original.left = calloc(1, sizeof *original.left);
    other.left = calloc(1, sizeof *other.left);
    standing = calloc(1, perturb_function_count + 1);
    chances = calloc(perturb_function_count, sizeof *chances);
    is_doubtful = calloc(1, perturb_function_count + 1);
    for (int i = 7; i < count; i++) {
        if (strncmp(arguments[i], "seeds=", 6) == 0)
            seeds = arguments[i] + 6;
        if (strncmp(arguments[i], "tolerance=", 10) == 0)
            tolerance = strtod(arguments[i] + 10, NULL);
        if (strncmp(arguments[i], "work=", 5) == 0)
            most_work = strtoull(arguments[i] + 5, NULL, 10);
        unsigned which = (unsigned)atoi(arguments[i]);
        if (which > 0 && which < perturb_function_count && standing[which] != ALIKE)
            standing[which] = ALIKE, sought++;
    }
    catch_traps();
    forbid_streams();
    make_memory();
    find_streams();
    sort_objects();
    dl_iterate_phdr(note_loaded, NULL);
    find_runs();
    if (perturb_allocates)
        make_arena();
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    if (strcmp(arguments[1], "search") == 0)
        search(inputs);
    else if (strcmp(arguments[1], "exhaust") == 0)
        exhaust(inputs, elements);
    else if (strcmp(arguments[1], "matrix") == 0)
        matrix(count > 7 ? arguments[7] : "/dev/null");
    else if (strcmp(arguments[1], "shrink") == 0)
        shrink(count > 7 ? arguments[7] : "/dev/null", inputs);
    else
        replay(count > 7 ? arguments[7] : "/dev/null");
    printf("done %lu %lu\n", calls, defined);
    return fflush(stdout) == 0 ? 0 : 3;
}
