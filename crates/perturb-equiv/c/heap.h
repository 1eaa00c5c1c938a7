/* The memory that the functions under comparison allocate: `malloc` and its kin, by an allocator that is new for every
 * call. A part of the driver, which links so that their calls lead here (`--wrap`).
 *
 * Each block has pages of its own between two that nobody may touch, with its end or its start at one of them, so that
 * an access beyond it traps; what little room alignment leaves is filled, and looked at when the block is freed and
 * when the call is over. No block is used twice in a call, so that what is written to after it was freed is seen,
 * too. */

/* Values that are in nobody's text and are no address: pointers of them trap. Fresh memory holds another one with the
 * other guard, so that whoever depends on it is told by that. */
#define FRESH (is_left ? 0x1d : 0x1a)
#define FREED 0x1e
#define AROUND 0x1c
#define ZONE 16

#define SMALL_BLOCKS 96
#define LARGE_BLOCKS 8
#define BLOCKS (SMALL_BLOCKS + LARGE_BLOCKS)
#define PAGE ((size_t)4096)
#define LARGEST_BLOCK (16 * PAGE)

struct block {
    unsigned char *start;
    size_t size;
    enum { UNUSED, LIVE, GONE } state;
    /* What it holds was never written, but for what the functions wrote. */
    int is_fresh;
    /* From 1 on in the order in which they are reached afterwards, 0 before. */
    unsigned number;
};

static unsigned char *arena;
static struct block blocks[BLOCKS];
static unsigned small_count, large_count;
/* How many were asked for, and which of them is refused. */
static unsigned asked, refused;
static unsigned char is_object_freed[PERTURB_MOST_OBJECTS];

static size_t room_of(unsigned which)
{
    return which < SMALL_BLOCKS ? PAGE : LARGEST_BLOCK;
}

/* Each with the page behind it. */
static unsigned char *pages_of(unsigned which)
{
    size_t small = which < SMALL_BLOCKS ? which : SMALL_BLOCKS, large = which - small;
    return arena + PAGE + small * 2 * PAGE + large * (LARGEST_BLOCK + PAGE);
}

static void make_arena(void)
{
    size_t size = (size_t)(pages_of(BLOCKS) - arena);
    arena = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (arena == MAP_FAILED)
        _exit(90);
    for (unsigned i = 0; i < BLOCKS; i++)
        if (mprotect(pages_of(i), room_of(i), PROT_READ | PROT_WRITE) != 0)
            _exit(90);
}

static void start_heap(unsigned refused_now)
{
    if (!perturb_allocates)
        return;
    for (unsigned i = 0; i < small_count; i++)
        blocks[i].state = UNUSED;
    for (unsigned i = 0; i < large_count; i++)
        blocks[SMALL_BLOCKS + i].state = UNUSED;
    small_count = large_count = asked = 0;
    refused = refused_now;
    memset(is_object_freed, 0, perturb_object_count);
}

/* The block on whose pages an address is, or right behind them. */
static struct block *block_at(const void *address)
{
    uintptr_t at = (uintptr_t)address, start = (uintptr_t)pages_of(0), large = (uintptr_t)pages_of(SMALL_BLOCKS);
    if (!arena || at < start || at >= (uintptr_t)pages_of(BLOCKS))
        return NULL;
    size_t which = at < large ? (at - start) / (2 * PAGE) : SMALL_BLOCKS + (at - large) / (LARGEST_BLOCK + PAGE);
    return blocks[which].state == UNUSED ? NULL : &blocks[which];
}

static int is_filled(const unsigned char *bytes, size_t size, unsigned char with)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != with)
            return 0;
    return 1;
}

/* What little there is before and behind a block on its pages. */
static void zones(const struct block *block, unsigned char *ends[2], size_t sizes[2])
{
    unsigned which = (unsigned)(block - blocks);
    unsigned char *pages = pages_of(which);
    size_t before = (size_t)(block->start - pages), behind = room_of(which) - before - block->size;
    sizes[0] = before < ZONE ? before : ZONE;
    sizes[1] = behind < ZONE ? behind : ZONE;
    ends[0] = block->start - sizes[0];
    ends[1] = block->start + block->size;
}

static int is_intact(const struct block *block)
{
    unsigned char *ends[2];
    size_t sizes[2];
    zones(block, ends, sizes);
    return is_filled(ends[0], sizes[0], AROUND) && is_filled(ends[1], sizes[1], AROUND) &&
           (block->state == LIVE || is_filled(block->start, block->size, FREED));
}

/* Whether nothing was written where no block is. */
static int is_heap_intact(void)
{
    for (unsigned i = 0; perturb_allocates && i < BLOCKS; i++)
        if (blocks[i].state != UNUSED && !is_intact(&blocks[i]))
            return 0;
    return 1;
}

