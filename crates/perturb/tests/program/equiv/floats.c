#include <stdint.h>

// @perturb
double clamp(double value, double low, double high)
{
    if (value < low)
        return low;
    if (value > high)
        return high;
    return value;
}

// @perturb
double lerp(double from, double to, double part)
{
    return from + part * (to - from);
}

// @perturb
double mean(double a, double b)
{
    return (a + b) / 2;
}

// @perturb
float polynomial(float x)
{
    return (3.0f * x - 2.0f) * x + 0.5f;
}

// @perturb
int is_number(float value)
{
    return value == value;
}

// @perturb
int order(float a, float b)
{
    if (a < b)
        return -1;
    if (a > b)
        return 1;
    return a == b ? 0 : 2;
}

// @perturb
double largest(double a, double b)
{
    return a >= b || b != b ? a : b;
}

// @perturb
double halved(double value)
{
    return value * 0.5;
}

// @perturb
double once(double value)
{
    return value * 1.0;
}

// @perturb
double same(double value)
{
    return value + 0.0;
}
