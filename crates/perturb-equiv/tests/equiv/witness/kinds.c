/* One function for each kind of what can be given and left behind. */
#include <stdbool.h>
#include <stdint.h>

enum color { RED, GREEN = 5, BLUE };
struct point { int x, y; };
struct item { struct point at; double weight; char name[4]; unsigned flag : 3; int low : 5; };
union number { uint32_t whole; float real; };
union odd { struct point point; char letters[3]; };
struct tagged { int kind; union { uint32_t bits; float real; }; struct { short inner; }; };
struct node { int value; struct node *next; };
typedef struct { unsigned char red, green; } pixel;
struct hidden;

static uint8_t total;
static struct item last;
static int table[3];
static const char *text = "initialised";

int integers(signed char a, unsigned short b, long c, unsigned long long d) { return a + b + c + d; }
double floats(double a, float b) { return a * b; }
// @perturb(sym[4], 0..4)
int array(const int *values, int n) { return values[n]; }
struct point record(struct point p) { return p; }
// @perturb(sym[1], sym)
void record_behind(struct item *item, int by) { item->at.x = by; }
// @perturb(sym[2])
void records(pixel *pixels) { pixels->red = 0; }
// @perturb(sym[3] nullable, sym[3] nullable)
int nullable(int *p, int *q) { return p && q; }
// @perturb(sym[2])
int pointers(int **p) { return **p; }
// @perturb(sym[1])
struct node *list(struct node *head) { return head->next; }
enum color enumerated(enum color c) { return c; }
bool truth(bool a, bool b) { return a && b; }
uint32_t whole_union(union number n) { return n.whole; }
// @perturb(sym[1])
void odd_union(union odd *o) { o->letters[0] = 0; }
// @perturb(sym[1])
void without_name(struct tagged *t) { t->bits = 0; }
void globals(uint8_t v) { total = v; last.at.x = v; table[1] = text[v]; }
int nothing(void) { return 1; }
// @perturb(sym[2], sym[2])
int matrix(int (*rows)[3], void *raw) { return rows[0][1] + *(char *)raw; }
// @perturb(97..99, 38..40, 10..12)
char letters(char a, char b, char c) { return a + b + c; }
int opaque(struct hidden *handle) { return handle != 0; }
typedef int result_t;
// @perturb(sym, sym[2], sym, sym)
int names(int result, int *differences, int total, result_t names) { return result + *differences + total + names; }
short sized(const short cells[2][3], unsigned char bytes[3]) { return cells[1][2] + bytes[2]; }

struct line { const struct point *from; float width; const int marks[2]; };
struct handler { int limit; double (*handle)(const char *name, struct point at, int (*then)(void)); };
int sensor(int channel, const struct point *at, const unsigned char *raw);
struct node *find(const char *name, char *const *words);
int measure(short *value, struct point *at, int call, int turn);
struct point origin(void);
const char *name_of(struct hidden *handle);
void draw(struct line line, float width, char);
void fail(int status) __attribute__((noreturn));
long time(long *timer);
extern unsigned limits[2], (*current)(int);
int asks(int channel) { return sensor(channel, 0, 0); }
int finds(void) { return find("", 0)->value; }
int measures(void) { short value; struct point at; return measure(&value, &at, 0, 0) ? value : at.x; }
int origins(void) { return origin().x; }
int named(struct hidden *handle) { return *name_of(handle); }
void draws(struct line line) { draw(line, 1, 0); }
int fails(int status) { if (status) fail(status); return 0; }
unsigned limited(void) { return limits[1] + (current != 0); }
// @perturb(sym[1], sym)
double handles(struct handler *handler, void (*done)(void)) { done(); return handler->handle("", (struct point){1, 2}, 0); }
// @perturb(sym[4], sym)
long behind(const int *from, const int *to) { return to - from; }
// @perturb(sym within=from, sym[4])
int bytes_behind(const char *end, const int *from) { return (const char *)from < end; }
// @perturb(sym[1], sym)
int behind_another(char **place, char *limit) { return *place < limit; }
