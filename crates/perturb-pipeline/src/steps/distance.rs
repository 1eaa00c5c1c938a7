//! Distances between runs, by how often each statement of a file was executed.

use std::fmt;
use std::str::FromStr;

/// The distance measures of the study of MASS. All are from 0 to 1 except `euclidean`, which has no upper limit; 0
/// means no difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Distance {
    /// Of the sets of executed statements: the share of statements that only one of the sets has.
    Jaccard,
    /// Of the same sets as vectors of 0 and 1: by their angle.
    Ochiai,
    /// Of the counts as points.
    Euclidean,
    /// Of the counts as vectors: by their angle.
    #[default]
    Cosine,
}

/// The error for a text that names no distance.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no distance: jaccard, ochiai, euclidean or cosine")]
pub struct NoDistance(String);

impl Distance {
    pub const ALL: [Self; 4] = [Self::Jaccard, Self::Ochiai, Self::Euclidean, Self::Cosine];

    /// The distance between the counts of the same statements in two runs.
    pub fn between(self, one: &[u64], other: &[u64]) -> f64 {
        assert_eq!(one.len(), other.len(), "both are of the same file");
        let both = || one.iter().copied().zip(other.iter().copied());
        if one == other {
            return 0.0;
        }
        match self {
            Self::Jaccard => {
                let common = both().filter(|(a, b)| *a > 0 && *b > 0).count();
                let any = both().filter(|(a, b)| *a > 0 || *b > 0).count();
                1.0 - common as f64 / any as f64
            }
            Self::Ochiai => by_angle(both().map(|(a, b)| (f64::from(a > 0), f64::from(b > 0)))),
            Self::Euclidean => both().map(|(a, b)| (a.abs_diff(b) as f64).powi(2)).sum::<f64>().sqrt(),
            Self::Cosine => by_angle(both().map(|(a, b)| (a as f64, b as f64))),
        }
    }

    /// The distance, scaled to lie between 0 and 1.
    pub fn normalised(self, one: &[u64], other: &[u64]) -> f64 {
        match self {
            Self::Euclidean => {
                let length = |counts: &[u64]| counts.iter().map(|count| (*count as f64).powi(2)).sum::<f64>().sqrt();
                let most = length(one) + length(other);
                if most > 0.0 {
                    self.between(one, other) / most
                } else {
                    0.0
                }
            }
            Self::Jaccard | Self::Ochiai | Self::Cosine => self.between(one, other),
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Jaccard => "jaccard",
            Self::Ochiai => "ochiai",
            Self::Euclidean => "euclidean",
            Self::Cosine => "cosine",
        }
    }
}

/// 1 minus the cosine of the angle. A run that executes nothing has no angle, and has distance 1 to all others.
fn by_angle(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    /// Smaller values are rounding errors of 0.
    const LEAST: f64 = 1e-12;
    let mut product = 0.0;
    let mut one = 0.0;
    let mut other = 0.0;
    for (a, b) in pairs {
        product += a * b;
        one += a * a;
        other += b * b;
    }
    if one == 0.0 || other == 0.0 {
        return f64::from(one != other);
    }
    let distance = 1.0 - product / (one.sqrt() * other.sqrt());
    if distance < LEAST {
        0.0
    } else {
        distance
    }
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for Distance {
    type Err = NoDistance;

    fn from_str(text: &str) -> Result<Self, NoDistance> {
        Self::ALL.into_iter().find(|distance| distance.word() == text).ok_or_else(|| NoDistance(text.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed by hand: jaccard, ochiai, euclidean, cosine.
    #[test]
    fn distances_are_those_computed_by_hand() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let cases: [(&[u64], &[u64], [f64; 4]); 7] = [
            (&[1, 2, 3], &[1, 2, 3], [0.0; 4]),
            (&[1, 0], &[0, 1], [1.0, 1.0, 2_f64.sqrt(), 1.0]),
            // The same statements; (3, 4) and (4, 3).
            (&[3, 4], &[4, 3], [0.0, 0.0, 2_f64.sqrt(), 1.0 - 24.0 / 25.0]),
            // One of two; (1, 1) and (1, 0).
            (&[1, 1], &[1, 0], [0.5, 1.0 - half, 1.0, 1.0 - half]),
            // Twice as often: no angle.
            (&[1, 2, 0], &[2, 4, 0], [0.0, 0.0, 5_f64.sqrt(), 0.0]),
            // Two of four are common, of three each.
            (&[1, 1, 1, 0], &[0, 1, 1, 1], [0.5, 1.0 - 2.0 / 3.0, 2_f64.sqrt(), 1.0 - 2.0 / 3.0]),
            (&[0, 0], &[0, 5], [1.0, 1.0, 5.0, 1.0]),
        ];
        for (one, other, expected) in cases {
            for (distance, expected) in Distance::ALL.into_iter().zip(expected) {
                for (a, b) in [(one, other), (other, one)] {
                    let found = distance.between(a, b);
                    assert!((found - expected).abs() < 1e-12, "{distance} of {a:?} and {b:?}: {found}, not {expected}");
                }
            }
        }
    }

    #[test]
    fn no_difference_is_exactly_none_and_normalised_ones_are_at_most_one() {
        let large = [u64::from(u32::MAX), 3, 7_000_000_000];
        assert_eq!(Distance::Cosine.between(&large, &large.map(|count| count * 3)), 0.0);
        assert_eq!(Distance::Euclidean.normalised(&[0, 9], &[9, 0]), 81_f64.mul_add(2.0, 0.0).sqrt() / 18.0);
        assert_eq!(Distance::Euclidean.normalised(&[0, 9], &[0, 0]), 1.0);
        assert_eq!(Distance::Euclidean.normalised(&[0], &[0]), 0.0);
    }

    #[test]
    fn distances_are_read_as_they_are_written() {
        for distance in Distance::ALL {
            assert_eq!(distance.to_string().parse(), Ok(distance));
        }
        assert!("Cosine".parse::<Distance>().unwrap_err().to_string().contains("`Cosine`"));
    }
}
