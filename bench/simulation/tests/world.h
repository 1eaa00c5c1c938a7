/* What the software flies: it turns, warms, cools, charges and discharges, two hundred times a second. */
#ifndef WORLD_H
#define WORLD_H

#include "flight.h"

#define COLD_BELOW ((const int16_t[3]){ 150, -50, -550 }) /* a little below where each heater comes on */

struct world {
	double t, rate[3], body[9], node[3], charge_as;
	double panel_a; /* what the panels give in the sun */
	int is_sunlit, is_gyro_stuck;
	uint32_t seed;
	struct sensors sensors;
};

void world_init(struct world *w, double rate, double charge);

/* One second of each, with what is on in it. */
void world_turn(struct world *w, const struct actuators *a);
void world_warm(struct world *w, const struct actuators *a);
void world_charge(struct world *w, const struct actuators *a);
void world_pass(struct world *w); /* the second itself, and the sun */

/* Between -1 and 1, about normal, the same in each run. */
double world_noise(struct world *w);

/* Of a frame, bit by bit from the definition (CRC-16/CCITT-FALSE): the ground's own. */
unsigned world_checksum(const uint8_t *bytes, int count);

/* The first check that fails ends the test. */
#define CHECK(holds) world_check((holds), #holds, __FILE__, __LINE__)
void world_check(int holds, const char *what, const char *file, int line);

#endif
