/* From the tumble after deployment to science, each mode when it is due. */
#include "mission.h"

int main(void)
{
	static struct mission m;
	long science = 0;

	mission_begin(&m, 0.09, 0.75);
	m.steady_from = 45000;
	while (m.flight.mode == MODE_DETUMBLE) {
		CHECK(m.t < 17300);
		mission_second(&m);
	}
	CHECK(m.t > 16900);
	CHECK(m.flight.mode == MODE_SAFE);
	mission_until(&m, m.t + 119);
	CHECK(m.flight.mode == MODE_SAFE);
	mission_until(&m, m.t + 4);
	CHECK(m.flight.mode == MODE_NOMINAL);
	mission_until(&m, m.t + 123);
	CHECK(m.flight.mode == MODE_SCIENCE);
	while (m.t < 100000) {
		mission_second(&m);
		science += m.actuators.payload;
		CHECK(m.flight.mode >= MODE_NOMINAL && m.flight.anomalies == 0);
	}
	CHECK(science > 40000 && science < 80000);
	return 0;
}
