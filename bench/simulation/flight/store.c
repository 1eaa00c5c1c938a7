/* What waits for the ground: a ring of frames; when it is full the oldest goes. */
#include "flight.h"

#include <string.h>

#define DATA_BYTES (FRAME_BYTES - 10)

/* kind, sequence (2), time (4), how many bytes, the data, padding, checksum (2) */
void store_add(struct flight *f, enum kind kind, const uint8_t *data, uint8_t bytes)
{
	uint8_t *frame, *at;

	if (bytes > DATA_BYTES)
		bytes = DATA_BYTES;
	if (f->frames == STORE_FRAMES) {
		f->first_frame = (uint16_t)((f->first_frame + 1) % STORE_FRAMES);
		f->frames--;
		if (f->to_dump > f->frames)
			f->to_dump = f->frames;
	}
	frame = f->frame[(f->first_frame + f->frames) % STORE_FRAMES];
	memset(frame, 0, FRAME_BYTES);
	at = frames_put(frame, kind, 1);
	at = frames_put(at, f->sequence, 2);
	at = frames_put(at, f->now_s, 4);
	at = frames_put(at, bytes, 1);
	memcpy(at, data, bytes);
	frames_put(frame + FRAME_BYTES - 2, frames_crc(frame, FRAME_BYTES - 2), 2);
	f->sequence++;
	f->frames++;
}

/* The oldest first, one a second, while the transmitter is on. */
void store_send(struct flight *f, struct actuators *out)
{
	if (!out->transmitter || f->to_dump == 0)
		return;
	memcpy(out->downlink, f->frame[f->first_frame], FRAME_BYTES);
	out->downlink_bytes = FRAME_BYTES;
	f->first_frame = (uint16_t)((f->first_frame + 1) % STORE_FRAMES);
	f->frames--;
	f->to_dump--;
}
