/**
 * @file crc16.c
 * Four bits at a time: a table of 32 bytes fits where one of 512 does not.
 */
#include "telemetry/crc16.h"

/** Remainders of the sixteen values of a nibble. */
static const uint16_t CRC16_NIBBLE[16] = {
    0x0000U, 0x1021U, 0x2042U, 0x3063U, 0x4084U, 0x50A5U, 0x60C6U, 0x70E7U,
    0x8108U, 0x9129U, 0xA14AU, 0xB16BU, 0xC18CU, 0xD1ADU, 0xE1CEU, 0xF1EFU
};

uint16_t crc16_update(uint16_t crc, uint8_t byte)
{
    uint16_t high = (uint16_t)((crc >> 12) ^ (byte >> 4));
    uint16_t next = (uint16_t)((crc << 4) ^ CRC16_NIBBLE[high & 0x0FU]);

    uint16_t low = (uint16_t)((next >> 12) ^ (byte & 0x0FU));
    next = (uint16_t)((next << 4) ^ CRC16_NIBBLE[low & 0x0FU]);

    return next;
}

uint16_t crc16_compute(const uint8_t *data, size_t len)
{
    uint16_t crc = CRC16_PRESET;

    for (size_t i = 0U; i < len; i++) {
        crc = crc16_update(crc, data[i]);
    }

    return crc;
}
