/* All of the software and all of its world in a closed loop. What must hold at all times is checked each second. */
#ifndef MISSION_H
#define MISSION_H

#include "world.h"

struct mission {
	struct world world;
	struct flight flight;
	struct actuators actuators;
	long t, steady_from; /* when rates and temperatures have settled */
	int32_t spin_allowed;
};

void mission_begin(struct mission *m, double rate, double charge);
void mission_second(struct mission *m);
void mission_until(struct mission *m, long t);

#endif
