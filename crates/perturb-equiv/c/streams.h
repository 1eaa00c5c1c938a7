/* The streams that the functions under comparison are given: each over bytes of an object, opened anew for every call.
 * Part of the driver.
 *
 * Only the library looks into a `FILE`, so that what counts are the bytes, the place that was come to, and whether it
 * is at the end or has failed. A function that closes a stream calls what stands in for fclose(): the driver closes
 * all. */

/* How a stream is left, and how many of its bytes there are to read; the layout is that of native/layout/stream.rs. */
struct perturb_stream_state {
    long long place;
    unsigned char is_at_end, has_failed, length;
};

static FILE *streams[PERTURB_MOST_OBJECTS];
static unsigned stream_objects[PERTURB_MOST_OBJECTS], stream_count;

/* The streams of the process are not for functions: whoever uses one comes to a guard page. */
FILE *__wrap_stdin, *__wrap_stdout, *__wrap_stderr;
static unsigned char *forbidden;

static void forbid_streams(void)
{
    size_t each = 4096;
    /* Where it is can be seen: in every run at the same place. */
    forbidden = mmap((void *)0x100000000000, 3 * each, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (forbidden == MAP_FAILED)
        _exit(90);
    __wrap_stdin = (FILE *)forbidden;
    __wrap_stdout = (FILE *)(forbidden + each);
    __wrap_stderr = (FILE *)(forbidden + 2 * each);
}

static int is_forbidden(uintptr_t address)
{
    return address >= (uintptr_t)forbidden && address < (uintptr_t)forbidden + 3 * 4096;
}

static void find_streams(void)
{
    for (unsigned i = 0; i < perturb_object_count; i++)
        if (perturb_objects[i].stream)
            stream_objects[stream_count++] = i;
}

static struct perturb_stream_state *state_of(unsigned object)
{
    return (struct perturb_stream_state *)(void *)memory[perturb_objects[object].state];
}

/* Before the bytes are set anew: what a call that did not come back has written would come between them. */
static void close_streams(void)
{
    for (unsigned i = 0; i < stream_count; i++) {
        FILE **stream = &streams[stream_objects[i]];
        if (*stream)
            fclose(*stream);
        *stream = NULL;
    }
}

/* Over the bytes that are there now. */
static void open_streams(void)
{
    for (unsigned i = 0; i < stream_count; i++) {
        unsigned object = stream_objects[i];
        const char *mode = perturb_objects[object].stream;
        size_t size = *mode == 'w' ? perturb_objects[object].size : state_of(object)->length;
        streams[object] = fmemopen(memory[object], size, mode);
        if (!streams[object])
            _exit(90);
    }
}

/* What was written is in the bytes then, and how each stream is left in its state. */
static void leave_streams(void)
{
    for (unsigned i = 0; i < stream_count; i++) {
        FILE *stream = streams[stream_objects[i]];
        struct perturb_stream_state *state = state_of(stream_objects[i]);
        if (strcmp(perturb_objects[stream_objects[i]].stream, "r") != 0)
            fflush(stream);
        state->place = ftell(stream);
        state->is_at_end = feof(stream) != 0;
        state->has_failed = ferror(stream) != 0;
    }
}

/* Where a pointer to an object leads. */
static unsigned char *start_of(unsigned object)
{
    return perturb_objects[object].stream ? (unsigned char *)streams[object] : memory[object];
}

/* The object whose stream is there, or -1. */
static int stream_at(unsigned long long address)
{
    for (unsigned i = 0; i < stream_count; i++)
        if ((uintptr_t)streams[stream_objects[i]] == address)
            return (int)stream_objects[i];
    return -1;
}
