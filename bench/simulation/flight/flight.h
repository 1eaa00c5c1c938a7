/* The software on board: called once a second with what the sensors say, it answers with what the actuators do. */
#ifndef FLIGHT_H
#define FLIGHT_H

#include <stdint.h>

enum mode { MODE_DETUMBLE, MODE_SAFE, MODE_NOMINAL, MODE_SCIENCE };

struct sensors {
	int32_t rate[3];    /* microradians per second */
	int32_t field[3];   /* nanotesla */
	int16_t node[3];    /* hundredths of a degree Celsius */
	int32_t voltage_mv;
	int32_t current_ma; /* into the battery */
	uint8_t sunlit;
};

struct actuators {
	int16_t dipole[3];  /* mA m^2 */
	uint8_t heater[3];
	uint8_t payload;
	uint8_t transmitter;
};

struct flight {
	enum mode mode;
	uint32_t seconds_in_mode;
	int32_t last_field[3];
	uint8_t has_field;
	int32_t charge_permille;
	int32_t charge_rest; /* mA s that are less than a permille */
	uint16_t dark_s;
	uint8_t heater[3];
	uint16_t anomalies;
};

void flight_init(struct flight *f);
void flight_step(struct flight *f, const struct sensors *in, struct actuators *out);

/* control.c */
int32_t control_spin(const struct sensors *in);
void control_detumble(struct flight *f, const struct sensors *in, struct actuators *out);
void control_hold(const struct sensors *in, struct actuators *out);

/* power.c */
void power_account(struct flight *f, const struct sensors *in);
int power_allows_payload(const struct flight *f, const struct sensors *in);
int power_is_critical(const struct flight *f, const struct sensors *in);

/* heaters.c */
void heaters_step(struct flight *f, const struct sensors *in, struct actuators *out);

#endif
