//! How checks compare floats: bit by bit, or within a tolerance.

/// The largest distance from the expected number: absolute, or relative where the number is greater than 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance(f64);

/// It is not NaN.
impl Eq for Tolerance {}

impl Tolerance {
    /// `None` if it is not a distance.
    pub fn new(distance: f64) -> Option<Self> {
        (distance > 0.0 && distance.is_finite()).then_some(Self(distance))
    }
}

/// Also valid C: `1e-9`
impl std::fmt::Display for Tolerance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:e}", self.0)
    }
}

/// The function that compares floats of this size.
pub(super) fn comparing(tolerance: Option<Tolerance>, size: u64) -> &'static str {
    match (tolerance, size) {
        (None, 4) => "same_float",
        (None, _) => "same_double",
        (Some(_), 4) => "near_float",
        (Some(_), _) => "near_double",
    }
}

/// The definitions of those functions for which `uses` is true.
pub fn float_helpers(tolerance: Option<Tolerance>, uses: impl Fn(&str) -> bool) -> String {
    let helper = |(ty, size): (&str, u64)| {
        let name = comparing(tolerance, size);
        let text = match tolerance {
            None => format!(
                "\n/* Bit by bit; all that are no numbers are the same. */\n\
                 static int {name}({ty} one, {ty} other)\n{{\n    \
                 return (one != one && other != other) || __builtin_memcmp(&one, &other, sizeof one) == 0;\n}}\n"
            ),
            // An infinity is close only to itself.
            Some(tolerance) => format!(
                "\n/* As near as {tolerance}, or as that part of what is expected if that is greater than 1;\n \
                 * all that are no numbers are the same. */\n\
                 static int {name}({ty} found, {ty} expected)\n{{\n    \
                 double size = expected < 0 ? -(double)expected : (double)expected;\n    \
                 double off = found < expected ? (double)expected - found : (double)found - expected;\n    \
                 if (found == expected || (found != found && expected != expected))\n        \
                 return 1;\n    \
                 return size - size == 0 && off <= {tolerance} * (size > 1 ? size : 1);\n}}\n"
            ),
        };
        uses(name).then_some(text)
    };
    [("float", 4), ("double", 8)].into_iter().filter_map(helper).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_is_a_distance_and_is_written_as_c_reads_it() {
        for wrong in [0.0, -1e-9, f64::NAN, f64::INFINITY] {
            assert_eq!(Tolerance::new(wrong), None, "{wrong}");
        }
        let texts = [1e-9, 0.25, 3.0].map(|distance| Tolerance::new(distance).unwrap().to_string());
        assert_eq!(texts, ["1e-9", "2.5e-1", "3e0"]);
    }

    #[test]
    fn only_what_is_used_is_defined() {
        let near = float_helpers(Tolerance::new(1e-6), |name| name == "near_float");
        assert!(near.contains("near_float(float found") && near.contains("<= 1e-6 *") && !near.contains("near_double"));
        let same = float_helpers(None, |name| name == "same_double");
        assert!(same.contains("same_double(double one") && !same.contains("same_float"));
    }
}
