/**
 * @file packet.h
 * Space packets after CCSDS 133.0-B: a primary header of six bytes, a time
 * stamp of six bytes (telemetry only), the user data and a CRC-16.
 */
#ifndef TELEMETRY_PACKET_H
#define TELEMETRY_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACKET_HEADER_LEN 6U  /**< Primary header, bytes. */
#define PACKET_TIME_LEN   6U  /**< CUC time: four bytes coarse, two fine. */
#define PACKET_CRC_LEN    2U  /**< Packet error control, bytes. */
#define PACKET_MAX_DATA   64U /**< User data this unit sends or accepts. */

/** The longest packet there is, for sizing buffers. */
#define PACKET_MAX_LEN \
    (PACKET_HEADER_LEN + PACKET_TIME_LEN + PACKET_MAX_DATA + PACKET_CRC_LEN)

#define PACKET_APID_MASK 0x07FFU /**< Eleven bits of application id. */
#define PACKET_APID_IDLE 0x07FFU /**< Fill packets. */
#define PACKET_SEQ_MASK  0x3FFFU /**< Fourteen bits of sequence count. */

/** Direction of a packet. */
typedef enum {
    PACKET_TELEMETRY = 0,
    PACKET_TELECOMMAND = 1
} packet_type_t;

/** Place of a packet in a group. */
typedef enum {
    PACKET_CONTINUATION = 0,
    PACKET_FIRST = 1,
    PACKET_LAST = 2,
    PACKET_UNSEGMENTED = 3
} packet_group_t;

/** Why a packet was refused. */
typedef enum {
    PACKET_OK = 0,
    PACKET_BAD_ARGUMENT,
    PACKET_NO_SPACE,
    PACKET_TOO_SHORT,
    PACKET_BAD_VERSION,
    PACKET_BAD_LENGTH,
    PACKET_BAD_CRC
} packet_status_t;

/** A packet, unpacked. `time_ms` counts only in telemetry. */
typedef struct {
    packet_type_t type;
    packet_group_t group;
    uint16_t apid;
    uint16_t sequence;
    uint32_t time_ms;
    uint8_t data_len;
    uint8_t data[PACKET_MAX_DATA];
} packet_t;

/** The sequence count that follows `sequence`; it wraps after 14 bits. */
static inline uint16_t packet_next_sequence(uint16_t sequence)
{
    return (uint16_t)((sequence + 1U) & PACKET_SEQ_MASK);
}

/** Number of packets missing between two received sequence counts. */
static inline uint16_t packet_sequence_gap(uint16_t last, uint16_t now)
{
    return (uint16_t)((now - last - 1U) & PACKET_SEQ_MASK);
}

/** Writes `packet` to `out`; on success `*written` is its length. */
packet_status_t packet_encode(const packet_t *packet, uint8_t *out,
                              size_t capacity, size_t *written);

/** Reads one packet from `in`; `packet` is untouched unless it is valid. */
packet_status_t packet_decode(const uint8_t *in, size_t len, packet_t *packet);

/** Whether this is a fill packet, to be dropped by the receiver. */
bool packet_is_idle(const packet_t *packet);

/** One word for the event log. */
const char *packet_status_name(packet_status_t status);

#endif
