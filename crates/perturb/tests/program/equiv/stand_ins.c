#include <errno.h>
#include <stdlib.h>
#include <time.h>

struct reading { int channel; double value; };
struct handler { int limit; int (*handle)(int event); };
struct item { int id; struct item *next; };

int sensor(int channel);
struct item *find_item(int id);
int read_value(int channel, int *value);
void report(const struct reading *reading);
void print(const char *text);
void log_line(const char *text, int length);
void fatal(const char *why) __attribute__((noreturn));
extern unsigned threshold;
extern struct item last_item;

int asks(int channel) { return sensor(channel + 1) > 3; }
int found(int id)
{
    struct item *item = find_item(id + 1);
    if (item == NULL)
        return -1;
    item->id = id;
    return item->next == NULL;
}
int looks(int id) { return find_item(id) == NULL ? id + 1 : 0; }
int measures(int channel)
{
    int value;
    return read_value(channel, &value) < 0 ? -1 : value * 2;
}
void tells(int channel, double value)
{
    struct reading reading = {channel, value / 2};
    report(&reading);
}
void says(int value) { print(value - 2 > 0 ? "high" : "low"); }
void logs(int value) { log_line("value", value + 1); }
void order(int value)
{
    if (value + 1 > 0) {
        print("first");
        log_line("second", 1);
    } else {
        log_line("second", 1);
        print("first");
    }
}
int through(int (*callback)(int), int value) { return callback(value + 1); }
// @perturb(sym[1], sym)
int handled(struct handler *handler, int event)
{
    return event > handler->limit && handler->handle ? handler->handle(event - 1) : 0;
}
// @perturb(sym[1], sym, sym)
void registers(struct handler *handler, int (*handle)(int event), int limit)
{
    handler->handle = handle;
    handler->limit = limit + 1;
}
int late(time_t deadline) { return time(NULL) + 60 > deadline; }
int verbose(void)
{
    const char *level = getenv("LEVEL");
    return level != NULL ? level[0] - '0' : 0;
}
int dice(void) { return rand() % 6; }
int checked(signed char value)
{
    if (value + 1 < 0)
        fatal("negative");
    return value;
}
int quits(signed char value)
{
    if (value - 10 > 0)
        exit(0);
    return value;
}
int sets(int value)
{
    errno = errno + 1;
    return value;
}
unsigned uses(unsigned value)
{
    last_item.id = 3;
    return threshold + value;
}
int counts(unsigned by)
{
    static unsigned seen = 7;
    seen = seen + by;
    return seen > 9;
}
int later(void)
{
    static int calls;
    calls = calls + 1;
    return calls > 3;
}
