//! Parses LLVM's literals to bits and bytes. A literal that does not fit its type exactly is refused.

use crate::ir::types::FloatKind;

/// An integer of this width, up to 128; the bits above are 0.
pub(super) fn integer(text: &str, bits: u32) -> Option<u128> {
    if !(1..=128).contains(&bits) {
        return None;
    }
    let mask = u128::MAX >> (128 - bits);
    match text.strip_prefix('-') {
        None => digits(text).filter(|value| *value <= mask),
        Some(text) => {
            let most = 1_u128 << (bits - 1);
            digits(text).filter(|value| *value <= most).map(|value| value.wrapping_neg() & mask)
        }
    }
}

fn digits(text: &str) -> Option<u128> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// The bits of a floating-point number in its own format.
pub(super) fn float(text: &str, kind: FloatKind) -> Option<u128> {
    let hexadecimal = text.strip_prefix("0x");
    match kind {
        FloatKind::Half => hex(hexadecimal?.strip_prefix('H')?, 4),
        FloatKind::BFloat => hex(hexadecimal?.strip_prefix('R')?, 4),
        FloatKind::X87 => hex(hexadecimal?.strip_prefix('K')?, 20),
        FloatKind::Quad => {
            // The lower half is written first.
            let digits = hexadecimal?.strip_prefix('L')?;
            let (low, high) = digits.split_at_checked(16)?;
            Some(hex(high, 16)? << 64 | hex(low, 16)?)
        }
        FloatKind::Double => double(text, hexadecimal).map(u128::from),
        FloatKind::Single => single(double(text, hexadecimal)?).map(u128::from),
    }
}

fn double(text: &str, hexadecimal: Option<&str>) -> Option<u64> {
    match hexadecimal {
        Some(digits) => hex(digits, 16).map(|bits| bits as u64),
        None => {
            // Rust accepts more than LLVM writes, such as "inf".
            let is_number =
                text.contains('.') && text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
            let number: f64 = is_number.then(|| text.parse().ok())??;
            number.is_finite().then(|| number.to_bits())
        }
    }
}

/// Exactly this many digits, or fewer where leading zeros are omitted.
fn hex(digits: &str, most: usize) -> Option<u128> {
    let are_digits = !digits.is_empty() && digits.len() <= most && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    are_digits.then(|| u128::from_str_radix(digits, 16).ok())?
}

/// A `float` is written as the `double` of the same value. A NaN keeps its bits.
fn single(double: u64) -> Option<u32> {
    let value = f64::from_bits(double);
    if value.is_nan() {
        let (fraction, rest) = ((double << 12 >> 41) as u32, double << 35);
        let sign = (double >> 63 << 31) as u32;
        return (rest == 0 && fraction != 0).then_some(sign | 0x7f80_0000 | fraction);
    }
    let narrow = value as f32;
    (f64::from(narrow).to_bits() == double).then(|| narrow.to_bits())
}

/// A string with `\xx` for what cannot be written, and `\\`.
pub(crate) fn bytes(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next()? {
            b'\\' => bytes.push(b'\\'),
            high => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                bytes.push((digit(high)? * 16 + digit(rest.next()?)?) as u8);
            }
        }
    }
    Some(bytes)
}

/// A name, which is quoted if it has unusual characters.
pub(super) fn name(text: &str) -> Option<String> {
    match text.strip_prefix('"') {
        None => Some(text.to_string()).filter(|name| !name.is_empty()),
        Some(quoted) => {
            let bytes = bytes(quoted.strip_suffix('"')?)?;
            // Names that are not UTF-8 keep their escaped text.
            Some(String::from_utf8(bytes).unwrap_or_else(|_| text.to_string()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_fit_their_type() {
        for (text, bits, expected) in [
            ("0", 8, Some(0)),
            ("255", 8, Some(255)),
            ("256", 8, None),
            ("-1", 8, Some(255)),
            ("-128", 8, Some(128)),
            ("-129", 8, None),
            ("-1", 1, Some(1)),
            ("-1", 128, Some(u128::MAX)),
            ("340282366920938463463374607431768211455", 128, Some(u128::MAX)),
            ("340282366920938463463374607431768211456", 128, None),
            ("1", 129, None),
            ("1", 0, None),
            ("--1", 8, None),
            ("+1", 8, None),
            ("", 8, None),
            ("0x10", 8, None),
        ] {
            assert_eq!(integer(text, bits), expected, "{text} in {bits} bits");
        }
    }

    #[test]
    fn floats_have_the_bits_of_their_own_format() {
        use FloatKind::*;
        for (text, kind, expected) in [
            ("1.500000e+00", Double, Some(0x3ff8_0000_0000_0000)),
            ("-0.000000e+00", Double, Some(0x8000_0000_0000_0000)),
            ("0x3FB999999999999A", Double, Some(0x3fb9_9999_9999_999a)),
            ("1.500000e+00", Single, Some(0x3fc0_0000)),
            ("0x3FB99999A0000000", Single, Some(0x3dcc_cccd)),
            ("0x3FB999999999999A", Single, None),
            ("0x7FF8000000000000", Single, Some(0x7fc0_0000)),
            ("0x7FF4000000000000", Single, Some(0x7fa0_0000)),
            ("0xFFF8000020000000", Single, Some(0xffc0_0001)),
            ("0x7FF8000000000001", Single, None),
            ("0x7FF0000000000000", Single, Some(0x7f80_0000)),
            ("0x36A0000000000000", Single, Some(1)),
            ("1.0e+40", Single, None),
            ("0xH3C00", Half, Some(0x3c00)),
            ("0xR3F80", BFloat, Some(0x3f80)),
            ("0xK4000A000000000000000", X87, Some(0x4000_a000_0000_0000_0000)),
            ("0xL00000000000000014000000000000000", Quad, Some((0x4000_0000_0000_0000 << 64) | 1)),
            ("1.0", Half, None),
            ("0xK4000", Double, None),
            ("inf", Double, None),
            ("1", Double, None),
            ("1.0e999", Double, None),
            ("0x", Double, None),
        ] {
            assert_eq!(float(text, kind), expected, "{text} as {kind:?}");
        }
    }

    #[test]
    fn every_float_comes_back_from_the_double_it_is_written_as() {
        let mut bits = 1_u32;
        for _ in 0..20_000 {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if f32::from_bits(bits).is_nan() {
                continue;
            }
            let text = format!("0x{:016X}", f64::from(f32::from_bits(bits)).to_bits());
            assert_eq!(float(&text, FloatKind::Single), Some(u128::from(bits)), "{text}");
        }
    }

    #[test]
    fn strings_are_unescaped_or_refused() {
        assert_eq!(bytes(r"a\22\5C\\\00"), Some(b"a\"\\\\\0".to_vec()));
        for wrong in [r"\", r"\2", r"\zz", r"\é"] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
        assert_eq!(name("\"\\01_x\"").as_deref(), Some("\u{1}_x"));
        assert_eq!(name("plain").as_deref(), Some("plain"));
        assert_eq!((name(""), name("\"")), (None, None));
    }
}
