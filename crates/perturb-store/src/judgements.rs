//! The results of comparing functions: a cache over runs, and a list for each run.

use super::blob::{self, Malformed};
use super::intern::{Interned, Use};
use super::values::malformed;
use super::{codes, ExecutionKey, MutantState};
use perturb_model::{Change, Judgement, MutantId, MutantIdx, Proof, Witness};
use rusqlite::types::Type;
use rusqlite::{params, Connection, OptionalExtension, Row};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The judgement on a mutant of the run, under the hash of everything that it depends on.
#[derive(Debug, Clone)]
pub struct JudgedMutant {
    pub mutant: MutantIdx,
    pub id: MutantId,
    pub key: ExecutionKey,
    pub judgement: Judgement,
}

/// The evidence of a judgement, as a row stores it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct StoredEvidence {
    /// The code of the tier that found the input.
    #[serde(skip_serializing_if = "Option::is_none")]
    found_by: Option<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    input: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<Change>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    assumptions: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    why: String,
}

impl StoredEvidence {
    pub(super) fn of(judgement: &Judgement) -> Self {
        match judgement.clone() {
            Judgement::Different(Witness { kind: _, by, input, changes }) => {
                Self { found_by: Some(codes::of_tier(by)), input, changes, ..Self::default() }
            }
            Judgement::Equivalent(Proof { by: _, bound, assumptions }) => {
                Self { bound, assumptions, ..Self::default() }
            }
            Judgement::Unknown { why } => Self { why, ..Self::default() },
        }
    }

    pub(super) fn judgement(self, verdict: codes::JudgedCode) -> Result<Judgement, Malformed> {
        let Self { found_by, input, changes, bound, assumptions, why } = self;
        Ok(match verdict {
            codes::JudgedCode::Different(kind) => {
                // Runs before this field was added found all inputs by calling.
                let by = codes::tier(found_by.unwrap_or(codes::BY_CALLING))?;
                Judgement::Different(Witness { kind, by, input, changes })
            }
            codes::JudgedCode::Equivalent(by) => Judgement::Equivalent(Proof { by, bound, assumptions }),
            codes::JudgedCode::Unknown => Judgement::Unknown { why },
        })
    }
}

pub(super) fn known(
    db: &Connection,
    interned: &mut Interned,
    asked: &[(MutantId, ExecutionKey)],
    used: Use,
) -> rusqlite::Result<HashMap<MutantId, Judgement>> {
    let mut select =
        db.prepare_cached("SELECT verdict, length, deflated FROM judgement WHERE key = ? AND mutant = ?")?;
    let mut known = HashMap::new();
    for (mutant, key) in asked {
        let key = interned.key(db, *key, used)?;
        let found = select.query_row(params![key, mutant.bits() as i64], |row| judgement(row, 0)).optional()?;
        known.extend(found.map(|judgement| (*mutant, judgement)));
    }
    Ok(known)
}

/// Reads a judgement from three columns.
pub(super) fn judgement(row: &Row<'_>, first: usize) -> rusqlite::Result<Judgement> {
    let verdict = codes::judged(row.get(first)?).map_err(malformed)?;
    let evidence: StoredEvidence = packed(row, first + 1)?;
    evidence.judgement(verdict).map_err(malformed)
}

/// Reads a JSON value from two columns: its length, and the compressed text.
pub(super) fn packed<T: DeserializeOwned>(row: &Row<'_>, first: usize) -> rusqlite::Result<T> {
    let json = blob::inflated(row.get_ref(first + 1)?.as_blob()?, row.get(first)?).map_err(malformed)?;
    serde_json::from_slice(&json)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(first + 1, Type::Blob, Box::new(error)))
}

