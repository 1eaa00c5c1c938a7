/* Commands over a noisy channel, sample by sample: what arrives broken is refused, what arrives whole is followed when due. */
#include "world.h"

#include <math.h>
#include <string.h>

#define SAMPLES 200 /* of each bit */
#define FRAMES 2600

static void write_command(uint8_t *frame, uint8_t function, uint32_t due_s, uint32_t argument)
{
	unsigned crc, i;

	frame[0] = 0xeb;
	frame[1] = 0x90;
	frame[2] = function;
	for (i = 0; i < 4; i++) {
		frame[3 + i] = (uint8_t)(due_s >> (24 - 8 * i));
		frame[7 + i] = (uint8_t)(argument >> (24 - 8 * i));
	}
	crc = world_checksum(frame, 11);
	frame[11] = (uint8_t)(crc >> 8);
	frame[12] = (uint8_t)crc;
}

/* Phase shift keying with noise, and a receiver that adds up. */
static void transmit(struct world *w, const uint8_t *sent, uint8_t *received)
{
	int bit, i;

	memset(received, 0, 13);
	for (bit = 0; bit < 8 * 13; bit++) {
		double phase = (sent[bit / 8] >> (7 - bit % 8)) & 1 ? 0.0 : 3.14159265358979, sum = 0.0;

		for (i = 0; i < SAMPLES; i++) {
			double carrier = 0.7 * i;

			sum += (cos(carrier + phase) + 19.0 * world_noise(w)) * cos(carrier);
		}
		if (sum > 0)
			received[bit / 8] |= (uint8_t)(1 << (7 - bit % 8));
	}
}

/* What a command does, from the document. */
static int is_allowed(uint8_t function, int32_t argument)
{
	switch (function) {
	case FUNCTION_MODE:
		return argument >= MODE_DETUMBLE && argument <= MODE_NOMINAL;
	case FUNCTION_HEATER:
		return argument >= 0 && argument < 3 << 16;
	case FUNCTION_IMAGE:
		return argument >= 1 && argument <= 500;
	}
	return function == FUNCTION_DUMP || function == FUNCTION_CLEAR;
}

static void check_done(const struct flight *f, uint8_t function, int32_t argument)
{
	switch (function) {
	case FUNCTION_MODE:
		CHECK((int32_t)f->mode == argument && f->seconds_in_mode == 0);
		break;
	case FUNCTION_HEATER:
		CHECK(f->warm_by[argument >> 16] == (int16_t)argument);
		break;
	case FUNCTION_IMAGE:
		CHECK(f->lines_left == argument);
		break;
	case FUNCTION_CLEAR:
		CHECK(f->anomalies == 0 && f->accepted <= 1 && f->rejected == 0);
		break;
	}
}

int main(void)
{
	static struct world w;
	static struct flight f;
	struct command waiting[SCHEDULE_SLOTS];
	int kept = 0, broken = 0, followed = 0, late = 0, full = 0, n, i;

	world_init(&w, 0.0, 0.8);
	flight_init(&f);
	f.now_s = 1000;
	for (n = 0; n < FRAMES; n++) {
		uint8_t sent[13], received[13], function = (uint8_t)(n * 7 % 8);
		int32_t argument = n % 5 ? n * 37 % 530 - 10 : (n % 4) << 16 | n % 900;
		uint32_t due_s = n % 3 ? 0 : f.now_s + (uint32_t)(n * 11 % 90);
		enum answer how;

		if (function == FUNCTION_MODE)
			argument = n % 6 - 1;
		write_command(sent, function, due_s, (uint32_t)argument);
		transmit(&w, sent, received);
		how = commands_receive(&f, received, 13);
		if (memcmp(sent, received, 13) != 0) {
			CHECK(how == ANSWER_BROKEN);
			broken++;
		} else if (due_s == 0) {
			CHECK(how == (is_allowed(function, argument) ? ANSWER_DONE : ANSWER_UNKNOWN));
			if (how == ANSWER_DONE)
				check_done(&f, function, argument);
			followed += how == ANSWER_DONE;
		} else if (due_s <= f.now_s) {
			CHECK(how == ANSWER_LATE);
			late++;
		} else if (kept == SCHEDULE_SLOTS) {
			CHECK(how == ANSWER_FULL);
			full++;
		} else {
			CHECK(how == ANSWER_STORED);
			for (i = kept; i > 0 && waiting[i - 1].due_s > due_s; i--)
				waiting[i] = waiting[i - 1];
			waiting[i].due_s = due_s;
			waiting[i].function = function;
			waiting[i].argument = argument;
			kept++;
		}
		CHECK(f.scheduled == kept);
		f.now_s++;
		f.seconds_in_mode = f.now_s;
		commands_due(&f);
		while (kept > 0 && waiting[0].due_s <= f.now_s) {
			struct command c = waiting[0];

			kept--;
			memmove(waiting, waiting + 1, (size_t)kept * sizeof waiting[0]);
			if (is_allowed(c.function, c.argument) && (kept == 0 || waiting[0].due_s > f.now_s))
				check_done(&f, c.function, c.argument);
		}
		CHECK(f.scheduled == kept);
		for (i = 0; i < kept; i++)
			CHECK(f.schedule[i].due_s == waiting[i].due_s && f.schedule[i].argument == waiting[i].argument);
	}
	CHECK(broken > 100 && followed > 300 && late > 5 && full > 100);
	return 0;
}
