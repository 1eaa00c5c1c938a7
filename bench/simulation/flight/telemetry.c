/* How the spacecraft is, every ten minutes. */
#include "flight.h"

#define PERIOD_S 600

static uint8_t switches(const struct actuators *out)
{
	uint8_t bits = 0, i;

	for (i = 0; i < 3; i++)
		bits |= (uint8_t)(out->heater[i] << i);
	bits |= (uint8_t)(out->payload << 3);
	bits |= (uint8_t)(out->transmitter << 4);
	return bits;
}

void telemetry_step(struct flight *f, const struct sensors *in, const struct actuators *out)
{
	uint8_t data[16], *at = data, i;

	if (f->now_s % PERIOD_S != 0)
		return;
	at = frames_put(at, f->mode, 1);
	at = frames_put(at, switches(out), 1);
	at = frames_put(at, (uint32_t)f->charge_permille, 2);
	at = frames_put(at, (uint32_t)in->voltage_mv, 2);
	for (i = 0; i < 3; i++)
		at = frames_put(at, (uint32_t)in->node[i], 2);
	at = frames_put(at, f->anomalies, 2);
	at = frames_put(at, (uint32_t)f->accepted << 4 | (f->rejected & 15), 2);
	store_add(f, KIND_HOUSEKEEPING, data, (uint8_t)(at - data));
}
