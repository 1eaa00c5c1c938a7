//! Hashes of contents, which show whether something has changed.

use sha2::{Digest, Sha256};
use std::fmt;
use std::io::{self, Read};

/// A SHA-256 hash. Written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    pub fn of(content: &[u8]) -> Self {
        Self(Sha256::digest(content).into())
    }

    /// The hash of a list of parts, each with its length, so that `ab`, `c` is not `a`, `bc`.
    pub fn of_parts<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    /// The hash of all that the reader yields.
    pub fn of_reader(mut reader: impl Read) -> io::Result<Self> {
        let mut hash = Sha256::new();
        let mut part = vec![0; 1 << 16];
        loop {
            match reader.read(&mut part)? {
                0 => return Ok(Self(hash.finalize().into())),
                length => hash.update(&part[..length]),
            }
        }
    }

    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_not_joined() {
        let hash = |parts: &[&str]| ContentHash::of_parts(parts.iter().map(|part| part.as_bytes()));
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
        assert_ne!(hash(&["a"]), hash(&["a", ""]));
        assert_eq!(hash(&["a", "b"]), hash(&["a", "b"]));
    }

    #[test]
    fn a_hash_is_written_as_every_other_tool_writes_it() {
        assert!(ContentHash::of(b"abc").to_string().starts_with("ba7816bf8f01cfea"));
        let long = vec![7; 1 << 17];
        assert_eq!(ContentHash::of_reader(&long[..]).unwrap(), ContentHash::of(&long));
    }
}
