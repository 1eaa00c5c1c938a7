/*
 * perturb.h: what an instrumented file needs at run time.
 *
 * An instrumented file holds all its mutants. Each belongs to a point: a place in the program where the original and
 * its alternatives part. A point that nobody asks about costs a look at its state. Which mutant is switched on, or what
 * is to be recorded, comes from the environment when the program starts.
 *
 * It is included at the top of every instrumented file, so it includes nothing itself, uses no name outside __perturb_
 * and PERTURB_, and calls the C library under other names (the file's own headers may come later and redirect them).
 * Its functions are weak and hidden: each program and each shared library has them once, and no link line changes.
 * Integers of all types go through the same functions, as 64 bits; for floating types a file defines
 * PERTURB_NEEDS_<letter>.
 */
#pragma GCC system_header
#ifndef PERTURB_H
#define PERTURB_H

#ifdef __cplusplus
#define PERTURB_C extern "C"
#else
#define PERTURB_C extern
#endif
#define PERTURB_ONCE __attribute__((__weak__, __visibility__("hidden"), __unused__))
/*
 * The same object under a name that does not change: functions are switched on before the program's own first line, and
 * a compiler that knows it asks once before a loop instead of in it.
 */
#define PERTURB_CALLED(NAME) __asm__(NAME) __attribute__((__visibility__("hidden")))
/* Where a function of a point is called from. */
#define PERTURB_HERE struct __perturb_file *f, unsigned p, struct __perturb_decision *d
#define PERTURB_OUTLINED __attribute__((__noinline__, __cold__, __unused__))

/* What an alternative computes: AlternativeCode in perturb-rt/src/alternative.rs. */
enum {
	PERTURB_ADD = 1, PERTURB_SUB, PERTURB_MUL, PERTURB_DIV, PERTURB_REM,
	PERTURB_SHL, PERTURB_SHR, PERTURB_AND, PERTURB_XOR, PERTURB_OR,
	PERTURB_LT, PERTURB_GT, PERTURB_LE, PERTURB_GE, PERTURB_EQ, PERTURB_NE,
	PERTURB_LEFT, PERTURB_RIGHT,                /* one operand alone */
	PERTURB_LEFT_TRUE, PERTURB_RIGHT_TRUE,      /* and only whether it is zero */
	PERTURB_NEG,
	PERTURB_PRE_DEC, PERTURB_POST_DEC, PERTURB_PRE_INC, PERTURB_POST_INC,
	PERTURB_ONE, PERTURB_MINUS_ONE, PERTURB_ZERO, PERTURB_SUCC, PERTURB_PRED,
	PERTURB_OTHER_CONNECTOR                     /* && for ||, || for && */
};

/* What a point does when control comes by. */
enum {
	PERTURB_IDLE = 0,
	PERTURB_ACTIVE = 1,    /* it holds the mutant that is switched on */
	PERTURB_RECORD = 2,    /* note that it is reached, and which alternatives differ here */
	PERTURB_SPLIT = 3      /* alternatives that differ go their own way, in a copy of the process */
};

/* One instrumented file. */
struct __perturb_file {
	unsigned key;                   /* which file: a hash of its path */
	unsigned functions, statements, points, mutants;
	unsigned char *on;              /* per function: run its instrumented version */
	unsigned **counts;              /* per statement: how often it was executed */
	unsigned char *state;           /* per point: one of the above */
	const unsigned *first;          /* per point: its first mutant, and one more at the end */
	const unsigned char *codes;     /* per mutant: what it does */
	unsigned char *reached;         /* per point, when recording: whether it was reached while something was asked of it */
	unsigned char *infected;        /* per mutant, when recording: whether it made a difference there, or nobody asks */
	unsigned char code;             /* of the mutant that is switched on; the number of a variant for those */
	unsigned char registered;
	const unsigned *points_of;      /* per function: its first point, and one more at the end */
	unsigned char *living;          /* per mutant, when splitting: whether this process stands for it */
	struct __perturb_result *results;
	struct __perturb_file *next;
};

/* What an alternative comes to, and whether that is like no other even if it is the same. */
struct __perturb_value {
	unsigned long long low, high;
	int apart;
};
typedef void (*__perturb_valuer)(struct __perturb_value *value, unsigned code, const void *operands);

/*
 * A decision: an expression whose truth is all that counts, and which can be evaluated again without anyone noticing.
 * What has another value inside it may still come to the same truth, and then makes no difference. So the points inside
 * only say that they have such an alternative, and in the end the decision is tried again with each of those.
 */
struct __perturb_decision {
	struct __perturb_file *f;
	unsigned first;                 /* the first of its points */
	unsigned long long waiting;     /* points, from the first on, whose alternatives wait for what it comes to */
	unsigned long long differ;      /* those of them where an alternative has another value */
	unsigned point, mutant;         /* what is tried */
	unsigned char is_tried, truth;
};
#define PERTURB_WAITS(d, p) ((d) && (p) - (d)->first < 64 && (d)->waiting >> ((p) - (d)->first) & 1)

