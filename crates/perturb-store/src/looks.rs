//! The statement counts of mutants compared with the original's: a cache over runs, and a list for each run.

use super::intern::{Interned, Use};
use super::values::malformed;
use super::{blob::Malformed, ExecutionKey, MutantState};
use perturb_model::{Looked, MutantId, MutantIdx, Trace};
use rusqlite::{params, Connection, OptionalExtension, Row};
use std::collections::HashMap;

/// The result of the discard step for a mutant, under the hash of everything that it depends on.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    pub mutant: MutantIdx,
    pub id: MutantId,
    pub key: ExecutionKey,
    pub looked: Looked,
}

pub(super) fn known(
    db: &Connection,
    interned: &mut Interned,
    asked: &[(MutantId, ExecutionKey)],
    used: Use,
) -> rusqlite::Result<HashMap<MutantId, Looked>> {
    let mut select = db.prepare_cached("SELECT distance, signature FROM look WHERE key = ? AND mutant = ?")?;
    let mut known = HashMap::new();
    for (mutant, key) in asked {
        let key = interned.key(db, *key, used)?;
        let found = select.query_row(params![key, mutant.bits() as i64], looked).optional()?;
        known.extend(found.map(|looked| (*mutant, looked)));
    }
    Ok(known)
}

fn looked(row: &Row<'_>) -> rusqlite::Result<Looked> {
    Ok(match row.get::<_, Option<f64>>(0)? {
        None => Looked::Unknown,
        Some(0.0) => Looked::LikelyEquivalent,
        Some(_) => Looked::Different(trace(row, 0)?),
    })
}

fn trace(row: &Row<'_>, first: usize) -> rusqlite::Result<Trace> {
    Ok(Trace { distance: row.get(first)?, signature: row.get::<_, i64>(first + 1)? as u64 })
}

pub(super) fn write(
    db: &Connection,
    interned: &mut Interned,
    run: i64,
    looks: &[Look],
    used: Use,
) -> rusqlite::Result<()> {
    let look = "INSERT OR REPLACE INTO look (key, mutant, distance, signature) VALUES (?, ?, ?, ?)";
    let of_run = "INSERT OR REPLACE INTO trace (run, place, distance, signature) VALUES (?, ?, ?, ?)";
    for Look { mutant, id, key, looked } in looks {
        let key = interned.key(db, *key, used)?;
        let (distance, signature) = match looked {
            Looked::Unknown => (None, 0),
            Looked::LikelyEquivalent => (Some(0.0), 0),
            Looked::Different(Trace { distance, signature }) => (Some(*distance), *signature as i64),
        };
        db.prepare_cached(look)?.execute(params![key, id.bits() as i64, distance, signature])?;
        if let Looked::Different(_) = looked {
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
