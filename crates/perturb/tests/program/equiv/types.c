// What functions of real programs are given: nodes, buffers, texts, unions, hooks, handles.
#include <stddef.h>
#include <stdint.h>

struct counted {
    int kind;
    volatile size_t references;
};

// Two reads of what is volatile are one where nobody else writes it.
int is_shared(struct counted *value)
{
    return value->references > 1 && value->references != 1;
}

void release(struct counted *value)
{
    if (value->references != (size_t)-1)
        __atomic_sub_fetch(&value->references, 1, __ATOMIC_RELEASE);
}

// Nobody has this address.
int device(int a)
{
    return *(volatile uint32_t *)0x4000 > (uint32_t)a;
}

struct token {
    int kind;
    union {
        struct {
            char *text;
            size_t length;
        } string;
        long long integer;
        double real;
    } value;
};

int is_empty(const struct token *token)
{
    return token->kind == 1 && token->value.string.length < 1 && token->value.string.text != NULL;
}

// All of a union is seen, whichever member is written.
void set_number(struct token *token, double real)
{
    token->value.real = real;
    token->value.real += 0 * token->kind;
}

typedef union {
    char room[32];
    struct {
        const uint8_t *dictionary;
        const uint8_t *prefix;
        size_t dictionary_size;
        size_t prefix_size;
    } internal;
} stream;

int has_prefix(const stream *stream, const uint8_t *at)
{
    return stream->internal.prefix_size > 0 && stream->internal.prefix + stream->internal.prefix_size == at;
}

struct hooks {
    void *(*allocate)(size_t size);
    void (*release)(void *pointer);
    void *(*grow)(void *pointer, size_t size);
};

struct buffer {
    unsigned char *bytes;
    size_t length;
    size_t offset;
    struct hooks hooks;
};

unsigned char *reserved(struct buffer *buffer, size_t needed)
{
    if (buffer->offset + needed <= buffer->length)
        return buffer->bytes + buffer->offset;
    unsigned char *made = buffer->hooks.allocate(needed + 1);
    if (made == NULL)
        return NULL;
    made[0] = 0;
    buffer->hooks.release(buffer->bytes);
    buffer->bytes = made;
    return made;
}

void *room_for(unsigned count);

// No square leaves two or three when it is divided by four.
int has_room(unsigned count)
{
    unsigned char *room = room_for(count);
    if (room == NULL)
        return -1;
    room[1] = 8;
    return (count * count & 3) != 2;
}

struct item {
    struct item *next;
    struct item *previous;
    struct item *child;
    int type;
    char *text;
    double number;
    char *name;
};

int items(const struct item *array)
{
    const struct item *child = array->child;
    int count = 0;
    while (child != NULL) {
        count++;
        child = child->next;
    }
    return count;
}

int are_many(const struct item *array)
{
    return items(array) > 5;
}

void link_items(struct item *one, struct item *other, struct item *parent)
{
    one->next = other;
    other->previous = one;
    if (parent->child == NULL)
        parent->child = one;
}

int is_named(const struct item *item, const char *name)
{
    size_t i = 0;
    if (item->name == NULL)
        return 0;
    while (item->name[i] == name[i] && name[i] > 0)
        i++;
    return item->name[i] == name[i];
}

struct item *found(int which);
void *opened(const char *name);
struct handle;
struct handle *handle_of(int which);
int put(struct handle *to, int what);

int type_of(int which)
{
    struct item *item = found(which);
    if (item == NULL || item->next == NULL)
        return -1;
    return ((unsigned)which * (unsigned)which & 3) != 2 && item->next->type > 7;
}

int is_open(const char *name)
{
    return opened(name) != NULL;
}

int puts_twice(struct handle *given, int what)
{
    struct handle *own = handle_of(what + 1);
    return own == NULL ? -1 : put(given, what) + put(own, what);
}

long checksum(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    long sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += bytes[i];
    return sum;
}

int last_is(const char *buffer, int length, char last)
{
    return length > 0 && buffer[length - 1] == last;
}

/* Larger than what is made up number by number. */
struct cache {
    unsigned cells[4096];
    union { unsigned char bytes[3000]; unsigned words[750]; } raw;
    const char *name;
    unsigned used;
};

int is_used(const struct cache *cache) { return cache->used > 5 && cache->cells[31] > 2; }
int is_clear(const struct cache *cache) { return cache->cells[4000] > 0 || cache->raw.bytes[2000] > 0; }
void clear(struct cache *cache) { cache->cells[4000] = 7; }
