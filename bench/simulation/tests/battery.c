/* The battery's account alone, over many orbits: never far from the truth, and what it allows. */
#include "world.h"

#include <stdlib.h>

int main(void)
{
	static struct world w;
	static struct flight f;
	struct actuators a = { 0 };
	long t, dark = 0, payload = 0;

	world_init(&w, 0.0, 0.8);
	f.charge_permille = 800;
	for (t = 0; t < 900000; t++) {
		int charge, allows;

		w.panel_a = t > 400000 && t < 408000 ? 0.5 : 2.6;
		world_charge(&w, &a);
		world_pass(&w);
		power_account(&f, &w.sensors);
		charge = f.charge_permille;
		CHECK(charge >= 0 && charge <= 1000);
		CHECK(abs(charge - (int)(w.charge_as / 7.2)) <= 30);
		dark = w.is_sunlit ? 0 : dark + 1;
		allows = power_allows_payload(&f, &w.sensors);
		CHECK(allows == (charge > 600 && w.sensors.voltage_mv > 6900 && dark < 600));
		CHECK(power_is_critical(&f, &w.sensors) == (charge < 250 || w.sensors.voltage_mv < 6500));
		a.payload = (uint8_t)allows;
		a.heater[0] = (uint8_t)(dark > 300);
		payload += allows;
	}
	CHECK(payload > 200000);
	return 0;
}
