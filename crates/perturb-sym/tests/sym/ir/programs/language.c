/* Something of everything in C that makes a compiler write another kind of code. */
#include <stdarg.h>
#include <stddef.h>

void *memcpy(void *, const void *, size_t);
int puts(const char *);
_Noreturn void abort(void);

struct point { int x, y; };
struct large { int head; double values[4]; struct point at; const char *name; };
struct bits { unsigned a : 3; signed b : 5; unsigned long c : 40; _Bool d : 1; };
struct list { int value; struct list *next; int (*compare)(struct list *, struct list *); };
struct flexible { short count; int values[]; };
struct __attribute__((packed)) packed { char c; long l; short s; };
union any { int i; float f; char bytes[7]; struct point p; };
enum colour { RED, GREEN = 5, BLUE };

/* Globals of all kinds. */
int counter;
static int hidden = 7;
const int table[] = { 1, -2, 3 };
const double factors[] = { 0.5, 0.1, -1e300, 1.0 / 3 };
float singles[] = { 0.1f, 1.5f, -0.0f, __builtin_inff(), __builtin_nanf(""), 1e-45f };
long double extended = 0.1L;
_Thread_local int per_thread = 4;
extern int elsewhere;
extern struct unknown unknown_elsewhere;
__attribute__((weak)) int replaceable = 3;
const char *strings[] = { "a", "quote \" and \\ and \x01\xff", "" };
struct large initialised = { 3, { 1.0, 2.0 }, { 4, 5 }, "name" };
struct flexible flexible = { 2, { 8, 9 } };
struct packed packed = { 'c', 1L << 40, -1 };
union any unions[2] = { { .f = 1.5f }, { .bytes = "abc" } };
int matrix[2][3] = { { 1, 2, 3 }, { 4 } };
int *inside = &matrix[1][2];
char *past = (char *)(matrix + 2);
ptrdiff_t distance = offsetof(struct large, at.y);
__int128 huge = ((__int128)1 << 100) - 1;
_Bool truth = 1;
enum colour colour = BLUE;
static struct list ring = { 1, &ring, 0 };
size_t address_as_number = (size_t)&hidden;

static int twice(int x) { return 2 * x; }
int (*operations[])(int) = { twice, 0 };
extern int other_name(int) __attribute__((alias("aliased")));
int aliased(int x) { return x + hidden; }
static void nothing(void) { }
extern void other_type(int) __attribute__((weak, alias("nothing")));

/* Integers. */
int arithmetic(int a, int b, unsigned c, unsigned d)
{
    int s = a + b - a * b;
    if (b) s += a / b + a % b;
    if (d) s ^= c / d | c % d;
    return (s << 3) ^ (s >> 2) & (int)(c >> 5) | ~s;
}
signed char narrow(char a, signed char b, unsigned char c) { return (signed char)(a + b - c); }
long long widen(short a, unsigned short b, _Bool c) { return a * (long long)b + c; }
_Bool truth_of(int a, void *p, double d) { return a && p || !d; }
__int128 wide(__int128 a, unsigned __int128 b) { return a * 3 + (__int128)(b >> 70) / 7; }
int conditional(int a, int b) { return a < b ? a : b <= 10 ? b++ : --b; }
unsigned rotate(unsigned x, int n) { return x << (n & 31) | x >> (-n & 31); }
int builtins(unsigned x) { return __builtin_popcount(x) + (x ? __builtin_clz(x) + __builtin_ctz(x) : 0) + (int)__builtin_bswap32(x); }
int overflow(int a, int b) { int r; return __builtin_add_overflow(a, b, &r) ? -1 : r; }
int expected(int a) { if (__builtin_expect(a == 3, 0)) __builtin_unreachable(); return a; }

/* Floating point. */
float single(float a, float b) { return a * 0.1f + b / 3.0f - -a; }
double number(double a, int i, unsigned u, long l) { return (a + i) * u - l + (float)a; }
long double long_number(long double a, double b) { return a * 2.5L + b; }
int compare_floats(double a, double b) { return (a < b) + (a <= b) + (a == b) + (a != b) + (a > b) + !(a >= b) + __builtin_isunordered(a, b); }
int to_int(float f, double d, long double l) { return (int)f + (int)(unsigned)d + (int)l; }
__attribute__((optnone)) double negate(double a) { return -a; }

