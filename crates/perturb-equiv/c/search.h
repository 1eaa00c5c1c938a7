/* Which inputs are tried: those from real life, what they point to by what the original does with them, made-up ones,
 * all that there are, and those that others have found. Part of the driver. */

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
/* The last of what was kept and not yet followed, and how many inputs one may point to. The newest first: it is deepest
 * in. */
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

/* Of what a va_list delivers, that which nobody asks for is whatever was there. Without it, the same
 * call has the same seed in every run. */
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
            long long value = leaf->kind == 'f' && leaf->low <= leaf->high ? leaf->low
                    : permitted(leaf, value_at(leaf, input + at));
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

/* Puts the other side of a comparison where the input has the one: the same number may be in many places, of which
 * those of the same size come first, and no more than a few of each. */
static unsigned follow_side(const unsigned char *kept_one, unsigned char *input, const struct compared *pair,
        unsigned which)
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
                const struct perturb_leaf *own = &perturb_leaves[leaf];
                long long value = own->kind == 'f' && own->low > own->high ? 0 : permitted(own, 0);
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
    unsigned long long *low = calloc(count + 1, sizeof *low), *width = calloc(count + 1, sizeof *width),
            *at = calloc(count + 1, sizeof *at);
    __uint128_t total = 1;
    most_chances = (struct chance){.inputs = ~0ul, .traps = 300};
    for (unsigned i = 0; i < count; i++) {
        const struct perturb_leaf *leaf = &perturb_leaves[i];
        if (elements > 0 && leaf->is_element)
            width[i] = (unsigned long long)elements;
        else if (leaf->kind == 'b' || leaf->kind == 'n')
            width[i] = 2;
        else if (leaf->low <= leaf->high) {
            low[i] = (unsigned long long)leaf->low;
            width[i] = (unsigned long long)leaf->high - (unsigned long long)leaf->low + 1;
        } else if (leaf->size < 8)
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
