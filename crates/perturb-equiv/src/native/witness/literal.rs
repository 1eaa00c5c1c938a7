//! C literals with an exact value.

/// The kind of a C number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberKind {
    Signed,
    Unsigned,
    /// A `char`, which is written as a character literal where it is printable.
    Letter {
        is_signed: bool,
    },
    Float,
}

/// The literal of a number of this size, which is in the low bytes of `bits`.
pub(super) fn literal(number: NumberKind, size: u64, bits: u64) -> String {
    match number {
        NumberKind::Float if size == 4 => float32(bits as u32),
        NumberKind::Float => float64(bits),
        NumberKind::Unsigned => unsigned(bits & mask(size)),
        NumberKind::Signed => signed(sign_extended(size, bits)),
        NumberKind::Letter { is_signed } => match bits as u8 {
            letter @ (b'\'' | b'\\') => format!("'\\{}'", char::from(letter)),
            letter @ b' '..=b'~' => format!("'{}'", char::from(letter)),
            _ if is_signed => signed(sign_extended(size, bits)),
            _ => unsigned(bits & mask(size)),
        },
    }
}

fn mask(size: u64) -> u64 {
    if size >= 8 {
        u64::MAX
    } else {
        (1 << (8 * size)) - 1
    }
}

fn sign_extended(size: u64, bits: u64) -> i64 {
    let unused = 64 - 8 * size.clamp(1, 8);
    ((bits << unused) as i64) >> unused
}

fn unsigned(value: u64) -> String {
    match value {
        0..=0x7fff_ffff => value.to_string(),
        0x8000_0000..=0xffff_ffff => format!("{value}u"),
        _ => format!("{value}ull"),
    }
}

/// The minimum of a type has no literal of its own.
fn signed(value: i64) -> String {
    match (value, i32::try_from(value)) {
        (i64::MIN, _) => "(-9223372036854775807ll - 1)".to_string(),
        (_, Ok(i32::MIN)) => "(-2147483647 - 1)".to_string(),
        (_, Ok(value)) => value.to_string(),
        (_, Err(_)) => format!("{value}ll"),
    }
}

/// The format of a float type.
struct Format {
    mantissa: u32,
    exponent: u32,
    /// The suffix of its literals and functions.
    suffix: &'static str,
}

const SINGLE: Format = Format { mantissa: 23, exponent: 8, suffix: "f" };
const DOUBLE: Format = Format { mantissa: 52, exponent: 11, suffix: "" };

/// The shortest decimal that every compiler reads as this exact number: C90 has no hexadecimal floats.
fn float32(bits: u32) -> String {
    special(&SINGLE, u64::from(bits)).unwrap_or_else(|| format!("{:?}f", f32::from_bits(bits)))
}

fn float64(bits: u64) -> String {
    special(&DOUBLE, bits).unwrap_or_else(|| format!("{:?}", f64::from_bits(bits)))
}

/// Infinities and NaNs, with their sign and bits.
fn special(format: &Format, bits: u64) -> Option<String> {
    let Format { mantissa, exponent, suffix } = format;
    if bits >> mantissa & ((1 << exponent) - 1) != (1 << exponent) - 1 {
        return None;
    }
    let sign = if bits >> (mantissa + exponent) & 1 == 1 { "-" } else { "" };
    let payload = bits & ((1 << mantissa) - 1);
    let quiet = 1 << (mantissa - 1);
    Some(match payload {
        0 => format!("{sign}__builtin_inf{suffix}()"),
        _ if payload == quiet => format!("{sign}__builtin_nan{suffix}(\"\")"),
        _ if payload & quiet != 0 => format!("{sign}__builtin_nan{suffix}(\"{:#x}\")", payload & !quiet),
        _ => format!("{sign}__builtin_nans{suffix}(\"{payload:#x}\")"),
    })
}

/// A C string literal.
pub(super) fn quoted(letters: &[u8]) -> String {
    let of = |letter: &u8| match letter {
        b'"' | b'\\' => format!("\\{}", char::from(*letter)),
        b' '..=b'~' => char::from(*letter).to_string(),
        other => format!("\\{other:03o}"),
    };
    format!("\"{}\"", letters.iter().map(of).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_written_so_that_they_have_a_type_that_holds_them() {
        for (number, size, bits, expected) in [
            (NumberKind::Signed, 4, 0xffff_ffff, "-1"),
            (NumberKind::Signed, 4, 0x8000_0000, "(-2147483647 - 1)"),
            (NumberKind::Signed, 1, 0x80, "-128"),
            (NumberKind::Signed, 8, 1 << 63, "(-9223372036854775807ll - 1)"),
            (NumberKind::Signed, 8, 1 << 40, "1099511627776ll"),
            (NumberKind::Unsigned, 4, 0xffff_ffff, "4294967295u"),
            (NumberKind::Unsigned, 8, u64::MAX, "18446744073709551615ull"),
            (NumberKind::Unsigned, 1, 200, "200"),
            (NumberKind::Letter { is_signed: true }, 1, 0x61, "'a'"),
            (NumberKind::Letter { is_signed: true }, 1, 0x27, "'\\''"),
            (NumberKind::Letter { is_signed: true }, 1, 0xff, "-1"),
            (NumberKind::Letter { is_signed: false }, 1, 0xff, "255"),
        ] {
            assert_eq!(literal(number, size, bits), expected);
        }
    }

    #[test]
    fn floats_are_exact() {
        for (value, expected) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.5, "1.5"),
            (-1000.125, "-1000.125"),
            (0.1, "0.1"),
            (5e-324, "5e-324"),
            (1e300, "1e300"),
            (f64::INFINITY, "__builtin_inf()"),
            (f64::NEG_INFINITY, "-__builtin_inf()"),
        ] {
            assert_eq!(literal(NumberKind::Float, 8, f64::to_bits(value)), expected);
        }
        assert_eq!(literal(NumberKind::Float, 4, u64::from(0.1f32.to_bits())), "0.1f");
        assert_eq!(literal(NumberKind::Float, 4, u64::from(2.5f32.to_bits())), "2.5f");
        assert_eq!(literal(NumberKind::Float, 4, 0x7fc0_0001), "__builtin_nanf(\"0x1\")");
        assert_eq!(literal(NumberKind::Float, 8, 0xfff8_0000_0000_0000), "-__builtin_nan(\"\")");
        assert_eq!(literal(NumberKind::Float, 8, 0x7ff0_0000_0000_0001), "__builtin_nans(\"0x1\")");
    }
}
