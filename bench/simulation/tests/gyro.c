/* The gyros say the same for ever: the spacecraft goes safe and is held by its magnetometer alone, until the ground helps. */
#include "mission.h"

#include <string.h>

int main(void)
{
	static const uint8_t CLEAR[13] = { 0xeb, 0x90, FUNCTION_CLEAR, 0, 0, 0, 0, 0, 0, 0, 0, 0x6e, 0x10 };
	static struct mission m;
	long stuck = 40000;
	int i;

	mission_begin(&m, 0.002, 0.9);
	mission_until(&m, stuck);
	CHECK(m.flight.mode >= MODE_NOMINAL && !m.flight.has_no_gyro);
	m.world.is_gyro_stuck = 1;
	m.spin_allowed = 3000;
	mission_until(&m, stuck + 300);
	CHECK(!m.flight.has_no_gyro && m.flight.anomalies == 0);
	mission_until(&m, stuck + 302);
	CHECK(m.flight.has_no_gyro && m.flight.anomalies == 1);
	while (m.t < 75000) {
		mission_second(&m);
		CHECK(m.flight.mode == MODE_SAFE);
		for (i = 0; i < 3; i++)
			CHECK(m.world.rate[i] < 3e-3 && m.world.rate[i] > -3e-3);
	}
	m.world.is_gyro_stuck = 0;
	mission_until(&m, 75010);
	memcpy(m.world.sensors.uplink, CLEAR, sizeof CLEAR);
	m.world.sensors.uplink_bytes = sizeof CLEAR;
	mission_second(&m);
	CHECK(!m.flight.has_no_gyro && m.flight.anomalies == 0);
	mission_until(&m, 95000);
	m.spin_allowed = 0;
	mission_until(&m, 100000);
	CHECK(m.flight.mode >= MODE_NOMINAL && m.flight.anomalies == 0);
	return 0;
}
