/* Two pointers into one object. */
int count_to(const char *p, const char *end)
{
    int found = 0;
    for (; p < end; p++)
        if (*p == 'a')
            found++;
    return found;
}

// @perturb(sym[4], sym)
int is_long(const short *from, const short *to) { return to - from > 2; }
// @perturb(sym[4], sym)
int is_ordered(const short *from, const short *to) { return to - from >= 0; }

int next(const char **place, const char *limit)
{
    if ((*place) >= limit)
        return -1;
    return *(*place)++ & 127;
}

void copy(void *to, const void *from, void *to_end)
{
    char *own = (char *)to;
    const char *other = (const char *)from;
    char *const last = (char *)to_end;
    while (own < last)
        *own++ = *other++;
}

/* The one that leads to the start may come last. */
int is_beyond(const int *place, int count, const int *base) { return place - base > count; }

// @perturb(sym[3], sym[3] within=first)
int said(char *first, char *last)
{
    *first = 1;
    *last = 2;
    return *first > 1;
}

// @perturb(sym[3], sym within=nobody)
int wrong(char *first, char *last) { return *first > *last; }

/* To compare whether they are the same says nothing. */
int are_same(const int *one, const int *other) { return one == other && *one > 3; }

int main(void) { return 0; }
