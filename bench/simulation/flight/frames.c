/* Numbers in frames, most significant byte first, and the checksum at a frame's end (CRC-16/CCITT-FALSE). */
#include "flight.h"

uint16_t frames_crc(const uint8_t *bytes, uint8_t count)
{
	uint16_t crc = 0xffff;
	uint8_t i, bit;

	for (i = 0; i < count; i++) {
		crc ^= (uint16_t)(bytes[i] << 8);
		for (bit = 0; bit < 8; bit++)
			crc = crc & 0x8000 ? (uint16_t)((crc << 1) ^ 0x1021) : (uint16_t)(crc << 1);
	}
	return crc;
}

uint8_t *frames_put(uint8_t *to, uint32_t value, uint8_t bytes)
{
	while (bytes > 0) {
		bytes--;
		*to++ = (uint8_t)(value >> (8 * bytes));
	}
	return to;
}

uint32_t frames_get(const uint8_t *from, uint8_t bytes)
{
	uint32_t value = 0;

	while (bytes > 0) {
		value = (value << 8) | *from++;
		bytes--;
	}
	return value;
}
