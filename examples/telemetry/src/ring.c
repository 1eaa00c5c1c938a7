/**
 * @file ring.c
 * The indices run freely and wrap with their type: head minus tail is the
 * fill level at all times, and full differs from empty without a spare slot.
 */
#include "telemetry/ring.h"

static void put_byte(ring_t *ring, uint8_t byte)
{
    ring->storage[RING_SLOT(ring->head)] = byte;
    ring->head++;
}

static uint8_t take_byte(ring_t *ring)
{
    uint8_t byte = ring->storage[RING_SLOT(ring->tail)];
    ring->tail++;
    return byte;
}

void ring_init(ring_t *ring)
{
    ring->head = 0U;
    ring->tail = 0U;
    ring->high_water = 0U;
    ring->rejected = 0U;
}

bool ring_push(ring_t *ring, const uint8_t *frame, uint8_t len)
{
    if ((len == 0U) || ((len + 1U) > ring_free(ring))) {
        if (ring->rejected < UINT16_MAX) {
            ring->rejected++;
        }
        return false;
    }

    put_byte(ring, len);
    for (uint8_t i = 0U; i < len; i++) {
        put_byte(ring, frame[i]);
    }

    uint16_t used = ring_used(ring);
    if (used > ring->high_water) {
        ring->high_water = used;
    }

    return true;
}

uint8_t ring_pop(ring_t *ring, uint8_t *out, size_t capacity)
{
    if (ring_used(ring) == 0U) {
        return 0U;
    }

    uint8_t len = ring->storage[RING_SLOT(ring->tail)];
    if (len > capacity) {
        return 0U;
    }

    (void)take_byte(ring);

    /* A queued frame is never empty. */
    uint8_t i = 0U;
    do {
        out[i] = take_byte(ring);
        i++;
    } while (i < len);

    return len;
}

uint16_t ring_make_room(ring_t *ring, uint16_t wanted)
{
    uint16_t dropped = 0U;

    while ((ring_free(ring) < wanted) && (ring_used(ring) > 0U)) {
        uint8_t len = take_byte(ring);
        ring->tail = (uint16_t)(ring->tail + len);
        dropped++;
    }

    return dropped;
}
