//! The statement counts of mutants compared with the original's: a cache over runs, and a list for each run.

use super::intern::{Interned, Use};
use super::values::malformed;
use super::{blob::Malformed, ExecutionKey, MutantState};
use perturb_model::{DiscardResult, MutantId, MutantIdx, Trace};
use rusqlite::{params, Connection, OptionalExtension, Row};
use std::collections::HashMap;

/// The result of the discard step for a mutant, under the hash of everything that it depends on.
#[derive(Debug, Clone, Copy)]
pub struct DiscardRecord {
    pub mutant: MutantIdx,
    pub id: MutantId,
    pub key: ExecutionKey,
    pub result: DiscardResult,
}

pub(super) fn known(
    db: &Connection,
    interned: &mut Interned,
    asked: &[(MutantId, ExecutionKey)],
    used: Use,
) -> rusqlite::Result<HashMap<MutantId, DiscardResult>> {
    let mut select = db.prepare_cached("SELECT distance, signature FROM look WHERE key = ? AND mutant = ?")?;
    let mut known = HashMap::new();
    for (mutant, key) in asked {
        let key = interned.key(db, *key, used)?;
        let found = select.query_row(params![key, mutant.bits() as i64], discard_result).optional()?;
        known.extend(found.map(|result| (*mutant, result)));
    }
    Ok(known)
}

fn discard_result(row: &Row<'_>) -> rusqlite::Result<DiscardResult> {
    Ok(match row.get::<_, Option<f64>>(0)? {
        None => DiscardResult::Unknown,
        Some(0.0) => DiscardResult::LikelyEquivalent,
        Some(_) => DiscardResult::Different(trace(row, 0)?),
    })
}

fn trace(row: &Row<'_>, first: usize) -> rusqlite::Result<Trace> {
    Ok(Trace { distance: row.get(first)?, signature: row.get::<_, i64>(first + 1)? as u64 })
}

pub(super) fn write(
    db: &Connection,
    interned: &mut Interned,
    run: i64,
    discards: &[DiscardRecord],
    used: Use,
) -> rusqlite::Result<()> {
    let look = "INSERT OR REPLACE INTO look (key, mutant, distance, signature) VALUES (?, ?, ?, ?)";
    let of_run = "INSERT OR REPLACE INTO trace (run, place, distance, signature) VALUES (?, ?, ?, ?)";
    for DiscardRecord { mutant, id, key, result } in discards {
        let key = interned.key(db, *key, used)?;
        let (distance, signature) = match result {
            DiscardResult::Unknown => (None, 0),
            DiscardResult::LikelyEquivalent => (Some(0.0), 0),
            DiscardResult::Different(Trace { distance, signature }) => (Some(*distance), *signature as i64),
        };
        db.prepare_cached(look)?.execute(params![key, id.bits() as i64, distance, signature])?;
        if let DiscardResult::Different(_) = result {
            db.prepare_cached(of_run)?.execute(params![run, mutant.get(), distance, signature])?;
        }
    }
    Ok(())
}

/// Adds the traces of a run to its mutants.
pub(super) fn read(db: &Connection, run: i64, states: &mut [MutantState]) -> rusqlite::Result<()> {
    let mut select = db.prepare("SELECT place, distance, signature FROM trace WHERE run = ?")?;
    let mut rows = select.query([run])?;
    while let Some(row) = rows.next()? {
        let state = states.get_mut(row.get::<_, usize>(0)?);
        state.ok_or(Malformed).map_err(malformed)?.trace = Some(trace(row, 1)?);
    }
    Ok(())
}
