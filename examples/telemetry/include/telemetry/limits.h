/**
 * @file limits.h
 * On-board monitoring: each parameter has a soft and a hard band and changes
 * its state only after a number of consecutive samples agree (debounce).
 */
#ifndef TELEMETRY_LIMITS_H
#define TELEMETRY_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/** Monitored parameters, in the order of the definition table. */
typedef enum {
    LIMITS_BUS_VOLTAGE_MV = 0,
    LIMITS_BATTERY_TEMP_CDEG, /**< Hundredths of a degree Celsius. */
    LIMITS_WHEEL_SPEED_RPM,
    LIMITS_TANK_PRESSURE_KPA,
    LIMITS_COUNT
} limits_param_t;

/** State of a parameter. */
typedef enum {
    LIMITS_NOMINAL = 0,
    LIMITS_SOFT_LOW,
    LIMITS_SOFT_HIGH,
    LIMITS_HARD_LOW,
    LIMITS_HARD_HIGH
} limits_state_t;

/** The bands of one parameter; their borders belong to the better state. */
typedef struct {
    int32_t hard_low;
    int32_t soft_low;
    int32_t soft_high;
    int32_t hard_high;
    uint8_t debounce_soft; /**< Samples that must agree before a change. */
    uint8_t debounce_hard; /**< The same for a hard violation. */
} limits_def_t;

/** What the monitor remembers of one parameter. */
typedef struct {
    limits_state_t state;     /**< Confirmed. */
    limits_state_t candidate; /**< Seen last. */
    uint8_t agreeing;         /**< Consecutive samples of the candidate. */
    bool enabled;
} limits_channel_t;

typedef struct {
    limits_channel_t channel[LIMITS_COUNT];
    uint16_t transitions; /**< Confirmed changes of state since the start. */
} limits_monitor_t;

/** The bands of `param`; NULL if there is no such parameter. */
const limits_def_t *limits_definition(limits_param_t param);

/** All parameters nominal and enabled. */
void limits_init(limits_monitor_t *monitor);

/** Enables or disables a parameter; it starts again as nominal. */
bool limits_enable(limits_monitor_t *monitor, limits_param_t param, bool on);

/** The state that one sample alone would suggest. */
limits_state_t limits_classify(const limits_def_t *def, int32_t value);

/** Takes a sample; true if the confirmed state has changed. */
bool limits_sample(limits_monitor_t *monitor, limits_param_t param,
                   int32_t value);

/** One bit per parameter, set if it is confirmed outside a hard limit. */
uint8_t limits_hard_mask(const limits_monitor_t *monitor);

/** Whether the unit should go to safe mode. */
bool limits_safe_mode(const limits_monitor_t *monitor);

#endif
