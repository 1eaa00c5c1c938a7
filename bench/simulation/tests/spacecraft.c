#include "spacecraft.h"

#include <math.h>
#include <string.h>

static const double INERTIA[3] = { 0.021, 0.024, 0.011 };
#define STEPS 200
#define CAPACITY_AS 7200.0

void spacecraft_init(struct spacecraft *s, double rate, double charge)
{
	memset(s, 0, sizeof *s);
	s->rate[0] = rate;
	s->rate[1] = -0.6 * rate;
	s->rate[2] = 0.4 * rate;
	s->body[0] = s->body[4] = s->body[8] = 1.0;
	s->node[0] = s->node[1] = s->node[2] = 278.0;
	s->charge_as = charge * CAPACITY_AS;
	s->panel_a = 2.6;
}

static void turn(double *m, const double *w, double dt)
{
	double d[9];
	int i;

	for (i = 0; i < 3; i++) {
		d[i] = m[i] + dt * (w[2] * m[3 + i] - w[1] * m[6 + i]);
		d[3 + i] = m[3 + i] + dt * (w[0] * m[6 + i] - w[2] * m[i]);
		d[6 + i] = m[6 + i] + dt * (w[1] * m[i] - w[0] * m[3 + i]);
	}
	memcpy(m, d, sizeof d);
}

static void orthogonal(double *m)
{
	int r, i;

	for (r = 0; r < 9; r += 3) {
		double n = 1.0 / sqrt(m[r] * m[r] + m[r + 1] * m[r + 1] + m[r + 2] * m[r + 2]);

		for (i = 0; i < 3; i++)
			m[r + i] *= n;
	}
}

void spacecraft_second(struct spacecraft *s, const struct actuators *a)
{
	double dt = 1.0 / STEPS, phase = 1.1e-3 * s->t, load, into;
	double inertial[3] = { 2.6e-5 * cos(phase), 0.7e-5, 4.9e-5 * sin(phase) }, field[3];
	int sunlit = fmod(s->t, 5700.0) < 3600.0, step, i;

	for (step = 0; step < STEPS; step++) {
		for (i = 0; i < 3; i++)
			field[i] = s->body[3 * i] * inertial[0] + s->body[3 * i + 1] * inertial[1] + s->body[3 * i + 2] * inertial[2];
		for (i = 0; i < 3; i++) {
			int j = (i + 1) % 3, k = (i + 2) % 3;
			double torque = 1e-3 * (a->dipole[j] * field[k] - a->dipole[k] * field[j]);

			torque -= (INERTIA[k] - INERTIA[j]) * s->rate[j] * s->rate[k];
			s->rate[i] += torque / INERTIA[i] * dt;
		}
		turn(s->body, s->rate, dt);
		for (i = 0; i < 3; i++) {
			double k = s->node[i], sun = sunlit ? 17.0 : 0.0;

			s->node[i] += dt * (sun + 5.0 * a->heater[i] - 2.0e-9 * k * k * k * k) / (300.0 + 200.0 * i);
		}
	}
	orthogonal(s->body);
	load = 0.5 + 0.3 * (a->heater[0] + a->heater[1] + a->heater[2]) + 0.7 * a->payload + 0.5 * a->transmitter;
	into = (sunlit ? s->panel_a : 0.0) - load;
	s->charge_as += into;
	s->charge_as = s->charge_as > CAPACITY_AS ? CAPACITY_AS : s->charge_as < 0 ? 0 : s->charge_as;
	s->t += 1.0;
	for (i = 0; i < 3; i++) {
		s->sensors.rate[i] = (int32_t)(s->rate[i] * 1e6);
		s->sensors.field[i] = (int32_t)(field[i] * 1e9);
		s->sensors.node[i] = (int16_t)((s->node[i] - 273.15) * 100.0);
	}
	s->sensors.current_ma = (int32_t)(into * 1000.0);
	s->sensors.voltage_mv = (int32_t)(6200.0 + 2200.0 * s->charge_as / CAPACITY_AS);
	s->sensors.sunlit = (uint8_t)sunlit;
}
