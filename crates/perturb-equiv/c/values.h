/* Inputs that are made up: boundary values, the constants of a function, random ones, and changes of inputs. A part of
 * the driver. */

static unsigned long long state;

static unsigned long long next(void)
{
    state += 0x9e3779b97f4a7c15ull;
    unsigned long long z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static unsigned below(unsigned n)
{
    return (unsigned)(next() % n);
}

static double special_float(void)
{
    static const double values[] = {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 10.0, 1e10, 1e-10, 1e300, -1e300, 5e-324,
                                    2.2250738585072014e-308, 1.7976931348623157e308, 3.4028234663852886e38,
                                    1.1754943508222875e-38, 0.1, 3.0, 100.0};
    switch (below(8)) {
    case 0:
        return perturb_float_count ? perturb_floats[below(perturb_float_count)] : 1.0;
    case 1: {
        double value = perturb_float_count ? perturb_floats[below(perturb_float_count)] : (double)(long long)below(100);
        return value + ((int)below(3) - 1);
    }
    case 2:
        return below(2) ? __builtin_inf() : -__builtin_inf();
    case 3:
        return __builtin_nan("");
    case 4:
        return (double)((int)below(201) - 100);
    case 5:
        return (double)((int)below(2001) - 1000) / 8;
    default:
        return values[below(sizeof values / sizeof *values)];
    }
}

static long long special_integer(unsigned bits)
{
    switch (below(10)) {
    case 0:
    case 1:
        return (long long)below(9) - 2;
    case 2:
        return perturb_integer_count ? perturb_integers[below(perturb_integer_count)] : 0;
    case 3:
        return (perturb_integer_count ? perturb_integers[below(perturb_integer_count)] : 0) + (long long)below(3) - 1;
    case 4:
        return (long long)((1ull << below(bits)) - below(2));
    case 5:
        return -(long long)((1ull << below(bits)) - below(2));
    case 6:
        return (long long)((1ull << (bits - 1)) - 1);
    case 7:
        return (long long)(1ull << (bits - 1));
    case 8:
        return (long long)below(256);
    default:
        return (long long)(next() >> below(63));
    }
}

/* The number that an input has there. */
static long long value_at(const struct perturb_leaf *leaf, const unsigned char *at)
{
    long long value = 0;
    memcpy(&value, at, leaf->size);
    if (leaf->kind == 'i' && leaf->size < 8)
        value = (long long)((unsigned long long)value << (64 - 8 * leaf->size)) >> (64 - 8 * leaf->size);
    return value;
}

/* A value that the contract permits, as near as can be to the one that was asked for. */
static long long permitted(const struct perturb_leaf *leaf, long long value)
{
    if (leaf->low > leaf->high)
        return value;
    int is_within = value >= leaf->low && value <= leaf->high;
    if (leaf->kind == 'u')
        is_within = (unsigned long long)value >= (unsigned long long)leaf->low &&
                    (unsigned long long)value <= (unsigned long long)leaf->high;
    if (is_within)
        return value;
    unsigned long long width = (unsigned long long)leaf->high - (unsigned long long)leaf->low + 1;
    return width == 0 ? value : (long long)((unsigned long long)leaf->low + (unsigned long long)value % width);
}

/* Whether a number is given what it is worth being tried with: seven times of eight. */
static int is_likely(const struct perturb_leaf *leaf)
{
    return leaf->likely_low <= leaf->likely_high && below(8) != 0;
}

static long long likely(const struct perturb_leaf *leaf)
{
    return leaf->likely_low + (long long)below((unsigned)(leaf->likely_high - leaf->likely_low) + 1);
}

static void put(const struct perturb_leaf *leaf, unsigned char *at, int is_special)
{
    if (leaf->kind == 'f' && leaf->low > leaf->high) {
        if (is_special) {
            double value = special_float();
            float narrow = (float)value;
            memcpy(at, leaf->size == 4 ? (void *)&narrow : (void *)&value, leaf->size);
        } else {
            unsigned long long bits = next();
            memcpy(at, &bits, leaf->size);
        }
        return;
    }
    if (leaf->kind == 'm') {
        /* Mostly all is well. */
        *at = (unsigned char)(below(2) ? 0 : 1 + below((unsigned)leaf->high));
        return;
    }
    long long value = is_likely(leaf) ? likely(leaf) : is_special ? special_integer(8 * leaf->size) : (long long)next();
    if (leaf->kind == 'b' || leaf->kind == 'n')
        value &= 1;
    value = permitted(leaf, value);
    memcpy(at, &value, leaf->size);
}

static void fill(unsigned char *input)
{
    unsigned style = below(6);
    unsigned spread = 1 + below(4);
    size_t at = 0;
    for (unsigned i = 0; i < perturb_leaf_count; i++) {
        const struct perturb_leaf *leaf = &perturb_leaves[i];
        if (leaf->is_element && style < 3 && leaf->likely_low > leaf->likely_high) {
            /* Elements that are alike, in order or in the opposite order. */
            long long value = style == 0 ? (long long)below(spread) : style == 1 ? (long long)i : -(long long)i;
            float narrow = (float)value;
            double wide = (double)value;
            value = permitted(leaf, value);
            const void *from = leaf->kind != 'f' ? (void *)&value : leaf->size == 4 ? (void *)&narrow : (void *)&wide;
            memcpy(input + at, from, leaf->size);
        } else {
            put(leaf, input + at, below(4) != 0);
        }
        at += leaf->size;
    }
}

static void change(unsigned char *input)
{
    unsigned times = 1 + below(3);
    while (times--) {
        unsigned chosen = below(perturb_leaf_count);
        size_t at = leaf_at[chosen];
        const struct perturb_leaf *leaf = &perturb_leaves[chosen];
        long long value;
        switch (below(4)) {
        case 0:
            put(leaf, input + at, 1);
            break;
        case 1:
            put(leaf, input + at, 0);
            break;
        case 2: /* The same as a neighbour. */
            if (chosen > 0 && perturb_leaves[chosen - 1].size == leaf->size &&
                    perturb_leaves[chosen - 1].kind == leaf->kind) {
                value = permitted(leaf, value_at(leaf, input + at - leaf->size));
                memcpy(input + at, &value, leaf->size);
            }
            break;
        default:
            if (leaf->kind == 'i' || leaf->kind == 'u' || leaf->kind == 'o') {
                value = permitted(leaf, value_at(leaf, input + at) + (long long)below(5) - 2);
                memcpy(input + at, &value, leaf->size);
            }
        }
    }
}
