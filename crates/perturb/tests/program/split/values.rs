//! All kinds of values and operators: groups of mutants that have the same value first and part later, and every type
//! that a value can have.

use super::{agreed, pairs, SPLIT, START};
use crate::run::Told;
use crate::scene::{has, text, Scene};

/// All functions of a file under one test, which calls each of them often; every pair that can be switched is split.
#[track_caller]
fn check(functions: &str, main: &str) -> Option<Told> {
    let scene = Scene::new(&[(
        "Makefile",
        "all: t\nt: src/p.c tests/t.c src/p.h\n\t$(CC) -w -Isrc -o $@ src/p.c tests/t.c -lm\ncheck: all\n\t./t\n",
    )]);
    let heads = functions.lines().zip(functions.lines().skip(1)).filter(|(_, next)| *next == "{");
    let heads: String = heads.map(|(head, _)| format!("{head};\n")).collect();
    let includes = START.split("int mix").next().unwrap();
    scene.write("src/p.h", format!("struct flags {{ unsigned on : 1, level : 5; int tilt : 4; }};\n{heads}"));
    scene.write("src/p.c", format!("{includes}#include \"p.h\"\n{functions}"));
    scene.write("tests/t.c", format!("{includes}#include \"p.h\"\nint main(void)\n{{\n{main}\n}}\n"));
    if !has("make") {
        return None;
    }
    let told = agreed(&scene, &[]);
    assert!(pairs(&told).into_keys().all(|word| word == SPLIT || word == "rebuild"), "{:?}", pairs(&told));
    assert!(told.count("killed") > 20, "{:?}", told.outcomes());
    assert!(told.count("live") + told.count("not infected") > 0, "{:?}", told.outcomes());
    Some(told)
}

/// `<`, `<=` and `!=` are the same for a while, and each parts from the others at another time.
#[test]
fn mutants_that_part_later() {
    check(
        r#"
int below(int x, int y)
{
    return x < y;
}

int count(int n)
{
    int i, found = 0;
    for (i = 0; i < n; i++)
        if (i * 2 - 3 > 4)
            found++;
    return found;
}
"#,
        "int n, all = 0;
         for (n = 0; n < 5; n++) all += below(n, 9);
         for (n = 0; n < 5; n++) all += below(n, 3);
         return all == 8 && count(9) == 5 ? 0 : 1;",
    );
}

/// `/` and the right operand alone are the same at first; then the one traps where the other's value is that of all
/// traps.
#[test]
fn a_mutant_that_traps_where_another_does_not() {
    check(
        r#"
int product(int a, int b)
{
    return a * b;
}

int rests(int a, int b)
{
    return a + b;
}
"#,
        "int all = product(9, 3) * 0;
         all += product(5, 0) + product(7, 1) * 0;
         all += rests(7, 7) * 0 + rests(0, 4) + rests(6, 0);
         return all == 10 && product(2, 5) == 10 && rests(2, 5) == 7 ? 0 : 1;",
    );
}

/// One after the other leaves the first of a group, each in another way; what is left at last goes on alone.
#[test]
fn groups_that_part_again_and_again() {
    check(
        r#"
int less(int a, int b)
{
    return a < b;
}

int is_any(const int *v, int n, int x)
{
    int i;
    for (i = 0; i < n; i++)
        if (v[i] == x || (v[i] < x && v[i] + n > 40))
            return i;
    return -1;
}
"#,
        "static const int v[] = {1, 1, 2, 1, 3, 5, 0, 4, 9, 1};
         int i, j, all = 0;
         for (i = 0; i < 9; i++) all = all * 3 % 1009 + less(v[i], v[i + 1]);
         for (i = 0; i < 40; i++)
             for (j = 0; j < 12; j++) all = all * 3 % 1009 + is_any(v, 10, j) + less(j, v[i % 10]);
         return all == 747 ? 0 : 1;",
    );
}

