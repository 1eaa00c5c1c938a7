#include <stdio.h>

struct source {
    FILE *file;
    int line;
};

// Reads to the end.
int count_lines(FILE *input)
{
    int lines = 0, letter;
    while ((letter = fgetc(input)) != EOF)
        if (letter == '\n')
            lines++;
    return lines;
}

// Reads a part.
int skip(FILE *input)
{
    int letter = getc(input);
    if (letter == '#')
        ungetc(letter, input);
    return letter == '#';
}

// Writes.
void greet(FILE *output, int times)
{
    for (int i = 0; i < times && i < 3; i++)
        fprintf(output, "hello %d\n", i + 1);
}

// Both, and closes.
int copy(FILE *from, FILE *to)
{
    int letter = fgetc(from);
    while (letter != EOF) {
        fputc(letter + 1, to);
        letter = fgetc(from);
    }
    return fclose(from) + 1;
}

// In a record, and null.
int next_line(struct source *source)
{
    if (source->file == NULL)
        return -1;
    if (fgetc(source->file) == '\n')
        source->line++;
    return source->line;
}

// Of its own.
int size_of_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    int size = 0;
    if (!file)
        return -1;
    while (getc(file) != EOF)
        size++;
    fclose(file);
    return size;
}

// Those of the process: told apart, and not used.
const char *name_of(FILE *input)
{
    return input == stdin ? "in" : "other";
}

// Used, for one input.
int complain(unsigned char level)
{
    if (level == 3)
        fputs("three", stderr);
    return level > 3;
}

// What the pointer leads to is of no interest.
FILE *choose(FILE *one, FILE *other, int which)
{
    return which > 0 ? one : other;
}
