/* A panel fails late: the spacecraft goes to safe mode and survives, and comes back when the panel does. */
#include "spacecraft.h"

#include <stdio.h>

int main(void)
{
	struct spacecraft s;
	struct flight f;
	struct actuators a = { { 0 }, { 0 }, 0, 0 };
	long t, safe = 0;

	spacecraft_init(&s, 0.004, 0.9);
	flight_init(&f);
	for (t = 0; t < 150000; t++) {
		s.panel_a = t > 90000 && t < 99000 ? 0.35 : 2.6;
		spacecraft_second(&s, &a);
		flight_step(&f, &s.sensors, &a);
		safe += t > 90000 && f.mode == MODE_SAFE;
		if (f.mode == MODE_SAFE && (a.payload || a.transmitter))
			return 2;
		if (s.charge_as < 100.0)
			return 3;
	}
	printf("safe for %ld s, %u anomalies, mode %d, %d permille\n", safe, f.anomalies, (int)f.mode, (int)f.charge_permille);
	return !(f.anomalies > 0 && safe > 1000 && f.mode >= MODE_NOMINAL);
}
