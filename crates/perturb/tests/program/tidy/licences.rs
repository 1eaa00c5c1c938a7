//! What we depend on: under which licence, from where, and that nothing of it is known to be bad.
//!
//! Advisories cannot be downloaded by a test, so the list of bad crates is kept here by hand. Licences are looked up
//! for the crates that this platform needs: without a network, cargo has the manifests of no others.

use super::repository::{self, Findings};
use serde_json::Value;
use std::process::Command;

/// Code under these may be part of a program under our own licences; all they ask for is that their text is kept.
const ALLOWED: [&str; 8] = [
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Zlib",
];

/// In pieces, since no other file may name a registry.
const REGISTRY: &str = concat!("registry+https://github.com/rust-lang/crates", ".io-index");

/// Crates that must not come in, not even through others. Each was looked up by hand in the RustSec advisories.
const DENIED: [(&str, &str); 7] = [
    ("async_println", "steals secrets"),
    ("atty", "unsound and unmaintained: std::io::IsTerminal does it"),
    ("failure", "unsound and unmaintained: thiserror does it"),
    ("faster_log", "steals secrets"),
    ("rustdecimal", "steals secrets: the real one is rust_decimal"),
    ("serde_yml", "unsound and unmaintained"),
    ("traitobject", "unsound and unmaintained"),
];

#[test]
fn every_dependency_has_a_licence_that_we_may_use() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("cargo lists packages");
    assert!(packages.len() > repository::crates().len(), "cargo lists {} packages", packages.len());
    let mut findings = Findings::default();
    for package in packages {
        let (name, version) = (text(&package["name"]), text(&package["version"]));
        match package["license"].as_str() {
            None => findings.add("Cargo.lock", 1, format!("{name} {version} names no licence")),
            Some(licence) if !is_allowed(licence) => {
                findings.add("Cargo.lock", 1, format!("{name} {version} has the licence `{licence}`"));
            }
            Some(_) => {}
        }
    }
    findings.expect_none("Use another crate, or allow the licence in ALLOWED after reading it.");
}

#[test]
fn every_dependency_comes_from_the_registry_and_none_is_known_to_be_bad() {
    let ours = repository::crates();
    let findings = bad_packages(&repository::required("Cargo.lock"), &ours);
    findings.expect_none("Depend on a released version of a crate that is maintained.");
}

/// All packages of the lock file are looked at, also those that only other platforms need.
fn bad_packages(lock: &str, ours: &[String]) -> Findings {
    let lock: toml::Table = lock.parse().expect("cargo wrote Cargo.lock");
    let mut findings = Findings::default();
    for package in lock["package"].as_array().expect("packages") {
        let name = package["name"].as_str().expect("a name");
        match package.get("source").and_then(toml::Value::as_str) {
            None if !ours.iter().any(|own| own == name) => {
                findings.add("Cargo.lock", 1, format!("{name} comes from a folder outside of crates/"));
            }
            Some(source) if source != REGISTRY => {
                findings.add("Cargo.lock", 1, format!("{name} comes from {source}, not from the public registry"));
            }
            _ => {}
        }
        for (_, why) in DENIED.iter().filter(|(denied, _)| *denied == name) {
            findings.add("Cargo.lock", 1, format!("{name} must not be used: {why}"));
        }
    }
    findings
}

/// What cargo knows of all packages that this platform needs. It asks no network.
fn metadata() -> Value {
    let version = cargo(&["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("cargo names its host");
    let arguments = ["metadata", "--offline", "--locked", "--format-version", "1", "--filter-platform", host];
    serde_json::from_str(&cargo(&arguments)).expect("cargo writes JSON")
}

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(repository::root()).output();
    let output = output.expect("cargo is there");
    assert!(output.status.success(), "cargo {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("cargo writes UTF-8")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("?")
}

/// Whether an SPDX expression leaves us a licence of the list: one side of `OR`, both sides of `AND`. Old manifests
/// write `/` for `OR`.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let is_allowed = any_of(&mut rest);
    is_allowed && rest.is_empty()
}

fn any_of(rest: &mut &[&str]) -> bool {
    let mut is_allowed = all_of(rest);
    while skip(rest, "OR") {
        is_allowed |= all_of(rest);
    }
    is_allowed
}

fn all_of(rest: &mut &[&str]) -> bool {
    let mut is_allowed = one(rest);
    while skip(rest, "AND") {
        is_allowed &= one(rest);
    }
    is_allowed
}

fn one(rest: &mut &[&str]) -> bool {
    if skip(rest, "(") {
        let is_allowed = any_of(rest);
        return skip(rest, ")") && is_allowed;
    }
    let Some((&licence, after)) = rest.split_first() else { return false };
    *rest = after;
    if !skip(rest, "WITH") {
        return ALLOWED.contains(&licence);
    }
    let Some((&exception, after)) = rest.split_first() else { return false };
    *rest = after;
    ALLOWED.contains(&format!("{licence} WITH {exception}").as_str())
}

/// Steps over a word if it is the next one.
fn skip(rest: &mut &[&str], word: &str) -> bool {
    match rest.split_first() {
        Some((&first, after)) if first == word => {
            *rest = after;
            true
        }
        _ => false,
    }
}

#[test]
fn expressions_of_licences_are_understood() {
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("MIT/GPL-3.0", true),
        ("GPL-3.0 OR Apache-2.0", true),
        ("GPL-3.0 AND Apache-2.0", false),
        ("(MIT OR GPL-3.0) AND Unicode-3.0", true),
        ("MIT AND (GPL-2.0 OR LGPL-2.1)", false),
        ("GPL-2.0 OR MIT AND ISC", true),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("MIT WITH something", false),
        ("(MIT", false),
        ("MIT ISC", false),
        ("", false),
    ] {
        assert_eq!(is_allowed(expression), expected, "{expression}");
    }
}

#[test]
fn bad_packages_are_named() {
    let lock = format!(
        "[[package]]\nname = \"ours\"\n[[package]]\nname = \"good\"\nsource = \"{REGISTRY}\"\n\
         [[package]]\nname = \"forked\"\nsource = \"git+https://example.org/forked\"\n\
         [[package]]\nname = \"beside\"\n[[package]]\nname = \"atty\"\nsource = \"{REGISTRY}\"\n"
    );
    let found = format!("{:?}", bad_packages(&lock, &["ours".to_owned()]));
    for (name, is_bad) in [("ours ", false), ("good ", false), ("forked ", true), ("beside ", true), ("atty ", true)] {
        assert_eq!(found.contains(name), is_bad, "{name}in {found}");
    }
}
