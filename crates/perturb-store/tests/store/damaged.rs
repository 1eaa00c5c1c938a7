//! Damaged stores: a writer sets them aside, a reader reports them, and no verdict is lost or made up.

use super::{begin, latest};
use crate::synthetic::{self, execution, key, new_run, FAILED};
use perturb_model::{Engine, TestName, Verdict};
use perturb_store::{Batch, BuildFailure, Damage, Ending, Mended, Store, StoreError, StoreReader};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const VERDICTS: usize = 3_000;

fn verdict(number: usize) -> Verdict {
    if number.is_multiple_of(3) {
        Verdict::Survived
    } else {
        FAILED
    }
}

/// A store with a run that has executed mutants, and its file.
fn written() -> (tempfile::TempDir, PathBuf) {
    let work = tempfile::tempdir().unwrap();
    let mut writer = begin(work.path());
    writer.record_mutants(&synthetic::mutants(VERDICTS)).unwrap();
    for start in (0..VERDICTS).step_by(100) {
        let executions = (start..start + 100).map(|number| execution(number, "a", verdict(number))).collect();
        writer.record(&Batch { executions, ..Batch::default() }).unwrap();
    }
    let failure = BuildFailure { mutant: synthetic::id(9_999), key: key("one"), message: b"no".to_vec() };
    writer.record(&Batch { build_failures: vec![failure], ..Batch::default() }).unwrap();
    writer.finish(Ending::Complete, SystemTime::UNIX_EPOCH).unwrap();
    let file = work.path().join(Store::FILE_NAME);
    (work, file)
}

/// How many verdicts are stored. Checks that each of them was recorded.
#[track_caller]
fn known(store: Store) -> usize {
    let mut writer = store.begin(&new_run()).unwrap();
    let known = writer.known(&[key("one")]).unwrap();
    let test = TestName::from("a");
    let found = (0..VERDICTS).filter_map(|number| {
        let found = known.verdict(synthetic::id(number), &test, &key("one"), Engine::Switched)?;
        assert_eq!(found, verdict(number));
        Some(found)
    });
    found.count() + usize::from(known.build_failed(synthetic::id(9_999), &key("one")))
}

#[track_caller]
fn set_aside(mended: Option<&Mended>) -> PathBuf {
    match mended {
        Some(Mended { damage: Damage::Corrupt { set_aside, .. }, .. }) => set_aside.clone(),
        other => panic!("nothing is set aside: {other:?}"),
    }
}

/// Changes the store as if a run had been killed after the change.
fn change_as_if_killed(file: &Path, change: &str) {
    fs::remove_file(file.with_extension("sqlite.seal")).unwrap();
    let raw = rusqlite::Connection::open(file).unwrap();
    assert_ne!(raw.execute(change, []).unwrap(), 0, "{change}");
}

#[test]
fn a_damaged_store_is_set_aside_and_made_anew_with_all_verdicts() {
    let (work, file) = written();
    let whole = fs::read(&file).unwrap();
    let middle = whole.len() / 2 / 4096 * 4096;
    let mut garbled = whole.clone();
    garbled[middle..middle + 8192].fill(0xa5);
    let mut headless = whole.clone();
    headless[..100].fill(0);
    for (number, bad) in [garbled, whole[..whole.len() / 2].to_vec(), headless].into_iter().enumerate() {
        fs::write(&file, &bad).unwrap();
        let error = StoreReader::open(work.path()).map(drop).unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { .. } | StoreError::NotAStore { .. }), "{error:?}");
        assert_eq!(fs::read(&file).unwrap(), bad, "a reader leaves it as it is");
        let store = Store::open(work.path()).unwrap();
        let aside = set_aside(store.mended());
        assert_eq!(aside, file.with_extension(format!("sqlite.damaged-{}", number + 1)));
        assert_eq!(fs::read(&aside).unwrap(), bad);
        assert_eq!(known(store), VERDICTS + 1);
    }
    assert_eq!(Store::open(work.path()).unwrap().mended(), None);
}