static struct block *new_block(size_t size)
{
    if (size <= PAGE && small_count < SMALL_BLOCKS)
        return &blocks[small_count++];
    if (size <= LARGEST_BLOCK && large_count < LARGE_BLOCKS)
        return &blocks[SMALL_BLOCKS + large_count++];
    /* Nobody knows whether there would be so much. */
    leave(BEYOND);
}

static void *allocate(size_t size, int is_zero)
{
    if (++asked == refused || size > PTRDIFF_MAX)
        return NULL;
    struct block *block = new_block(size);
    unsigned which = (unsigned)(block - blocks);
    size_t aligned = (size + 15) / 16 * 16;
    block->start = pages_of(which) + (is_left ? 0 : room_of(which) - aligned);
    block->size = size;
    block->state = LIVE;
    block->is_fresh = !is_zero;
    block->number = 0;
    unsigned char *ends[2];
    size_t sizes[2];
    zones(block, ends, sizes);
    memset(ends[0], AROUND, sizes[0]);
    memset(ends[1], AROUND, sizes[1]);
    memset(block->start, is_zero ? 0 : FRESH, size);
    return block->start;
}

/* The object of the input that starts there, or -1. */
static int object_starting_at(const void *start)
{
    for (unsigned i = 0; i < perturb_object_count; i++)
        if (!perturb_objects[i].fixed && memory[i] == start)
            return (int)i;
    return -1;
}

/* How large is what may be freed there; traps where nothing may. */
static size_t size_of_freeable(void *start)
{
    struct block *block = block_at(start);
    if (block && block->start == start && block->state == LIVE)
        return block->size;
    int object = block ? -1 : object_starting_at(start);
    if (object < 0 || is_object_freed[object])
        __builtin_trap();
    return perturb_objects[object].size;
}

void perturb_free(void *start)
{
    if (!start)
        return;
    memset(start, FREED, size_of_freeable(start));
    struct block *block = block_at(start);
    if (block)
        block->state = GONE;
    else
        is_object_freed[object_starting_at(start)] = 1;
}

void *perturb_malloc(size_t size)
{
    return allocate(size, 0);
}

void *perturb_calloc(size_t count, size_t size)
{
    size_t all;
    return __builtin_mul_overflow(count, size, &all) ? NULL : allocate(all, 1);
}

/* As glibc does it where nothing is left; what stays is always moved. */
void *perturb_realloc(void *start, size_t size)
{
    if (!start)
        return allocate(size, 0);
    size_t had = size_of_freeable(start);
    void *moved = size == 0 ? NULL : allocate(size, 0);
    if (moved)
        memcpy(moved, start, had < size ? had : size);
    if (moved || size == 0)
        perturb_free(start);
    return moved;
}

void *perturb_reallocarray(void *start, size_t count, size_t size)
{
    size_t all;
    return __builtin_mul_overflow(count, size, &all) ? NULL : perturb_realloc(start, all);
}

static char *duplicate(const char *text, size_t length)
{
    char *made = allocate(length + 1, 0);
    if (made) {
        memcpy(made, text, length);
        made[length] = 0;
    }
    return made;
}

char *perturb_strdup(const char *text)
{
    return duplicate(text, strlen(text));
}

char *perturb_strndup(const char *text, size_t most)
{
    return duplicate(text, strnlen(text, most));
}

/* ---- What calls lead here ---- */

void *__real_malloc(size_t), *__real_calloc(size_t, size_t), *__real_realloc(void *, size_t),
        *__real_reallocarray(void *, size_t, size_t), __real_free(void *);
char *__real_strdup(const char *), *__real_strndup(const char *, size_t);

/* The driver's own memory is the library's. */
#define WRAPPED(type, name, parameters, arguments) \
    type __wrap_##name parameters { return is_calling ? perturb_##name arguments : __real_##name arguments; }
WRAPPED(void *, malloc, (size_t size), (size))
WRAPPED(void *, calloc, (size_t count, size_t size), (count, size))
WRAPPED(void *, realloc, (void *start, size_t size), (start, size))
WRAPPED(void *, reallocarray, (void *start, size_t count, size_t size), (start, count, size))
WRAPPED(char *, strdup, (const char *text), (text))
WRAPPED(char *, strndup, (const char *text, size_t most), (text, most))
WRAPPED(void, free, (void *start), (start))

/* ---- What is left behind ---- */

/* What can be seen of the memory that a call has allocated, by what points to it: block by block in the order in which
 * they are reached, what its type has, a word for each number or pointer and for eight characters. native/fresh.rs
 * reads it. */
