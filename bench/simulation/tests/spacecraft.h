/* The spacecraft that the software flies: it turns, warms, cools, charges and discharges, a thousand times a second. */
#ifndef SPACECRAFT_H
#define SPACECRAFT_H

#include "flight.h"

struct spacecraft {
	double t, rate[3], body[9], node[3], charge_as;
	double panel_a; /* what the panels give in the sun */
	struct sensors sensors;
};

void spacecraft_init(struct spacecraft *s, double rate, double charge);
void spacecraft_second(struct spacecraft *s, const struct actuators *a);

#endif
