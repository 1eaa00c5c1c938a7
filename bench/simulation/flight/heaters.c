/* Three heaters, each with its own band, not all at once when the battery is low. */
#include "flight.h"

static const int16_t ON_BELOW[3] = { 200, 0, -500 };
static const int16_t OFF_ABOVE[3] = { 500, 300, -100 };

void heaters_step(struct flight *f, const struct sensors *in, struct actuators *out)
{
	int most = f->charge_permille > 400 ? 3 : 1, on = 0, i;

	for (i = 0; i < 3; i++) {
		int16_t node = (int16_t)(in->node[i] - f->warm_by[i]);

		if (node < ON_BELOW[i])
			f->heater[i] = 1;
		else if (node > OFF_ABOVE[i])
			f->heater[i] = 0;
		out->heater[i] = f->heater[i] && on < most;
		on += out->heater[i];
	}
}
