// Functions that are given, and leave behind, values of all kinds.
#include <stdbool.h>
#include <stdint.h>

enum color { RED, GREEN = 5, BLUE };
struct point { int x, y; };
struct item { struct point at; double weight; char name[4]; unsigned flag : 3; int low : 5; };
union odd { struct point point; char letters[3]; };
struct tagged { int kind; union { uint32_t bits; float real; }; };
struct node { int value; struct node *next; };

static uint8_t total;
static struct item last;
static int table[3];

double scaled(double a, float b) { return a * b + 0.1; }

struct point swapped(struct point p)
{
    struct point q = {p.y, p.x / 2};
    return q;
}

// @perturb(sym[1], sym)
void moved(struct item *item, int by)
{
    item->at.x = by > 3 ? 3 : by;
    item->weight = item->weight + 1.0;
    item->flag = item->flag + 1u;
    item->name[0] = 'x';
}

// @perturb(sym[2] nullable)
int maybe(int *p) { return p ? *p / 2 + 1 : -1; }

enum color next(enum color c) { return c == RED ? GREEN : BLUE; }

bool both(bool a, bool b) { return a == b; }

// @perturb(sym[1])
int odd_union(union odd *o) { return o->letters[1] + 1; }

// @perturb(sym[1])
void tagged(struct tagged *t) { t->bits = t->bits + 1u; }

void counted(uint8_t v)
{
    total = total + v;
    last.at.x = total;
    table[1] = total / 2;
}

// @perturb(sym[2])
void cut(struct node *list)
{
    if (list->value > 3)
        list->next = 0;
}

// @perturb(sym[3])
int *find(int *values)
{
    for (int i = 0; i < 3; i++)
        if (values[i] == 7)
            return values + i;
    return 0;
}

// @perturb(sym[2])
int behind(int **pointers) { return pointers[0] ? *pointers[0] / 2 + 1 : 0; }

// @perturb(sym[3], 0..2)
int at(const int *values, int index) { return values[index + 0] / 2; }
