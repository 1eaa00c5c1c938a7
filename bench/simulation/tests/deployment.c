/* From the tumble after deployment to science, and not before it is due. */
#include "spacecraft.h"

#include <stdio.h>

int main(void)
{
	struct spacecraft s;
	struct flight f;
	struct actuators a = { { 0 }, { 0 }, 0, 0 };
	long t, first_science = 0, science = 0;

	spacecraft_init(&s, 0.09, 0.75);
	flight_init(&f);
	for (t = 0; t < 150000; t++) {
		spacecraft_second(&s, &a);
		flight_step(&f, &s.sensors, &a);
		if (a.payload && a.transmitter)
			return 2;
		if (a.payload && !first_science)
			first_science = t;
		science += a.payload;
	}
	printf("science from %ld, %ld s of it, spin %d, %d permille, %u anomalies\n", first_science, science,
	       (int)control_spin(&s.sensors), (int)f.charge_permille, f.anomalies);
	return !(first_science > 600 && science > 20000 && control_spin(&s.sensors) < 8000 && f.anomalies == 0);
}
