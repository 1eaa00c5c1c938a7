/**
 * @file limits.c
 * Limit monitoring of the parameters in one table.
 */
#include "telemetry/limits.h"

#include <stddef.h>

/** Parameters outside a hard limit at once that call for safe mode. */
#define SAFE_MODE_VIOLATIONS 2U

static const limits_def_t LIMITS_TABLE[LIMITS_COUNT] = {
    /* hard_low, soft_low, soft_high, hard_high, soft, hard */
    { 24000, 26000, 30000, 32000, 3U, 2U }, /* bus voltage, mV */
    { -1000,     0,  3500,  4500, 5U, 2U }, /* battery, 0.01 degC */
    { -6000, -5500,  5500,  6000, 4U, 1U }, /* wheel speed, rpm */
    {   200,   450,  1900,  2200, 3U, 3U }  /* tank pressure, kPa */
};

const limits_def_t *limits_definition(limits_param_t param)
{
    return (param < LIMITS_COUNT) ? &LIMITS_TABLE[param] : NULL;
}

static void restart(limits_channel_t *channel, bool enabled)
{
    channel->state = LIMITS_NOMINAL;
    channel->candidate = LIMITS_NOMINAL;
    channel->agreeing = 0U;
    channel->enabled = enabled;
}

void limits_init(limits_monitor_t *monitor)
{
    for (uint8_t i = 0U; i < (uint8_t)LIMITS_COUNT; i++) {
        restart(&monitor->channel[i], true);
    }
    monitor->transitions = 0U;
}

bool limits_enable(limits_monitor_t *monitor, limits_param_t param, bool on)
{
    if (limits_definition(param) == NULL) {
        return false;
    }

    restart(&monitor->channel[param], on);
    return true;
}

limits_state_t limits_classify(const limits_def_t *def, int32_t value)
{
    limits_state_t state = LIMITS_NOMINAL;

    if (value < def->hard_low) {
        state = LIMITS_HARD_LOW;
    } else if (value > def->hard_high) {
        state = LIMITS_HARD_HIGH;
    } else if (value < def->soft_low) {
        state = LIMITS_SOFT_LOW;
    } else if (value > def->soft_high) {
        state = LIMITS_SOFT_HIGH;
    }

    return state;
}

static bool is_hard(limits_state_t state)
{
    return (state == LIMITS_HARD_LOW) || (state == LIMITS_HARD_HIGH);
}

bool limits_sample(limits_monitor_t *monitor, limits_param_t param,
                   int32_t value)
{
    const limits_def_t *def = limits_definition(param);
    if (def == NULL) {
        return false;
    }

    limits_channel_t *channel = &monitor->channel[param];
    if (!channel->enabled) {
        return false;
    }

    limits_state_t seen = limits_classify(def, value);
    if (seen != channel->candidate) {
        channel->candidate = seen;
        channel->agreeing = 1U;
    } else if (channel->agreeing < UINT8_MAX) {
        channel->agreeing++;
    } else {
        /* Long since confirmed. */
    }

    uint8_t needed = is_hard(seen) ? def->debounce_hard : def->debounce_soft;
    if ((seen == channel->state) || (channel->agreeing < needed)) {
        return false;
    }

    channel->state = seen;
    monitor->transitions++;
    return true;
}

uint8_t limits_hard_mask(const limits_monitor_t *monitor)
{
    uint8_t mask = 0U;

    for (uint8_t i = 0U; i < (uint8_t)LIMITS_COUNT; i++) {
        if (is_hard(monitor->channel[i].state)) {
            mask |= (uint8_t)(1U << i);
        }
    }

    return mask;
}

bool limits_safe_mode(const limits_monitor_t *monitor)
{
    uint8_t mask = limits_hard_mask(monitor);
    uint8_t violations = 0U;

    /* Each round clears the lowest bit that is set. */
    while (mask != 0U) {
        mask &= (uint8_t)(mask - 1U);
        violations++;
    }

    return violations >= SAFE_MODE_VIOLATIONS;
}
