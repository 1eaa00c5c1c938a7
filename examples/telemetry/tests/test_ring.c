/** @file test_ring.c Tests of the frame queue. */
#include <string.h>

#include "harness.h"
#include "telemetry/ring.h"

static ring_t ring;

/** A frame of `len` bytes that count up from `first`. */
static const uint8_t *frame(uint8_t first, uint8_t len)
{
    static uint8_t bytes[255];

    for (uint8_t i = 0U; i < len; i++) {
        bytes[i] = (uint8_t)(first + i);
    }
    return bytes;
}

static void a_new_ring_is_empty(void)
{
    static uint8_t out[16];

    (void)memset(&ring, 0xA5, sizeof ring);
    ring_init(&ring);
    CHECK_EQUAL(ring_used(&ring), 0);
    CHECK_EQUAL(ring_free(&ring), RING_CAPACITY);
    CHECK_EQUAL(ring.rejected, 0);
    CHECK_EQUAL(ring_pop(&ring, out, sizeof out), 0);
}

static void frames_come_out_in_order(void)
{
    static uint8_t out[16];

    ring_init(&ring);
    CHECK(ring_push(&ring, frame(10U, 3U), 3U));
    CHECK(ring_push(&ring, frame(20U, 5U), 5U));
    CHECK_EQUAL(ring_used(&ring), 10);

    CHECK_EQUAL(ring_pop(&ring, out, sizeof out), 3);
    CHECK(memcmp(out, frame(10U, 3U), 3U) == 0);
    CHECK_EQUAL(ring_pop(&ring, out, sizeof out), 5);
    CHECK(memcmp(out, frame(20U, 5U), 5U) == 0);
    CHECK_EQUAL(ring_used(&ring), 0);
}

static void a_frame_goes_in_whole_or_not_at_all(void)
{
    ring_init(&ring);
    CHECK(ring_push(&ring, frame(0U, 200U), 200U));
    CHECK(!ring_push(&ring, frame(0U, 60U), 60U));
    CHECK_EQUAL(ring_used(&ring), 201);
    CHECK_EQUAL(ring.rejected, 1);
    CHECK(ring_push(&ring, frame(0U, 54U), 54U));
    CHECK_EQUAL(ring_free(&ring), 0);
}

static void empty_frames_are_refused(void)
{
    ring_init(&ring);
    CHECK(!ring_push(&ring, frame(0U, 1U), 0U));
    CHECK_EQUAL(ring_used(&ring), 0);
}

static void a_frame_too_long_for_the_reader_stays(void)
{
    static uint8_t out[16];

    ring_init(&ring);
    CHECK(ring_push(&ring, frame(1U, 12U), 12U));
    CHECK_EQUAL(ring_pop(&ring, out, 8U), 0);
    CHECK_EQUAL(ring_used(&ring), 13);
    CHECK_EQUAL(ring_pop(&ring, out, sizeof out), 12);
}

static void the_indices_wrap_without_loss(void)
{
    static uint8_t out[100];

    ring_init(&ring);
    for (int round = 0; round < 2000; round++) {
        uint8_t first = (uint8_t)round;

        CHECK(ring_push(&ring, frame(first, 99U), 99U));
        CHECK_EQUAL(ring_pop(&ring, out, sizeof out), 99);
        CHECK(memcmp(out, frame(first, 99U), 99U) == 0);
    }
}

static void room_is_made_by_dropping_the_oldest(void)
{
    static uint8_t out[255];

    ring_init(&ring);
    (void)ring_push(&ring, frame(1U, 100U), 100U);
    (void)ring_push(&ring, frame(2U, 100U), 100U);
    (void)ring_push(&ring, frame(3U, 50U), 50U);

    CHECK_EQUAL(ring_make_room(&ring, 120U), 2);
    CHECK_EQUAL(ring_pop(&ring, out, sizeof out), 50);
    CHECK_EQUAL(out[0], 3);
    CHECK_EQUAL(ring_make_room(&ring, 120U), 0);
}

int main(void)
{
    CASE(a_new_ring_is_empty);
    CASE(frames_come_out_in_order);
    CASE(a_frame_goes_in_whole_or_not_at_all);
    CASE(empty_frames_are_refused);
    CASE(a_frame_too_long_for_the_reader_stays);
    CASE(the_indices_wrap_without_loss);
    CASE(room_is_made_by_dropping_the_oldest);
    return harness_result();
}
