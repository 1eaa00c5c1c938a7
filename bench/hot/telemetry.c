/* The example's hot loops: a checksum, packets to bytes and back, a controller, a queue, limits. */
#include <telemetry/crc16.h>
#include <telemetry/limits.h>
#include <telemetry/packet.h>
#include <telemetry/pid.h>
#include <telemetry/ring.h>

#include "hot.h"

static uint8_t buffer[16384];
static packet_t packet;
static volatile uint16_t checksum;
static volatile float output;

void set_up(void)
{
	for (size_t i = 0; i < sizeof buffer; i++)
		buffer[i] = (uint8_t)(i * 31U);
	packet.type = PACKET_TELEMETRY;
	packet.group = PACKET_UNSEGMENTED;
	packet.apid = 0x123;
	packet.time_ms = 123456;
	packet.data_len = 40;
	memcpy(packet.data, buffer, packet.data_len);
}

static void checksums(void)
{
	checksum = crc16_compute(buffer, sizeof buffer);
}

static void packets(void)
{
	for (uint16_t i = 0; i < 500; i++) {
		uint8_t bytes[PACKET_MAX_LEN];
		size_t length;
		packet_t decoded;

		packet.sequence = i;
		require(packet_encode(&packet, bytes, sizeof bytes, &length) == PACKET_OK);
		require(packet_decode(bytes, length, &decoded) == PACKET_OK);
		require(decoded.sequence == i);
	}
}

static void controller(void)
{
	static const pid_config_t config = { 2.0f, 0.5f, 0.1f, 0.1f, 0.5f, -10.0f, 10.0f, 20.0f };
	pid_state_t state;
	float measurement = 0.0f;

	pid_reset(&state, 0.0f);
	for (int i = 0; i < 10000; i++) {
		float given = pid_step(&config, &state, 5.0f, measurement);
		measurement += (given - measurement) * 0.01f;
	}
	output = measurement;
}

static void queue(void)
{
	ring_t ring;
	uint8_t frame[32];

	ring_init(&ring);
	for (int i = 0; i < 1000; i++) {
		ring_make_room(&ring, sizeof frame + 1);
		require(ring_push(&ring, buffer, sizeof frame));
		if (i % 2)
			require(ring_pop(&ring, frame, sizeof frame) == sizeof frame);
	}
}

static void monitor(void)
{
	limits_monitor_t state;

	limits_init(&state);
	for (int32_t i = 0; i < 20000; i++)
		limits_sample(&state, (limits_param_t)(i % LIMITS_COUNT), i * 3);
	checksum = state.transitions;
}

const struct loop loops[] = {
	{ "checksum", checksums }, { "packet", packets }, { "controller", controller }, { "queue", queue },
	{ "limits", monitor }, { NULL, NULL }
};
