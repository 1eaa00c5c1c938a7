//! Writes the list of a run's mutants. Values that mutants share are written once.

use super::values::PathValue;
use super::{blob, codes};
use perturb_model::Scope;
use perturb_model::{ContentHash, Mutant, MutantIdx, MutatedFile, Suppression};
use rusqlite::{params, Connection};
use std::collections::HashMap;
use std::sync::Arc;

/// A list that is being written, with the ids of the shared values so far.
pub(super) struct MutantList<'d> {
    db: &'d Connection,
    run: i64,
    files: HashMap<*const MutatedFile, usize>,
    scopes: HashMap<*const Scope, i64>,
    suppressions: HashMap<*const Suppression, i64>,
}

impl<'d> MutantList<'d> {
    pub(super) fn new(db: &'d Connection, run: i64) -> Self {
        Self { db, run, files: HashMap::new(), scopes: HashMap::new(), suppressions: HashMap::new() }
    }

    pub(super) fn insert(&mut self, index: MutantIdx, mutant: &Mutant) -> rusqlite::Result<()> {
        let file = self.file(&mutant.file)?;
        let scope = self.scope(&mutant.scope)?;
        let suppression = mutant.suppression.as_ref().map(|why| self.suppression(why)).transpose()?;
        let (constant, of) = mutant.constant.map(codes::of_constant).unzip();
        let insert = "INSERT INTO mutant (run, place, id, file, first, past, operator, replacement, scope, constant,
                      constant_of, suppression) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
        self.db.prepare_cached(insert)?.execute(params![
            self.run,
            index.get(),
            mutant.id.bits() as i64,
            file,
            mutant.range.start,
            mutant.range.end,
            mutant.operator.acronym(),
            &mutant.replacement[..],
            scope,
            constant,
            of.flatten(),
            suppression,
        ])?;
        Ok(())
    }

    fn file(&mut self, file: &Arc<MutatedFile>) -> rusqlite::Result<usize> {
        if let Some(ordinal) = self.files.get(&Arc::as_ptr(file)) {
            return Ok(*ordinal);
        }
        let text = file.source.text();
        let hash = ContentHash::of(text);
        let known = "SELECT id FROM source WHERE hash = ?";
        let known = self.db.prepare_cached(known)?.query_row([hash.as_bytes()], |row| row.get(0));
        let source: i64 = match known {
            Err(rusqlite::Error::QueryReturnedNoRows) => {
                let insert = "INSERT INTO source (hash, length, deflated) VALUES (?, ?, ?)";
                let deflated = blob::deflated(text);
                self.db.prepare_cached(insert)?.execute(params![hash.as_bytes(), text.len(), deflated])?;
                self.db.last_insert_rowid()
            }
            known => known?,
        };
        let ordinal = self.files.len();
        let insert = "INSERT INTO file (run, ordinal, path, source) VALUES (?, ?, ?, ?)";
        self.db.prepare_cached(insert)?.execute(params![self.run, ordinal, PathValue(&file.relative), source])?;
        self.files.insert(Arc::as_ptr(file), ordinal);
        Ok(ordinal)
    }

    fn scope(&mut self, scope: &Arc<Scope>) -> rusqlite::Result<i64> {
        if let Some(id) = self.scopes.get(&Arc::as_ptr(scope)) {
            return Ok(*id);
        }
        let upsert = "INSERT INTO scope (name, parameters, is_function) VALUES (?, ?, ?)
                      ON CONFLICT DO UPDATE SET name = excluded.name RETURNING id";
        let values = params![scope.name, scope.parameters, scope.is_function];
        let id = self.db.prepare_cached(upsert)?.query_row(values, |row| row.get(0))?;
        self.scopes.insert(Arc::as_ptr(scope), id);
        Ok(id)
    }

    fn suppression(&mut self, suppression: &Arc<Suppression>) -> rusqlite::Result<i64> {
        if let Some(id) = self.suppressions.get(&Arc::as_ptr(suppression)) {
            return Ok(*id);
        }
        let (disposition, reason, reviewer) = match &**suppression {
            Suppression::Comment { reason } => (None, reason, ""),
            Suppression::Review { disposition, reason, reviewer } => (Some(*disposition), reason, reviewer.as_str()),
        };
        let upsert = "INSERT INTO suppression (disposition, reason, reviewer) VALUES (?, ?, ?)
                      ON CONFLICT DO UPDATE SET reason = excluded.reason RETURNING id";
        let values = params![codes::of_disposition(disposition), reason, reviewer];
        let id = self.db.prepare_cached(upsert)?.query_row(values, |row| row.get(0))?;
        self.suppressions.insert(Arc::as_ptr(suppression), id);
        Ok(id)
    }
}