/// Changes single bytes: whatever SQLite makes of them, all stored verdicts were recorded.
#[test]
fn no_damage_makes_a_verdict_up_or_ends_in_anything_but_an_answer() {
    let (work, file) = written();
    let whole = fs::read(&file).unwrap();
    let journal = fs::read(work.path().join("verdicts.log")).unwrap();
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut mended = 0;
    let mut below = |limit: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) as usize % limit
    };
    for _ in 0..40 {
        let place = tempfile::tempdir().unwrap();
        let mut bad = whole.clone();
        match below(3) {
            0 => bad.truncate(below(whole.len())),
            1 => bad.iter_mut().skip(below(whole.len())).take(1 + below(20_000)).for_each(|byte| *byte = 0),
            _ => {
                let page = below(whole.len() / 4096) * 4096;
                bad.copy_within(page..page + 4096, below(whole.len() / 4096) * 4096);
            }
        }
        fs::write(place.path().join(Store::FILE_NAME), &bad).unwrap();
        fs::write(place.path().join("verdicts.log"), &journal).unwrap();
        fs::copy(work.path().join("work.id"), place.path().join("work.id")).unwrap();
        let (store, is_mended) = match Store::open(place.path()) {
            Ok(store) => {
                let is_mended = store.mended().is_some();
                (store, is_mended)
            }
            // Its first page is damaged, so that it may be a file of another program.
            Err(StoreError::NotAStore { .. } | StoreError::Newer { .. }) => continue,
            Err(error) => panic!("{error:?}"),
        };
        mended += usize::from(is_mended);
        if is_mended {
            assert_eq!(known(store), VERDICTS + 1);
        }
    }
    assert!(mended > 25, "{mended}");
}

/// Flips single bits. SQLite does not notice most of them, and some are in verdicts.
#[test]
fn a_single_bit_of_a_store_that_was_closed_does_not_change_unnoticed() {
    let (work, file) = written();
    let whole = fs::read(&file).unwrap();
    let seal = fs::read(file.with_extension("sqlite.seal")).unwrap();
    let bits = 8 * whole.len();
    for bit in (0..bits).step_by(bits / 97) {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join(Store::FILE_NAME);
        let mut bad = whole.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        fs::write(&file, &bad).unwrap();
        fs::write(file.with_extension("sqlite.seal"), &seal).unwrap();
        fs::copy(work.path().join("verdicts.log"), place.path().join("verdicts.log")).unwrap();
        match StoreReader::open(place.path()).map(drop).unwrap_err() {
            StoreError::Corrupt { .. } => {}
            // The first page is damaged, so that it may be a file of another program.
            StoreError::NotAStore { .. } | StoreError::Newer { .. } | StoreError::Older { .. } if bit < 800 => continue,
            error => panic!("bit {bit}: {error:?}"),
        }
        let store = Store::open(place.path()).unwrap();
        assert_eq!(fs::read(set_aside(store.mended())).unwrap(), bad);
        assert_eq!(known(store), VERDICTS + 1);
    }
}

#[test]
fn what_a_killed_run_has_lost_or_garbled_comes_from_the_journal() {
    for change in [
        "DELETE FROM execution WHERE mutant % 3 = 0",
        "DELETE FROM build_failure",
        "UPDATE execution SET verdict = (SELECT max(verdict) FROM execution)",
    ] {
        let (work, file) = written();
        change_as_if_killed(&file, change);
        let store = Store::open(work.path()).unwrap();
        assert_eq!(store.mended(), None, "nothing is lost");
        assert_eq!(known(store), VERDICTS + 1, "{change}");
    }
}

#[test]
fn what_tests_printed_is_kept_when_a_killed_run_is_followed_by_another() {
    let (work, file) = written();
    change_as_if_killed(&file, "DELETE FROM execution WHERE mutant % 3 = 0");
    let printed = || {
        let raw = rusqlite::Connection::open(&file).unwrap();
        let count = "SELECT count(*), count(output) FROM execution";
        raw.query_row(count, [], |row| Ok((row.get::<_, usize>(0)?, row.get::<_, usize>(1)?))).unwrap()
    };
    let (left, with_output) = printed();
    assert!(left < VERDICTS && with_output > 0, "{left} {with_output}");
    drop(Store::open(work.path()).unwrap());
    assert_eq!(printed(), (VERDICTS, with_output));
}

#[test]
fn a_store_is_sealed_only_when_nobody_has_it_open() {
    let (work, file) = written();
    let seal = file.with_extension("sqlite.seal");
    assert!(seal.exists());
    let writer = begin(work.path());
    assert!(!seal.exists(), "while it is written");
    let reader = StoreReader::open(work.path()).unwrap();
    drop(writer);
    assert!(!seal.exists(), "its last changes are not in the file yet");
    drop(reader);
    let store = Store::open(work.path()).unwrap();
    assert_eq!(store.mended(), None);
    drop(store);
    assert!(seal.exists());
}

#[test]
fn damage_that_is_found_only_while_a_run_writes_is_known_to_the_next() {
    let (work, file) = written();
    // All pages are valid; a value in a row is not.
    change_as_if_killed(&file, "UPDATE execution SET engine = 99 WHERE mutant = (SELECT max(mutant) FROM execution)");
    let mut writer = begin(work.path());
    let error = writer.known(&[key("one")]).map(drop).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
    assert!(error.to_string().contains("the next `perturb run`"), "{error}");
    drop(writer);
    let store = Store::open(work.path()).unwrap();
    assert!(set_aside(store.mended()).exists());
    assert_eq!(known(store), VERDICTS + 1);
    assert_eq!(Store::open(work.path()).unwrap().mended(), None, "it is reported once");
}

