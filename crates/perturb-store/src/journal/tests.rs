//! What is read from a journal, whole and damaged.

use super::*;
use crate::{NewRun, RunWriter, Store};
use perturb_fuzz::Share;
use perturb_model::{Clock, Engine, Kill, Verdict};
use std::collections::HashSet;
use std::time::SystemTime;

/// A seeded sequence (xorshift).
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn execution(&mut self) -> Execution {
        let verdicts = [
            Verdict::Survived,
            Verdict::Killed(Kill::Failed),
            Verdict::Killed(Kill::Skipped),
            Verdict::Killed(Kill::Crashed { signal: 11 }),
            Verdict::Killed(Kill::TimedOut { clock: Clock::Cpu }),
        ];
        Execution {
            mutant: MutantId::from_bits(self.below(usize::MAX) as u64),
            test: TestName::from(format!("test {}", self.below(9))),
            key: ExecutionKey(ContentHash::of(&[self.below(5) as u8])),
            engine: [Engine::Split, Engine::Switched, Engine::Rebuild][self.below(3)],
            verdict: verdicts[self.below(5)],
            cpu: Duration::from_micros(self.below(1 << 40) as u64),
            wall: Duration::from_micros(self.below(300) as u64),
            output: Vec::new(),
        }
    }

    fn batch(&mut self) -> Batch {
        let executions = (0..self.below(30)).map(|_| self.execution()).collect();
        let failure = |seeded: &mut Self| {
            let Execution { mutant, key, .. } = seeded.execution();
            BuildFailure { mutant, key, message: Vec::new() }
        };
        let build_failures = (0..self.below(3)).map(|_| failure(self)).collect();
        Batch { executions, build_failures, ..Batch::default() }
    }
}

fn written(batches: &[Batch]) -> Vec<u8> {
    batches.iter().flat_map(|batch| records_of(&batch.executions, &batch.build_failures)).collect()
}

fn read(bytes: &[u8]) -> (Vec<Execution>, Vec<BuildFailure>) {
    let batches: Vec<Batch> = Records(bytes).map(|payload| decoded(payload).unwrap()).collect();
    let (executions, failures): (Vec<_>, Vec<_>) =
        batches.into_iter().map(|batch| (batch.executions, batch.build_failures)).unzip();
    (executions.concat(), failures.concat())
}

fn all(batches: &[Batch]) -> (Vec<Execution>, Vec<BuildFailure>) {
    let executions = batches.iter().flat_map(|batch| batch.executions.clone());
    (executions.collect(), batches.iter().flat_map(|batch| batch.build_failures.clone()).collect())
}

#[test]
fn verdicts_come_back_in_their_order() {
    let mut seeded = Seeded(7);
    let batches: Vec<Batch> = (0..200).map(|_| seeded.batch()).collect();
    assert_eq!(read(&written(&batches)), all(&batches));
    let large = Batch { executions: (0..3 * LARGEST_RECORD).map(|_| seeded.execution()).collect(), ..Batch::default() };
    assert_eq!(read(&written(std::slice::from_ref(&large))).0, large.executions);
    let bytes = records_of(&large.executions, &[]).len() / large.executions.len();
    assert!(bytes < 32, "a verdict takes {bytes} bytes");
}

/// Whatever happens to its bytes, a journal yields nothing that was not written, and all records that are whole.
#[test]
fn a_damaged_journal_yields_only_what_was_written() {
    for seed in 1..=300 {
        let mut seeded = Seeded(seed * 0x9e37_79b9);
        let batches: Vec<Batch> = (0..12).map(|_| seeded.batch()).collect();
        let (known, failures) = all(&batches);
        let known: HashSet<String> = known.iter().map(|one| format!("{one:?}")).collect();
        let mut bytes = written(&batches);
        match seed % 4 {
            0 => bytes.truncate(seeded.below(bytes.len())),
            1 => {
                let at = seeded.below(bytes.len());
                bytes[at] ^= 1 << seeded.below(8);
            }
            2 => {
                let (at, length) = (seeded.below(bytes.len()), seeded.below(400));
                bytes.iter_mut().skip(at).take(length).for_each(|byte| *byte = 0);
            }
            _ => {
                let at = seeded.below(bytes.len());
                let garbage: Vec<u8> = (0..seeded.below(100)).map(|_| seeded.below(256) as u8).collect();
                bytes.splice(at..at, garbage);
            }
        }
        let (found, refused) = read(&bytes);
        assert!(found.iter().all(|one| known.contains(&format!("{one:?}"))), "seed {seed}");
        assert!(refused.iter().all(|one| failures.contains(one)), "seed {seed}");
        if seed % 4 == 1 || seed % 4 == 3 {
            // The damage hits one record, and no batch has more than 30 executions.
            assert!(found.len() + 30 >= known.len(), "seed {seed}: {} of {}", found.len(), known.len());
        }
    }
}

#[test]
fn fuzzed_journals_yield_only_what_was_written() {
    let mut seeded = Seeded(11);
    let batches: Vec<Batch> = (0..3).map(|_| seeded.batch()).collect();
    let (known, failures) = all(&batches);
    perturb_fuzz::survives("journal of verdicts", Share::All, &[written(&batches)], |bytes| {
        let (found, refused) = read(bytes);
        assert!(found.iter().all(|one| known.contains(one)) && refused.iter().all(|one| failures.contains(one)));
    });
}

/// A checksum shows that the bytes were written so, not that this version understands them.
#[test]
fn fuzzed_records_with_a_right_checksum_are_read_or_refused() {
    let mut seeded = Seeded(12);
    let payloads: Vec<Vec<u8>> =
        (0..3).map(|_| seeded.batch()).map(|b| encoded(&b.executions, &b.build_failures)).collect();
    perturb_fuzz::survives("record of the journal", Share::All, &payloads, |payload| {
        if let Ok(batch) = decoded(payload) {
            assert_eq!(read(&written(std::slice::from_ref(&batch))), all(&[batch]));
        }
    });
}

fn begin(work: &Path) -> RunWriter {
    let arguments = Vec::new();
    let manifest = serde_json::Value::Null;
    let run = NewRun { started: SystemTime::UNIX_EPOCH, root: "/p".into(), arguments, seed: 0, manifest };
    Store::open(work).unwrap().begin(&run).unwrap()
}

#[test]
fn a_journal_that_is_missing_or_much_too_large_is_written_anew() {
    let work = tempfile::tempdir().unwrap();
    let path = work.path().join(Journal::FILE_NAME);
    let mut seeded = Seeded(3);
    let batch = seeded.batch();
    let mut writer = begin(work.path());
    writer.record(&batch).unwrap();
    drop(writer);
    let executions = || {
        let mut texts: Vec<String> = read(&fs::read(&path).unwrap()).0.iter().map(|one| format!("{one:?}")).collect();
        texts.sort();
        texts
    };
    let before = executions();
    assert_eq!(before.len(), batch.executions.len());
    fs::remove_file(&path).unwrap();
    drop(begin(work.path()));
    assert_eq!(executions(), before);
    // A journal that repeats the same verdicts many times.
    let once = fs::read(&path).unwrap();
    let times = (SMALL_BYTES as usize + batch.executions.len() * BYTES_PER_VERDICT as usize) / once.len() + 1;
    fs::write(&path, once.repeat(times)).unwrap();
    drop(begin(work.path()));
    assert_eq!(executions(), before);
}
