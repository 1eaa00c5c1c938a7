#include <string.h>

struct frame { unsigned id, length, check; };

/* No constant of the function is what has to be in the frame. */
int accepts(const struct frame *frame)
{
    if (frame->check != (frame->id * 2654435761u ^ frame->length))
        return -1;
    return frame->length > 40;
}

int obeys(const char *word, int level)
{
    if (strcmp(word, "reset") == 0)
        return level > 2;
    return 0;
}

int settles(double value, double scale)
{
    if (value == scale * 0.1 + 7.25)
        return scale < 2.0;
    return 2;
}

/* Letter by letter: none of them tells anything by itself. */
int reads(const unsigned char *text)
{
    unsigned at = 0;
    while (text[at] == (unsigned char)(7 * at + 33))
        if (++at == 6)
            return 1;
    return at == 5 ? 2 : 0;
}
