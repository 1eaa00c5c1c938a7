/* What the unit under comparison tells the driver: how to call its functions, and what they are given and leave
 * behind. */
#ifndef PERTURB_DRIVER_H
#define PERTURB_DRIVER_H

#include <stddef.h>

#define PERTURB_MOST_OBJECTS 256
#define PERTURB_MOST_RESULT 4096
#define PERTURB_MOST_INPUT 65536
#define PERTURB_RESULT 0xffff
#define PERTURB_MOST_WORDS 256
/* The first of all types: bytes of which nobody knows what they are. */
#define PERTURB_BYTES 0

/* A number in an object: `i` and `u` for integers, `f` for floats, `b` for truth values, `n` for which way a pointer
 * leads, `o` for how far behind the start of an object it leads, `p` for a pointer, `m` for which allocation of memory
 * fails. */
struct perturb_leaf {
    char kind;
    unsigned char size;
    /* One of several alike. */
    unsigned char is_element;
    unsigned short object;
    unsigned offset;
    /* What it may be; all that its type holds if the first is greater. */
    long long low, high;
    /* What it is worth being tried with most often; nothing of the kind if the first is greater. */
    long long likely_low, likely_high;
};

struct perturb_object {
    unsigned size;
    /* Where it is, for a variable of the program. */
    void *fixed;
    /* Of bytes that a stream is over: how it is opened, and the object that tells how it is left. */
    const char *stream;
    unsigned state;
    /* Whether nothing is there yet: it is a register of the hardware. */
    unsigned is_register;
};

/* A pointer in an object, and the object that it points to. */
struct perturb_link {
    unsigned object, offset;
    int target;
    /* Where the input says whether it is null. */
    int null_at;
    /* The object that it may point to instead, and where the input says whether it does. Without a target, it is a
     * number if it does not. */
    int other, other_at;
    /* Where the input says how far behind the start of the target it leads, and how many bytes each step has. */
    int place_at;
    unsigned step;
};

/* What memory that was allocated may hold: `i` and `f` for numbers, `p` for pointers to the type `of`, `a` for `count`
 * times the type `of`, `s` for `count` members from the one that `of` says on, `c` for characters, `b` for other
 * bytes. */
struct perturb_type {
    char kind;
    unsigned size, of, count;
};

struct perturb_field {
    unsigned offset, type;
    /* Of a bit-field: its first bit, and how many it has. */
    unsigned char bit, bits;
};

/* A pointer that can be seen afterwards, with the type of what it points to. */
struct perturb_root {
    unsigned object, offset, type;
};

extern const struct perturb_type perturb_types[];
extern const struct perturb_field perturb_fields[];
extern const struct perturb_root perturb_roots[];
extern const unsigned perturb_root_count;
/* Whether memory is allocated at all. */
extern const unsigned perturb_has_heap, perturb_allocates;

extern const struct perturb_object perturb_objects[];
extern const struct perturb_leaf perturb_leaves[], perturb_views[];
extern const struct perturb_link perturb_links[];
extern const long long perturb_integers[];
extern const double perturb_floats[];
extern const unsigned perturb_object_count, perturb_leaf_count, perturb_view_count, perturb_link_count,
        perturb_function_count, perturb_integer_count, perturb_float_count;
/* The numbers that a va_list delivers: from the first one to the one before the end. */
extern const unsigned perturb_list_first, perturb_list_end;

void perturb_call(unsigned which, unsigned char *const *objects, unsigned char *result);

/* For pointers to functions that allocate, by what they take and give. */
void *perturb_malloc(__SIZE_TYPE__), *perturb_realloc(void *, __SIZE_TYPE__), perturb_free(void *);

/* For functions that end the program: who calls one has no result. */
void perturb_end(void);

#endif
