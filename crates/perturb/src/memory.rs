//! Amounts of memory, as users write them.

use serde::Deserialize;
use std::fmt;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Memory {
    AtMost(u64),
    Unlimited,
}

const UNITS: [(&str, u32); 3] = [("G", 30), ("M", 20), ("K", 10)];

impl Memory {
    pub fn bytes(self) -> Option<u64> {
        match self {
            Self::AtMost(bytes) => Some(bytes),
            Self::Unlimited => None,
        }
    }
}

impl FromStr for Memory {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "unlimited" {
            return Ok(Self::Unlimited);
        }
        let wrong = || format!("`{text}` is no amount of memory: write 512M, 4G or unlimited");
        let unit = UNITS.iter().find(|(name, _)| text.ends_with(name)).ok_or_else(wrong)?;
        let number: u64 = text[..text.len() - 1].parse().map_err(|_| wrong())?;
        let bytes = number.checked_mul(1 << unit.1).filter(|bytes| *bytes > 0).ok_or_else(wrong)?;
        Ok(Self::AtMost(bytes))
    }
}

impl TryFrom<String> for Memory {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::AtMost(bytes) = self else { return f.write_str("unlimited") };
        // A whole number of the largest unit, as users write it.
        let unit = UNITS.iter().find(|(_, shift)| bytes % (1 << shift) == 0).unwrap_or(&UNITS[2]);
        write!(f, "{}{}", bytes >> unit.1, unit.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    #[test]
    fn what_is_written_is_read_back() {
        for (text, bytes) in [("512M", Some(512 << 20)), ("4G", Some(4 << 30)), ("3K", Some(3072)), ("unlimited", None)]
        {
            let memory: Memory = text.parse().unwrap();
            assert_eq!((memory.bytes(), memory.to_string()), (bytes, text.to_string()));
        }
        for wrong in ["", "G", "0M", "1.5G", "2", "-1M", "99999999999999G", "2g"] {
            assert!(wrong.parse::<Memory>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn fuzzed_amounts_are_read_back_as_they_are_written() {
        perturb_fuzz::survives("amounts of memory", Share::All, &["512M", "4G", "3K", "unlimited"], |text| {
            if let Ok(memory) = String::from_utf8_lossy(text).parse::<Memory>() {
                assert_eq!(memory.to_string().parse::<Memory>(), Ok(memory));
            }
        });
    }
}
