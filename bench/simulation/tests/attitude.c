/* The controller alone: from the tumble after deployment to rest, and to rest again after something has hit it. */
#include "world.h"

#include <stdlib.h>

static int32_t spin(const struct sensors *in)
{
	int32_t most = abs(in->rate[0]);
	int i;

	for (i = 1; i < 3; i++)
		most = abs(in->rate[i]) > most ? abs(in->rate[i]) : most;
	return most;
}

int main(void)
{
	static struct world w;
	static struct flight f;
	struct actuators a = { 0 };
	long t, hit = 90000;
	int i;

	world_init(&w, 0.09, 0.8);
	for (t = 0; t < 140000; t++) {
		world_turn(&w, &a);
		world_pass(&w);
		CHECK(control_spin(&f, &w.sensors) == spin(&w.sensors));
		if (spin(&w.sensors) > 8000)
			control_detumble(&f, &w.sensors, &a);
		else
			control_hold(&w.sensors, &a);
		control_remember(&f, &w.sensors);
		for (i = 0; i < 3; i++)
			CHECK(abs(a.dipole[i]) <= 400);
		CHECK(spin(&w.sensors) < 100000);
		CHECK(t < 9000 || spin(&w.sensors) < 40000);
		CHECK(t < 21000 || spin(&w.sensors) < 8000);
		CHECK(t < 40000 || (t > hit && t < hit + 30000) || spin(&w.sensors) < 200);
		if (t == hit)
			w.rate[2] += 0.004;
	}
	return 0;
}
