/** @file test_pid.c Tests of the controller. */
#include "harness.h"
#include "telemetry/pid.h"

static const pid_config_t PROPORTIONAL = {
    2.0f, 0.0f, 0.0f, 0.1f, 1.0f, -10.0f, 10.0f, 0.0f
};

static pid_state_t state;

static int near(float actual, float expected)
{
    float difference = actual - expected;

    return (difference < 1.0e-4f) && (difference > -1.0e-4f);
}

static void a_proportional_controller_scales_the_error(void)
{
    pid_reset(&state, 0.0f);
    CHECK(near(pid_step(&PROPORTIONAL, &state, 3.0f, 1.0f), 4.0f));
    CHECK(near(pid_step(&PROPORTIONAL, &state, 3.0f, 4.5f), -3.0f));
    CHECK(!state.saturated);
}

static void the_output_is_limited(void)
{
    pid_reset(&state, 0.0f);
    CHECK(near(pid_step(&PROPORTIONAL, &state, 100.0f, 0.0f), 10.0f));
    CHECK(state.saturated);
    CHECK(near(pid_step(&PROPORTIONAL, &state, -100.0f, 0.0f), -10.0f));
    CHECK(state.saturated);
}

static void the_integral_grows_with_time(void)
{
    pid_config_t config = PROPORTIONAL;

    config.kp = 0.0f;
    config.ki = 0.5f;
    pid_reset(&state, 0.0f);
    CHECK(near(pid_step(&config, &state, 2.0f, 0.0f), 0.1f));
    CHECK(near(pid_step(&config, &state, 2.0f, 0.0f), 0.2f));
    CHECK(near(pid_step(&config, &state, 2.0f, 4.0f), 0.1f));
}

static void the_integral_does_not_wind_up(void)
{
    pid_config_t config = PROPORTIONAL;

    config.ki = 1.0f;
    pid_reset(&state, 0.0f);
    for (int i = 0; i < 1000; i++) {
        (void)pid_step(&config, &state, 50.0f, 0.0f);
    }
    /* Back within the range at once when the error changes its sign. */
    CHECK(pid_step(&config, &state, 0.0f, 1.0f) < 0.0f);
}

static void the_derivative_brakes(void)
{
    pid_config_t config = PROPORTIONAL;

    config.kp = 0.0f;
    config.kd = 0.2f;
    config.filter = 0.5f;
    pid_reset(&state, 0.0f);
    CHECK(near(pid_step(&config, &state, 0.0f, 5.0f), 0.0f));
    CHECK(near(pid_step(&config, &state, 0.0f, 6.0f), -1.0f));
    CHECK(near(pid_step(&config, &state, 0.0f, 7.0f), -1.5f));
}

static void the_slope_of_the_output_is_limited(void)
{
    pid_config_t config = PROPORTIONAL;

    config.slew_per_s = 5.0f;
    pid_reset(&state, 1.0f);
    CHECK(near(pid_step(&config, &state, 4.0f, 0.0f), 1.5f));
    CHECK(near(pid_step(&config, &state, 4.0f, 0.0f), 2.0f));
}

static void a_broken_sensor_holds_the_output(void)
{
    pid_reset(&state, 0.0f);
    (void)pid_step(&PROPORTIONAL, &state, 3.0f, 1.0f);
    CHECK(near(pid_step(&PROPORTIONAL, &state, 3.0f, 1.0e9f), 4.0f));
    CHECK(near(state.last_measurement, 1.0f));
}

static void a_heater_settles(void)
{
    const pid_config_t config = {
        0.8f, 0.2f, 0.1f, 0.5f, 0.4f, 0.0f, 20.0f, 8.0f
    };
    float temperature = 5.0f;

    pid_reset(&state, 0.0f);
    for (int i = 0; i < 600; i++) {
        float power = pid_step(&config, &state, 21.0f, temperature);
        temperature += 0.5f * (power - (0.3f * (temperature - 5.0f))) * 0.2f;
    }
    CHECK((temperature > 20.0f) && (temperature < 22.0f));
}

static void senseless_tuning_is_found(void)
{
    pid_config_t config = PROPORTIONAL;

    CHECK(pid_config_valid(&config));
    config.period_s = 0.0f;
    CHECK(!pid_config_valid(&config));
    config = PROPORTIONAL;
    config.out_min = 11.0f;
    CHECK(!pid_config_valid(&config));
    config = PROPORTIONAL;
    config.filter = 1.5f;
    CHECK(!pid_config_valid(&config));
}

int main(void)
{
    CASE(a_proportional_controller_scales_the_error);
    CASE(the_output_is_limited);
    CASE(the_integral_grows_with_time);
    CASE(the_integral_does_not_wind_up);
    CASE(the_derivative_brakes);
    CASE(the_slope_of_the_output_is_limited);
    CASE(a_broken_sensor_holds_the_output);
    CASE(a_heater_settles);
    CASE(senseless_tuning_is_found);
    return harness_result();
}
