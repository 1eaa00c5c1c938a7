/* Commands from the ground: eb 90, function, due time (4), argument (4), checksum (2). Those for later are kept in order. */
#include "flight.h"

#define SYNC 0xeb90
#define COMMAND_BYTES 13

static enum answer execute(struct flight *f, const struct command *c)
{
	switch (c->function) {
	case FUNCTION_MODE:
		if (c->argument < MODE_DETUMBLE || c->argument > MODE_NOMINAL)
			return ANSWER_UNKNOWN;
		modes_enter(f, (enum mode)c->argument);
		return ANSWER_DONE;
	case FUNCTION_HEATER: /* which, and by how much warmer */
		if (c->argument < 0 || c->argument >> 16 > 2)
			return ANSWER_UNKNOWN;
		f->warm_by[c->argument >> 16] = (int16_t)(c->argument & 0xffff);
		return ANSWER_DONE;
	case FUNCTION_IMAGE:
		if (c->argument < 1 || c->argument > 500)
			return ANSWER_UNKNOWN;
		f->lines_left = (uint16_t)c->argument;
		return ANSWER_DONE;
	case FUNCTION_DUMP:
		f->to_dump = c->argument > 0 && c->argument < f->frames ? (uint16_t)c->argument : f->frames;
		return ANSWER_DONE;
	case FUNCTION_CLEAR:
		f->anomalies = 0;
		f->accepted = 0;
		f->rejected = 0;
		f->has_no_gyro = 0;
		return ANSWER_DONE;
	}
	return ANSWER_UNKNOWN;
}

static enum answer keep(struct flight *f, const struct command *c)
{
	uint8_t at;

	if (c->due_s <= f->now_s)
		return ANSWER_LATE;
	if (f->scheduled == SCHEDULE_SLOTS)
		return ANSWER_FULL;
	for (at = f->scheduled; at > 0 && f->schedule[at - 1].due_s > c->due_s; at--)
		f->schedule[at] = f->schedule[at - 1];
	f->schedule[at] = *c;
	f->scheduled++;
	return ANSWER_STORED;
}

static void answer(struct flight *f, uint8_t function, enum answer how)
{
	uint8_t data[2];

	data[0] = function;
	data[1] = (uint8_t)how;
	store_add(f, KIND_ANSWER, data, sizeof data);
	if (how == ANSWER_DONE || how == ANSWER_STORED)
		f->accepted++;
	else
		f->rejected++;
}

enum answer commands_receive(struct flight *f, const uint8_t *frame, uint8_t bytes)
{
	struct command c = { 0, 0, 0 };
	enum answer how;

	if (bytes != COMMAND_BYTES || frames_get(frame, 2) != SYNC || frames_crc(frame, COMMAND_BYTES - 2) != frames_get(frame + 11, 2)) {
		answer(f, 0, ANSWER_BROKEN);
		return ANSWER_BROKEN;
	}
	c.function = frame[2];
	c.due_s = frames_get(frame + 3, 4);
	c.argument = (int32_t)frames_get(frame + 7, 4);
	how = c.due_s ? keep(f, &c) : execute(f, &c);
	answer(f, c.function, how);
	return how;
}

void commands_due(struct flight *f)
{
	uint8_t i;

	while (f->scheduled > 0 && f->schedule[0].due_s <= f->now_s) {
		struct command c = f->schedule[0];

		for (i = 1; i < f->scheduled; i++)
			f->schedule[i - 1] = f->schedule[i];
		f->scheduled--;
		answer(f, c.function, execute(f, &c));
	}
}
