#include "mission.h"

#include <stdlib.h>
#include <string.h>

void mission_begin(struct mission *m, double rate, double charge)
{
	memset(m, 0, sizeof *m);
	world_init(&m->world, rate, charge);
	flight_init(&m->flight);
	m->steady_from = 20000;
}

static void check_always(const struct mission *m)
{
	const struct flight *f = &m->flight;
	const struct actuators *a = &m->actuators;
	const struct sensors *in = &m->world.sensors;
	int i;

	CHECK(!(a->payload && a->transmitter));
	CHECK(a->payload == (f->mode == MODE_SCIENCE));
	CHECK(!a->transmitter || f->mode == MODE_NOMINAL);
	CHECK(m->world.charge_as > 400.0);
	if (m->t < m->steady_from)
		return;
	CHECK(abs(f->charge_permille - (int)(m->world.charge_as / 7.2)) <= 30);
	for (i = 0; i < 3; i++) {
		CHECK(abs(in->rate[i]) < 200 + m->spin_allowed);
		CHECK(in->node[i] > COLD_BELOW[i] && in->node[i] < 3000);
	}
}

void mission_second(struct mission *m)
{
	world_turn(&m->world, &m->actuators);
	world_warm(&m->world, &m->actuators);
	world_charge(&m->world, &m->actuators);
	world_pass(&m->world);
	flight_step(&m->flight, &m->world.sensors, &m->actuators);
	m->world.sensors.uplink_bytes = 0;
	m->t++;
	check_always(m);
}

void mission_until(struct mission *m, long t)
{
	while (m->t < t)
		mission_second(m);
}
