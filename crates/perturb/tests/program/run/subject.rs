//! The project that most tests here run on: two sources, two tests, a makefile; a whole run takes a second.

use crate::scene::{has, Scene};

pub const GAUGE: &str = r#"#include "gauge.h"

int clamp(int value, int low, int high)
{
    if (value < low)
        return low;
    return value > high ? high : value;
}

int average(const int *values, int count)
{
    int i, sum = 0;
    for (i = 0; i < count; i++)
        sum += values[i];
    return count > 0 ? sum / count : 0;
}
"#;

pub const ALARM: &str = r#"#include "gauge.h"

int alarm_level(int value, int limit)
{
    int over = clamp(value - limit, 0, 10);
    return over == 0 ? 0 : 1 + over / LEVEL_STEP;
}

int unused(int value)
{
    return value * 2;
}
"#;

const HEADER: &str = "#define LEVEL_STEP 5\nint clamp(int value, int low, int high);\n\
                      int average(const int *values, int count);\nint alarm_level(int value, int limit);\n";

const TEST_GAUGE: &str = r#"#include "gauge.h"

int main(void)
{
    int values[3] = {1, 2, 6};
    if (clamp(5, 0, 3) != 3 || clamp(-5, 0, 3) != 0 || clamp(2, 0, 3) != 2)
        return 1;
    return average(values, 3) == 3 && average(values, 0) == 0 ? 0 : 1;
}
"#;

const TEST_ALARM: &str = r#"#include "gauge.h"

int main(void)
{
    return alarm_level(3, 4) == 0 && alarm_level(6, 4) == 1 && alarm_level(40, 4) == 3 ? 0 : 1;
}
"#;

/// `HOOK` runs before each compilation.
const MAKEFILE: &str = "CFLAGS = -Isrc\nall: test_gauge test_alarm\n\
                        test_gauge: tests/test_gauge.o src/gauge.o\n\t$(CC) -o $@ $^\n\
                        test_alarm: tests/test_alarm.o src/alarm.o src/gauge.o\n\t$(CC) -o $@ $^\n\
                        %.o: %.c src/gauge.h\n\t@HOOK\n\t$(CC) $(CFLAGS) -c -o $@ $<\n\
                        check: all\n\t./test_gauge\n\t./test_alarm\n";

/// None, and a word on standard error, where `make` is missing.
pub fn subject() -> Option<Scene> {
    subject_with(":")
}

/// With a shell command that runs before each compilation.
pub fn subject_with(hook: &str) -> Option<Scene> {
    let makefile = MAKEFILE.replace("HOOK", hook);
    let scene = Scene::new(&[
        ("Makefile", makefile.as_str()),
        ("src/gauge.h", HEADER),
        ("src/gauge.c", GAUGE),
        ("src/alarm.c", ALARM),
        ("tests/test_gauge.c", TEST_GAUGE),
        ("tests/test_alarm.c", TEST_ALARM),
    ]);
    has("make").then_some(scene)
}

/// Each run of a test takes a tenth of a second, of which the processor knows nothing.
pub fn subject_with_slow_tests() -> Option<Scene> {
    let scene = subject()?;
    for test in ["tests/test_gauge.c", "tests/test_alarm.c"] {
        let text = scene.read(test).replace("int main(void)\n{\n", "int main(void)\n{\n    usleep(100000);\n");
        scene.write(test, format!("#include <unistd.h>\n{text}"));
    }
    Some(scene)
}
