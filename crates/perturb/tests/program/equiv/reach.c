#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int sensor(int channel);
void report(const char *text, int value);
void print(const char *text);
int read_value(int *value);
extern unsigned threshold;

int asks(int channel) { return sensor(channel) > 3; }
void tells(unsigned char value) { if (value >= 0) report("value", value + 1); }
void says(int value) { if (value > 2) print("high"); else print("low"); }
int measures(void)
{
    int value;
    if (read_value(&value) < 0)
        return -1;
    return value > 5;
}
unsigned through(unsigned (*callback)(unsigned), unsigned value) { return callback(value) + value; }

int counts(int by)
{
    static int seen = 7;
    seen += by;
    return seen > 9;
}
unsigned uses(unsigned value) { return threshold + value; }
int sets(int value)
{
    if (value < 0) {
        errno = 5;
        return -1;
    }
    return value;
}

int quits(signed char value)
{
    if (value > 10)
        exit(1);
    return value;
}

// @perturb(sym[1], sym[1] alias=a)
int alike(int *a, int *b)
{
    *a = 1;
    *b = 3;
    int found = *a;
    *a = *b = 0;
    return found > 2;
}

// @perturb[arraySize=3]
int named(const char *name) { return strcmp(name, "on") == 0; }
// @perturb[arraySize=4]
int long_enough(const char *text) { return strlen(text) > 2; }
int digit(unsigned char letter) { return isdigit(letter) && letter > '4'; }
// @perturb(sym[3], sym[3], 0..3)
void copies(char *to, const char *from, unsigned count)
{
    if (count > 0)
        memcpy(to, from, count);
}

int main(void) { return 0; }
