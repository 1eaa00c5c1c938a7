//! Options of a discovery, as the user gives them.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::cache_key::CacheKey;

/// Options of a discovery; by default none is set.
#[derive(Debug, Clone, Default)]
pub struct DiscoverOptions {
    /// Run this command in a copy and capture what it compiles, whatever build files the project has.
    pub build_command: Option<String>,
    /// Use this compile database; relative to the current folder.
    pub compile_database: Option<PathBuf>,
    /// Patterns, relative to the root, of files that are under test whatever they look like.
    pub include: Vec<String>,
    /// Patterns of files that are left alone, even if included.
    pub exclude: Vec<String>,
    /// For a single file: its compiler flags.
    pub single_file_flags: Vec<String>,
    /// For a single file: its compiler; `cc` or `c++` otherwise.
    pub compiler: Option<String>,
    /// Further arguments for `cmake` or `meson setup`, such as `-DBUILD_TESTING=ON`.
    pub configure_arguments: Vec<String>,
    /// Configure and build again, even if an earlier run has done so.
    pub rebuild: bool,
    /// For a shadow of its own: further arguments for every call of a compiler, behind all of its own.
    pub added_flags: Vec<OsString>,
    /// Variables of all configures and builds, over those of our own environment.
    pub variables: Vec<(String, OsString)>,
}

impl DiscoverOptions {
    /// The value that a variable has in a build.
    pub(crate) fn variable(&self, name: &str) -> Option<OsString> {
        let given = self.variables.iter().rev().find(|(other, _)| other == name);
        given.map_or_else(|| std::env::var_os(name), |(_, value)| Some(value.clone()))
    }

    /// Adds all that the user says to the configure step: a build folder is used again only under the same.
    pub(crate) fn add_configuration(&self, key: &mut CacheKey) {
        key.add_all("argument", &self.configure_arguments);
        for (name, value) in &self.variables {
            key.add("variable", name);
            key.add("value", value);
        }
    }

    /// Adds what these variables are for a build.
    pub(crate) fn add_variables(&self, names: &[&str], key: &mut CacheKey) {
        names.iter().for_each(|name| key.add_optional(name, self.variable(name)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_and_variables_are_told_apart_in_a_key() {
        let key = |options: &DiscoverOptions| {
            let mut key = CacheKey::default();
            options.add_configuration(&mut key);
            options.add_variables(&["CC", "PERTURB_NOT_SET"], &mut key);
            key.into_text()
        };
        let mut options = DiscoverOptions {
            configure_arguments: vec!["-DA=1".to_string()],
            variables: vec![("CC".to_string(), "gcc -m32".into())],
            ..DiscoverOptions::default()
        };
        let expected = "argument -DA=1\nvariable CC\nvalue gcc -m32\nCC gcc -m32\nPERTURB_NOT_SET\n";
        assert_eq!(key(&options), expected);
        options.configure_arguments = vec!["-DA=1\nvariable CC\nvalue gcc -m32".to_string()];
        options.variables.clear();
        assert_ne!(key(&options), expected);
    }
}