#[test]
fn integers_of_all_sizes() {
    check(
        r#"
long wide(long a, int b)
{
    return a / b - (a << 3) % 7;
}

unsigned char narrow(unsigned char a, signed char b)
{
    return a + b * 3;
}

unsigned long high(unsigned long a, unsigned b)
{
    return (a >> 1) ^ (b | 5u);
}

short least(short a, short b)
{
    a -= b & 6;
    return -a;
}

_Bool either(_Bool a, int b)
{
    return a | b > 3;
}
"#,
        "int n; unsigned long all = 0;
         for (n = 1; n < 9; n++)
             all = all * 31 + wide(1L << (n * 7), n) + narrow(n * 40, -n) + high(~0ul / n, n) + least(n, 3)
                 + either(n & 1, n);
         return all == 9268815750213157863ul ? 0 : 1;",
    );
}

#[test]
fn floating_point_of_all_sizes() {
    check(
        r#"
float small(float a, float b)
{
    return a * b - 0.5f;
}

double middle(double a, int b)
{
    return a / b + 1.5;
}

long double large(long double a, long double b)
{
    return a > b ? a - b : b * 2.0L;
}

int differs(double a, double b)
{
    return a != b || a <= -1.0;
}
"#,
        "double zero = 0; int n; double all = 0;
         for (n = 0; n < 6; n++)
             all = all * 1.5 + small(n, 1.25f) + middle(n, n + 1) + (double)large(n, 3) + differs(n, 2)
                 + differs(zero / zero, 1);
         return all > 217.6 && all < 217.7 ? 0 : 1;",
    );
}

#[test]
fn pointers() {
    check(
        r#"
const char *skip(const char *text, const char *end)
{
    while (text < end && *text == ' ')
        text++;
    return text;
}

long distance(const int *from, const int *to)
{
    if (from == NULL || to == NULL)
        return -1;
    return to - from;
}

int third(const int *values)
{
    int sum = *(values + 2);
    return sum + values[1];
}
"#,
        "int values[4] = {1, 20, 300, 4000}; const char *text = \"   word\";
         return skip(text, text + 7) == text + 3 && skip(text, text + 2) == text + 2
             && distance(values, values + 3) == 3 && distance(NULL, values) == -1 && third(values) == 320 ? 0 : 1;",
    );
}

#[test]
fn bit_fields() {
    check(
        r#"
int level(struct flags *f, int by)
{
    f->level = f->level + by;
    f->tilt -= 3;
    if (f->on && f->level > 9)
        f->on = 0;
    return f->on * 100 + f->level + f->tilt;
}
"#,
        "struct flags f = {1, 3, 2}; int a = level(&f, 4), b = level(&f, 5), c = level(&f, 30);
         return a == 106 && b == 8 && c == 3 ? 0 : 1;",
    );
}

#[test]
fn short_circuits() {
    check(
        r#"
static int calls;

int called(int n)
{
    calls++;
    return n;
}

int calm(int a, int b, int c)
{
    return (a && b) || (b && !c);
}

int busy(int a, int b)
{
    int r = a > 1 && called(b) || called(a - b);
    return r * 10 + calls;
}

int guarded(const int *p)
{
    return p != NULL && *p > 3;
}
"#,
        "int n, all = 0, five = 5;
         for (n = 0; n < 8; n++) all = all * 2 + calm(n & 1, n & 2, n & 4);
         all = all * 100 + busy(2, 1);
         all = all * 100 + busy(1, 1);
         return all == 491102 && busy(3, 0) == 14 && guarded(&five) && !guarded(NULL) ? 0 : 1;",
    );
}

/// Alternatives that change state or skip a statement: whatever their value, each goes its own way when it is reached.
#[test]
fn statements_and_side_effects() {
    check(
        r#"
int tally(const int *values, int n)
{
    int i, sum = 0, odd = 0;
    for (i = 0; i < n; i++) {
        int v = values[i];
        if (v < 0)
            continue;
        if (v == 99)
            break;
        sum += v;
        odd ^= v & 1;
    }
    switch (odd) {
    case 0:
        sum++;
        break;
    default:
        sum--;
    }
    return sum;
}
"#,
        "int values[6] = {4, -1, 6, 1, 99, 7};
         return tally(values, 6) == 10 && tally(values, 3) == 11 && tally(values, 0) == 1 ? 0 : 1;",
    );
}