#[test]
fn a_kill_while_a_store_is_made_anew_loses_nothing() {
    let (work, file) = written();
    let [wal, shm] = ["-wal", "-shm"].map(|suffix| PathBuf::from(format!("{}{suffix}", file.display())));
    // The first store was set aside and no new one made, with its log of changes still there; then a new one was
    // created, but not filled.
    fs::write(&wal, "of another file").unwrap();
    fs::write(&shm, "").unwrap();
    let begun: [&dyn Fn(); 2] = [&|| fs::remove_file(&file).unwrap(), &|| fs::write(&file, "").unwrap()];
    for begin in begun {
        begin();
        let store = Store::open(work.path()).unwrap();
        let mended = store.mended().unwrap();
        assert_eq!((&mended.damage, mended.verdicts), (&Damage::Lost, VERDICTS + 1));
        assert_eq!(known(store), VERDICTS + 1);
    }
}

#[test]
fn runs_of_a_store_that_was_made_anew_go_on_being_counted() {
    let (work, file) = written();
    let logs = |number: usize| work.path().join("logs").join(number.to_string());
    drop(begin(work.path()));
    assert!(logs(2).is_dir());
    fs::remove_file(&file).unwrap();
    let writer = begin(work.path());
    assert_eq!((writer.id().to_string().as_str(), writer.logs()), ("3", logs(3).as_path()));
}

#[test]
fn the_last_run_is_the_one_that_began_last_whatever_the_clock_said() {
    let work = tempfile::tempdir().unwrap();
    let run_in = |years: u64| {
        let started = SystemTime::UNIX_EPOCH + Duration::from_secs(years * 365 * 24 * 3600);
        let run = perturb_store::NewRun { started, ..new_run() };
        let mut writer = Store::open(work.path()).unwrap().begin(&run).unwrap();
        writer.record_mutants(&synthetic::mutants(1)).unwrap();
        writer.record(&Batch { executions: vec![execution(0, "a", FAILED)], ..Batch::default() }).unwrap();
        writer.id()
    };
    assert_ne!(run_in(90), run_in(50));
    let (reader, run) = latest(work.path());
    assert_eq!(run.started, SystemTime::UNIX_EPOCH + Duration::from_secs(50 * 365 * 24 * 3600));
    assert_eq!(reader.executed(run.id).unwrap().len(), 1);
    let mut next = begin(work.path());
    assert_eq!(next.known(&[key("one")]).unwrap().len(), 1);
}

#[test]
fn a_store_that_is_taken_away_is_written_to_no_more() {
    let (work, file) = written();
    let mut writer = begin(work.path());
    writer.record_mutants(&synthetic::mutants(2)).unwrap();
    let batch = || Batch { executions: vec![execution(0, "b", FAILED)], ..Batch::default() };
    writer.record(&batch()).unwrap();
    fs::rename(&file, work.path().join("elsewhere")).unwrap();
    let is_taken_away = |error: StoreError| matches!(error, StoreError::TakenAway { .. });
    assert!(is_taken_away(writer.record(&batch()).unwrap_err()));
    fs::copy(work.path().join("elsewhere"), &file).unwrap();
    assert!(is_taken_away(writer.record(&batch()).unwrap_err()), "another file of that name is not the same");
    drop(writer);
    let folder: &Path = work.path();
    Store::open(folder).unwrap();
}

#[test]
fn a_copied_work_folder_keeps_its_store_and_a_store_that_was_copied_alone_is_refused() {
    let (work, file) = written();
    let place = tempfile::tempdir().unwrap();
    for name in ["store.sqlite", "store.sqlite.seal", "work.id"] {
        fs::copy(work.path().join(name), place.path().join(name)).unwrap();
    }
    StoreReader::open(place.path()).unwrap();
    Store::open(place.path()).unwrap();
    let (other, _) = written();
    fs::copy(&file, other.path().join("store.sqlite")).unwrap();
    fs::copy(file.with_extension("sqlite.seal"), other.path().join("store.sqlite.seal")).unwrap();
    let is_foreign = |error: StoreError| matches!(&error, StoreError::Foreign { root: Some(_), .. });
    assert!(is_foreign(StoreReader::open(other.path()).map(drop).unwrap_err()));
    assert!(is_foreign(Store::open(other.path()).map(drop).unwrap_err()));
    assert_eq!(fs::read(other.path().join("store.sqlite")).unwrap(), fs::read(&file).unwrap(), "it is left as it is");
    // A file that a kill has left incomplete counts as none.
    fs::write(place.path().join("work.id"), "").unwrap();
    assert!(is_foreign(Store::open(place.path()).map(drop).unwrap_err()));
}
