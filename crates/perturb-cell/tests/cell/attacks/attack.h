/* What the attacks share: how they report, and the lists of them by topic. */
#ifndef ATTACK_H
#define ATTACK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>

struct attack {
    const char *name;
    /* Gets the words behind the name; the last one is null. */
    int (*run)(char **words);
};

/* Each ends with a line that says what the attack believes, and an exit status. */
int done(void);
int done_with(long number);
/* Refused by the last call, as errno tells. */
int refused(const char *step);
/* Nothing was refused, and there was nothing to be had. */
int nothing(const char *what);

/* `done` where a call returned no error. */
int judged(long result, const char *step);

long number(const char *word);

extern const struct attack socket_attacks[];
extern const struct attack file_attacks[];
extern const struct attack process_attacks[];
extern const struct attack call_attacks[];
extern const struct attack lasting_attacks[];
extern const struct attack memory_attacks[];

#endif
