/** @file test_limits.c Tests of limit monitoring. */
#include "harness.h"
#include "telemetry/limits.h"

static limits_monitor_t monitor;

/** Feeds the same value `times` times; returns how often the state changed. */
static int feed(limits_param_t param, int32_t value, int times)
{
    int changes = 0;

    for (int i = 0; i < times; i++) {
        if (limits_sample(&monitor, param, value)) {
            changes++;
        }
    }
    return changes;
}

static void values_are_classified(void)
{
    const limits_def_t *bus = limits_definition(LIMITS_BUS_VOLTAGE_MV);

    CHECK_EQUAL(limits_classify(bus, 28000), LIMITS_NOMINAL);
    CHECK_EQUAL(limits_classify(bus, 26000), LIMITS_NOMINAL);
    CHECK_EQUAL(limits_classify(bus, 25999), LIMITS_SOFT_LOW);
    CHECK_EQUAL(limits_classify(bus, 24000), LIMITS_SOFT_LOW);
    CHECK_EQUAL(limits_classify(bus, 31000), LIMITS_SOFT_HIGH);
    CHECK_EQUAL(limits_classify(bus, 20000), LIMITS_HARD_LOW);
    CHECK_EQUAL(limits_classify(bus, 33000), LIMITS_HARD_HIGH);
}

static void negative_bands_work(void)
{
    const limits_def_t *wheel = limits_definition(LIMITS_WHEEL_SPEED_RPM);

    CHECK_EQUAL(limits_classify(wheel, -5500), LIMITS_NOMINAL);
    CHECK_EQUAL(limits_classify(wheel, -5800), LIMITS_SOFT_LOW);
    CHECK_EQUAL(limits_classify(wheel, -6001), LIMITS_HARD_LOW);
}

static void unknown_parameters_are_ignored(void)
{
    limits_init(&monitor);
    CHECK(limits_definition(LIMITS_COUNT) == NULL);
    CHECK(!limits_sample(&monitor, LIMITS_COUNT, 0));
    CHECK(!limits_enable(&monitor, LIMITS_COUNT, true));
}

static void a_soft_violation_is_debounced(void)
{
    limits_init(&monitor);
    CHECK_EQUAL(feed(LIMITS_BUS_VOLTAGE_MV, 25000, 2), 0);
    CHECK_EQUAL(monitor.channel[LIMITS_BUS_VOLTAGE_MV].state, LIMITS_NOMINAL);
    CHECK_EQUAL(feed(LIMITS_BUS_VOLTAGE_MV, 25000, 1), 1);
    CHECK_EQUAL(monitor.channel[LIMITS_BUS_VOLTAGE_MV].state, LIMITS_SOFT_LOW);
    CHECK_EQUAL(feed(LIMITS_BUS_VOLTAGE_MV, 25000, 300), 0);
    CHECK_EQUAL(monitor.transitions, 1);
}

static void a_good_sample_starts_the_count_again(void)
{
    limits_init(&monitor);
    (void)feed(LIMITS_BATTERY_TEMP_CDEG, 4000, 4);
    (void)feed(LIMITS_BATTERY_TEMP_CDEG, 2000, 1);
    CHECK_EQUAL(feed(LIMITS_BATTERY_TEMP_CDEG, 4000, 4), 0);
    CHECK_EQUAL(feed(LIMITS_BATTERY_TEMP_CDEG, 4000, 1), 1);
}

static void a_hard_violation_is_quicker(void)
{
    limits_init(&monitor);
    CHECK_EQUAL(feed(LIMITS_WHEEL_SPEED_RPM, 7000, 1), 1);
    CHECK_EQUAL(monitor.channel[LIMITS_WHEEL_SPEED_RPM].state,
                LIMITS_HARD_HIGH);
    CHECK_EQUAL(limits_hard_mask(&monitor), 4);
}

static void a_parameter_recovers(void)
{
    limits_init(&monitor);
    (void)feed(LIMITS_TANK_PRESSURE_KPA, 100, 3);
    CHECK_EQUAL(limits_hard_mask(&monitor), 8);
    CHECK_EQUAL(feed(LIMITS_TANK_PRESSURE_KPA, 1000, 3), 1);
    CHECK_EQUAL(limits_hard_mask(&monitor), 0);
}

static void disabled_parameters_are_not_monitored(void)
{
    limits_init(&monitor);
    (void)feed(LIMITS_WHEEL_SPEED_RPM, 7000, 1);
    CHECK(limits_enable(&monitor, LIMITS_WHEEL_SPEED_RPM, false));
    CHECK_EQUAL(feed(LIMITS_WHEEL_SPEED_RPM, 7000, 10), 0);
    CHECK_EQUAL(limits_hard_mask(&monitor), 0);
}

static void two_hard_violations_mean_safe_mode(void)
{
    limits_init(&monitor);
    CHECK(!limits_safe_mode(&monitor));
    (void)feed(LIMITS_WHEEL_SPEED_RPM, -7000, 1);
    CHECK(!limits_safe_mode(&monitor));
    (void)feed(LIMITS_BUS_VOLTAGE_MV, 20000, 2);
    CHECK(limits_safe_mode(&monitor));
}

int main(void)
{
    CASE(values_are_classified);
    CASE(negative_bands_work);
    CASE(unknown_parameters_are_ignored);
    CASE(a_soft_violation_is_debounced);
    CASE(a_good_sample_starts_the_count_again);
    CASE(a_hard_violation_is_quicker);
    CASE(a_parameter_recovers);
    CASE(disabled_parameters_are_not_monitored);
    CASE(two_hard_violations_mean_safe_mode);
    return harness_result();
}
