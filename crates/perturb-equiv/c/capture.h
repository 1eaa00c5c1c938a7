/* Tells with what the functions of a unit are called, for who wants to call them in the same way: stands behind the
 * unit's own text.
 *
 * What pointers point to is read by the kernel, which refuses where there is nothing instead of ending the program. In
 * C90, as units may be, and with names that no program has. */
#ifndef PERTURB_CAPTURE
#define PERTURB_CAPTURE

/* A number in an object; a kind of its own says which way a pointer leads. */
struct perturb_captured_leaf { char kind; unsigned size, object; unsigned long offset; };
/* A pointer in an object, and where what it says is told: that it is null, points to another one, or how far behind the
 * start of its target, which has so many bytes, it leads. */
struct perturb_captured_link {
    unsigned object;
    unsigned long offset;
    int target;
    long null_at;
    int other;
    long other_at, place_at;
    unsigned long step, size;
};

struct perturb_captured {
    const char *function;
    unsigned object_count, leaf_count, link_count;
    const struct perturb_captured_leaf *leaves;
    const struct perturb_captured_link *links;
    unsigned long size;
    unsigned char *input;
    unsigned long long *seen;
    unsigned *seen_count;
};

#define PERTURB_MOST_CAPTURED 64

extern int perturb_open(const char *, int, ...) __asm__("open");
extern int perturb_pipe(int *) __asm__("pipe");
extern long perturb_write(int, const void *, unsigned long) __asm__("write");
extern long perturb_read(int, void *, unsigned long) __asm__("read");
extern int perturb_close(int) __asm__("close");

/* Reads what is there, page by page; whether all of it was. */
static int perturb_look(const unsigned char *from, unsigned char *to, unsigned long size)
{
    int ends[2];
    unsigned long done = 0;
    if (perturb_pipe(ends) != 0)
        return 0;
    while (done < size) {
        unsigned long part = 4096 - (unsigned long)(from + done) % 4096;
        if (part > size - done)
            part = size - done;
        if (perturb_write(ends[1], from + done, part) != (long)part ||
                perturb_read(ends[0], to + done, part) != (long)part)
            break;
        done += part;
    }
    perturb_close(ends[0]);
    perturb_close(ends[1]);
    return done == size;
}

/* What a va_list still delivers, as the System V ABI for x86-64 has it: so many integers or
 * pointers, and floats. */
static void perturb_capture_list(const unsigned char *list, unsigned char *words, unsigned word_count,
        unsigned char *fractions, unsigned fraction_count)
{
    struct { unsigned used, used_fractions; const unsigned char *memory, *saved; } from;
    unsigned i;
    if (!perturb_look(list, (unsigned char *)&from, sizeof from))
        return;
    for (i = 0; i < fraction_count && from.used_fractions + 16 * i < 176; i++)
        perturb_look(from.saved + from.used_fractions + 16 * i, fractions + 16 * i, 8);
    for (i = 0; i < word_count; i++) {
        const unsigned char *word = from.used < 48 ? from.saved + from.used : from.memory;
        if (from.used < 48)
            from.used += 8;
        else
            from.memory += 8;
        perturb_look(word, words + 8 * i, 8);
    }
}

/* Tells whether a word of a list is a pointer to something, which is told then instead of where that is. */
static void perturb_tell(const struct perturb_captured *of, const unsigned char **objects,
        const struct perturb_captured_link *link, const unsigned char *target)
{
    unsigned char first;
    if (target == 0 || !perturb_look(target, &first, 1))
        return;
    of->input[link->other_at] = 1;
    objects[link->other] = target;
    __builtin_memset((unsigned char *)objects[link->object] + link->offset, 0, sizeof target);
}

/* Objects by their addresses, of which those that pointers point to are found on the way. */
static void perturb_capture(const struct perturb_captured *of, const unsigned char **objects)
{
    static const char digits[] = "0123456789abcdef";
    unsigned long at, i;
    unsigned long long hash = 14695981039346656037ull;
    char *line;
    int file;
    if (*of->seen_count >= PERTURB_MOST_CAPTURED)
        return;
    __builtin_memset(of->input, 0, of->size);
    for (i = 0; i < of->link_count; i++) {
        const struct perturb_captured_link *link = &of->links[i];
        const unsigned char *target = 0;
        if (objects[link->object])
            perturb_look(objects[link->object] + link->offset, (unsigned char *)&target, sizeof target);
        if (link->target < 0 && link->other_at >= 0) {
            perturb_tell(of, objects, link, target);
            continue;
        }
        /* What others will answer is not known: it leads somewhere. */
        if (link->null_at >= 0)
            of->input[link->null_at] = objects[link->object] && target == 0;
        if (link->place_at >= 0) {
            /* Of what is farther away, all that there is. */
            unsigned long far = objects[link->target] && target >= objects[link->target]
                    ? (unsigned long)(target - objects[link->target]) : 0;
            unsigned short steps = (unsigned short)((far < link->size ? far : link->size) / link->step);
            __builtin_memcpy(of->input + link->place_at, &steps, sizeof steps);
        } else if (link->target >= 0)
            objects[link->target] = target;
        if (link->other_at >= 0)
            of->input[link->other_at] = target != 0 && target == objects[link->other];
    }
    for (i = 0, at = 0; i < of->leaf_count; at += of->leaves[i++].size) {
        const struct perturb_captured_leaf *leaf = &of->leaves[i];
        if (leaf->kind != 'n' && leaf->kind != 'o' && leaf->kind != 'm' && leaf->object < of->object_count &&
                objects[leaf->object])
            perturb_look(objects[leaf->object] + leaf->offset, of->input + at, leaf->size);
    }
    for (i = 0; i < of->size; i++)
        hash = (hash ^ of->input[i]) * 1099511628211ull;
    for (i = 0; i < *of->seen_count; i++)
        if (of->seen[i] == hash)
            return;
    of->seen[(*of->seen_count)++] = hash;
    line = (char *)__builtin_alloca(2 * of->size + __builtin_strlen(of->function) + 3);
    __builtin_strcpy(line, of->function);
    at = __builtin_strlen(line);
    line[at++] = ' ';
    for (i = 0; i < of->size; i++) {
        line[at++] = digits[of->input[i] >> 4];
        line[at++] = digits[of->input[i] & 15];
    }
    line[at++] = '\n';
    /* For writing, at the end. */
    file = perturb_open(PERTURB_CAPTURED, 02001);
    if (file >= 0) {
        (void)!perturb_write(file, line, at);
        perturb_close(file);
    }
}
#endif
