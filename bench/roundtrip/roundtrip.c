/* What lz4 compresses comes back: in blocks, in part, in streams, with dictionaries; and damaged blocks do no harm. */
#define LZ4_DISABLE_DEPRECATE_WARNINGS
#include "lz4.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 70000, PART = 4096 };

static char plain[MOST], back[MOST];
static char packed[LZ4_COMPRESSBOUND(MOST)];

static void expect(int holds, int line)
{
    if (!holds) {
        fprintf(stderr, "roundtrip.c:%d: it is not so\n", line);
        exit(1);
    }
}
#define EXPECT(what) expect(what, __LINE__)

/* Always the same: noise with a period, so that some of it was there before. */
static void fill(int size, unsigned letters, int period)
{
    unsigned state = 1;
    for (int i = 0; i < size; i++) {
        state = state * 1103515245u + 12345u;
        plain[i] = i >= period && (state >> 28) != 0 ? plain[i - period] : (char)(state >> 16) % (int)letters;
    }
}

static const int SIZES[] = {0, 1, 12, 13, 64, 1000, 65547, MOST};
enum { HOW_MANY = sizeof(SIZES) / sizeof(SIZES[0]) };

static void one_block(int size, int acceleration)
{
    int bound = LZ4_compressBound(size);
    int length = LZ4_compress_fast(plain, packed, size, bound, acceleration);
    EXPECT(length > 0 && length <= bound);
    EXPECT(LZ4_decompress_safe(packed, back, length, size) == size && memcmp(plain, back, size) == 0);
    EXPECT(size == 0 || LZ4_decompress_safe(packed, back, length, size - 1) < 0);
    EXPECT(LZ4_decompress_fast(packed, back, size) == length && memcmp(plain, back, size) == 0);
    EXPECT(LZ4_compress_default(plain, packed, size, length - 1) == 0 || acceleration > 1);
}

static void blocks(void)
{
    for (int at = 0; at < HOW_MANY; at++)
        for (int period = 3; period < 10000; period *= 11) {
            fill(SIZES[at], 60, period);
            one_block(SIZES[at], 1);
            one_block(SIZES[at], 9);
        }
    EXPECT(LZ4_compressBound(-1) == 0 && LZ4_compressBound(LZ4_MAX_INPUT_SIZE + 1) == 0);
    EXPECT(LZ4_versionNumber() == LZ4_VERSION_NUMBER && strcmp(LZ4_versionString(), LZ4_VERSION_STRING) == 0);
    void *state = malloc(LZ4_sizeofState());
    int length = LZ4_compress_fast_extState(state, plain, packed, MOST, sizeof packed, 1);
    EXPECT(LZ4_decompress_safe(packed, back, length, MOST) == MOST && memcmp(plain, back, MOST) == 0);
    free(state);
}

static void partial(void)
{
    fill(MOST, 20, 33);
    int length = LZ4_compress_default(plain, packed, MOST, sizeof packed);
    for (int size = 0; size < MOST; size += 977)
        EXPECT(LZ4_decompress_safe_partial(packed, back, length, size, MOST) == size && memcmp(plain, back, size) == 0);
    for (int room = 20; room < 2000; room += 123) {
        int taken = MOST;
        length = LZ4_compress_destSize(plain, packed, &taken, room);
        EXPECT(length > 0 && length <= room && taken > 0);
        EXPECT(LZ4_decompress_safe(packed, back, length, MOST) == taken && memcmp(plain, back, taken) == 0);
    }
}

static void streams(void)
{
    fill(MOST, 100, 5000);
    LZ4_stream_t *to = LZ4_createStream();
    LZ4_streamDecode_t *from = LZ4_createStreamDecode();
    EXPECT(to && from && LZ4_setStreamDecode(from, NULL, 0) == 1);
    for (int at = 0; at + PART <= MOST; at += PART) {
        int length = LZ4_compress_fast_continue(to, plain + at, packed, PART, sizeof packed, 1);
        EXPECT(length > 0);
        EXPECT(LZ4_decompress_safe_continue(from, packed, back + at, length, PART) == PART);
    }
    EXPECT(memcmp(plain, back, MOST / PART * PART) == 0);
    EXPECT(LZ4_decoderRingBufferSize(PART) > 65536 + PART && LZ4_decoderRingBufferSize(-1) == 0);
    LZ4_freeStream(to);
    LZ4_freeStreamDecode(from);
}

static void dictionaries(void)
{
    static char kept[65536];
    fill(MOST, 100, 7000);
    LZ4_stream_t *to = LZ4_createStream();
    for (int size = 0; size <= 32768; size = 2 * size + 7) {
        LZ4_resetStream_fast(to);
        EXPECT(LZ4_loadDict(to, plain, size) == (size < 8 ? 0 : size));
        int length = LZ4_compress_fast_continue(to, plain + 40000, packed, 20000, sizeof packed, 1);
        EXPECT(LZ4_decompress_safe_usingDict(packed, back, length, 20000, plain, size) == 20000);
        EXPECT(memcmp(plain + 40000, back, 20000) == 0);
        EXPECT(LZ4_decompress_fast_usingDict(packed, back, 20000, plain, size) == length && memcmp(plain + 40000, back, 20000) == 0);
        EXPECT(LZ4_saveDict(to, kept, sizeof kept) == 20000 && memcmp(kept, plain + 40000, 20000) == 0);
        length = LZ4_compress_fast_continue(to, plain + 60000, packed, PART, sizeof packed, 1);
        EXPECT(LZ4_decompress_safe_usingDict(packed, back, length, PART, kept, 20000) == PART);
        EXPECT(memcmp(plain + 60000, back, PART) == 0);
    }
    LZ4_freeStream(to);
}

static void damaged(void)
{
    fill(PART, 30, 50);
    int length = LZ4_compress_default(plain, packed, PART, sizeof packed);
    long sum = 0;
    for (int at = 0; at < length; at++)
        for (int bit = 1; bit < 256; bit *= 4) {
            packed[at] ^= bit;
            int size = LZ4_decompress_safe(packed, back, length, PART);
            EXPECT(size <= PART);
            sum += size > 0 ? size : -1;
            packed[at] ^= bit;
        }
    EXPECT(sum != 0);
    for (int less = 1; less < length; less += 5)
        EXPECT(LZ4_decompress_safe(packed, back, less, PART) != PART || memcmp(plain, back, PART) == 0);
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {{"blocks", blocks}, {"partial", partial}, {"streams", streams}, {"dictionaries", dictionaries}, {"damaged", damaged}};
    for (int at = 0; count == 2 && at < 5; at++)
        if (strcmp(words[1], tests[at].name) == 0) {
            tests[at].run();
            return 0;
        }
    fprintf(stderr, "usage: roundtrip TEST\n");
    return 2;
}
