// Functions with so few inputs that all of them can be tried.
#include <stdbool.h>
#include <stdint.h>

// @perturb
uint8_t saturating_add(uint8_t a, uint8_t b)
{
    unsigned sum = a + b;
    if (sum > 255)
        sum = 255;
    return sum;
}

// @perturb
int8_t clamp(int8_t value, int8_t limit)
{
    int low = -limit;
    if (limit < 0)
        return value;
    if (value > limit)
        return limit;
    return value < low ? low : value;
}

// @perturb
uint8_t reverse_bits(uint8_t bits)
{
    uint8_t reversed = 0;
    for (int i = 0; i < 8; i++) {
        reversed = (reversed << 1) | (bits & 1);
        bits >>= 1;
    }
    return reversed;
}

// @perturb
int16_t scale(int8_t value, int8_t by)
{
    if (by == 0)
        return 0;
    return value * 7 / by + value % by;
}

// @perturb
int count_ones(uint16_t bits)
{
    int ones = 0;
    while (bits != 0) {
        bits &= bits - 1;
        ++ones;
    }
    return ones;
}

// @perturb
bool is_leap(uint16_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

// @perturb(0..31[3])
void sort_three(uint8_t values[])
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2 - i; j++)
            if (values[j] > values[j + 1]) {
                uint8_t swapped = values[j];
                values[j] = values[j + 1];
                values[j + 1] = swapped;
            }
}

// @perturb(0..3[3], 0..4)
int first_zero(const uint8_t *values, int count)
{
    int found = -1;
    for (int i = 0; i < count && i < 3; i++) {
        if (values[i] != 0)
            continue;
        found = i;
        break;
    }
    return found;
}

struct reading {
    uint8_t value;
    bool is_valid;
};

// @perturb
int merged(struct reading one, struct reading other)
{
    if (one.is_valid && other.is_valid)
        return (one.value + other.value) / 2;
    if (one.is_valid)
        return one.value;
    return other.is_valid ? other.value : -1;
}

static uint8_t total;

// @perturb
void accumulate(uint8_t value)
{
    total = total + value;
    if (total < value)
        total = 255;
}

// @perturb
uint8_t crc_step(uint8_t crc, uint8_t data)
{
    crc ^= data;
    for (int i = 0; i < 8; i++)
        crc = crc & 0x80 ? (crc << 1) ^ 0x07 : crc << 1;
    return crc;
}

// @perturb
uint8_t square_root(uint16_t square)
{
    uint8_t root = 0;
    for (uint8_t bit = 0x80; bit > 0; bit /= 2) {
        uint8_t tried = root | bit;
        if (tried * tried <= square)
            root = tried;
    }
    return root;
}

// @perturb
int days_in_month(uint8_t month, bool is_leap_year)
{
    switch (month) {
    case 2:
        return is_leap_year ? 29 : 28;
    case 4:
    case 6:
    case 9:
    case 11:
        return 30;
    default:
        return month >= 1 && month <= 12 ? 31 : -1;
    }
}

// @perturb
int8_t turn(int8_t from, int8_t to)
{
    int difference = to - from;
    if (difference > 100)
        difference -= 200;
    else if (difference < -100)
        difference += 200;
    return difference / 2 + difference % 2;
}
