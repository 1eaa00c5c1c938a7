/**
 * @file ring.h
 * A byte queue between one producer (the packet encoder) and one consumer
 * (the downlink). A frame goes in as a whole or not at all.
 */
#ifndef TELEMETRY_RING_H
#define TELEMETRY_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes a ring holds: a power of two, at most 32768. */
#define RING_CAPACITY 256U

/** Position in the storage of a free-running index. */
#define RING_SLOT(index) ((index) & (RING_CAPACITY - 1U))

/** Free-running indices: `head` is written next, `tail` is read next. */
typedef struct {
    uint16_t head;
    uint16_t tail;
    uint16_t high_water; /**< Most bytes ever held. */
    uint16_t rejected;   /**< Frames refused; stays at its maximum. */
    uint8_t storage[RING_CAPACITY];
} ring_t;

/** Bytes waiting to be read. */
static inline uint16_t ring_used(const ring_t *ring)
{
    return (uint16_t)(ring->head - ring->tail);
}

/** Bytes that can still be written. */
static inline uint16_t ring_free(const ring_t *ring)
{
    return (uint16_t)(RING_CAPACITY - ring_used(ring));
}

/** Empties the ring and clears its statistics. */
void ring_init(ring_t *ring);

/** Queues a frame of `len` bytes behind its one-byte length. */
bool ring_push(ring_t *ring, const uint8_t *frame, uint8_t len);

/** Takes the oldest frame; returns its length, 0 if there is none or `out` is
 *  too small for it (the frame then stays). */
uint8_t ring_pop(ring_t *ring, uint8_t *out, size_t capacity);

/** Drops the oldest frames until `wanted` bytes are free; returns how many. */
uint16_t ring_make_room(ring_t *ring, uint16_t wanted);

#endif
