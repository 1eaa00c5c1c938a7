/* A panel fails late: the spacecraft goes to safe mode and survives, and comes back when the panel does. */
#include "mission.h"

int main(void)
{
	static struct mission m;
	long failed = 60000, safe;

	mission_begin(&m, 0.004, 0.9);
	mission_until(&m, failed);
	CHECK(m.flight.mode >= MODE_NOMINAL && m.flight.anomalies == 0);
	m.world.panel_a = 0.4;
	m.steady_from = 100000; /* there is power for one heater only */
	while (m.flight.mode != MODE_SAFE) {
		CHECK(m.t < failed + 12000);
		mission_second(&m);
	}
	CHECK(m.flight.anomalies == 1);
	for (safe = 0; safe < 900; safe++) {
		mission_second(&m);
		CHECK(m.flight.mode == MODE_SAFE);
		CHECK(m.actuators.heater[0] + m.actuators.heater[1] + m.actuators.heater[2] <= 1);
	}
	m.world.panel_a = 2.6;
	while (m.flight.mode == MODE_SAFE) {
		CHECK(m.flight.charge_permille < 705);
		mission_second(&m);
	}
	CHECK(m.flight.mode == MODE_NOMINAL);
	mission_until(&m, 105000);
	CHECK(m.flight.mode >= MODE_NOMINAL);
	return 0;
}