/*
 * A record, as perturb lays it out in a file for the program to map. All parts of one process, and all processes of one
 * test, write to the same. The same layout is in perturb-rt/src/record.rs.
 */
struct __perturb_record {
	unsigned magic, version, files, size;
};
struct __perturb_region {
	unsigned key, functions, statements, points, mutants;
	unsigned on, counts, reached, infected;     /* offsets from the start of the record */
};
#define PERTURB_MAGIC 0x50525442u
#define PERTURB_VERSION 2u

#if __STDC_HOSTED__
PERTURB_C char *__perturb_getenv(const char *) __asm__("getenv");
PERTURB_C int __perturb_open(const char *, int, ...) __asm__("open");
PERTURB_C int __perturb_close(int) __asm__("close");
PERTURB_C long __perturb_write(int, const void *, unsigned long) __asm__("write");
PERTURB_C long __perturb_pread(int, void *, unsigned long, long) __asm__("pread");
PERTURB_C void *__perturb_mmap(void *, unsigned long, int, int, int, long) __asm__("mmap");

PERTURB_C struct __perturb_record *__perturb_mapped;
PERTURB_ONCE struct __perturb_record *__perturb_mapped;

/* What perturb has laid out, if it is what it should be. */
PERTURB_C void *__perturb_map(const char *path, unsigned magic, unsigned version);
PERTURB_ONCE void *__perturb_map(const char *path, unsigned magic, unsigned version)
{
	struct __perturb_record head;
	void *memory = 0;
	int file = __perturb_open(path, 2 /* O_RDWR */);

	if (file < 0)
		return 0;
	if (__perturb_pread(file, &head, sizeof head, 0) == (long)sizeof head && head.magic == magic
	    && head.version == version) {
		memory = __perturb_mmap(0, head.size, 3 /* read and write */, 1 /* MAP_SHARED */, file, 0);
		if (memory == (void *)-1L)
			memory = 0;
	}
	__perturb_close(file);
	return memory;
}

/* Counts the statements of a file in the record at this path. Answers with the file's part of it, if there is one. */
PERTURB_C struct __perturb_region *__perturb_count(struct __perturb_file *f, const char *path);
PERTURB_ONCE struct __perturb_region *__perturb_count(struct __perturb_file *f, const char *path)
{
	char *base;
	struct __perturb_region *region;
	unsigned i, n;

	if (!__perturb_mapped)
		__perturb_mapped = (struct __perturb_record *)__perturb_map(path, PERTURB_MAGIC, PERTURB_VERSION);
	if (!__perturb_mapped)
		return 0;
	base = (char *)__perturb_mapped;
	region = (struct __perturb_region *)(__perturb_mapped + 1);
	for (i = 0; i < __perturb_mapped->files; i++, region++) {
		if (region->key != f->key || region->functions != f->functions || region->statements != f->statements
		    || region->points != f->points || region->mutants != f->mutants)
			continue;
		for (n = 0; n < f->functions; n++)
			f->on[n] = (unsigned char)base[region->on + n];
		*f->counts = (unsigned *)(void *)(base + region->counts);
		return region;
	}
	return 0;
}

PERTURB_C void __perturb_record(struct __perturb_file *f, const char *path);
PERTURB_ONCE void __perturb_record(struct __perturb_file *f, const char *path)
{
	struct __perturb_region *region = __perturb_count(f, path);
	unsigned n, m;

	if (!region)
		return;
	f->reached = (unsigned char *)__perturb_mapped + region->reached;
	f->infected = (unsigned char *)__perturb_mapped + region->infected;
	for (n = 0; n < f->points; n++)
		for (m = f->first[n]; m < f->first[n + 1]; m++)
			if (!f->infected[m])
				f->state[n] = PERTURB_RECORD;
}

PERTURB_C unsigned __perturb_number(const char **text, unsigned radix);
PERTURB_ONCE unsigned __perturb_number(const char **text, unsigned radix)
{
	unsigned value = 0;

	for (; **text && **text != ':'; ++*text)
		value = value * radix + (unsigned)(**text <= '9' ? **text - '0' : **text - 'a' + 10);
	if (**text)
		++*text;
	return value;
}

/*
 * A program that was started without our variables, by a test that cleans its environment, can neither be told what to
 * do nor record what it did. It says so in the file PERTURB_LOST, if that is there.
 */
PERTURB_C void __perturb_say_lost(void);
PERTURB_ONCE void __perturb_say_lost(void)
{
#ifdef PERTURB_LOST
	int file = __perturb_open(PERTURB_LOST, 02001 /* append */);

	if (file >= 0) {
		if (__perturb_write(file, "x", 1) != 1) { /* then nobody is there to be told */ }
		__perturb_close(file);
	}
#endif
}

#if defined __linux__ && (defined __x86_64__ || defined __aarch64__) && !defined __ILP32__
#define PERTURB_CAN_SPLIT
#include "split.h"
#endif

/*
 * `PERTURB_MUTANT=key:function:point:code` switches a mutant on; `PERTURB_RECORD=path` names a record to fill in, with
 * a mutant only with the counts of its file; `PERTURB_SPLIT=path` the sheet of a run that splits.
 */
