/*
 * hot.h: runs one loop of a program over and over, and prints the CPU nanoseconds of its fastest turn.
 *
 * A file that includes it defines `loops`. Usage of the program: LOOP SECONDS, where SECONDS is how much CPU to spend; without
 * arguments it lists its loops.
 */
#ifndef HOT_H
#define HOT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct loop {
	const char *name;
	void (*turn)(void);     /* a few milliseconds */
};

/* The file defines them; the last has no name. */
extern const struct loop loops[];
/* Makes what the loops work on. */
void set_up(void);

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void require(int holds)
{
	if (!holds)
		abort();
}

int main(int argc, char **argv)
{
	const struct loop *loop = loops;

	if (argc < 3) {
		for (; loop->name; loop++)
			puts(loop->name);
		return 0;
	}
	while (loop->name && strcmp(loop->name, argv[1]))
		loop++;
	require(loop->name != NULL);
	set_up();
	double start = now_ns(), end = start + atof(argv[2]) * 1e9, best = 1e18;
	do {
		double before = start;
		loop->turn();
		start = now_ns();
		if (start - before < best)
			best = start - before;
	} while (start < end);
	printf("%.0f\n", best);
	return 0;
}

#endif
