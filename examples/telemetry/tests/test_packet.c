/** @file test_packet.c Tests of the packet codec and its checksum. */
#include <string.h>

#include "harness.h"
#include "telemetry/crc16.h"
#include "telemetry/packet.h"

static packet_t housekeeping(void)
{
    packet_t packet;

    (void)memset(&packet, 0, sizeof packet);
    packet.type = PACKET_TELEMETRY;
    packet.group = PACKET_UNSEGMENTED;
    packet.apid = 0x123U;
    packet.sequence = 0x0456U;
    packet.time_ms = 70000500U;
    packet.data_len = 4U;
    (void)memcpy(packet.data, "\xDE\xAD\xBE\xEF", 4U);
    return packet;
}

static packet_t command(void)
{
    packet_t packet;

    (void)memset(&packet, 0, sizeof packet);
    packet.type = PACKET_TELECOMMAND;
    packet.group = PACKET_FIRST;
    packet.apid = 0x7F0U;
    packet.sequence = 7U;
    packet.data_len = 1U;
    packet.data[0] = 0x11U;
    return packet;
}

/** Makes the checksum right again after a test has changed the bytes. */
static void reseal(uint8_t *bytes, size_t len)
{
    uint16_t crc = crc16_compute(bytes, len - PACKET_CRC_LEN);

    bytes[len - 2U] = (uint8_t)(crc >> 8);
    bytes[len - 1U] = (uint8_t)(crc & 0xFFU);
}

static void crc_has_the_published_check_value(void)
{
    CHECK_EQUAL(crc16_compute((const uint8_t *)"123456789", 9U), 0x29B1);
    CHECK_EQUAL(crc16_compute(NULL, 0U), 0xFFFF);
}

static void telemetry_is_encoded_byte_by_byte(void)
{
    const uint8_t expected[] = {
        0x09, 0x23, 0xC4, 0x56, 0x00, 0x0B,         /* primary header */
        0x00, 0x01, 0x11, 0x70, 0x80, 0x00,         /* 70000.5 s */
        0xDE, 0xAD, 0xBE, 0xEF
    };
    packet_t packet = housekeeping();
    static uint8_t out[PACKET_MAX_LEN];
    size_t written = 0U;

    CHECK_EQUAL(packet_encode(&packet, out, sizeof out, &written), PACKET_OK);
    CHECK_EQUAL(written, sizeof expected + PACKET_CRC_LEN);
    CHECK(memcmp(out, expected, sizeof expected) == 0);
    CHECK_EQUAL(crc16_compute(out, written), 0);
}

static void telecommand_has_no_time(void)
{
    const uint8_t expected[] = { 0x17, 0xF0, 0x40, 0x07, 0x00, 0x02, 0x11 };
    packet_t packet = command();
    static uint8_t out[PACKET_MAX_LEN];
    size_t written = 0U;

    CHECK_EQUAL(packet_encode(&packet, out, sizeof out, &written), PACKET_OK);
    CHECK_EQUAL(written, 9);
    CHECK(memcmp(out, expected, sizeof expected) == 0);
}

static void what_is_encoded_is_decoded(void)
{
    packet_t sent = housekeeping();
    static packet_t received;
    static uint8_t out[PACKET_MAX_LEN];
    size_t written = 0U;

    sent.time_ms = 12345678U;
    (void)packet_encode(&sent, out, sizeof out, &written);
    CHECK_EQUAL(packet_decode(out, written, &received), PACKET_OK);
    CHECK_EQUAL(received.type, PACKET_TELEMETRY);
    CHECK_EQUAL(received.group, PACKET_UNSEGMENTED);
    CHECK_EQUAL(received.apid, 0x123);
    CHECK_EQUAL(received.sequence, 0x456);
    CHECK_EQUAL(received.time_ms, 12345678);
    CHECK_EQUAL(received.data_len, 4);
    CHECK(memcmp(received.data, sent.data, 4U) == 0);

    sent = command();
    (void)packet_encode(&sent, out, sizeof out, &written);
    CHECK_EQUAL(packet_decode(out, written, &received), PACKET_OK);
    CHECK_EQUAL(received.type, PACKET_TELECOMMAND);
    CHECK_EQUAL(received.group, PACKET_FIRST);
    CHECK_EQUAL(received.apid, 0x7F0);
    CHECK_EQUAL(received.data[0], 0x11);
}