PERTURB_C void __perturb_register(struct __perturb_file *f);
PERTURB_ONCE void __perturb_register(struct __perturb_file *f)
{
	const char *text;
	unsigned function, point;

	if (f->registered)
		return;
	f->registered = 1;
	text = __perturb_getenv("PERTURB_MUTANT");
	if (text) {
		if (__perturb_number(&text, 16) != f->key)
			return;
		function = __perturb_number(&text, 10);
		point = __perturb_number(&text, 10);
		if (function >= f->functions || point >= f->points)
			return;
		f->code = (unsigned char)__perturb_number(&text, 10);
		text = __perturb_getenv("PERTURB_RECORD");
		if (text)
			__perturb_count(f, text);
		f->on[function] = 1;
		f->state[point] = PERTURB_ACTIVE;
		return;
	}
#ifdef PERTURB_CAN_SPLIT
	text = __perturb_getenv("PERTURB_SPLIT");
	if (text) {
		if (__perturb_meet(text))
			__perturb_enlist(f);
		return;
	}
#endif
	text = __perturb_getenv("PERTURB_RECORD");
	if (text)
		__perturb_record(f, text);
	else
		__perturb_say_lost();
}
/* Before the constructors of the program itself, which may be under test. */
#define PERTURB_REGISTER(K) \
	__attribute__((__constructor__(101), __unused__)) static void __perturb_start##K(void) \
	{ __perturb_register(&__perturb_f##K); }
#else
#define PERTURB_REGISTER(K)
#endif

#ifdef PERTURB_CAN_SPLIT
#define PERTURB_GO(F, P, D, VALUER, OPERANDS) __perturb_split(F, P, D, VALUER, OPERANDS)
#define PERTURB_PART(D) __perturb_part_ways(D)
#define PERTURB_LIVING(K, MUTANTS) \
	PERTURB_C unsigned char __perturb_l##K[(MUTANTS) + 1]; \
	PERTURB_ONCE unsigned char __perturb_l##K[(MUTANTS) + 1];
#define PERTURB_LIVING_OF(K) __perturb_l##K
#define PERTURB_IS_ORIGINAL (!PERTURB_MEETING->is_mutant)
#else
#define PERTURB_GO(F, P, D, VALUER, OPERANDS) 0u
#define PERTURB_PART(D) 0
#define PERTURB_LIVING(K, MUTANTS)
#define PERTURB_LIVING_OF(K) 0
#define PERTURB_IS_ORIGINAL 1
#endif

/* The tables of one file. */
#define PERTURB_FILE(K, FUNCTIONS, STATEMENTS, POINTS, MUTANTS) \
	PERTURB_C unsigned char __perturb_on##K[FUNCTIONS]; \
	PERTURB_ONCE unsigned char __perturb_on##K[FUNCTIONS]; \
	PERTURB_C const unsigned char __perturb_o##K[FUNCTIONS] PERTURB_CALLED("__perturb_on" #K); \
	PERTURB_C unsigned __perturb_idle##K[STATEMENTS]; \
	PERTURB_ONCE unsigned __perturb_idle##K[STATEMENTS]; \
	PERTURB_C unsigned *__perturb_n##K; \
	PERTURB_ONCE unsigned *__perturb_n##K = __perturb_idle##K; \
	PERTURB_C unsigned char __perturb_s##K[POINTS]; \
	PERTURB_ONCE unsigned char __perturb_s##K[POINTS]; \
	PERTURB_LIVING(K, MUTANTS) \
	PERTURB_C struct __perturb_file __perturb_f##K; \
	PERTURB_ONCE struct __perturb_file __perturb_f##K = { \
		0x##K##u, FUNCTIONS, STATEMENTS, POINTS, MUTANTS, __perturb_on##K, &__perturb_n##K, __perturb_s##K, \
		__perturb_first##K, (const unsigned char *)__perturb_codes##K, 0, 0, 0, 0, __perturb_points##K, \
		PERTURB_LIVING_OF(K), 0, 0 \
	}; \
	PERTURB_REGISTER(K)

/* An alternative that is always another program: reached is infected. Answers with its code if it is switched on. */
PERTURB_C int __perturb_at(struct __perturb_file *f, unsigned p);
PERTURB_ONCE int __perturb_at(struct __perturb_file *f, unsigned p)
{
	unsigned m;

	switch (f->state[p]) {
	case PERTURB_IDLE:
		return 0;
	case PERTURB_ACTIVE:
		return f->code;
	case PERTURB_SPLIT:
		return (int)PERTURB_GO(f, p, 0, __perturb_apart, 0);
	default:
		for (m = f->first[p]; m < f->first[p + 1]; m++)
			f->infected[m] = 1;
		f->reached[p] = 1;
		f->state[p] = PERTURB_IDLE;
		return 0;
	}
}

/* Notes the alternatives that differ. */
PERTURB_C void __perturb_note(PERTURB_HERE, __perturb_valuer valuer, const void *operands);
PERTURB_ONCE void __perturb_note(PERTURB_HERE, __perturb_valuer valuer, const void *operands)
{
	struct __perturb_value ours, its;
	unsigned m, left = 0;
	int waits = PERTURB_WAITS(d, p);

	ours.high = its.high = 0;
	valuer(&ours, 0, operands);
	for (m = f->first[p]; m < f->first[p + 1]; m++) {
		if (f->infected[m])
			continue;
		its.apart = 0;
		valuer(&its, f->codes[m], operands);
		if (!its.apart && its.low == ours.low && its.high == ours.high) {
			left++;
		} else if (waits && !its.apart) {
			d->differ |= 1ull << (p - d->first);
			left++;
		} else {
			f->infected[m] = 1;
		}
	}
	/* When all are noted, nothing is left to ask. */
	if (!left)
		f->state[p] = PERTURB_IDLE;
}

/* The code of the alternative to go on with at a point that somebody asks about, 0 for the original. */
PERTURB_C unsigned __perturb_choose(PERTURB_HERE, __perturb_valuer valuer, const void *operands);
PERTURB_ONCE unsigned __perturb_choose(PERTURB_HERE, __perturb_valuer valuer, const void *operands)
{
	if (f->state[p] == PERTURB_ACTIVE)
		return f->code;
	if (d && d->is_tried)
		return d->point == p ? f->codes[d->mutant] : 0;
	if (f->state[p] == PERTURB_SPLIT)
		return PERTURB_GO(f, p, d, valuer, operands);
	f->reached[p] = 1;
	__perturb_note(f, p, d, valuer, operands);
	return 0;
}

/* What a decision comes to, 0 or 1; or 2: it is to be evaluated again, with an alternative that is tried. */
PERTURB_C int __perturb_again(struct __perturb_decision *d, int truth);
PERTURB_ONCE int __perturb_again(struct __perturb_decision *d, int truth)
{
	struct __perturb_file *f = d->f;
	unsigned long long after;

	if (!d->is_tried) {
		d->is_tried = 1;
		d->truth = (unsigned char)truth;
		d->point = d->first + (unsigned)__builtin_ctzll(d->differ);
		d->mutant = f->first[d->point];
	} else {
		if (truth != d->truth && f->state[d->point] == PERTURB_SPLIT)
			f->living[d->mutant] = 2;
		else if (truth != d->truth)
			f->infected[d->mutant] = 1;
		d->mutant++;
	}
	for (;;) {
		for (; d->mutant < f->first[d->point + 1]; d->mutant++)
			if (f->state[d->point] == PERTURB_SPLIT ? f->living[d->mutant] == 1 : !f->infected[d->mutant])
				return 2;
		after = d->differ >> (d->point - d->first) >> 1;
		if (!after)
			break;
		d->point += 1 + (unsigned)__builtin_ctzll(after);
		d->mutant = f->first[d->point];
	}
	d->is_tried = 0;
	truth = PERTURB_PART(d) ? !d->truth : d->truth;
	d->differ = 0;
	return truth;
}

/* The condition `c`, or its opposite. */
PERTURB_C void __perturb_value_not(struct __perturb_value *value, unsigned code, const void *operands);
PERTURB_ONCE void __perturb_value_not(struct __perturb_value *value, unsigned code, const void *operands)
{
	value->low = (unsigned)(*(const int *)operands ^ (code != 0));
}

PERTURB_C int __perturb_not(PERTURB_HERE, int c);
PERTURB_ONCE int __perturb_not(PERTURB_HERE, int c)
{
	return f->state[p] && __perturb_choose(f, p, d, __perturb_value_not, &c) ? !c : c;
}

/*
 * `l && r`, which ends early when `l` is 0, and `l || r`, which does when it is 1: that is `stop`. The first function
 * answers 0 or 1 when the right operand is not needed, and 2 when it is; the second is told its value then. An
 * alternative that evaluates the right operand where the original does not counts as different; one that does not where
 * the original does counts so if that has effects, and otherwise only when the value is another.
 */
struct __perturb_sides {
	int stop, l, r;
	int is_deferred;        /* what does without the right operand is told apart when that is known */
};

PERTURB_C int __perturb_decide(unsigned code, int stop, int l);
PERTURB_ONCE int __perturb_decide(unsigned code, int stop, int l)
{
	switch (code) {
	case 0:
		return l == stop ? stop : 2;
	case PERTURB_OTHER_CONNECTOR:
		return l == stop ? 2 : !stop;
	case PERTURB_LEFT_TRUE:
		return l;
	default: /* the right operand alone */
		return 2;
	}
}

PERTURB_C void __perturb_value_logic(struct __perturb_value *value, unsigned code, const void *operands);
PERTURB_ONCE void __perturb_value_logic(struct __perturb_value *value, unsigned code, const void *operands)
{
	const struct __perturb_sides *sides = (const struct __perturb_sides *)operands;

	value->low = (unsigned)(sides->is_deferred ? 2 : __perturb_decide(code, sides->stop, sides->l));
}

PERTURB_C void __perturb_value_right(struct __perturb_value *value, unsigned code, const void *operands);
PERTURB_ONCE void __perturb_value_right(struct __perturb_value *value, unsigned code, const void *operands)
{
	const struct __perturb_sides *sides = (const struct __perturb_sides *)operands;

	value->low = (unsigned)(code == 0 || code == PERTURB_RIGHT_TRUE ? sides->r : !sides->stop);
}

PERTURB_C int __perturb_logic(PERTURB_HERE, int stop, int has_effects, int l);
PERTURB_ONCE int __perturb_logic(PERTURB_HERE, int stop, int has_effects, int l)
{
	struct __perturb_sides sides;
	unsigned code = 0;

	if (f->state[p]) {
		sides.stop = stop;
		sides.l = l;
		sides.r = 0;
		sides.is_deferred = !has_effects && l != stop && (f->state[p] != PERTURB_SPLIT || PERTURB_IS_ORIGINAL);
		code = __perturb_choose(f, p, d, __perturb_value_logic, &sides);
	}
	return __perturb_decide(code, stop, l);
}

PERTURB_C int __perturb_right(PERTURB_HERE, int stop, int r);
PERTURB_ONCE int __perturb_right(PERTURB_HERE, int stop, int r)
{
	struct __perturb_sides sides;
	unsigned code = 0;

	if (d && d->is_tried)
		return r;
	/* The left operand did not decide: without the right one the whole is what does not stop. */
	sides.stop = stop;
	sides.l = !stop;
	sides.r = r;
	sides.is_deferred = 0;
	if (f->state[p] == PERTURB_SPLIT && PERTURB_IS_ORIGINAL)
		code = PERTURB_GO(f, p, d, __perturb_value_right, &sides);
	else if (f->state[p] == PERTURB_RECORD)
		__perturb_note(f, p, d, __perturb_value_right, &sides);
	return code == 0 || code == PERTURB_RIGHT_TRUE ? r : !stop;
}

/*
 * Numbers. What is undefined in an alternative must not harm the original: signed arithmetic wraps, and a division that
 * traps is done only when its mutant is switched on (a recorded one counts as different).
 *
 * An integer comes as 64 bits, extended from its own type; the caller converts the result back. `how` is the operator
 * and, shifted by 8, the type: its size in bytes, and PERTURB_SIGNED.
 */
#define PERTURB_SIGNED 0x80u
typedef unsigned long long __perturb_bits;
typedef __INT16_TYPE__ __attribute__((__may_alias__)) __perturb_16;
typedef __INT32_TYPE__ __attribute__((__may_alias__)) __perturb_32;
typedef long long __attribute__((__may_alias__)) __perturb_64;

PERTURB_C __perturb_bits __perturb_op(unsigned op, unsigned type, __perturb_bits l, __perturb_bits r);
PERTURB_ONCE __perturb_bits __perturb_op(unsigned op, unsigned type, __perturb_bits l, __perturb_bits r)
{
	int is_signed = (type & PERTURB_SIGNED) != 0, is_long = (type & 15u) == 8;

	switch (op) {
	case PERTURB_ADD: return l + r;
	case PERTURB_SUB: return l - r;
	case PERTURB_MUL: return l * r;
	case PERTURB_AND: return l & r;
	case PERTURB_XOR: return l ^ r;
	case PERTURB_OR: return l | r;
	case PERTURB_LEFT: return l;
	case PERTURB_RIGHT: return r;
	/* In their own width: there an overflow traps, and there counts of shifts are cut off. */
	case PERTURB_DIV:
		if (!is_long && is_signed)
			return (__perturb_bits)((__perturb_32)l / (__perturb_32)r);
		return is_signed ? (__perturb_bits)((long long)l / (long long)r) : l / r;
	case PERTURB_REM:
		if (!is_long && is_signed)
			return (__perturb_bits)((__perturb_32)l % (__perturb_32)r);
		return is_signed ? (__perturb_bits)((long long)l % (long long)r) : l % r;
	case PERTURB_SHL:
		return is_long ? l << r : (__perturb_bits)((__UINT32_TYPE__)l << r);
	default:
		if (!is_long)
			return is_signed ? (__perturb_bits)((__perturb_32)l >> r) : (__perturb_bits)((__UINT32_TYPE__)l >> r);
		return is_signed ? (__perturb_bits)((long long)l >> r) : l >> r;
	}
}

struct __perturb_operands {
	unsigned how;
	__perturb_bits l, r;
};
#define PERTURB_TRAPS(c, type, r) \
	(((c) == PERTURB_DIV || (c) == PERTURB_REM) && (!(r) || (((type) & PERTURB_SIGNED) && (r) == ~(__perturb_bits)0)))

PERTURB_C void __perturb_value_bin(struct __perturb_value *value, unsigned code, const void *operands);
PERTURB_ONCE void __perturb_value_bin(struct __perturb_value *value, unsigned code, const void *operands)
{
	const struct __perturb_operands *o = (const struct __perturb_operands *)operands;
	unsigned type = o->how >> 8;

	if (code && PERTURB_TRAPS(code, type, o->r))
		value->low = 0, value->apart = 1;
	else    /* in the bits of its type */
		value->low = __perturb_op(code ? code : o->how & 255u, type, o->l, o->r) << (64 - 8 * (type & 15u));
}

PERTURB_C __perturb_bits __perturb_bin(PERTURB_HERE, unsigned how, __perturb_bits l, __perturb_bits r);
PERTURB_ONCE __perturb_bits __perturb_bin(PERTURB_HERE, unsigned how, __perturb_bits l, __perturb_bits r)
{
	struct __perturb_operands operands;
	unsigned code = 0;

	if (f->state[p]) {
		operands.how = how;
		operands.l = l;
		operands.r = r;
		code = __perturb_choose(f, p, d, __perturb_value_bin, &operands);
	}
	return __perturb_op(code ? code : how & 255u, how >> 8, l, r);
}

PERTURB_C int __perturb_compare(unsigned op, unsigned type, __perturb_bits l, __perturb_bits r);
PERTURB_ONCE int __perturb_compare(unsigned op, unsigned type, __perturb_bits l, __perturb_bits r)
{
	/* Turned so that the order of signed numbers is that of unsigned ones. */
	__perturb_bits turn = type & PERTURB_SIGNED ? (__perturb_bits)1 << 63 : 0;

	switch (op) {
	case PERTURB_LT: return (l ^ turn) < (r ^ turn);
	case PERTURB_GT: return (l ^ turn) > (r ^ turn);
	case PERTURB_LE: return (l ^ turn) <= (r ^ turn);
	case PERTURB_GE: return (l ^ turn) >= (r ^ turn);
	case PERTURB_EQ: return l == r;
	case PERTURB_NE: return l != r;
	case PERTURB_LEFT: return (int)l;
	case PERTURB_RIGHT: return (int)r;
	case PERTURB_LEFT_TRUE: return l != 0;
	default: return r != 0;
	}
}

PERTURB_C void __perturb_value_rel(struct __perturb_value *value, unsigned code, const void *operands);
PERTURB_ONCE void __perturb_value_rel(struct __perturb_value *value, unsigned code, const void *operands)
{
	const struct __perturb_operands *o = (const struct __perturb_operands *)operands;

	value->low = (unsigned)__perturb_compare(code ? code : o->how & 255u, o->how >> 8, o->l, o->r);
}

PERTURB_C int __perturb_rel(PERTURB_HERE, unsigned how, __perturb_bits l, __perturb_bits r);
PERTURB_ONCE int __perturb_rel(PERTURB_HERE, unsigned how, __perturb_bits l, __perturb_bits r)
{
	struct __perturb_operands operands;
	unsigned code = 0;

	if (f->state[p]) {
		operands.how = how;
		operands.l = l;
		operands.r = r;
		code = __perturb_choose(f, p, d, __perturb_value_rel, &operands);
	}
	return __perturb_compare(code ? code : how & 255u, how >> 8, l, r);
}

/* A literal, which stands for the others too. */
PERTURB_C __perturb_bits __perturb_other_literal(unsigned code, __perturb_bits v);
PERTURB_ONCE __perturb_bits __perturb_other_literal(unsigned code, __perturb_bits v)
{
	switch (code) {
	case 0: return v;
	case PERTURB_ONE: return 1;
	case PERTURB_MINUS_ONE: return ~(__perturb_bits)0;
	case PERTURB_ZERO: return 0;
	case PERTURB_SUCC: return v + 1;
	case PERTURB_PRED: return v - 1;
	default: return -v;
	}
}

PERTURB_C void __perturb_value_lit(struct __perturb_value *value, unsigned code, const void *operands);
PERTURB_ONCE void __perturb_value_lit(struct __perturb_value *value, unsigned code, const void *operands)
{
	value->low = __perturb_other_literal(code, *(const __perturb_bits *)operands);
}

PERTURB_C __perturb_bits __perturb_lit(PERTURB_HERE, __perturb_bits v);
PERTURB_ONCE __perturb_bits __perturb_lit(PERTURB_HERE, __perturb_bits v)
{
	return f->state[p] ? __perturb_other_literal(__perturb_choose(f, p, d, __perturb_value_lit, &v), v) : v;
}

PERTURB_C __perturb_bits __perturb_load(unsigned type, const void *v);
PERTURB_ONCE __perturb_bits __perturb_load(unsigned type, const void *v)
{
	switch (type) {
	case 1: return *(const unsigned char *)v;
	case 2: return *(const __UINT16_TYPE__ __attribute__((__may_alias__)) *)v;
	case 4: return *(const __UINT32_TYPE__ __attribute__((__may_alias__)) *)v;
	case PERTURB_SIGNED | 1: return (__perturb_bits)*(const signed char *)v;
	case PERTURB_SIGNED | 2: return (__perturb_bits)*(const __perturb_16 *)v;
	case PERTURB_SIGNED | 4: return (__perturb_bits)*(const __perturb_32 *)v;
	default: return (__perturb_bits)*(const __perturb_64 *)v;
	}
}

/* What becomes of a variable that is counted up or down, in its type: a truth value (type 0) stays one. */
PERTURB_C __perturb_bits __perturb_stepped(unsigned code, unsigned type, __perturb_bits old);
PERTURB_ONCE __perturb_bits __perturb_stepped(unsigned code, unsigned type, __perturb_bits old)
{
	__perturb_bits now = code == PERTURB_PRE_DEC || code == PERTURB_POST_DEC ? old - 1 : old + 1;
	unsigned unused = 64 - 8 * (type & 15u);

	if (!type)
		return now != 0;
	return type & PERTURB_SIGNED ? (__perturb_bits)((long long)(now << unused) >> unused) : now << unused >> unused;
}

/* Counted up or down is another state, whatever the value. */
PERTURB_C void __perturb_value_var(struct __perturb_value *value, unsigned code, const void *operands);
PERTURB_ONCE void __perturb_value_var(struct __perturb_value *value, unsigned code, const void *operands)
{
	__perturb_bits old = *(const __perturb_bits *)operands;

	value->low = code == PERTURB_NEG ? -old : old;
	value->apart = code != 0 && code != PERTURB_NEG;
}

/* A variable that is read: negated, or counted up and down on the way. */
PERTURB_C __perturb_bits __perturb_var(PERTURB_HERE, unsigned type, void *v);
PERTURB_ONCE __perturb_bits __perturb_var(PERTURB_HERE, unsigned type, void *v)
{
	__perturb_bits old = __perturb_load(type ? type : 1, v), now;
	unsigned code = f->state[p] ? __perturb_choose(f, p, d, __perturb_value_var, &old) : 0;

	if (!code)
		return old;
	if (code == PERTURB_NEG)
		return -old;
	now = __perturb_stepped(code, type, old);
	switch (type & 15u) {
	case 0:
	case 1: *(unsigned char *)v = (unsigned char)now; break;
	case 2: *(__perturb_16 *)v = (__perturb_16)now; break;
	case 4: *(__perturb_32 *)v = (__perturb_32)now; break;
	default: *(__perturb_64 *)v = (__perturb_64)now;
	}
	return code == PERTURB_PRE_DEC || code == PERTURB_PRE_INC ? now : old;
}

/* A variable that is read for the last time: only the value counts. */
struct __perturb_last {
	unsigned type;
	__perturb_bits v;
};

PERTURB_C void __perturb_value_last(struct __perturb_value *value, unsigned code, const void *operands);
PERTURB_ONCE void __perturb_value_last(struct __perturb_value *value, unsigned code, const void *operands)
{
	const struct __perturb_last *last = (const struct __perturb_last *)operands;

	if (code == PERTURB_NEG)
		value->low = -last->v;
	else if (code == PERTURB_PRE_DEC || code == PERTURB_PRE_INC)
		value->low = __perturb_stepped(code, last->type, last->v);
	else
		value->low = last->v;
}

PERTURB_C __perturb_bits __perturb_last(PERTURB_HERE, unsigned type, __perturb_bits v);
PERTURB_ONCE __perturb_bits __perturb_last(PERTURB_HERE, unsigned type, __perturb_bits v)
{
	struct __perturb_last last;
	struct __perturb_value value;

	if (!f->state[p])
		return v;
	last.type = type;
	last.v = v;
	__perturb_value_last(&value, __perturb_choose(f, p, d, __perturb_value_last, &last), &last);
	return value.low;
}

/* The same of one that has no address: it is only negated. */
PERTURB_C __perturb_bits __perturb_neg(PERTURB_HERE, __perturb_bits v);
PERTURB_ONCE __perturb_bits __perturb_neg(PERTURB_HERE, __perturb_bits v)
{
	return f->state[p] && __perturb_choose(f, p, d, __perturb_value_var, &v) ? -v : v;
}

/* An 80-bit number takes up 128 bits, and what is in the others means nothing. */
#if defined __x86_64__ || defined __i386__
#define PERTURB_HIGH_BITS 0xffffu
#else
#define PERTURB_HIGH_BITS ~(__perturb_bits)0
#endif

#define PERTURB_FLOATING(N, T) \
	PERTURB_C T __perturb_op_##N(unsigned op, T l, T r); \
	PERTURB_ONCE T __perturb_op_##N(unsigned op, T l, T r) \
	{ \
		switch (op) { \
		case PERTURB_ADD: return l + r; \
		case PERTURB_SUB: return l - r; \
		case PERTURB_MUL: return l * r; \
		case PERTURB_DIV: return l / r; \
		case PERTURB_LEFT: return l; \
		default: return r; \
		} \
	} \
	struct __perturb_operands_##N { \
		unsigned op; \
		T l, r; \
	}; \
	/* By their bits: two zeros of different sign differ. */ \
	PERTURB_C void __perturb_bits_of_##N(struct __perturb_value *value, T number); \
	PERTURB_ONCE void __perturb_bits_of_##N(struct __perturb_value *value, T number) \
	{ \
		union { \
			T number; \
			__perturb_bits bits[2]; \
		} as; \
		as.bits[0] = as.bits[1] = 0; \
		as.number = number; \
		value->low = as.bits[0]; \
		value->high = as.bits[1] & PERTURB_HIGH_BITS; \
	} \
	PERTURB_C void __perturb_value_bin_##N(struct __perturb_value *value, unsigned code, const void *operands); \
	PERTURB_ONCE void __perturb_value_bin_##N(struct __perturb_value *value, unsigned code, const void *operands) \
	{ \
		const struct __perturb_operands_##N *o = (const struct __perturb_operands_##N *)operands; \
		__perturb_bits_of_##N(value, __perturb_op_##N(code ? code : o->op, o->l, o->r)); \
	} \
	PERTURB_C T __perturb_bin_##N(PERTURB_HERE, unsigned op, T l, T r); \
	PERTURB_ONCE T __perturb_bin_##N(PERTURB_HERE, unsigned op, T l, T r) \
	{ \
		struct __perturb_operands_##N o; \
		unsigned code = 0; \
		if (f->state[p]) { \
			o.op = op, o.l = l, o.r = r; \
			code = __perturb_choose(f, p, d, __perturb_value_bin_##N, &o); \
		} \
		return __perturb_op_##N(code ? code : op, l, r); \
	} \
	PERTURB_C int __perturb_compare_##N(unsigned op, T l, T r); \
	PERTURB_ONCE int __perturb_compare_##N(unsigned op, T l, T r) \
	{ \
		switch (op) { \
		case PERTURB_LT: return l < r; \
		case PERTURB_GT: return l > r; \
		case PERTURB_LE: return l <= r; \
		case PERTURB_GE: return l >= r; \
		case PERTURB_EQ: return l == r; \
		case PERTURB_NE: return l != r; \
		case PERTURB_LEFT_TRUE: return l != 0; \
		default: return r != 0; \
		} \
	} \
	PERTURB_C void __perturb_value_rel_##N(struct __perturb_value *value, unsigned code, const void *operands); \
	PERTURB_ONCE void __perturb_value_rel_##N(struct __perturb_value *value, unsigned code, const void *operands) \
	{ \
		const struct __perturb_operands_##N *o = (const struct __perturb_operands_##N *)operands; \
		value->low = (unsigned)__perturb_compare_##N(code ? code : o->op, o->l, o->r); \
	} \
	PERTURB_C int __perturb_rel_##N(PERTURB_HERE, unsigned op, T l, T r); \
	PERTURB_ONCE int __perturb_rel_##N(PERTURB_HERE, unsigned op, T l, T r) \
	{ \
		struct __perturb_operands_##N o; \
		unsigned code = 0; \
		if (f->state[p]) { \
			o.op = op, o.l = l, o.r = r; \
			code = __perturb_choose(f, p, d, __perturb_value_rel_##N, &o); \
		} \
		return __perturb_compare_##N(code ? code : op, l, r); \
	} \
	PERTURB_C T __perturb_other_literal_##N(unsigned code, T v); \
	PERTURB_ONCE T __perturb_other_literal_##N(unsigned code, T v) \
	{ \
		switch (code) { \
		case 0: return v; \
		case PERTURB_ZERO: return 0; \
		case PERTURB_MINUS_ONE: return -1; \
		default: return -v; \
		} \
	} \
	PERTURB_C void __perturb_value_lit_##N(struct __perturb_value *value, unsigned code, const void *operands); \
	PERTURB_ONCE void __perturb_value_lit_##N(struct __perturb_value *value, unsigned code, const void *operands) \
	{ \
		__perturb_bits_of_##N(value, __perturb_other_literal_##N(code, *(const T *)operands)); \
	} \
	PERTURB_C T __perturb_lit_##N(PERTURB_HERE, T v); \
	PERTURB_ONCE T __perturb_lit_##N(PERTURB_HERE, T v) \
	{ \
		return f->state[p] ? __perturb_other_literal_##N(__perturb_choose(f, p, d, __perturb_value_lit_##N, &v), v) : v; \
	} \
	PERTURB_C T __perturb_neg_##N(PERTURB_HERE, T v); \
	PERTURB_ONCE T __perturb_neg_##N(PERTURB_HERE, T v) \
	{ \
		return f->state[p] && __perturb_choose(f, p, d, __perturb_value_lit_##N, &v) ? -v : v; \
	}

#endif /* PERTURB_H */

/* What this file needs and none before it has brought. */
#if defined(PERTURB_NEEDS_f) && !defined(PERTURB_HAS_f)
#define PERTURB_HAS_f
PERTURB_FLOATING(f, float)
#endif
#if defined(PERTURB_NEEDS_d) && !defined(PERTURB_HAS_d)
#define PERTURB_HAS_d
PERTURB_FLOATING(d, double)
#endif
#if defined(PERTURB_NEEDS_e) && !defined(PERTURB_HAS_e)
#define PERTURB_HAS_e
PERTURB_FLOATING(e, long double)
#endif
