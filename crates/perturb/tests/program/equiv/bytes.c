// Functions of three bytes, each of which may be anything.
#include <stdint.h>

// @perturb(sym[3])
uint8_t median(const uint8_t *values)
{
    uint8_t low = values[0] < values[1] ? values[0] : values[1];
    uint8_t high = values[0] < values[1] ? values[1] : values[0];
    if (values[2] < low)
        return low;
    return values[2] > high ? high : values[2];
}

// @perturb(sym[3])
void rotate(uint8_t *values)
{
    uint8_t carry = values[0] >> 7;
    values[0] = (values[0] << 1) | (values[1] >> 7);
    values[1] = (values[1] << 1) | (values[2] >> 7);
    values[2] = (values[2] << 1) ^ carry;
}
