/* Magnetic control of the attitude. */
#include "flight.h"

#define DIPOLE_LIMIT 400
#define DETUMBLE_GAIN 30
#define HOLD_GAIN 3

static int16_t limited(int32_t value)
{
	if (value > DIPOLE_LIMIT)
		return DIPOLE_LIMIT;
	if (value < -DIPOLE_LIMIT)
		return -DIPOLE_LIMIT;
	return (int16_t)value;
}

static int32_t magnitude(int32_t value)
{
	return value < 0 ? -value : value;
}

/* The largest component: cheap, and within a factor of two of the norm. Without gyros, what the field tells. */
int32_t control_spin(const struct flight *f, const struct sensors *in)
{
	int32_t most = 0;
	int i;

	for (i = 0; i < 3; i++) {
		int32_t rate = magnitude(f->has_no_gyro ? (in->field[i] - f->last_field[i]) * 20 : in->rate[i]);

		if (rate > most)
			most = rate;
	}
	return most;
}

/* Against the change of the field, which is what the turning makes of it. */
void control_detumble(const struct flight *f, const struct sensors *in, struct actuators *out)
{
	int i;

	for (i = 0; i < 3; i++) {
		int32_t change = in->field[i] - f->last_field[i];

		out->dipole[i] = f->has_field ? limited(-change * DETUMBLE_GAIN / 100) : 0;
	}
}

/* Torque against the remaining rate, across the field. */
void control_hold(const struct sensors *in, struct actuators *out)
{
	int i;

	for (i = 0; i < 3; i++) {
		int j = (i + 1) % 3, k = (i + 2) % 3;
		int64_t cross = (int64_t)in->field[j] * in->rate[k] - (int64_t)in->field[k] * in->rate[j];

		out->dipole[i] = limited((int32_t)(-cross * HOLD_GAIN / 10000000));
	}
}

void control_remember(struct flight *f, const struct sensors *in)
{
	int i;

	for (i = 0; i < 3; i++)
		f->last_field[i] = in->field[i];
	f->has_field = 1;
}