/* Control. */
int loops(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (i % 3 == 0) continue;
        if (i > 100) break;
        s += i;
    }
    while (n-- > 0) s ^= n;
    do s++; while (s & 7);
    return s;
}
int switches(int x, unsigned char c)
{
    switch (x) {
    case 1: return 2;
    case -5: x++; /* falls through */
    case 7 ... 9: x += 2; break;
    default: x = 0;
    }
    switch (c) { case 'a': return x; case 255: goto out; }
    x--;
out:
    return x;
}
#ifndef NO_LABELS
int computed(int n)
{
    static void *targets[] = { &&one, &&two };
    goto *targets[n & 1];
one: return 1;
two: return 2;
}
int jumping_assembly(int x) { __asm__ goto("# %l0" : : : : out); return x; out: return -x; }
#endif
int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
int static_local(void) { static int calls; static const int step = 3; return calls += step; }
_Noreturn void stop(const char *why) { puts(why); abort(); }

/* Pointers, arrays, structs. */
int sum(const int *values, size_t n) { int s = 0; while (n--) s += *values++; return s; }
void swap(int *restrict a, int *restrict b) { int t = *a; *a = *b; *b = t; }
ptrdiff_t between(int *a, int *b) { return (b - a) + (a < b); }
struct point make(int x) { return (struct point){ x, -x }; }
struct large make_large(struct large l, int i) { l.values[i & 3] = i; l.at = make(i); return l; }
int take(struct point p, struct large l, struct packed k, union any u) { return p.x + l.at.y + (int)k.l + u.i; }
int call_them(int x) { struct large l = make_large(initialised, x); return take(make(x), l, packed, unions[0]) + operations[0](x); }
int bit_fields(struct bits *b, int v) { b->b = v; b->c += b->a; b->d = v; return (int)b->c + b->b + b->d; }
int list_length(const struct list *l) { int n = 0; for (; l; l = l->next) n++; return n; }
int compound(int i) { int *p = (int[]){ i, 2, 3 }; struct point q = { .y = i }; return p[i & 1] + q.y; }
int vla(int n) { int values[n + 1]; for (int i = 0; i <= n; i++) values[i] = i; return values[n / 2] + (int)sizeof values; }
int two_dimensional(int i, int j) { return matrix[i][j] + (&initialised)->at.x + strings[i][0]; }
void copy(struct large *to, const struct large *from) { *to = *from; memcpy(to->values, from->values, sizeof to->values); }
int volatile_access(volatile int *p) { *p = 1; return *p + *p; }
int union_pun(float f) { union any u; u.f = f; return u.i; }
int via_pointer(int (*f)(int, ...), int x) { return f(1, x, 2.0, "s"); }
int old_style();
int call_old_style(void) { return old_style(1, 2); }
int thread_local_access(void) { return per_thread++ + elsewhere; }
int flexible_access(struct flexible *f) { return f->values[f->count - 1]; }

int variadic(int n, ...)
{
    va_list list, other;
    va_start(list, n);
    va_copy(other, list);
    double s = va_arg(list, int) + va_arg(other, double) + va_arg(other, struct point).x;
    va_end(other);
    va_end(list);
    return (int)s;
}

/* Vectors, assembly, atomics. */
typedef int vector __attribute__((vector_size(16)));
typedef float floats __attribute__((vector_size(16)));
vector add(vector a, vector b) { a[1] = 3; return a + b * (vector){ 1, 2, 3, 4 } + (vector)(a < b); }
floats shuffle(floats a, floats b) { return __builtin_shufflevector(a, b, 0, 4, -1, 7) * a; }
int element(vector v, int i) { return v[i]; }
void assembly(int *x) { __asm__ volatile("# \"%0\"\n\tnop" : "+r"(*x) : : "memory"); }
void assembly_in_memory(int *x, long n) { __asm__ volatile("addl %1, %0" : "+m"(x[n]) : "r"((int)n)); }
_Atomic int atomic;
int plain;
int atomics(int x)
{
    int e = 1;
    __atomic_compare_exchange_n(&plain, &e, x, 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    __sync_fetch_and_nand(&plain, x);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    atomic = x;
    return atomic++ + __atomic_exchange_n(&plain, x, __ATOMIC_ACQ_REL) + __atomic_load_n(&plain, __ATOMIC_CONSUME);
}
