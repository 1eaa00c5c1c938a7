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

void modes_enter(struct flight *f, enum mode mode)
{
	f->mode = mode;
	f->seconds_in_mode = 0;
}

static void back_to_detumble(struct flight *f)
{
	f->anomalies++;
	modes_enter(f, MODE_DETUMBLE);
}

static void choose_mode(struct flight *f, const struct sensors *in)
{
	int32_t spin = control_spin(f, in);

	if (power_is_critical(f, in) && f->mode != MODE_SAFE) {
		f->anomalies++;
		modes_enter(f, MODE_SAFE);
		return;
	}
	switch (f->mode) {
	case MODE_DETUMBLE:
		if (spin < SPIN_LOW && f->seconds_in_mode > SETTLED_S)
			modes_enter(f, MODE_SAFE);
		break;
	case MODE_SAFE:
		if (spin > SPIN_HIGH)
			back_to_detumble(f);
		else if (f->charge_permille > 700 && f->seconds_in_mode > SETTLED_S && !f->has_no_gyro)
			modes_enter(f, MODE_NOMINAL);
		break;
	case MODE_NOMINAL:
		if (spin > SPIN_HIGH)
			back_to_detumble(f);
		else if (power_allows_payload(f, in) && f->seconds_in_mode > SETTLED_S && !f->to_dump)
			modes_enter(f, MODE_SCIENCE);
		break;
	case MODE_SCIENCE:
		if (spin > SPIN_HIGH)
			back_to_detumble(f);
		else if (!power_allows_payload(f, in) || f->seconds_in_mode > SCIENCE_S || f->to_dump)
			modes_enter(f, MODE_NOMINAL);
		break;
	}
}

void flight_step(struct flight *f, const struct sensors *in, struct actuators *out)
{
	memset(out, 0, sizeof *out);
	f->now_s++;
	power_account(f, in);
	monitors_step(f, in);
	if (in->uplink_bytes > 0)
		commands_receive(f, in->uplink, in->uplink_bytes);
	commands_due(f);
	choose_mode(f, in);
	f->seconds_in_mode++;
	if (f->mode == MODE_DETUMBLE || f->has_no_gyro)
		control_detumble(f, in, out);
	else
		control_hold(in, out);
	control_remember(f, in);
	heaters_step(f, in, out);
	out->payload = f->mode == MODE_SCIENCE;
	out->transmitter = f->mode == MODE_NOMINAL && f->charge_permille > 500;
	camera_step(f, in, out);
	telemetry_step(f, in, out);
	store_send(f, out);
}