static void fields_that_do_not_fit_are_refused(void)
{
    packet_t packet = housekeeping();
    static uint8_t out[PACKET_MAX_LEN];
    size_t written = 99U;

    packet.apid = 0x800U;
    CHECK_EQUAL(packet_encode(&packet, out, sizeof out, &written),
                PACKET_BAD_ARGUMENT);
    packet = housekeeping();
    packet.sequence = 0x4000U;
    CHECK_EQUAL(packet_encode(&packet, out, sizeof out, &written),
                PACKET_BAD_ARGUMENT);
    packet = housekeeping();
    packet.data_len = 0U;
    CHECK_EQUAL(packet_encode(&packet, out, sizeof out, &written),
                PACKET_BAD_ARGUMENT);
    packet.data_len = 200U;
    CHECK_EQUAL(packet_encode(&packet, out, sizeof out, &written),
                PACKET_BAD_ARGUMENT);
    CHECK_EQUAL(packet_encode(NULL, out, sizeof out, &written),
                PACKET_BAD_ARGUMENT);
    CHECK_EQUAL(written, 99);
}

static void small_buffers_are_refused(void)
{
    packet_t packet = housekeeping();
    static uint8_t out[PACKET_MAX_LEN];
    size_t written = 0U;

    CHECK_EQUAL(packet_encode(&packet, out, 17U, &written), PACKET_NO_SPACE);
    CHECK_EQUAL(packet_encode(&packet, out, 18U, &written), PACKET_OK);
}

static void damaged_packets_are_refused(void)
{
    packet_t packet = housekeeping();
    static uint8_t good[PACKET_MAX_LEN];
    static uint8_t bad[PACKET_MAX_LEN];
    size_t len = 0U;

    (void)packet_encode(&packet, good, sizeof good, &len);

    for (size_t i = 6U; i < len; i++) {
        (void)memcpy(bad, good, len);
        bad[i] ^= 0x10U;
        CHECK_EQUAL(packet_decode(bad, len, &packet), PACKET_BAD_CRC);
    }

    (void)memcpy(bad, good, len);
    bad[0] |= 0x20U;
    CHECK_EQUAL(packet_decode(bad, len, &packet), PACKET_BAD_VERSION);

    (void)memcpy(bad, good, len);
    bad[0] |= 0x10U;
    CHECK_EQUAL(packet_decode(bad, len, &packet), PACKET_BAD_VERSION);

    CHECK_EQUAL(packet_decode(good, len - 1U, &packet), PACKET_BAD_LENGTH);
    CHECK_EQUAL(packet_decode(good, 4U, &packet), PACKET_TOO_SHORT);
    CHECK_EQUAL(packet_decode(NULL, len, &packet), PACKET_BAD_ARGUMENT);
}

static void telemetry_without_data_is_refused(void)
{
    packet_t packet = housekeeping();
    static uint8_t bytes[PACKET_MAX_LEN];
    size_t len = 0U;

    (void)packet_encode(&packet, bytes, sizeof bytes, &len);
    len = PACKET_HEADER_LEN + PACKET_TIME_LEN + PACKET_CRC_LEN;
    bytes[5] = (uint8_t)(len - PACKET_HEADER_LEN - 1U);
    reseal(bytes, len);
    CHECK_EQUAL(packet_decode(bytes, len, &packet), PACKET_BAD_LENGTH);
}

static void sequence_counts_wrap(void)
{
    CHECK_EQUAL(packet_next_sequence(0U), 1);
    CHECK_EQUAL(packet_next_sequence(0x3FFFU), 0);
    CHECK_EQUAL(packet_sequence_gap(5U, 6U), 0);
    CHECK_EQUAL(packet_sequence_gap(0x3FFEU, 1U), 2);
}

static void every_status_has_a_name(void)
{
    for (int status = (int)PACKET_OK; status <= (int)PACKET_BAD_CRC; status++) {
        CHECK(packet_status_name((packet_status_t)status) != NULL);
    }
    CHECK(strcmp(packet_status_name(PACKET_OK), "ok") == 0);
    CHECK(strcmp(packet_status_name(PACKET_BAD_CRC), "crc") == 0);
}

int main(void)
{
    CASE(crc_has_the_published_check_value);
    CASE(telemetry_is_encoded_byte_by_byte);
    CASE(telecommand_has_no_time);
    CASE(what_is_encoded_is_decoded);
    CASE(fields_that_do_not_fit_are_refused);
    CASE(small_buffers_are_refused);
    CASE(damaged_packets_are_refused);
    CASE(telemetry_without_data_is_refused);
    CASE(sequence_counts_wrap);
    CASE(every_status_has_a_name);
    return harness_result();
}
