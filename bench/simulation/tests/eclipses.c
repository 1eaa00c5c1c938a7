/* Warm enough and charged through many eclipses. */
#include "spacecraft.h"

#include <stdio.h>

int main(void)
{
	struct spacecraft s;
	struct flight f;
	struct actuators a = { { 0 }, { 0 }, 0, 0 };
	long t, heated = 0, switched = 0;
	int before = 0;

	spacecraft_init(&s, 0.002, 0.9);
	flight_init(&f);
	for (t = 0; t < 150000; t++) {
		spacecraft_second(&s, &a);
		flight_step(&f, &s.sensors, &a);
		heated += a.heater[0];
		switched += a.heater[0] != before;
		before = a.heater[0];
		if (t > 20000 && (s.sensors.node[0] < -3000 || s.sensors.node[0] > 6000))
			return 2;
	}
	printf("heater %ld s in %ld, node %d, %d permille, mode %d\n", heated, switched, s.sensors.node[0],
	       (int)f.charge_permille, (int)f.mode);
	return !(switched > 10 && f.charge_permille > 300 && f.mode >= MODE_NOMINAL);
}
