/* Which mode the spacecraft is in, and what is on in it. */
#include "flight.h"

#include <string.h>

#define SPIN_HIGH 30000 /* microradians per second */
#define SPIN_LOW 8000
#define SETTLED_S 120
#define SCIENCE_S 5400

void flight_init(struct flight *f)
{
	memset(f, 0, sizeof *f);
	f->mode = MODE_DETUMBLE;
	f->charge_permille = 800;
}

static void enter(struct flight *f, enum mode mode)
{
	f->mode = mode;
	f->seconds_in_mode = 0;
}

static void choose_mode(struct flight *f, const struct sensors *in)
{
	int32_t spin = control_spin(in);

	if (power_is_critical(f, in) && f->mode != MODE_SAFE) {
		f->anomalies++;
		enter(f, MODE_SAFE);
		return;
	}
	switch (f->mode) {
	case MODE_DETUMBLE:
		if (spin < SPIN_LOW && f->seconds_in_mode > SETTLED_S)
			enter(f, MODE_SAFE);
		break;
	case MODE_SAFE:
		if (spin > SPIN_HIGH)
			enter(f, MODE_DETUMBLE);
		else if (f->charge_permille > 700 && f->seconds_in_mode > SETTLED_S)
			enter(f, MODE_NOMINAL);
		break;
	case MODE_NOMINAL:
		if (spin > SPIN_HIGH) {
			f->anomalies++;
			enter(f, MODE_DETUMBLE);
		} else if (power_allows_payload(f, in) && f->seconds_in_mode > SETTLED_S) {
			enter(f, MODE_SCIENCE);
		}
		break;
	case MODE_SCIENCE:
		if (spin > SPIN_HIGH) {
			f->anomalies++;
			enter(f, MODE_DETUMBLE);
		} else if (!power_allows_payload(f, in) || f->seconds_in_mode > SCIENCE_S) {
			enter(f, MODE_NOMINAL);
		}
		break;
	}
}

void flight_step(struct flight *f, const struct sensors *in, struct actuators *out)
{
	memset(out, 0, sizeof *out);
	power_account(f, in);
	choose_mode(f, in);
	f->seconds_in_mode++;
	if (f->mode == MODE_DETUMBLE)
		control_detumble(f, in, out);
	else
		control_hold(in, out);
	heaters_step(f, in, out);
	out->payload = f->mode == MODE_SCIENCE;
	out->transmitter = f->mode == MODE_NOMINAL && f->charge_permille > 500;
}
