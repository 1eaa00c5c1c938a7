/* Attacks on the sandbox, each harmless even if it succeeds: its victims are made by the test, its sizes are bounded.
   `attack NAME WORD...` runs one. */
#include "attack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int report(const char *text, int status) {
    fflush(stdout);
    dprintf(1, "%s\n", text);
    return status;
}

int done(void) {
    return report("done", 0);
}

int done_with(long number) {
    char text[64];
    snprintf(text, sizeof text, "done %ld", number);
    return report(text, 0);
}

int refused(const char *step) {
    char text[128];
    snprintf(text, sizeof text, "refused %d %s", errno, step);
    return report(text, 1);
}

int nothing(const char *what) {
    char text[128];
    snprintf(text, sizeof text, "nothing %s", what);
    return report(text, 1);
}

int judged(long result, const char *step) {
    return result < 0 ? refused(step) : done();
}

/* Of the word `parent`, the process that started this one: the server of the cell. */
long number(const char *word) {
    return strcmp(word, "parent") ? strtol(word, NULL, 0) : getppid();
}

/* `$HOME/x` as a shell would read it. */
static char *expanded(char *word) {
    static char texts[4][4096];
    static int next;
    char *rest = strchr(word, '/');
    size_t length = rest ? (size_t)(rest - word) : strlen(word);
    if (*word != '$' || next == 4)
        return word;
    char *name = strndup(word + 1, length - 1);
    const char *value = getenv(name);
    free(name);
    snprintf(texts[next], sizeof *texts, "%s%s", value ? value : "/perturb-attack-unset", rest ? rest : "");
    return texts[next++];
}

int main(int count, char **words) {
    const struct attack *lists[] = { socket_attacks, file_attacks, process_attacks,
                                     call_attacks, lasting_attacks, memory_attacks };
    if (count < 2)
        return 2;
    for (int i = 2; i < count; i++)
        words[i] = expanded(words[i]);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct attack *attack = lists[i]; attack->name; attack++)
            if (!strcmp(attack->name, words[1]))
                return attack->run(words + 2);
    fprintf(stderr, "no attack %s\n", words[1]);
    return 2;
}
