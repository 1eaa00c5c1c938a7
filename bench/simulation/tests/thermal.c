/* The heaters alone, over many eclipses: warm enough, none on that is warm, one at a time when the battery is low. */
#include "world.h"

#include <string.h>

int main(void)
{
	static struct world w;
	static struct flight f;
	struct actuators a = { 0 }, before;
	long t, switched[3] = { 0 };
	int i;

	world_init(&w, 0.0, 0.8);
	f.charge_permille = 800;
	for (t = 0; t < 640000; t++) {
		world_warm(&w, &a);
		world_pass(&w);
		if (t == 400000)
			f.warm_by[1] = 800; /* the ground wants it warmer */
		f.charge_permille = t < 560000 ? 401 : 400;
		before = a;
		heaters_step(&f, &w.sensors, &a);
		for (i = 0; i < 3; i++) {
			static const int ON[3] = { 200, 0, -500 }, OFF[3] = { 500, 300, -100 };
			int node = w.sensors.node[i] - f.warm_by[i];

			if (f.charge_permille > 400)
				CHECK(a.heater[i] == (node < ON[i] || (before.heater[i] && node <= OFF[i])));
			else
				CHECK(!a.heater[i] || node <= OFF[i]);
			switched[i] += a.heater[i] != before.heater[i];
		}
		CHECK(t < 560000 || a.heater[0] + a.heater[1] + a.heater[2] <= 1);
	}
	for (i = 0; i < 3; i++)
		CHECK(switched[i] > 100);
	return 0;
}