/// What differs inside a decision and comes to the same truth makes no difference; what parts later does so from then
/// on.
#[test]
fn decisions() {
    check(
        r#"
#define BETWEEN(x, a, b) ((x) >= (a) && (x) <= (b))
int kind(int c)
{
    if (c == 32 || c == 9)
        return 1;
    if (!(c & 64) && c + 3 > 50)
        return 2;
    return (c ^ 5) % 7 == 2 ? 3 : c > 100;
}

int guarded(const int *p, int n, int d)
{
    int i, found = 0;
    for (i = 0; i < n && p[i] != 7; i++)
        if (d != 0 && p[i] / d > 1)
            found++;
    while (n > 0 && !(p[n - 1] & 1))
        n--;
    return found * 10 + n;
}

int level(double x, float y)
{
    if (x > 0.5 && -y < x * 2.0)
        return x == 1.5 || y >= 4.0f ? 1 : 2;
    return !(x + y);
}

int chosen(unsigned flags, long size, const char *name)
{
    int all = flags & 4u ? 1 : 2;
    if ((flags & 3u) == 1u && (size < 10 ? name != 0 : size - 20 > 5))
        all += 4;
    if (BETWEEN(size - 1, 3, flags + 5) && name)
        all += 8;
    return size ? all : -all;
}

int counted(volatile int *v, int n)
{
    int all = 0;
    while ((*v)-- > 3 && n != 2)
        all++;
    return all + (n == 4 && *v == 2);
}
"#,
        "const int p[] = { 4, 9, 2, 8, 7, 6 };
         int c, sum = 0;
         volatile int v = 6;
         for (c = 0; c < 130; c += 3) sum = sum * 3 % 1009 + kind(c);
         for (c = 0; c < 6; c++) sum = sum * 3 % 1009 + guarded(p, c, c - 2);
         for (c = 0; c < 6; c++) sum = sum * 3 % 1009 + level(c * 0.5 - 0.5, c - 2.0f);
         for (c = 0; c < 24; c++) sum = sum * 3 % 1009 + chosen(c % 5, c * 2 - 4, c % 3 ? \"x\" : 0);
         sum = sum * 3 % 1009 + counted(&v, 4);
         return sum == 343 ? 0 : 1;",
    );
}

/// A mutant that only differs inside of decisions is not executed at all.
#[test]
fn what_makes_no_difference_to_a_decision_is_not_infected() {
    let functions = r#"
int is_high(int x)
{
    if (x > 10 && x != 99)
        return 1;
    return 0;
}

int scaled(int x)
{
    return x * 3 + 1;
}
"#;
    let main = "int i; for (i = 40; i < 60; i++) if (!is_high(i)) return 1; return scaled(2) == 7 ? 0 : 1;";
    let Some(told) = check(functions, main) else { return };
    let idle = told.mutants().into_values().filter(|mutant| text(mutant, "outcome") == "not infected");
    let names: Vec<&str> = idle.map(|mutant| text(mutant, "name")).collect();
    for change in ["'10' -> '11'", "'10' -> '9'", "'10' -> '0'", "'99' -> '98'", "'99' -> '(-99)'"] {
        assert!(names.iter().any(|name| name.contains(change)), "{change} is not among {names:?}");
    }
}

/// Variables of every kind that are counted, some of which nobody reads again.
#[test]
fn last_uses() {
    check(
        r#"
int through(int a, int b)
{
    int c = a - 1, d;
    if (c > 3)
        return b;
    d = b * 2;
    return d;
}

int narrow(unsigned char a, short b, _Bool c)
{
    int *p, e = a;
    if (c)
        e += b;
    p = &e;
    if (e > 200)
        return *p;
    return *p + 1;
}

int turns(int n)
{
    int all = 0, once;
    while (n > 0) {
        once = n;
        all += once * 3;
        n -= 2;
    }
    return all;
}

static int left = 3;
int used(int by)
{
    static int all;
    all += by;
    left -= all > 9;
    return left;
}
"#,
        "int i, sum = 0;
         for (i = -3; i < 9; i++) sum = sum * 3 % 1009 + through(i, i + 5);
         for (i = 0; i < 300; i += 37) sum = sum * 3 % 1009 + narrow(i, i * 5 - 9, i % 2);
         for (i = 0; i < 9; i++) sum = sum * 3 % 1009 + turns(i);
         for (i = 0; i < 5; i++) sum = sum * 3 % 1009 + used(i);
         return sum == 335 ? 0 : 1;",
    );
}