struct left {
    unsigned live, block_count, count;
    /* So much of each block is told. */
    unsigned sizes[BLOCKS];
    /* One has less room than the original's. */
    int is_smaller;
    /* Of what is beyond the last word. */
    unsigned long long rest;
    unsigned long long words[PERTURB_MOST_WORDS];
    /* Which bytes of a word were written. */
    unsigned char written[PERTURB_MOST_WORDS];
    unsigned char freed[PERTURB_MOST_OBJECTS];
};

/* Blocks that were reached, in order, with the types of what led to them. */
static struct {
    struct block *block;
    unsigned type;
} reached[BLOCKS];
static unsigned reached_count;

#define FRESH_PLACE (1ull << 62)
#define FREED_PLACE (FRESH_PLACE | 0x3fffffffull << 32)

static unsigned long long place_of_pointer(unsigned long long address);

/* Constants of the program, which are reached as blocks are: by what they hold, since a copy of a function may have its
 * own. */
static struct block constants[BLOCKS];
static unsigned constant_count;

/* Where the linker has put all that the program has from its start. */
extern const char __executable_start[], _end[];

/* The constant that was reached there, or NULL. */
static struct block *constant_at(unsigned long long address)
{
    for (unsigned i = 0; i < constant_count; i++)
        if ((uintptr_t)constants[i].start == address)
            return &constants[i];
    return NULL;
}

/* A text up to its end, or a value of the type. Of what has no type, nothing is known. */
static struct block *new_constant(unsigned long long address, const struct perturb_type *type)
{
    uintptr_t first = (uintptr_t)__executable_start, end = (uintptr_t)_end;
    if (address < first || address >= end || type->kind == 'b' || constant_count == BLOCKS)
        return NULL;
    size_t room = end - address, size = type->size;
    if (type->kind == 'c')
        size = strnlen((const char *)(uintptr_t)address, room < PAGE ? room : PAGE) + 1;
    if (size > room || size > LARGEST_BLOCK)
        return NULL;
    struct block *constant = &constants[constant_count++];
    *constant = (struct block){.start = (unsigned char *)(uintptr_t)address, .size = size, .state = LIVE};
    return constant;
}

/* A pointer points to something of a type: that will be looked at. */
static void reach(unsigned long long address, unsigned type)
{
    struct block *block = block_at((const void *)(uintptr_t)address);
    if (!block && !constant_at(address) && object_at(address) < 0)
        block = new_constant(address, &perturb_types[type]);
    if (reached_count == BLOCKS)
        return;
    if (block && block->state == LIVE && block->number == 0) {
        reached[reached_count].block = block;
        reached[reached_count].type = type;
        block->number = ++reached_count;
    }
}

static unsigned long long reached_place(unsigned long long address, unsigned type)
{
    reach(address, type);
    return place_of_pointer(address);
}

static unsigned long long place_in_arena(const struct block *block, unsigned long long address)
{
    if (block->state == GONE)
        return FREED_PLACE;
    return FRESH_PLACE | (unsigned long long)block->number << 32 | (unsigned)(address - (uintptr_t)block->start);
}

static void tell(struct left *left, unsigned long long word, unsigned char written)
{
    for (unsigned i = 0; i < 8; i++)
        if (!(written >> i & 1))
            word &= ~(0xffull << 8 * i);
    if (left->count == PERTURB_MOST_WORDS) {
        left->rest = (left->rest ^ word ^ written) * 0x9e3779b97f4a7c15ull + 1;
        return;
    }
    left->words[left->count] = word;
    left->written[left->count++] = written;
}

/* Which of some bytes of a block were written. */
static unsigned char written_of(const struct block *block, const unsigned char *at, unsigned size)
{
    unsigned char written = 0;
    for (unsigned i = 0; i < size; i++)
        written |= (unsigned char)((!block->is_fresh || at[i] != FRESH) << i);
    return written;
}

/* A number of which a byte was written was, all of it. */
static void tell_number(struct left *left, const struct block *block, const unsigned char *at,
        const struct perturb_type *type)
{
    unsigned long long word = 0;
    memcpy(&word, at, type->size);
    if (type->kind == 'f' && is_nan(at, type->size))
        word = ~0ull >> (64 - 8 * type->size);
    if (type->kind == 'p')
        word = reached_place(word, type->of);
    tell(left, word, written_of(block, at, type->size) ? 0xff : 0);
}

