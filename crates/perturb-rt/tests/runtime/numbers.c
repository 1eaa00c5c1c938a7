/*
 * Compares the runtime's arithmetic with the compiler's own, for every type and operator, at the values where they
 * could part.
 */
#define PERTURB_NEEDS_f
#define PERTURB_NEEDS_d
#include "perturb.h"
#include <stdio.h>

static int failures;

#define BITS(T) (sizeof(T) * 8)
#define TYPE(T) ((unsigned)sizeof(T) | ((T)-1 < (T)1 ? PERTURB_SIGNED : 0))
#define EXPECT(T, what, got, wanted) \
	do { \
		if ((T)(got) != (T)(wanted)) { \
			failures++; \
			printf("%s %s: %lld %lld: got %lld, not %lld\n", #T, what, (long long)a, (long long)b, \
			       (long long)(T)(got), (long long)(T)(wanted)); \
		} \
	} while (0)

/* Whether one operand alone is another value than the other alone. */
static int differ(unsigned type, unsigned long long a, unsigned long long b)
{
	struct __perturb_operands operands = { type << 8, a, b };
	struct __perturb_value left, right;

	__perturb_value_bin(&left, PERTURB_LEFT, &operands);
	__perturb_value_bin(&right, PERTURB_RIGHT, &operands);
	return left.low != right.low;
}

static int are_unlike(double a, double b)
{
	struct __perturb_value one, other;

	__perturb_bits_of_d(&one, a);
	__perturb_bits_of_d(&other, b);
	return one.low != other.low || one.high != other.high;
}

#define CHECK(T, U) \
	static void check_##U(T a, T b) \
	{ \
		unsigned t = TYPE(T); \
		int traps = b == 0 || ((T)-1 < (T)1 && b == (T)-1); \
		EXPECT(T, "+", __perturb_op(PERTURB_ADD, t, a, b), (T)((U)a + (U)b)); \
		EXPECT(T, "-", __perturb_op(PERTURB_SUB, t, a, b), (T)((U)a - (U)b)); \
		EXPECT(T, "*", __perturb_op(PERTURB_MUL, t, a, b), (T)((U)a * (U)b)); \
		EXPECT(T, "&", __perturb_op(PERTURB_AND, t, a, b), a & b); \
		EXPECT(T, "|", __perturb_op(PERTURB_OR, t, a, b), a | b); \
		EXPECT(T, "^", __perturb_op(PERTURB_XOR, t, a, b), a ^ b); \
		EXPECT(T, "left", __perturb_op(PERTURB_LEFT, t, a, b), a); \
		EXPECT(T, "right", __perturb_op(PERTURB_RIGHT, t, a, b), b); \
		if (!traps) { \
			EXPECT(T, "/", __perturb_op(PERTURB_DIV, t, a, b), a / b); \
			EXPECT(T, "%", __perturb_op(PERTURB_REM, t, a, b), a % b); \
		} \
		if (b >= 0 && (U)b < BITS(T)) { \
			EXPECT(T, "<<", __perturb_op(PERTURB_SHL, t, a, b), (T)((U)a << b)); \
			EXPECT(T, ">>", __perturb_op(PERTURB_SHR, t, a, b), a >> b); \
		} \
		EXPECT(int, "<", __perturb_compare(PERTURB_LT, t, a, b), a < b); \
		EXPECT(int, ">", __perturb_compare(PERTURB_GT, t, a, b), a > b); \
		EXPECT(int, "<=", __perturb_compare(PERTURB_LE, t, a, b), a <= b); \
		EXPECT(int, ">=", __perturb_compare(PERTURB_GE, t, a, b), a >= b); \
		EXPECT(int, "==", __perturb_compare(PERTURB_EQ, t, a, b), a == b); \
		EXPECT(int, "!=", __perturb_compare(PERTURB_NE, t, a, b), a != b); \
		EXPECT(int, "differ", differ(t, a, b), a != b); \
	}
typedef unsigned int uint_of_int;
typedef unsigned long ulong_of_long;
CHECK(int, uint_of_int)
CHECK(long, ulong_of_long)
typedef unsigned int own_uint;
typedef unsigned long own_ulong;
CHECK(unsigned int, own_uint)
CHECK(unsigned long, own_ulong)

/* One point with one mutant, switched on. */
static const unsigned __perturb_first00000001[] = {0, 1};
static const unsigned __perturb_points00000001[] = {0, 1};
static const char __perturb_codes00000001[] = "\1";
PERTURB_FILE(00000001, 1, 1, 1, 1)

#define STEP(T, start, c, value, after) \
	do { \
		T v = (start); \
		long long a = (long long)v, b = c; \
		__perturb_f00000001.code = (c); \
		EXPECT(T, "value of a last step", __perturb_last(&__perturb_f00000001, 0, 0, type, v), value); \
		EXPECT(T, "value of a step", __perturb_var(&__perturb_f00000001, 0, 0, type, &v), value); \
		EXPECT(T, "variable after a step", v, after); \
	} while (0)
#define STEPS(T, TYPE_OF) \
	do { \
		unsigned type = TYPE_OF; \
		STEP(T, 7, PERTURB_PRE_INC, 8, 8); \
		STEP(T, 7, PERTURB_POST_INC, 7, 8); \
		STEP(T, 7, PERTURB_PRE_DEC, 6, 6); \
		STEP(T, 7, PERTURB_POST_DEC, 7, 6); \
		STEP(T, 0, PERTURB_PRE_DEC, (T)-1, (T)-1); \
		STEP(T, (T)-1, PERTURB_PRE_INC, 0, 0); \
		STEP(T, 7, PERTURB_NEG, (T)-7, 7); \
	} while (0)

int main(void)
{
	static const long long at[] = {0, 1, 2, 3, 7, 31, 32, 63, 127, 128, 255, 256, 0x7ffe, 0x7fff, 0x8000, 0xffff,
		0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff, -1, -2, -3, -128, -129, -32768,
		-0x7fffffff - 1LL, -0x7fffffffffffffff - 1LL};
	unsigned i, j, n = sizeof at / sizeof *at;

	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++) {
			check_uint_of_int((int)at[i], (int)at[j]);
			check_ulong_of_long((long)at[i], (long)at[j]);
			check_own_uint((unsigned)at[i], (unsigned)at[j]);
			check_own_ulong((unsigned long)at[i], (unsigned long)at[j]);
		}
	__perturb_s00000001[0] = PERTURB_ACTIVE;
	STEPS(signed char, PERTURB_SIGNED | 1);
	STEPS(unsigned char, 1);
	STEPS(short, PERTURB_SIGNED | 2);
	STEPS(unsigned short, 2);
	STEPS(int, PERTURB_SIGNED | 4);
	STEPS(unsigned, 4);
	STEPS(long, PERTURB_SIGNED | 8);
	STEPS(unsigned long, 8);
	{
		/* A truth value counts as C has it: up to 1 and no further, down from 0 to 1. */
		unsigned type = 0;
		STEP(_Bool, 1, PERTURB_PRE_INC, 1, 1);
		STEP(_Bool, 0, PERTURB_PRE_DEC, 1, 1);
		STEP(_Bool, 1, PERTURB_POST_DEC, 1, 0);
	}
	{
		long long a = 0, b = 0;
		EXPECT(int, "zeros differ by their sign", are_unlike(0.0, -0.0), 1);
		EXPECT(int, "equal numbers", are_unlike(1.5, 1.5), 0);
	}
	return failures != 0;
}
