/* Lines of the camera, run-length coded: how many, which value; dark noise counts as black. */
#include "flight.h"

#define NOISE 4

static uint8_t cleaned(uint8_t pixel)
{
	return pixel < NOISE ? 0 : pixel;
}

static uint8_t coded(const uint8_t *line, uint8_t *to)
{
	uint8_t i = 0, bytes = 0;

	while (i < LINE_PIXELS) {
		uint8_t value = cleaned(line[i]), run = 1;

		while (i + run < LINE_PIXELS && cleaned(line[i + run]) == value)
			run++;
		to[bytes++] = run;
		to[bytes++] = value;
		i = (uint8_t)(i + run);
	}
	return bytes;
}

void camera_step(struct flight *f, const struct sensors *in, const struct actuators *out)
{
	uint8_t data[2 * LINE_PIXELS], bytes;

	if (!out->payload || f->lines_left == 0)
		return;
	f->lines_left--;
	bytes = coded(in->line, data);
	if (bytes >= LINE_PIXELS) /* not shorter than it was: as it is */
		store_add(f, KIND_IMAGE, in->line, LINE_PIXELS);
	else
		store_add(f, KIND_IMAGE, data, bytes);
}
