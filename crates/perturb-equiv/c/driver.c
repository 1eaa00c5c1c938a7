/* Compares functions by calling them: the first of a table is the original, the others are compared with it.
 *
 * The unit that holds the functions comes with tables (see driver.h). Both are given the same arguments, memory and
 * variables; what they return and leave behind is compared. What is undefined traps: the unit is compiled so, pointers
 * point to memory between two guard pages, and every block counts as a step, of which a call has so
 * many. So the same inputs have the same results on every run, however busy the machine is.
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
/* What is known of each function. Of one that differs by undefined behaviour alone, a difference that a test can see is
 * still sought. */
enum standing { DIFFERENT, ALIKE, UNDEFINED };
static unsigned char *standing;
static unsigned sought;
/* Whether something of them is not known. */
static unsigned char *is_doubtful;

#include "steps.h"
#include "objects.h"
#include "values.h"
#include "compare.h"
#include "search.h"
#include "choose.h"

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
