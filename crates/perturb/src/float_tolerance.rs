//! How far floats may be from what a generated test expects, as users write it: `1e-9`, or 0 to compare all bits.

use perturb_equiv::testgen::Tolerance;
use serde::Deserialize;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
pub struct FloatTolerance(pub Option<Tolerance>);

impl TryFrom<f64> for FloatTolerance {
    type Error = String;

    fn try_from(distance: f64) -> Result<Self, String> {
        match Tolerance::new(distance) {
            None if distance != 0.0 => Err(wrong(&distance.to_string())),
            tolerance => Ok(Self(tolerance)),
        }
    }
}

fn wrong(text: &str) -> String {
    format!("`{text}` is no tolerance: write a number such as 1e-9, or 0 for all bits")
}

impl FromStr for FloatTolerance {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let distance: f64 = text.parse().map_err(|_| wrong(text))?;
        distance.try_into().map_err(|_| wrong(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_is_more_than_nothing_or_nothing_for_all_bits() {
        assert_eq!("0".parse(), Ok(FloatTolerance(None)));
        assert_eq!("1e-9".parse(), Ok(FloatTolerance(Tolerance::new(1e-9))));
        for wrong in ["-1", "x", "inf", "nan", ""] {
            let error = wrong.parse::<FloatTolerance>().unwrap_err();
            assert!(error.starts_with(&format!("`{wrong}` is no tolerance")), "{error}");
        }
    }
}
