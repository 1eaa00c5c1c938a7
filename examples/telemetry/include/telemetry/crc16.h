/**
 * @file crc16.h
 * CRC-16/CCITT-FALSE, the packet error control of ECSS-E-ST-70-41C, annex B:
 * polynomial x^16 + x^12 + x^5 + 1, preset to all ones, no reflection.
 */
#ifndef TELEMETRY_CRC16_H
#define TELEMETRY_CRC16_H

#include <stddef.h>
#include <stdint.h>

/** Preset of the shift register. */
#define CRC16_PRESET 0xFFFFU

/** Takes one byte into a running checksum. */
uint16_t crc16_update(uint16_t crc, uint8_t byte);

/** Checksum of `len` bytes; the preset if there are none. */
uint16_t crc16_compute(const uint8_t *data, size_t len);

#endif
