//! Reads files that need not exist.
//!
//! A file that exists and cannot be read is an error: nothing is decided as if it were empty.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::error::HostError;

/// The content of a file; `None` if there is no such file.
pub(crate) fn read_optional(path: &Path) -> Result<Option<Vec<u8>>, HostError> {
    match fs::read(path) {
        Ok(content) => Ok(Some(content)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(HostError::io("read", path)(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_there_is_none_and_one_that_cannot_be_read_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        assert_eq!(read_optional(&path).unwrap(), None);
        fs::write(&path, "text").unwrap();
        assert_eq!(read_optional(&path).unwrap().as_deref(), Some(&b"text"[..]));
        assert!(read_optional(folder.path()).unwrap_err().to_string().starts_with("cannot read "));
    }
}
