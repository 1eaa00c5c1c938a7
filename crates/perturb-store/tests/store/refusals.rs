//! What the store refuses, and that it leaves such files as they are.

use super::begin;
use crate::synthetic;
use perturb_store::{Store, StoreError, StoreReader};
use std::fs;
use std::path::{Path, PathBuf};

/// A store with a run in it, and its file.
fn written() -> (tempfile::TempDir, PathBuf) {
    let work = tempfile::tempdir().unwrap();
    let mut writer = begin(work.path());
    writer.record_mutants(&synthetic::mutants(3_000)).unwrap();
    drop(writer);
    let file = work.path().join(Store::FILE_NAME);
    (work, file)
}

/// Opening for reading and for writing fails with an error of the expected kind, and the file is unchanged.
fn refused(work: &Path, is_meant: impl Fn(&StoreError) -> bool, parts: &[&str]) {
    let file = work.join(Store::FILE_NAME);
    let before = fs::read(&file).unwrap();
    let writing = Store::open(work).map(drop).unwrap_err();
    let reading = StoreReader::open(work).map(drop).unwrap_err();
    for error in [writing, reading] {
        assert!(is_meant(&error), "{error:?}");
        let text = error.to_string();
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    }
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn a_second_run_is_refused_and_the_error_names_the_process_of_the_first() {
    let work = tempfile::tempdir().unwrap();
    let first = begin(work.path());
    let error = Store::open(work.path()).unwrap_err();
    assert!(matches!(error, StoreError::Locked { pid: Some(pid), .. } if pid == std::process::id()), "{error:?}");
    assert!(error.to_string().contains(&format!("(process {})", std::process::id())), "{error}");
    StoreReader::open(work.path()).expect("readers need no lock");
    drop(first);
    begin(work.path());
}

#[test]
fn check_finds_whether_a_run_could_write_without_writing() {
    let work = tempfile::tempdir().unwrap();
    Store::check(work.path()).unwrap();
    assert_eq!(fs::read_dir(work.path()).unwrap().count(), 0);
    let first = begin(work.path());
    assert!(matches!(Store::check(work.path()), Err(StoreError::Locked { pid: Some(_), .. })));
    drop(first);
    Store::check(work.path()).unwrap();
    fs::write(work.path().join(Store::FILE_NAME), "no database at all\n".repeat(100)).unwrap();
    assert!(matches!(Store::check(work.path()), Err(StoreError::NotAStore { .. })));
}

#[test]
fn a_store_of_a_newer_version_is_refused() {
    let (work, file) = written();
    // The version is at byte 60 of an SQLite file.
    let mut bytes = fs::read(&file).unwrap();
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(&file, bytes).unwrap();
    refused(work.path(), |error| matches!(error, StoreError::Newer { found: 99, known: ..99, .. }), &["newer perturb"]);
}

#[test]
fn a_file_that_is_no_store_is_refused() {
    let is_meant = |error: &StoreError| matches!(error, StoreError::NotAStore { .. });
    let work = tempfile::tempdir().unwrap();
    let file = work.path().join(Store::FILE_NAME);
    fs::write(&file, "my notes, not a database\n".repeat(100)).unwrap();
    refused(work.path(), is_meant, &["no store of perturb", "--work"]);
    // A database of another program.
    let (work, file) = written();
    let mut bytes = fs::read(&file).unwrap();
    bytes[68..72].copy_from_slice(&[0; 4]);
    fs::write(&file, bytes).unwrap();
    refused(work.path(), is_meant, &["no store of perturb"]);
}

#[test]
fn a_store_that_was_only_begun_is_made_anew() {
    let work = tempfile::tempdir().unwrap();
    fs::write(work.path().join(Store::FILE_NAME), "").unwrap();
    assert!(matches!(StoreReader::open(work.path()), Err(StoreError::Missing { .. })));
    begin(work.path());
    StoreReader::open(work.path()).unwrap();
}

#[test]
fn a_store_in_a_folder_that_cannot_be_written_is_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let (work, _) = written();
    fs::set_permissions(work.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let opened = StoreReader::open(work.path()).and_then(|reader| reader.latest());
    fs::set_permissions(work.path(), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(opened.unwrap().is_some());
}

#[test]
fn names_that_mean_something_in_an_address_are_names() {
    let place = tempfile::tempdir().unwrap();
    let work = place.path().join("100%?a#b%41 c");
    begin(&work);
    StoreReader::open(&work).unwrap();
    assert!(work.join(Store::FILE_NAME).is_file());
}