/* Plain bytes; in what may hold pointers, these are followed. */
static void tell_bytes(struct left *left, const struct block *block, const unsigned char *at, size_t size,
        int has_pointers)
{
    for (; size > 0; at += size < 8 ? size : 8, size -= size < 8 ? size : 8) {
        unsigned part = size < 8 ? (unsigned)size : 8;
        unsigned long long word = 0;
        memcpy(&word, at, part);
        int is_pointer = has_pointers && part == 8 && block_at((const void *)(uintptr_t)word);
        tell(left, is_pointer ? reached_place(word, PERTURB_BYTES) : word,
             is_pointer ? 0xff : written_of(block, at, part));
    }
}

static void tell_bits(struct left *left, const struct block *block, const unsigned char *at,
        const struct perturb_field *field)
{
    unsigned size = (field->bit + field->bits + 7u) / 8;
    __uint128_t all = 0;
    memcpy(&all, at, size);
    unsigned long long word = (unsigned long long)(all >> field->bit) & (~0ull >> (64 - field->bits));
    tell(left, word, written_of(block, at, size) ? 0xff : 0);
}

static void tell_value(struct left *left, const struct block *block, const unsigned char *at, unsigned which)
{
    const struct perturb_type *type = &perturb_types[which];
    switch (type->kind) {
    case 'b':
    case 'c':
        tell_bytes(left, block, at, type->size, type->kind == 'b');
        break;
    case 'a':
        for (unsigned i = 0; i < type->count; i++)
            tell_value(left, block, at + i * perturb_types[type->of].size, type->of);
        break;
    case 's':
        for (unsigned i = 0; i < type->count; i++) {
            const struct perturb_field *field = &perturb_fields[type->of + i];
            if (field->bits)
                tell_bits(left, block, at + field->offset, field);
            else
                tell_value(left, block, at + field->offset, field->type);
        }
        break;
    default:
        tell_number(left, block, at, type);
    }
}

/* As many values as there is room for, or one and the rest as bytes. */
static void tell_block(struct left *left, const struct block *block, const unsigned char *bytes, size_t room,
        unsigned which)
{
    const struct perturb_type *type = &perturb_types[which];
    size_t size = type->kind == 'c' || type->kind == 'b' ? 0 : type->size, at = 0;
    for (; size > 0 && at + size <= room && (at == 0 || room % size == 0); at += size)
        tell_value(left, block, bytes + at, which);
    tell_bytes(left, block, bytes + at, room - at, type->kind != 'c');
}

/* From the result and all that was given, in order. Blocks are told as if they had the room that they have in the
 * original: more of it is nothing that anybody could see. */
static void look_at_heap(struct left *left, const struct left *of_original)
{
    static unsigned char bytes[LARGEST_BLOCK];
    if (!perturb_has_heap)
        return;
    left->live = left->count = reached_count = constant_count = 0;
    left->rest = 0;
    left->is_smaller = 0;
    memcpy(left->freed, is_object_freed, perturb_object_count);
    for (unsigned i = 0; i < perturb_root_count; i++) {
        const struct perturb_root *root = &perturb_roots[i];
        unsigned long long address;
        memcpy(&address, (root->object == PERTURB_RESULT ? result : memory[root->object]) + root->offset,
                sizeof address);
        reach(address, root->type);
    }
    for (unsigned i = 0; i < reached_count; i++) {
        const struct block *block = reached[i].block;
        /* All of a constant can be seen. */
        int is_constant = block >= constants && block < constants + BLOCKS;
        size_t room = !is_constant && of_original && i < of_original->block_count ? of_original->sizes[i] : block->size;
        memset(bytes, FRESH, room);
        memcpy(bytes, block->start, room < block->size ? room : block->size);
        left->is_smaller |= block->size < room;
        left->sizes[i] = (unsigned)room;
        tell_block(left, block, bytes, room, reached[i].type);
    }
    left->block_count = reached_count;
    for (unsigned i = 0; i < BLOCKS; i++)
        left->live += blocks[i].state == LIVE;
}

/* Whether both leave the same. What the original never wrote may be anything. */
static int is_same_left(const struct left *original, const struct left *other)
{
    if (!perturb_has_heap)
        return 1;
    if (original->live != other->live || original->block_count != other->block_count ||
        original->count != other->count || original->rest != other->rest ||
        memcmp(original->sizes, other->sizes, original->block_count * sizeof *original->sizes) != 0 ||
        memcmp(original->freed, other->freed, perturb_object_count) != 0)
        return 0;
    for (unsigned i = 0; i < original->count; i++) {
        unsigned long long differ = original->words[i] ^ other->words[i];
        unsigned char written = original->written[i];
        if ((written & ~other->written[i]) != 0)
            return 0;
        for (unsigned byte = 0; byte < 8; byte++)
            if (written >> byte & 1 && differ >> 8 * byte & 0xff)
                return 0;
    }
    return 1;
}
