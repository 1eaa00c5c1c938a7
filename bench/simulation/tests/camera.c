/* Lines of a scene over which the camera flies, as they are on board and as the ground decodes them. */
#include "world.h"

#include <math.h>
#include <string.h>

#define LINES 66000

/* Land, sea and clouds; the night is dark but for the noise. */
static void look(struct world *w, long line, uint8_t *pixels)
{
	int i, k;

	for (i = 0; i < LINE_PIXELS; i++) {
		double height = 0.0, x = 0.05 * i, y = 0.011 * (double)line;

		for (k = 1; k < 40; k++)
			height += sin(x * k + 0.3 * k * k) * cos(y * k + k) / k;
		pixels[i] = (uint8_t)(!w->is_sunlit ? 2.0 + 1.9 * world_noise(w) : height > 0.4 ? 200 : height > 0.0 ? 90 + (int)(40 * height) : 10);
	}
}

static void decode(const uint8_t *data, int bytes, uint8_t *line)
{
	int pixels = 0, i, j;

	if (bytes == LINE_PIXELS) {
		memcpy(line, data, LINE_PIXELS);
		return;
	}
	CHECK(bytes < LINE_PIXELS && bytes % 2 == 0);
	for (i = 0; i < bytes; i += 2)
		for (j = 0; j < data[i]; j++) {
			CHECK(pixels < LINE_PIXELS);
			line[pixels++] = data[i + 1];
		}
	CHECK(pixels == LINE_PIXELS);
}

int main(void)
{
	static struct world w;
	static struct flight f;
	struct actuators a = { 0 };
	uint8_t expected[LINE_PIXELS], line[LINE_PIXELS];
	long t, plain = 0, short_ones = 0;
	int i;

	world_init(&w, 0.0, 0.8);
	for (t = 0; t < LINES; t++) {
		uint16_t sequence = f.sequence;

		world_pass(&w);
		look(&w, t, w.sensors.line);
		a.payload = t % 10 != 0;
		if (t % 500 == 1)
			f.lines_left = 400;
		camera_step(&f, &w.sensors, &a);
		if (!a.payload || t % 500 == 0 || f.sequence == sequence) {
			CHECK(f.sequence == sequence);
			CHECK(!a.payload || f.lines_left == 0);
			continue;
		}
		CHECK(f.sequence == (uint16_t)(sequence + 1) && f.frames == 1);
		decode(f.frame[f.first_frame] + 8, f.frame[f.first_frame][7], line);
		for (i = 0; i < LINE_PIXELS; i++)
			expected[i] = w.sensors.line[i] < 4 ? 0 : w.sensors.line[i];
		if (f.frame[f.first_frame][7] == LINE_PIXELS)
			memcpy(expected, w.sensors.line, LINE_PIXELS);
		CHECK(memcmp(line, expected, LINE_PIXELS) == 0);
		plain += f.frame[f.first_frame][7] == LINE_PIXELS;
		short_ones += f.frame[f.first_frame][7] == 2;
		f.frames = 0;
	}
	CHECK(plain > 100 && plain < 20000 && short_ones > 3000);
	return 0;
}
