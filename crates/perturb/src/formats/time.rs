//! Durations and dates as people read them.

use std::time::{Duration, SystemTime};

/// `0.84 s`, `12.3 s`, `3 min 05 s`, `2 h 03 min`.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 9.995 {
        return format!("{seconds:.2} s");
    }
    if seconds < 99.95 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, minutes, seconds) => format!("{minutes} min {seconds:02} s"),
        (hours, minutes, _) => format!("{hours} h {minutes:02} min"),
    }
}

/// An estimate, with few digits: `about 40 s`, `about 3 min`, `about 2 h`.
pub fn about(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    // Rounded to a unit that people count in.
    let nearest = |value: f64, step: f64| (value / step).round().max(1.0) * step;
    match seconds {
        ..1.5 => "about a second".to_string(),
        ..9.5 => format!("about {seconds:.0} s"),
        ..57.5 => format!("about {} s", nearest(seconds, 5.0)),
        ..570.0 => format!("about {} min", nearest(seconds / 60.0, 1.0)),
        ..3450.0 => format!("about {} min", nearest(seconds / 60.0, 5.0)),
        ..34_200.0 => format!("about {} h", nearest(seconds / 3600.0, 0.5)),
        ..172_800.0 => format!("about {} h", nearest(seconds / 3600.0, 1.0)),
        _ => format!("about {} days", nearest(seconds / 86_400.0, 1.0)),
    }
}

/// `2027-01-15 08:00 UTC`.
pub fn date(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    let (year, month, day) = civil(since / 86_400);
    let (hour, minute) = (since / 3600 % 24, since / 60 % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
}

/// Days since 1970 as year, month and day. Years are counted from March, so that a leap day comes last in its year.
fn civil(days: u64) -> (u64, u64, u64) {
    const DAYS_IN_400_YEARS: u64 = 146_097;
    let days = days + 719_468;
    let (era, day) = (days / DAYS_IN_400_YEARS, days % DAYS_IN_400_YEARS);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day_of_month = day - (153 * month + 2) / 5 + 1;
    let (month, next_year) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next_year, month, day_of_month)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_the_digits_that_matter() {
        let shown = [(0, "0.00 s"), (840, "0.84 s"), (9_996, "10.0 s"), (12_345, "12.3 s"), (185_400, "3 min 05 s")];
        for (ms, expected) in shown.into_iter().chain([(7_380_000, "2 h 03 min"), (99_960, "1 min 40 s")]) {
            assert_eq!(duration(Duration::from_millis(ms)), expected);
        }
    }

    #[test]
    fn estimates_are_rounded_as_people_do() {
        let minute = 60.0;
        for (seconds, expected) in [
            (0.0, "about a second"),
            (1.4, "about a second"),
            (4.2, "about 4 s"),
            (9.6, "about 10 s"),
            (42.0, "about 40 s"),
            (58.0, "about 1 min"),
            (3.4 * minute, "about 3 min"),
            (9.6 * minute, "about 10 min"),
            (33.0 * minute, "about 35 min"),
            (58.0 * minute, "about 1 h"),
            (80.0 * minute, "about 1.5 h"),
            (110.0 * minute, "about 2 h"),
            (12.4 * 60.0 * minute, "about 12 h"),
            (70.0 * 60.0 * minute, "about 3 days"),
        ] {
            assert_eq!(about(Duration::from_secs_f64(seconds)), expected);
        }
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        let shown = |seconds| date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(shown(0), "1970-01-01 00:00 UTC");
        assert_eq!(shown(951_782_399), "2000-02-28 23:59 UTC");
        assert_eq!(shown(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(shown(1_800_000_000), "2027-01-15 08:00 UTC");
        assert_eq!(shown(4_107_542_400), "2100-03-01 00:00 UTC");
    }
}
