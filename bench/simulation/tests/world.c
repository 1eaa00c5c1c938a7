#include "world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double INERTIA[3] = { 0.021, 0.024, 0.011 };
#define STEPS 200
#define CAPACITY_AS 7200.0

void world_check(int holds, const char *what, const char *file, int line)
{
	if (holds)
		return;
	printf("%s:%d: does not hold: %s\n", file, line, what);
	exit(1);
}

unsigned world_checksum(const uint8_t *bytes, int count)
{
	unsigned crc = 0xffff;
	int bit;

	for (bit = 0; bit < 8 * count; bit++) {
		unsigned in = (bytes[bit / 8] >> (7 - bit % 8)) & 1u, out = (crc >> 15) & 1u;

		crc = ((crc << 1) & 0xffff) ^ (in ^ out ? 0x1021 : 0);
	}
	return crc;
}

void world_init(struct world *w, double rate, double charge)
{
	memset(w, 0, sizeof *w);
	w->rate[0] = rate;
	w->rate[1] = -0.6 * rate;
	w->rate[2] = 0.4 * rate;
	w->body[0] = w->body[4] = w->body[8] = 1.0;
	w->node[0] = w->node[1] = w->node[2] = 278.0;
	w->charge_as = charge * CAPACITY_AS;
	w->panel_a = 2.6;
	w->is_sunlit = 1;
}

double world_noise(struct world *w)
{
	double sum = -6.0;
	int i;

	for (i = 0; i < 12; i++) {
		w->seed = w->seed * 1664525u + 1013904223u;
		sum += w->seed / 4294967296.0;
	}
	return sum / 6.0;
}

static void turn(double *m, const double *rate, double dt)
{
	double d[9];
	int i;

	for (i = 0; i < 3; i++) {
		d[i] = m[i] + dt * (rate[2] * m[3 + i] - rate[1] * m[6 + i]);
		d[3 + i] = m[3 + i] + dt * (rate[0] * m[6 + i] - rate[2] * m[i]);
		d[6 + i] = m[6 + i] + dt * (rate[1] * m[i] - rate[0] * m[3 + i]);
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

void world_turn(struct world *w, const struct actuators *a)
{
	double dt = 1.0 / STEPS, phase = 1.1e-3 * w->t;
	double inertial[3] = { 2.6e-5 * cos(phase), 0.7e-5, 4.9e-5 * sin(phase) }, field[3] = { 0.0 };
	int step, i;

	for (step = 0; step < STEPS; step++) {
		for (i = 0; i < 3; i++)
			field[i] = w->body[3 * i] * inertial[0] + w->body[3 * i + 1] * inertial[1] + w->body[3 * i + 2] * inertial[2];
		for (i = 0; i < 3; i++) {
			int j = (i + 1) % 3, k = (i + 2) % 3;
			double torque = 1e-3 * (a->dipole[j] * field[k] - a->dipole[k] * field[j]);

			torque -= (INERTIA[k] - INERTIA[j]) * w->rate[j] * w->rate[k];
			w->rate[i] += torque / INERTIA[i] * dt;
		}
		turn(w->body, w->rate, dt);
	}
	orthogonal(w->body);
	for (i = 0; i < 3; i++) {
		if (!w->is_gyro_stuck)
			w->sensors.rate[i] = (int32_t)(w->rate[i] * 1e6 + 4.0 * world_noise(w));
		w->sensors.field[i] = (int32_t)(field[i] * 1e9);
	}
}

void world_warm(struct world *w, const struct actuators *a)
{
	double dt = 1.0 / STEPS, sun = w->is_sunlit ? 17.0 : 0.0;
	int step, i;

	for (step = 0; step < STEPS; step++)
		for (i = 0; i < 3; i++) {
			double k = w->node[i];

			w->node[i] += dt * (sun + 12.5 * a->heater[i] - 2.0e-9 * k * k * k * k) / (300.0 + 200.0 * i);
		}
	for (i = 0; i < 3; i++)
		w->sensors.node[i] = (int16_t)((w->node[i] - 273.15) * 100.0);
}

void world_charge(struct world *w, const struct actuators *a)
{
	double load = 0.5 + 0.3 * (a->heater[0] + a->heater[1] + a->heater[2]) + 0.7 * a->payload + 0.5 * a->transmitter;
	double into = 0.0, dt = 1.0 / STEPS;
	int step;

	for (step = 0; step < STEPS; step++) {
		double full = w->charge_as / CAPACITY_AS;

		into = ((w->is_sunlit ? w->panel_a : 0.0) - load) * (full > 0.99 ? 100.0 * (1.0 - full) : 1.0);
		w->charge_as += into * dt;
		w->charge_as = w->charge_as < 0.0 ? 0.0 : w->charge_as;
	}
	w->sensors.current_ma = (int32_t)(into * 1000.0);
	w->sensors.voltage_mv = (int32_t)(6200.0 + 2200.0 * w->charge_as / CAPACITY_AS);
}

void world_pass(struct world *w)
{
	w->t += 1.0;
	w->is_sunlit = fmod(w->t, 5700.0) < 3600.0;
	w->sensors.sunlit = (uint8_t)w->is_sunlit;
}
