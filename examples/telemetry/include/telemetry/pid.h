/**
 * @file pid.h
 * One step of a PID controller in single precision: filtered derivative on
 * the measurement, clamped integrator, limits on the output and on its slope.
 */
#ifndef TELEMETRY_PID_H
#define TELEMETRY_PID_H

#include <stdbool.h>

/** Tuning, constant in flight. */
typedef struct {
    float kp;
    float ki;         /**< Per second. */
    float kd;         /**< Seconds. */
    float period_s;   /**< Time between two steps. */
    float filter;     /**< Share of the new slope, above 0 and up to 1. */
    float out_min;
    float out_max;
    float slew_per_s; /**< Largest change of the output; 0 for no limit. */
} pid_config_t;

typedef struct {
    float integral;
    float slope;            /**< Filtered slope of the measurement. */
    float last_measurement;
    float output;
    bool primed;            /**< A measurement has been seen. */
    bool saturated;         /**< The last output was limited. */
} pid_state_t;

/** Whether the numbers make sense; to be asked once at start-up. */
bool pid_config_valid(const pid_config_t *config);

/** Forgets all history; the next step has no derivative part. */
void pid_reset(pid_state_t *state, float output);

/** One control period; returns the new output. An impossible measurement
 *  holds the output. */
float pid_step(const pid_config_t *config, pid_state_t *state, float setpoint,
               float measurement);

#endif
