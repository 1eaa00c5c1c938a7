/* Inputs for tests: which functions each of them tells from the original, and how plain it can be made. A part of the
 * driver. */

/* How a function differs from what the original just did: a letter, or `=` if it does not. */
static char difference(unsigned which, const unsigned char *input)
{
    run(which, input, &other);
    if (other.ending == RETURNED)
        return is_same() ? '=' : 'o';
    return "ouexmm"[other.ending];
}

/* Which functions each input of a file tells from the original: a row of letters for each, of none if the original has
 * no defined end. */
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

/* Makes inputs plainer as long as they tell the same functions from the original in the same way: one a line, with
 * functions behind it. */
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
        for (char *word = strtok(text, " \n"); word && wanted_count < sizeof wanted / sizeof *wanted;
             word = strtok(NULL, " \n"), wanted_count++) {
            wanted[wanted_count].which = (unsigned)atoi(word);
            wanted[wanted_count].how = difference(wanted[wanted_count].which, input);
        }
        attempts = 0;
        for (int is_plainer = tells_all(input); is_plainer && attempts < most_attempts;) {
            is_plainer = 0;
            size_t at = 0;
            for (unsigned i = 0; i < perturb_leaf_count && attempts < most_attempts; at += perturb_leaves[i++].size) {
                const struct perturb_leaf *leaf = &perturb_leaves[i];
                int is_fixed = leaf->kind == 'f' && leaf->low <= leaf->high;
                if (!is_fixed)
                    is_plainer |= leaf->kind == 'f' ? shrink_float(leaf, input, at) : shrink_integer(leaf, input, at);
            }
        }
        printf("plain");
        print_input(input);
        putchar('\n');
    }
}
