/* Comparisons that guide the search. Part of the driver.
 *
 * Where the original compares a number that it was given with another one, this other is worth being tried in its
 * place: so a parser is led through its format letter by letter. The unit is compiled so that it tells its comparisons
 * (`trace-cmp`); calls that compare texts lead here (`--wrap`). */

#define MOST_COMPARED 256
#define MOST_TEXTS 32
#define LONGEST_TEXT 16

/* Numbers that were compared, as many bytes of them. */
struct compared {
    unsigned long long values[2];
    unsigned char size, is_float;
};
static struct compared compared[MOST_COMPARED];
static unsigned compared_count;

/* A text that was compared with one of the program's own. */
struct compared_text {
    unsigned long long at;
    unsigned size;
    char wanted[LONGEST_TEXT];
};
static struct compared_text compared_texts[MOST_TEXTS];
static unsigned compared_text_count;

static int is_noting;

static void note(unsigned long long one, unsigned long long other, unsigned char size, unsigned char is_float)
{
    if (!is_noting || !is_calling || one == other)
        return;
    for (unsigned i = 0; i < compared_count; i++)
        if (compared[i].values[0] == one && compared[i].values[1] == other)
            return;
    if (compared_count < MOST_COMPARED)
        compared[compared_count++] = (struct compared){{one, other}, size, is_float};
}

#define TRACED(size, type) \
    void __sanitizer_cov_trace_cmp##size(type one, type other) { note(one, other, size, 0); } \
    void __sanitizer_cov_trace_const_cmp##size(type one, type other) { note(one, other, size, 0); }
TRACED(1, unsigned char)
TRACED(2, unsigned short)
TRACED(4, unsigned)
TRACED(8, unsigned long long)

void __sanitizer_cov_trace_cmpd(double one, double other)
{
    unsigned long long bits[2];
    memcpy(&bits[0], &one, 8), memcpy(&bits[1], &other, 8);
    note(bits[0], bits[1], 8, 1);
}

void __sanitizer_cov_trace_cmpf(float one, float other)
{
    __sanitizer_cov_trace_cmpd(one, other);
}

/* How many cases there are, how many bits they have, and the cases. */
void __sanitizer_cov_trace_switch(unsigned long long value, const unsigned long long *cases)
{
    for (unsigned i = 0; i < cases[0] && i < 64; i++)
        note(value, cases[2 + i], (unsigned char)(cases[1] / 8), 0);
}

static int is_loaded(unsigned long long address);

/* Of the two, the program's own is a whole text or has so many bytes. */
static void note_texts(const char *one, const char *other, size_t most)
{
    if (!is_noting || !is_calling || compared_text_count == MOST_TEXTS)
        return;
    int is_own = is_loaded((uintptr_t)other);
    if (is_own == is_loaded((uintptr_t)one))
        return;
    const char *own = is_own ? other : one;
    struct compared_text *text = &compared_texts[compared_text_count++];
    text->at = (uintptr_t)(is_own ? one : other);
    text->size = (unsigned)strnlen(own, LONGEST_TEXT - 1) + 1;
    if (text->size > most)
        text->size = (unsigned)most;
    memcpy(text->wanted, own, text->size);
}

#define COMPARING(name, parameters, arguments, most) \
    int __real_##name parameters; \
    int __wrap_##name parameters \
    { \
        int answer = __real_##name arguments; \
        note_texts(one, other, most); \
        return answer; \
    }
COMPARING(strcmp, (const char *one, const char *other), (one, other), SIZE_MAX)
COMPARING(strcasecmp, (const char *one, const char *other), (one, other), SIZE_MAX)
COMPARING(strncmp, (const char *one, const char *other, size_t size), (one, other, size), size)
COMPARING(strncasecmp, (const char *one, const char *other, size_t size), (one, other, size), size)
COMPARING(memcmp, (const void *one, const void *other, size_t size), (one, other, size), size)
