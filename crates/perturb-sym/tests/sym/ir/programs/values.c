/* Variables with values, and a program that prints the bytes of each. */
#include <stdio.h>

struct __attribute__((packed)) tight { long l; char c; double d; };
struct mixed { char c; short s[3]; struct tight t; long last; };
union number { int i; double d; };
struct flags { unsigned a : 3; int b : 4; _Bool c : 1; unsigned long d : 35; };

long integer = -0x123456789abcdefL;
signed char small = -3;
__int128 huge = -(((__int128)0x1234567 << 90) + 99);
_Bool truth = 1;
float tenth = 0.1f;
float tiny = 1e-45f;
float infinite = -__builtin_inff();
float none = __builtin_nanf("0x123");
float signalling = __builtin_nansf("5");
double third = -1.0 / 3;
double plain = 1536.5;
double minus_zero = -0.0;
double far = 1e300;
double quiet = __builtin_nan("77");
long double extended = -0.1L;
__float128 quad = 1.0Q / 3;
#if __clang_major__ >= 15
_Float16 half = (_Float16)0.1;
#else
short half = 3;
#endif
struct mixed mixed = {'x', {1, -2, 3}, {0x123456789aL, 'y', 2.5}, 7};
union number number = {.d = 6.25};
struct flags flags = {5, -3, 1, 0x1ffffffffL};
char text[8] = "a\"\\\n\377";
struct mixed several[2] = {[1] = {.last = 9}};
float four __attribute__((vector_size(16))) = {1, -2.5f, 0.1f};
int zeros[4] = {0};
short table[3][2] = {{1}, {2, 3}};

static void show(const char *name, const void *value, unsigned long size)
{
    printf("%s ", name);
    for (unsigned long i = 0; i < size; i++) printf("%02x", ((const unsigned char *)value)[i]);
    printf("\n");
}

#define S(name) show(#name, &name, sizeof name);
int main(void)
{
    S(integer) S(small) S(huge) S(truth) S(tenth) S(tiny) S(infinite) S(none) S(signalling) S(third) S(plain)
    S(minus_zero) S(far) S(quiet) S(extended) S(quad) S(half) S(mixed) S(number) S(flags) S(text) S(several) S(four)
    S(zeros) S(table)
    return 0;
}
