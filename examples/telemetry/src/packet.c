/**
 * @file packet.c
 * Space packets to bytes and back. Multi-byte fields are big endian.
 */
#include "telemetry/packet.h"

#include <string.h>

#include "telemetry/crc16.h"

/* First header word: version (3), type (1), secondary header (1), APID (11). */
#define VERSION_SHIFT   13
#define TYPE_SHIFT      12
#define SECONDARY_SHIFT 11

/* Second header word: group flags (2), sequence count (14). */
#define GROUP_SHIFT 14

/** Value of a field `mask` wide whose lowest bit is at `shift`. */
#define FIELD(word, shift, mask) ((uint16_t)(((word) >> (shift)) & (mask)))

/** Milliseconds in a second. */
#define MS_PER_S 1000U

static void put_u16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)(value & 0xFFU);
}

static uint16_t get_u16(const uint8_t *at)
{
    return (uint16_t)(((uint16_t)at[0] << 8) | at[1]);
}

/** Writes CUC time: whole seconds, then units of 1/65536 s. */
static void put_time(uint8_t *at, uint32_t time_ms)
{
    uint32_t coarse = time_ms / MS_PER_S;
    uint32_t fine = ((time_ms % MS_PER_S) << 16) / MS_PER_S;

    put_u16(&at[0], (uint16_t)(coarse >> 16));
    put_u16(&at[2], (uint16_t)(coarse & 0xFFFFU));
    put_u16(&at[4], (uint16_t)fine);
}

/** Reads CUC time, to the nearest millisecond. */
static uint32_t get_time(const uint8_t *at)
{
    uint32_t coarse = ((uint32_t)get_u16(&at[0]) << 16) | get_u16(&at[2]);
    uint32_t fine = get_u16(&at[4]);

    return (coarse * MS_PER_S) + (((fine * MS_PER_S) + 0x8000U) >> 16);
}

/** Bytes between the primary header and the user data. */
static size_t secondary_len(packet_type_t type)
{
    return (type == PACKET_TELEMETRY) ? PACKET_TIME_LEN : 0U;
}

/** Fields that do not fit would spill into their neighbours. */
static bool fields_fit(const packet_t *packet)
{
    return (packet->apid <= PACKET_APID_MASK)
        && (packet->sequence <= PACKET_SEQ_MASK)
        && (packet->data_len > 0U)
        && (packet->data_len <= PACKET_MAX_DATA);
}

static void put_header(const packet_t *packet, uint8_t *out, size_t total)
{
    uint16_t word = packet->apid;

    if (packet->type == PACKET_TELECOMMAND) {
        word |= (uint16_t)(1U << TYPE_SHIFT);
    } else {
        word |= (uint16_t)(1U << SECONDARY_SHIFT);
    }
    put_u16(&out[0], word);

    word = (uint16_t)(((uint16_t)packet->group << GROUP_SHIFT)
                      | packet->sequence);
    put_u16(&out[2], word);

    /* The length field counts what follows the header, less one. */
    put_u16(&out[4], (uint16_t)(total - PACKET_HEADER_LEN - 1U));
}

packet_status_t packet_encode(const packet_t *packet, uint8_t *out,
                              size_t capacity, size_t *written)
{
    if ((packet == NULL) || (out == NULL) || (written == NULL)) {
        return PACKET_BAD_ARGUMENT;
    }
    if (!fields_fit(packet)) {
        return PACKET_BAD_ARGUMENT;
    }

    size_t data_at = PACKET_HEADER_LEN + secondary_len(packet->type);
    size_t crc_at = data_at + packet->data_len;
    size_t total = crc_at + PACKET_CRC_LEN;

    if (total > capacity) {
        return PACKET_NO_SPACE;
    }

    put_header(packet, out, total);
    if (packet->type == PACKET_TELEMETRY) {
        put_time(&out[PACKET_HEADER_LEN], packet->time_ms);
    }
    (void)memcpy(&out[data_at], packet->data, packet->data_len);
    put_u16(&out[crc_at], crc16_compute(out, crc_at));

    *written = total;
    return PACKET_OK;
}

/** All checks that need no more than the bytes themselves. */
static packet_status_t check_frame(const uint8_t *in, size_t len)
{
    if (len < (PACKET_HEADER_LEN + 1U + PACKET_CRC_LEN)) {
        return PACKET_TOO_SHORT;
    }

    uint16_t word = get_u16(&in[0]);
    if (FIELD(word, VERSION_SHIFT, 0x7U) != 0U) {
        return PACKET_BAD_VERSION;
    }

    /* Exactly one of "telecommand" and "has a time stamp". */
    if (FIELD(word, TYPE_SHIFT, 0x1U) == FIELD(word, SECONDARY_SHIFT, 0x1U)) {
        return PACKET_BAD_VERSION;
    }

    size_t announced = (size_t)get_u16(&in[4]) + 1U + PACKET_HEADER_LEN;
    if (announced != len) {
        return PACKET_BAD_LENGTH;
    }

    /* The checksum of data and its own checksum is zero. */
    return (crc16_compute(in, len) == 0U) ? PACKET_OK : PACKET_BAD_CRC;
}

packet_status_t packet_decode(const uint8_t *in, size_t len, packet_t *packet)
{
    if ((in == NULL) || (packet == NULL)) {
        return PACKET_BAD_ARGUMENT;
    }

    packet_status_t status = check_frame(in, len);
    if (status != PACKET_OK) {
        return status;
    }

    uint16_t word = get_u16(&in[0]);
    packet_type_t type = (packet_type_t)FIELD(word, TYPE_SHIFT, 0x1U);
    size_t data_at = PACKET_HEADER_LEN + secondary_len(type);
    size_t overhead = data_at + PACKET_CRC_LEN;

    if ((len <= overhead) || ((len - overhead) > PACKET_MAX_DATA)) {
        return PACKET_BAD_LENGTH;
    }

    packet->type = type;
    packet->apid = word & PACKET_APID_MASK;

    word = get_u16(&in[2]);
    packet->group = (packet_group_t)FIELD(word, GROUP_SHIFT, 0x3U);
    packet->sequence = word & PACKET_SEQ_MASK;

    packet->time_ms = 0U;
    if (type == PACKET_TELEMETRY) {
        packet->time_ms = get_time(&in[PACKET_HEADER_LEN]);
    }

    packet->data_len = (uint8_t)(len - overhead);
    (void)memcpy(packet->data, &in[data_at], packet->data_len);

    return PACKET_OK;
}

bool packet_is_idle(const packet_t *packet)
{
    return (packet->type == PACKET_TELEMETRY)
        && (packet->apid == PACKET_APID_IDLE);
}

const char *packet_status_name(packet_status_t status)
{
    const char *name = "unknown";

    switch (status) {
    case PACKET_OK:
        name = "ok";
        break;
    case PACKET_BAD_ARGUMENT:
        name = "argument";
        break;
    case PACKET_NO_SPACE:
        name = "space";
        break;
    case PACKET_TOO_SHORT:
        name = "short";
        break;
    case PACKET_BAD_VERSION:
        name = "version";
        break;
    case PACKET_BAD_LENGTH:
        name = "length";
        break;
    case PACKET_BAD_CRC:
        name = "crc";
        break;
    default:
        /* A value that is no status keeps its name. */
        break;
    }

    return name;
}
