// Variable arguments: lists of them, and calls of functions that take some.
#include <stdarg.h>
#include <string.h>

int put(char *to, const char *format, ...);
void tell(const char *format, ...);
void emit(int count, ...);
long elsewhere(int count, ...);

// Another file has it.
int shown(char *to, int value)
{
    return put(to, "%d", value - 1);
}

// Nobody has it: what it would print can be seen.
void told(unsigned char value)
{
    tell("%d of 9", value / 2);
}

// What comes behind the number cannot.
void sent(unsigned char value)
{
    emit(2, value > 3, value);
}

int counted(unsigned char value)
{
    emit(1, 0);
    return value / 2;
}

// It hands on what it is given.
void pass(const char *format, va_list list);
void hand(int count, va_list *list);

static void say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    pass(format, list);
    va_end(list);
}

void spoken(unsigned char value)
{
    say("%d!", value * 2);
}

static void give(int count, ...)
{
    va_list list;
    va_start(list, count);
    hand(count, &list);
    va_end(list);
}

void handed(unsigned char value)
{
    give(2, value > 3, value);
}

// A file that comes along for another function has it, and keeps something to itself.
long beside(char *to, int value)
{
    put(to, "%d", value);
    return elsewhere(1, value) + 1;
}

int less(va_list list)
{
    return va_arg(list, int) - va_arg(list, int);
}

int letters(va_list *list)
{
    const char *text = va_arg(*list, const char *);
    return text == NULL ? -1 : (int)strlen(text) + 1;
}

double mixed(int kind, va_list list)
{
    double part = va_arg(list, double);
    return kind > 0 ? part * 2 : part + (double)va_arg(list, long);
}

void stored(int value, va_list list)
{
    *va_arg(list, short *) = (short)(value % 100 + 1);
}

// All the same, and nobody can try all of it.
int same(va_list list)
{
    int value = va_arg(list, int);
    return value > 7 && value > 3;
}

int two(va_list one, va_list other)
{
    return va_arg(one, int) + va_arg(other, int);
}

struct holder {
    va_list list;
};

int held(struct holder *holder)
{
    return va_arg(holder->list, int) + 1;
}

// @perturb(3)
int said(va_list list)
{
    return va_arg(list, int) + 1;
}
