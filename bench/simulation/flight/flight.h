/* The software on board: called once a second with what the sensors say, it answers with what the actuators do. */
#ifndef FLIGHT_H
#define FLIGHT_H

#include <stdint.h>

#define FRAME_BYTES 32
#define LINE_PIXELS 16

enum mode { MODE_DETUMBLE, MODE_SAFE, MODE_NOMINAL, MODE_SCIENCE };

struct sensors {
	int32_t rate[3];    /* microradians per second */
	int32_t field[3];   /* nanotesla */
	int16_t node[3];    /* hundredths of a degree Celsius */
	int32_t voltage_mv;
	int32_t current_ma; /* into the battery */
	uint8_t sunlit;
	uint8_t line[LINE_PIXELS]; /* what the camera sees */
	uint8_t uplink[FRAME_BYTES], uplink_bytes;
};

struct actuators {
	int16_t dipole[3];  /* mA m^2 */
	uint8_t heater[3];
	uint8_t payload;
	uint8_t transmitter;
	uint8_t downlink[FRAME_BYTES], downlink_bytes;
};

/* commands.c */
enum function { FUNCTION_MODE = 1, FUNCTION_HEATER, FUNCTION_IMAGE, FUNCTION_DUMP, FUNCTION_CLEAR };
enum answer { ANSWER_NONE, ANSWER_DONE, ANSWER_STORED, ANSWER_BROKEN, ANSWER_UNKNOWN, ANSWER_FULL, ANSWER_LATE };
struct command {
	uint32_t due_s; /* 0: at once */
	uint8_t function;
	int32_t argument;
};

#define SCHEDULE_SLOTS 8
#define STORE_FRAMES 256
#define MONITORS 5

struct monitor {
	uint16_t beyond_s; /* how long the value has been out of its limits */
	uint8_t is_tripped;
};

struct flight {
	uint32_t now_s;
	enum mode mode;
	uint32_t seconds_in_mode;
	/* control.c */
	int32_t last_field[3];
	uint8_t has_field;
	/* power.c */
	int32_t charge_permille;
	int32_t charge_rest; /* mA s that are less than a permille */
	uint16_t dark_s;
	/* heaters.c */
	uint8_t heater[3];
	int16_t warm_by[3]; /* by how much the ground moved each band */
	/* commands.c */
	struct command schedule[SCHEDULE_SLOTS];
	uint8_t scheduled;
	uint16_t accepted, rejected;
	/* store.c */
	uint8_t frame[STORE_FRAMES][FRAME_BYTES];
	uint16_t first_frame, frames, to_dump;
	uint16_t sequence;
	/* camera.c */
	uint16_t lines_left;
	/* monitors.c */
	struct monitor monitor[MONITORS];
	int32_t last_rate[3];
	uint8_t has_no_gyro;
	uint16_t anomalies;
};

void flight_init(struct flight *f);
void flight_step(struct flight *f, const struct sensors *in, struct actuators *out);

/* modes.c */
void modes_enter(struct flight *f, enum mode mode);

/* control.c */
int32_t control_spin(const struct flight *f, const struct sensors *in);
void control_detumble(const struct flight *f, const struct sensors *in, struct actuators *out);
void control_hold(const struct sensors *in, struct actuators *out);
void control_remember(struct flight *f, const struct sensors *in);

/* power.c */
void power_account(struct flight *f, const struct sensors *in);
int power_allows_payload(const struct flight *f, const struct sensors *in);
int power_is_critical(const struct flight *f, const struct sensors *in);

/* heaters.c */
void heaters_step(struct flight *f, const struct sensors *in, struct actuators *out);

/* commands.c */
enum answer commands_receive(struct flight *f, const uint8_t *frame, uint8_t bytes);
void commands_due(struct flight *f);

/* frames.c */
uint16_t frames_crc(const uint8_t *bytes, uint8_t count);
uint8_t *frames_put(uint8_t *to, uint32_t value, uint8_t bytes);
uint32_t frames_get(const uint8_t *from, uint8_t bytes);

/* store.c */
enum kind { KIND_HOUSEKEEPING = 1, KIND_IMAGE, KIND_ANSWER, KIND_EVENT };
void store_add(struct flight *f, enum kind kind, const uint8_t *data, uint8_t bytes);
void store_send(struct flight *f, struct actuators *out);

/* telemetry.c */
void telemetry_step(struct flight *f, const struct sensors *in, const struct actuators *out);

/* camera.c */
void camera_step(struct flight *f, const struct sensors *in, const struct actuators *out);

/* monitors.c */
void monitors_step(struct flight *f, const struct sensors *in);

#endif
