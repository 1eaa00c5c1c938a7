/* One input for the original and the others: who differs, how, and how that is told. Part of the driver. */

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

static void tell_difference(unsigned which, const unsigned char *input, const struct outcome *original,
        const struct outcome *other)
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
/* What each function has done since undefined behaviour was seen of it, and how much of that is waited for: a trap
 * takes long. */
static struct chance { unsigned long inputs, traps; } *chances, most_chances;

#define MOST_WASTED 10000000ul
/* So many steps the original is waited for. */
static unsigned long patience;

/* Whoever takes a hundred times the steps that the original just took will not come to an end. Answers with what the
 * limit was. */
static unsigned long limit_steps(void)
{
    unsigned long limit = most_steps, enough = steps * 100 + 10000;
    most_steps = enough < limit ? enough : limit;
    return limit;
}

/* So far floats may be from those of the original; or so much of them, where they are greater than
 * 1. */
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

/* Nobody says what a va_list is asked for: who takes a pointer for a number has what is undefined,
 * and something else wherever that leads. */
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

/* An input that shows a difference; the same without a failure of memory, which is easier to bring about, if that shows
 * one as well, and not merely undefined behaviour. */
static void tell_simplest(unsigned which, unsigned char *input)
{
    unsigned char refusal = refusal_at < 0 ? 0 : input[refusal_at];
    int was_trapped = other.ending == TRAPPED;
    if (refusal) {
        input[refusal_at] = 0;
        run_original(input);
        run(which, input, &other);
        if (original.ending != RETURNED || is_unknown(&other) || is_same() ||
                (other.ending == TRAPPED && !was_trapped)) {
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
    is_doubtful[which] |=
            is_unknown(&other) || (other.ending == RETURNED && perturb_has_heap && other.left->is_smaller);
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
