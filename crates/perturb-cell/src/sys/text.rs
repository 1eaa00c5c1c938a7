//! Strings for a process that may not allocate.

use std::ffi::CStr;
use std::fmt::{self, Write};

/// A path put together without allocating.
pub(crate) struct ShortText {
    bytes: [u8; 96],
    length: usize,
}

impl ShortText {
    pub fn new() -> ShortText {
        ShortText { bytes: [0; 96], length: 0 }
    }

    pub fn as_c(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or_default()
    }

    pub fn write_bytes(&mut self, bytes: &[u8]) -> fmt::Result {
        // The last byte stays zero.
        let last = self.bytes.len() - 1;
        let room = self.bytes.get_mut(self.length..last).and_then(|rest| rest.get_mut(..bytes.len()));
        room.ok_or(fmt::Error)?.copy_from_slice(bytes);
        self.length += bytes.len();
        Ok(())
    }
}

impl Write for ShortText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.write_bytes(text.as_bytes())
    }
}
