/* What functions are given and leave behind: objects between guard pages, filled from an input, and a
 * call with them. Part of the driver. */

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

/* Where texts are that a va_list delivers when they are elsewhere. */
static unsigned char *moved[PERTURB_MOST_OBJECTS];

/* Whether a pointer is one of a list, which is a number if it does not point to this object. */
static int is_of_list(const struct perturb_link *link)
{
    return link->other_at >= 0 && link->target < 0;
}

/* Pages for a register, which others may be in as well. Where anything else is, nobody can call the functions. */
static void map_register(const struct perturb_object *object)
{
    static uintptr_t mapped[PERTURB_MOST_OBJECTS * 2];
    static unsigned mapped_count;
    uintptr_t start = (uintptr_t)object->fixed, end = start + object->size;
    for (uintptr_t page = start & ~4095ul; page < end; page += 4096) {
        unsigned known = 0;
        while (known < mapped_count && mapped[known] != page)
            known++;
        if (known < mapped_count)
            continue;
        void *made = mmap((void *)page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
                          -1, 0);
        if (made != (void *)page || mapped_count == sizeof mapped / sizeof *mapped)
            _exit(98);
        mapped[mapped_count++] = page;
    }
}

static void make_memory(void)
{
    for (unsigned made = 0; made < perturb_object_count; made++) {
        /* In the other order with the other guard: which of two objects has the higher address is nothing to rely
         * on. */
        unsigned i = is_left ? perturb_object_count - 1 - made : made;
        const struct perturb_object *object = &perturb_objects[i];
        if (object->is_register)
            map_register(object);
        memory[i] = object->fixed ? object->fixed : guarded(object->size);
        initial[i] = malloc(object->size + 1);
        memcpy(initial[i], memory[i], object->size);
    }
    for (unsigned i = 0; i < perturb_link_count; i++) {
        const struct perturb_link *link = &perturb_links[i];
        /* Each by another distance, so that no bit of an address, and no difference of two, stays what it was. */
        size_t off = 8 * (17 + 3 * (size_t)i);
        if (is_of_list(link))
            moved[link->other] = (unsigned char *)guarded(perturb_objects[link->other].size + off) +
                    (is_left ? off : 0);
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

/* A pointer as which object it points to and how far from its start, so that it is the same wherever that object is:
 * objects have other addresses in another run, and functions in another program; so is memory that was allocated, and
 * so are constants. What points to none of them stays as it is; no such address has one of the three highest bits. */
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
        if (is_plain && was_plain && last->first->object == view->object &&
                last->first->offset + last->size == view->offset)
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
