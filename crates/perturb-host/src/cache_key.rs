//! The text of a cache key: every value that decides a cached result, under a name.
//!
//! The encoding is our own. `Debug` output has no fixed form: it may change with a release of Rust or of a dependency,
//! and two different values may have the same.

use std::ffi::OsStr;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;

/// A cache key that is being put together, one value to a line.
#[derive(Debug, Default)]
pub struct CacheKey {
    text: String,
}

impl CacheKey {
    /// Adds `name value`. All but printable ASCII is escaped, so that a value never ends its line.
    pub fn add(&mut self, name: &str, value: impl AsRef<OsStr>) {
        writeln!(self.text, "{name} {}", value.as_ref().as_bytes().escape_ascii()).expect("a string takes any text");
    }

    /// Adds `name value`, or `name` alone for a value that is not set: that differs from an empty one.
    pub fn add_optional(&mut self, name: &str, value: Option<impl AsRef<OsStr>>) {
        match value {
            Some(value) => self.add(name, value),
            None => writeln!(self.text, "{name}").expect("a string takes any text"),
        }
    }

    /// Adds a line for each value, in their order.
    pub fn add_all(&mut self, name: &str, values: impl IntoIterator<Item = impl AsRef<OsStr>>) {
        values.into_iter().for_each(|value| self.add(name, value));
    }

    pub fn into_text(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(add: impl FnOnce(&mut CacheKey)) -> String {
        let mut key = CacheKey::default();
        add(&mut key);
        key.into_text()
    }

    #[test]
    fn a_key_has_one_line_for_each_value() {
        let key = text(|key| {
            key.add("generator", "Unix Makefiles");
            key.add_optional("CC", Some(OsStr::from_bytes(b"a\n\\\xff")));
            key.add_optional("CXX", None::<&str>);
            key.add_all("argument", ["-DA=1", ""]);
        });
        assert_eq!(key, "generator Unix Makefiles\nCC a\\n\\\\\\xff\nCXX\nargument -DA=1\nargument \n");
    }

    #[test]
    fn different_values_have_different_keys() {
        let keys = [
            text(|key| key.add("a", "x\na y")),
            text(|key| key.add_all("a", ["x", "y"])),
            text(|key| key.add("a", "x\\na y")),
            text(|key| key.add("a", "x")),
            text(|key| key.add("b", "x")),
            text(|key| key.add("a", "")),
            text(|key| key.add_optional("a", None::<&str>)),
            text(|_| ()),
        ];
        let distinct: std::collections::BTreeSet<&String> = keys.iter().collect();
        assert_eq!(distinct.len(), keys.len(), "{keys:#?}");
    }
}
