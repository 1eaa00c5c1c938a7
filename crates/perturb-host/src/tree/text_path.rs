//! Rejects paths that are not UTF-8: compile commands, compile databases and build files consist of UTF-8 words.
//!
//! The check is where a path enters. Paths below it then convert to text without loss.

use std::path::{absolute, Path};

use crate::error::HostError;

/// The hint for a work folder with such a path.
const OTHER_WORK: &str = "give a work folder with another name with `--work DIR`";

/// Refuses a path that is no text, with a hint what to do.
pub fn require_utf8(path: &Path, hint: &'static str) -> Result<(), HostError> {
    match path.to_str() {
        Some(_) => Ok(()),
        None => Err(HostError::NotUtf8 { path: path.to_path_buf(), hint }),
    }
}

/// Refuses a work folder whose copy of the project could not be built, before anything is written there.
pub(crate) fn require_utf8_work(work: &Path) -> Result<(), HostError> {
    let whole = absolute(work).map_err(HostError::io("find", work))?;
    require_utf8(&whole, OTHER_WORK)?;
    match work.canonicalize() {
        Ok(real) => require_utf8(&real, OTHER_WORK),
        // It is not there yet.
        Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn a_path_that_is_no_text_is_shown_with_the_bytes_that_it_has() {
        let error = require_utf8_work(&Path::new("/tmp").join(OsStr::from_bytes(b"x\xff/p"))).unwrap_err().to_string();
        assert!(error.contains(r#""/tmp/x\xFF/p""#) && error.contains("--work"), "{error}");
        require_utf8_work(Path::new("/tmp/é/that is not there")).unwrap();
    }
}