/// Writes a JSON value as the two columns.
pub(super) fn pack(value: &impl Serialize) -> rusqlite::Result<(usize, Vec<u8>)> {
    let json = serde_json::to_vec(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    Ok((json.len(), blob::deflated(&json)))
}

/// Writes a judgement as the three columns.
pub(super) fn columns(judgement: &Judgement) -> rusqlite::Result<(i64, usize, Vec<u8>)> {
    let (length, deflated) = pack(&StoredEvidence::of(judgement))?;
    Ok((codes::of_judged(judgement), length, deflated))
}

pub(super) fn write(
    db: &Connection,
    interned: &mut Interned,
    run: i64,
    judged: &[JudgedMutant],
    used: Use,
) -> rusqlite::Result<()> {
    let insert = "INSERT OR REPLACE INTO judgement (key, mutant, verdict, length, deflated) VALUES (?, ?, ?, ?, ?)";
    let of_run = "INSERT OR REPLACE INTO judged (run, place, key) VALUES (?, ?, ?)";
    for JudgedMutant { mutant, id, key, judgement } in judged {
        let key = interned.key(db, *key, used)?;
        let (verdict, length, deflated) = columns(judgement)?;
        db.prepare_cached(insert)?.execute(params![key, id.bits() as i64, verdict, length, deflated])?;
        db.prepare_cached(of_run)?.execute(params![run, mutant.get(), key])?;
    }
    Ok(())
}

/// Adds the judgements of a run to its mutants.
pub(super) fn read(db: &Connection, run: i64, states: &mut [MutantState]) -> rusqlite::Result<()> {
    let select = "SELECT r.place, j.verdict, j.length, j.deflated
                  FROM judged r JOIN mutant m ON m.run = r.run AND m.place = r.place
                  JOIN judgement j ON j.key = r.key AND j.mutant = m.id WHERE r.run = ?";
    let mut select = db.prepare(select)?;
    let mut rows = select.query([run])?;
    while let Some(row) = rows.next()? {
        let state = states.get_mut(row.get::<_, usize>(0)?);
        state.ok_or(Malformed).map_err(malformed)?.judgement = Some(judgement(row, 1)?);
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{NewRun, RunWriter, Store, StoreReader};
    use perturb_model::{ContentHash, Kind, Level, Mutant, MutatedFile, Tier};
    use perturb_model::{Operator, Scope, SourceFile, SourceRange};
    use std::path::Path;
    use std::sync::Arc;
    use std::time::SystemTime;

    fn judgements() -> Vec<Judgement> {
        let kinds = [Kind::Output, Kind::Endless, Kind::Undefined, Kind::Ended];
        let change = Change { what: "a".into(), original: "1".into(), mutant: "-1".into() };
        let different = kinds.map(|kind| {
            let by = if kind == Kind::Output { Tier::Paths } else { Tier::Native };
            Judgement::Different(Witness { kind, by, input: vec!["b = 2".into()], changes: vec![change.clone()] })
        });
        let tiers = [
            Tier::Exhaustive,
            Tier::Order,
            Tier::Structural,
            Tier::Proof,
            Tier::Paths,
            Tier::Code { level: Level::Os },
        ];
        let proved = |by| Proof { by, bound: Some("c".into()), assumptions: vec!["d".into(), "e".into()] };
        let equivalent = tiers.map(|by| Judgement::Equivalent(proved(by)));
        let whole = Judgement::Equivalent(Proof { by: Tier::Proof, bound: None, assumptions: Vec::new() });
        let unknown = Judgement::Unknown { why: "f".into() };
        different.into_iter().chain(equivalent).chain([whole, unknown]).collect()
    }

    /// Begins a run with this many mutants.
    pub(crate) fn begin(work: &Path, count: usize) -> RunWriter {
        let arguments = Vec::new();
        let manifest = serde_json::Value::Null;
        let run = NewRun { started: SystemTime::UNIX_EPOCH, root: "/p".into(), arguments, seed: 0, manifest };
        let mut writer = Store::open(work).unwrap().begin(&run).unwrap();
        let file = Arc::new(MutatedFile { relative: "a.c".into(), source: SourceFile::new("a.c", vec![b'x'; 100]) });
        let mutant = |number: usize| Mutant {
            id: MutantId::from_bits(number as u64),
            file: file.clone(),
            range: SourceRange::new(number as u32, number as u32 + 1),
            operator: Operator::Sdl,
            replacement: Box::default(),
            scope: Arc::new(Scope { name: "f".into(), parameters: String::new(), is_function: true }),
            constant: None,
            suppression: None,
        };
        writer.record_mutants(&(0..count).map(mutant).collect::<Vec<_>>()).unwrap();
        writer
    }

    #[test]
    fn judgements_are_found_in_reports_and_under_their_key_alone() {
        let work = tempfile::tempdir().unwrap();
        let all = judgements();
        let key = ExecutionKey(ContentHash::of(b"key"));
        let row = |(mutant, judgement): (MutantIdx, &Judgement)| {
            let id = MutantId::from_bits(mutant.get() as u64);
            JudgedMutant { mutant, id, key, judgement: judgement.clone() }
        };
        let rows: Vec<JudgedMutant> = MutantIdx::enumerate(&all).map(row).collect();
        begin(work.path(), all.len()).record_judgements(&rows).unwrap();
        let read = || {
            let reader = StoreReader::open(work.path()).unwrap();
            let run = reader.run(reader.latest().unwrap().unwrap()).unwrap();
            run.mutants.into_iter().map(|state| state.judgement).collect::<Vec<_>>()
        };
        assert_eq!(read(), all.iter().cloned().map(Some).collect::<Vec<_>>());
        // The next run finds them in the cache, and its report has only those that it recorded.
        let mut writer = begin(work.path(), all.len());
        let asked = |key: &str| -> Vec<_> {
            let key = ExecutionKey(ContentHash::of(key.as_bytes()));
            rows.iter().map(|row| (row.id, key)).collect()
        };
        let known = writer.known_judgements(&asked("key")).unwrap();
        assert!(rows.iter().all(|row| known[&row.id] == row.judgement));
        assert!(writer.known_judgements(&asked("other")).unwrap().is_empty());
        drop(writer);
        assert_eq!(read(), vec![None; all.len()]);
    }
}
