/* The monitors alone, with sensors that drift, jump and stick. */
#include "world.h"

#include <string.h>

static const int LOW[MONITORS] = { 6700, -2600, -1500, -2000, 0 }, HIGH[MONITORS] = { 8600, 2600, 6000, 5500, 0 };
static const int PATIENCE[MONITORS] = { 30, 60, 120, 120, 300 };

int main(void)
{
	static struct world w;
	static struct flight f;
	long t, beyond[MONITORS] = { 0 };
	int told[MONITORS] = { 0 }, trips[MONITORS] = { 0 }, expected = 0, i;
	uint8_t is_gone = 0;
	double drift[4] = { 0.0 };

	world_init(&w, 0.0, 0.8);
	flight_init(&f);
	f.mode = MODE_NOMINAL;
	for (t = 0; t < 7000000; t++) {
		struct sensors before = w.sensors;
		int value[MONITORS], is_safe = 0, now = 0;

		for (i = 0; i < 4; i++)
			drift[i] += 0.08 * world_noise(&w) - 0.0005 * drift[i];
		w.sensors.voltage_mv = 7650 + (int)(1400.0 * drift[0] + 40.0 * world_noise(&w));
		w.sensors.current_ma = (int)(3500.0 * drift[1] + 90.0 * world_noise(&w));
		w.sensors.node[0] = (int16_t)(2250 + (int)(4300.0 * drift[2] + 20.0 * world_noise(&w)));
		w.sensors.node[1] = (int16_t)(1750 + (int)(4300.0 * drift[3] + 20.0 * world_noise(&w)));
		if (t % 5000 >= 600)
			for (i = 0; i < 3; i++)
				w.sensors.rate[i] = (int32_t)(300.0 * world_noise(&w));
		value[0] = w.sensors.voltage_mv;
		value[1] = w.sensors.current_ma;
		value[2] = w.sensors.node[0];
		value[3] = w.sensors.node[1];
		value[4] = memcmp(before.rate, w.sensors.rate, sizeof before.rate) == 0;
		f.now_s++;
		monitors_step(&f, &w.sensors);
		for (i = MONITORS - 1; i >= 0; i--) {
			beyond[i] = value[i] < LOW[i] || value[i] > HIGH[i] ? beyond[i] + 1 : 0;
			told[i] = beyond[i] > PATIENCE[i];
			if (beyond[i] == PATIENCE[i] + 1) {
				const uint8_t *frame = f.frame[(f.first_frame + f.frames - ++now) % STORE_FRAMES];

				trips[i]++;
				CHECK(frame[0] == KIND_EVENT && frame[7] == 5 && frame[8] == i);
				CHECK((int)((uint32_t)frame[9] << 24 | frame[10] << 16 | frame[11] << 8 | frame[12]) == value[i]);
				is_safe |= i == 0 || i == 4;
			}
			CHECK(f.monitor[i].is_tripped == told[i]);
		}
		expected += now;
		CHECK(f.anomalies == (uint16_t)expected);
		CHECK(f.mode == (is_safe ? MODE_SAFE : MODE_NOMINAL));
		is_gone |= (uint8_t)told[4];
		CHECK(f.has_no_gyro == is_gone);
		f.mode = MODE_NOMINAL;
		if (t % 5000 == 3000)
			f.has_no_gyro = is_gone = 0;
	}
	for (i = 0; i < MONITORS; i++)
		CHECK(trips[i] > 3);
	return 0;
}
