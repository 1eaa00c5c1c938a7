/* What is out of its limits for too long is told to the ground, and some of it acted upon. */
#include "flight.h"

#define STUCK_S 300

struct limits {
	int32_t low, high;
	uint16_t patience_s;
	uint8_t is_safe_mode; /* the spacecraft is made safe */
};

static const struct limits LIMITS[MONITORS] = {
	{ 6700, 8600, 30, 1 },    /* voltage, mV */
	{ -2600, 2600, 60, 0 },   /* current, mA */
	{ -1500, 6000, 120, 0 },  /* first node */
	{ -2000, 5500, 120, 0 },  /* second node */
	{ 0, 0, STUCK_S, 1 },     /* gyros that say the same all the time */
};

static int32_t is_stuck(struct flight *f, const struct sensors *in)
{
	int32_t same = 1;
	int i;

	for (i = 0; i < 3; i++) {
		if (in->rate[i] != f->last_rate[i])
			same = 0;
		f->last_rate[i] = in->rate[i];
	}
	return same;
}

static void trip(struct flight *f, uint8_t which, int32_t value)
{
	uint8_t data[5], *at = data;

	f->monitor[which].is_tripped = 1;
	f->anomalies++;
	at = frames_put(at, which, 1);
	at = frames_put(at, (uint32_t)value, 4);
	store_add(f, KIND_EVENT, data, (uint8_t)(at - data));
	if (which == MONITORS - 1)
		f->has_no_gyro = 1;
	if (LIMITS[which].is_safe_mode)
		modes_enter(f, MODE_SAFE);
}

void monitors_step(struct flight *f, const struct sensors *in)
{
	int32_t value[MONITORS];
	uint8_t i;

	value[0] = in->voltage_mv;
	value[1] = in->current_ma;
	value[2] = in->node[0];
	value[3] = in->node[1];
	value[4] = is_stuck(f, in);
	for (i = 0; i < MONITORS; i++) {
		struct monitor *m = &f->monitor[i];

		if (value[i] >= LIMITS[i].low && value[i] <= LIMITS[i].high) {
			m->beyond_s = 0;
			m->is_tripped = 0;
		} else if (m->beyond_s < LIMITS[i].patience_s) {
			m->beyond_s++;
		} else if (!m->is_tripped) {
			trip(f, i, value[i]);
		}
	}
}
