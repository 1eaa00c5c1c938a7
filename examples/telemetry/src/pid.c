/**
 * @file pid.c
 * The controller of the heaters and of the reaction wheel.
 */
#include "telemetry/pid.h"

/** Beyond this a measurement is a broken sensor, not a temperature. */
#define MEASUREMENT_MAX 1.0e6f

static float clamp(float value, float low, float high)
{
    float result = value;

    if (value < low) {
        result = low;
    } else if (value > high) {
        result = high;
    }

    return result;
}

/** False for a NaN too, for which no comparison holds. */
static bool plausible(float measurement)
{
    return (measurement >= -MEASUREMENT_MAX)
        && (measurement <= MEASUREMENT_MAX);
}

bool pid_config_valid(const pid_config_t *config)
{
    return (config->kp >= 0.0f)
        && (config->ki >= 0.0f)
        && (config->kd >= 0.0f)
        && (config->period_s > 0.0f)
        && (config->filter > 0.0f)
        && (config->filter <= 1.0f)
        && (config->out_min < config->out_max)
        && (config->slew_per_s >= 0.0f);
}

void pid_reset(pid_state_t *state, float output)
{
    state->integral = 0.0f;
    state->slope = 0.0f;
    state->last_measurement = 0.0f;
    state->output = output;
    state->primed = false;
    state->saturated = false;
}

/** Takes a measurement into the filtered slope. */
static void update_slope(const pid_config_t *config, pid_state_t *state,
                         float measurement)
{
    if (state->primed) {
        float raw = (measurement - state->last_measurement) / config->period_s;
        state->slope += config->filter * (raw - state->slope);
    }
    state->last_measurement = measurement;
    state->primed = true;
}

/** Limits the change against the last output. */
static float limit_slew(const pid_config_t *config, float last, float wanted)
{
    float limited = wanted;

    if (config->slew_per_s > 0.0f) {
        float most = config->slew_per_s * config->period_s;
        limited = clamp(wanted, last - most, last + most);
    }

    return limited;
}

float pid_step(const pid_config_t *config, pid_state_t *state, float setpoint,
               float measurement)
{
    if (!plausible(measurement)) {
        return state->output;
    }

    float error = setpoint - measurement;
    update_slope(config, state, measurement);

    float integral = state->integral + (config->ki * error * config->period_s);
    float wanted = (config->kp * error) + integral - (config->kd * state->slope);
    float output = clamp(wanted, config->out_min, config->out_max);

    /* Anti-windup: while the output is limited, the integral may only move
     * back towards the range. */
    bool above = wanted > config->out_max;
    bool below = wanted < config->out_min;
    if ((!above || (error < 0.0f)) && (!below || (error > 0.0f))) {
        state->integral = clamp(integral, config->out_min, config->out_max);
    }

    state->saturated = above || below;
    state->output = limit_slew(config, state->output, output);
    return state->output;
}
