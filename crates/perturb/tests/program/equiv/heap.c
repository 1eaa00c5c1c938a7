#include <stdlib.h>
#include <string.h>

struct node {
    int value;
    unsigned flag : 3;
    char name[4];
    struct node *next;
};

/* A constructor. */
struct node *makes(int value, unsigned char flag)
{
    struct node *made = malloc(sizeof(struct node));
    if (made == NULL)
        return NULL;
    memset(made, 0, sizeof *made);
    made->value = value + 2;
    made->flag = flag & 3;
    made->next = NULL;
    return made;
}

/* Appends to a list that may be empty. */
// @perturb(sym[1], sym)
int appends(struct node **list, int value)
{
    struct node **last = list;
    while (*last)
        last = &(*last)->next;
    struct node *made = calloc(1, sizeof *made);
    if (!made)
        return -1;
    made->value = value;
    *last = made;
    return 0;
}

/* Two texts as one. */
char *joins(const char *one, const char *other)
{
    size_t length = strlen(one);
    char *both = malloc(length + strlen(other) + 1);
    if (both == NULL)
        return NULL;
    memcpy(both, one, length);
    strcpy(both + length, other);
    return both;
}

/* A text that is kept in between. */
int measures(const char *text)
{
    char *copy = strdup(text);
    int length = 7;
    if (copy != NULL)
        length = (int)strlen(copy);
    free(copy);
    return length;
}

/* Frees what it is given. */
// @perturb(sym[1])
void drops(struct node *list)
{
    while (list != NULL) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

/* It may have more room than it uses, and nobody sees that. */
char *room(unsigned char letter)
{
    char *made = malloc(8);
    if (made != NULL)
        made[0] = (char)letter;
    return made;
}

/* What was never written is nobody's. */
int unwritten(int a)
{
    int *made = malloc(2 * sizeof *made);
    if (made == NULL)
        return 0;
    made[0] = a;
    int read = made[0];
    free(made);
    return read;
}

/* Grows, and keeps what there was. */
int *grows(unsigned char count)
{
    int *values = NULL;
    for (unsigned i = 0; i < (count & 3u); i++) {
        int *more = realloc(values, (i + 1) * sizeof *more);
        if (more == NULL) {
            free(values);
            return NULL;
        }
        values = more;
        values[i] = (int)i;
    }
    return values;
}
