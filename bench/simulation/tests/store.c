/* What is stored comes down, whole, in order, as it was; when the store is full the oldest is lost. */
#include "world.h"

#include <string.h>

#define SECONDS 400000

struct truth {
	uint32_t when;
	int mode, charge_permille, voltage_mv, node[3], switches, anomalies;
};

static uint32_t number(const uint8_t *frame, int at, int bytes)
{
	uint32_t value = 0;
	int i;

	for (i = 0; i < bytes; i++)
		value = value << 8 | frame[at + i];
	return value;
}

static void compare(const uint8_t *frame, const struct truth *t)
{
	int i;

	CHECK(world_checksum(frame, FRAME_BYTES - 2) == number(frame, FRAME_BYTES - 2, 2));
	CHECK(frame[0] == KIND_HOUSEKEEPING && number(frame, 3, 4) == t->when && frame[7] == 16);
	CHECK(frame[8] == t->mode && frame[9] == t->switches);
	CHECK((int16_t)number(frame, 10, 2) == t->charge_permille);
	CHECK((int16_t)number(frame, 12, 2) == t->voltage_mv);
	for (i = 0; i < 3; i++)
		CHECK((int16_t)number(frame, 14 + 2 * i, 2) == t->node[i]);
	CHECK((int)number(frame, 20, 2) == t->anomalies);
	CHECK(number(frame, 22, 2) == 0x123);
}

int main(void)
{
	static struct world w;
	static struct flight f;
	static struct truth told[SECONDS / 600 + 1];
	struct actuators a = { 0 };
	int count = 0, next = 0, received = 0, i;
	uint32_t before = 0;

	world_init(&w, 0.0, 0.8);
	flight_init(&f);
	f.accepted = 0x12;
	f.rejected = 0x43;
	while (f.now_s < SECONDS) {
		world_warm(&w, &a);
		world_charge(&w, &a);
		world_pass(&w);
		f.now_s++;
		f.mode = (enum mode)(f.now_s / 600 % 4);
		f.charge_permille = (int)(w.charge_as / 7.2);
		f.anomalies = (uint16_t)(f.now_s / 3);
		memset(&a, 0, sizeof a);
		for (i = 0; i < 3; i++)
			a.heater[i] = (uint8_t)(f.now_s / (600u << i) % 2);
		a.payload = f.mode == MODE_SCIENCE;
		a.transmitter = f.mode == MODE_NOMINAL;
		telemetry_step(&f, &w.sensors, &a);
		if (f.now_s % 600 == 0) {
			struct truth t = { f.now_s, (int)f.mode, f.charge_permille, w.sensors.voltage_mv,
				           { w.sensors.node[0], w.sensors.node[1], w.sensors.node[2] },
				           a.heater[0] | a.heater[1] << 1 | a.heater[2] << 2 | a.payload << 3 | a.transmitter << 4,
				           f.anomalies };

			told[count++] = t;
			next = count - next > STORE_FRAMES ? count - STORE_FRAMES : next;
		}
		CHECK(f.frames == count - next);
		if (f.now_s == 20000 || f.now_s == 300000)
			f.to_dump = f.now_s == 20000 ? 10 : 250;
		store_send(&f, &a);
		if (a.downlink_bytes == 0)
			continue;
		CHECK(a.transmitter && a.downlink_bytes == FRAME_BYTES);
		compare(a.downlink, &told[next++]);
		CHECK(received == 0 || number(a.downlink, 1, 2) > before);
		before = number(a.downlink, 1, 2);
		received++;
	}
	CHECK(received == 260 && f.to_dump == 0 && f.frames == count - next);
	return 0;
}
