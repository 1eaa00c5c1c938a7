//! What was reported is stored: after a kill at any moment, on a full disk, beside a reader.
//!
//! Parts that a process must die for run in a process of their own: this test binary, called with one ignored test.

use super::{begin, latest};
use crate::synthetic::{self, execution, FAILED};
use perturb_model::{Kill, Outcome, TestName};
use perturb_store::{Batch, RunWriter, Store, StoreError};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const FOLDER: &str = "PERTURB_TEST_WORK";

/// This binary, which runs one ignored test with `folder` in its environment.
fn child(test: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let name = format!("durable::{test}");
    command.args(["--exact", &name, "--ignored", "--nocapture", "--test-threads", "1"]).env(FOLDER, folder);
    command
}

/// The folder, in a process that was started as a child. None where a user runs all ignored tests.
fn folder() -> Option<PathBuf> {
    std::env::var_os(FOLDER).map(PathBuf::from)
}

/// Records that the mutant with this number is killed.
fn record(writer: &mut RunWriter, number: usize) -> Result<(), StoreError> {
    let killed = Outcome::Killed { test: TestName::from("a"), how: Kill::Failed };
    let outcomes = vec![(synthetic::id(number), killed)];
    writer.record(&Batch { executions: vec![execution(number, "a", FAILED)], outcomes, ..Batch::default() })
}

/// Checks that everything that was reported is in the store.
fn assert_kept(work: &Path, reported: usize) {
    let (reader, run) = latest(work);
    let killed = run.mutants.iter().take_while(|state| state.outcome.is_killed()).count();
    assert!(killed >= reported, "{killed} of {reported} outcomes are there");
    let executed = reader.executed(run.id).unwrap();
    assert!((0..reported).all(|number| executed[&synthetic::id(number)].killed_by == [TestName::from("a")]));
}

#[test]
fn every_verdict_that_was_reported_survives_a_kill() {
    for last in [1, 40, 133] {
        let work = tempfile::tempdir().unwrap();
        let mut command = child("reports_until_it_is_killed", work.path());
        let mut writer = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(writer.stdout.take().unwrap());
        let mut line = String::new();
        // The first line begins with the output of the test harness.
        while !line.ends_with(&format!("reported {last}\n")) {
            line.clear();
            assert_ne!(lines.read_line(&mut line).unwrap(), 0, "the child ended before it was killed");
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        let mut rest = String::new();
        lines.read_to_string(&mut rest).unwrap();
        // The last line may be incomplete.
        let reported = last + rest.matches('\n').count();
        assert_kept(work.path(), reported);
        // The lock ended with its holder, and the next run continues.
        let mut next = begin(work.path());
        assert!(next.known(&[synthetic::key("one")]).unwrap().len() >= reported);
    }
}

#[test]
#[ignore = "a part of every_verdict_that_was_reported_survives_a_kill"]
fn reports_until_it_is_killed() {
    let Some(work) = folder() else { return };
    let mut writer = begin(&work);
    writer.record_mutants(&synthetic::mutants(20_000)).unwrap();
    let mut out = std::io::stdout();
    for number in 0..20_000 {
        record(&mut writer, number).unwrap();
        writeln!(out, "reported {}", number + 1).unwrap();
        out.flush().unwrap();
    }
}

#[test]
fn a_full_disk_is_reported_and_loses_nothing() {
    let place = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=2m none \"$PERTURB_TEST_WORK\" || exit 77; exec \"$@\"";
    let inner = child("fills_its_disk", place.path());
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", script, "sh"]).arg(inner.get_program()).args(inner.get_args());
    let ended = match command.env(FOLDER, place.path()).output() {
        Ok(output) => output,
        Err(error) => return eprintln!("skipped: unshare cannot be started: {error}"),
    };
    let (stdout, stderr) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    if ended.status.code() == Some(77) || stderr.contains("unshare:") {
        return eprintln!("skipped: no file system can be mounted here: {stderr}");
    }
    assert!(ended.status.success() && stdout.contains("1 passed"), "{stdout}{stderr}");
}

#[test]
#[ignore = "a part of a_full_disk_is_reported_and_loses_nothing"]
fn fills_its_disk() {
    let Some(work) = folder() else { return };
    std::fs::write(work.join("ballast"), vec![0; 1 << 20]).unwrap();
    let mut writer = begin(&work);
    writer.record_mutants(&synthetic::mutants(5_000)).unwrap();
    let mut reported = 0;
    let error = loop {
        match record(&mut writer, reported) {
            Ok(()) => reported += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
    assert!(reported > 0);
    // The same run continues as soon as there is space, and so does another one.
    std::fs::remove_file(work.join("ballast")).unwrap();
    record(&mut writer, reported).unwrap();
    assert_kept(&work, reported + 1);
    drop(writer);
    assert_kept(&work, reported + 1);
    Store::open(&work).unwrap();
}

#[test]
fn a_reader_sees_one_moment_while_a_run_goes_on() {
    let work = tempfile::tempdir().unwrap();
    let mut writer = begin(work.path());
    writer.record_mutants(&synthetic::mutants(3)).unwrap();
    record(&mut writer, 0).unwrap();
    let (reader, run) = latest(work.path());
    record(&mut writer, 1).unwrap();
    assert_eq!(reader.executed(run.id).unwrap().len(), 1);
    assert_eq!(latest(work.path()).0.executed(run.id).unwrap().len(), 2);
}
