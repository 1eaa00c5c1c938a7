/* Records that are the start of larger ones, and memory of no type that is a record. */
#include <stddef.h>

#define container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))

typedef struct { int type; size_t references; } base;
typedef struct { base base; long value; } number;
typedef struct { base base; size_t count; long *items; } list;

#define to_list(one) container_of(one, list, base)

long number_value(const base *one)
{
    if (one->type != 3)
        return 0;
    return ((const number *)one)->value;
}

int list_put(base *one, size_t at, long value)
{
    list *own;
    if (one->type != 1)
        return -1;
    own = to_list(one);
    if (at >= own->count)
        return -1;
    own->items[at] = value;
    return 0;
}

static long second(base *one)
{
    list *own = to_list(one);
    return own->count > 1 ? own->items[1] : 0;
}

/* It is the function that this one calls which knows. */
long through(base *one)
{
    return one->type == 1 ? second(one) : -1;
}

int compare(const void *one, const void *other)
{
    const number *a = one, *b = other;
    return a->value < b->value ? -1 : a->value > b->value;
}
