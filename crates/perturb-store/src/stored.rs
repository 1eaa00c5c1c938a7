//! Reads the list of a run's mutants, with their results.

use super::blob::{self, Malformed};
use super::values::{decoded, id, malformed, path, test_name};
use super::{codes, EngineAssignment, MutantState, RunId};
use perturb_model::{Assumption, Contradiction, Mutant, MutatedFile, Outcome, Suppression, TestName};
use perturb_model::{Operator, Scope, SourceFile, SourceRange};
use rusqlite::{Connection, Row};
use std::collections::HashMap;
use std::sync::Arc;

pub(super) fn mutants(db: &Connection, run: RunId) -> rusqlite::Result<Vec<MutantState>> {
    let shared = Shared::load(db, run)?;
    let select = "SELECT m.id, m.file, m.first, m.past, m.operator, m.replacement, m.scope, m.constant, m.constant_of,
                  m.suppression, p.plan, o.kind, o.detail, o.test, o.why
                  FROM mutant m LEFT JOIN planned p ON p.run = m.run AND p.place = m.place
                  LEFT JOIN outcome o ON o.run = m.run AND o.place = m.place WHERE m.run = ? ORDER BY m.place";
    let mut states: Vec<MutantState> =
        db.prepare(select)?.query_map([run.0], |row| shared.state(row))?.collect::<rusqlite::Result<_>>()?;
    let contradiction = |row: &Row<'_>| {
        let why: Option<String> = row.get(3)?;
        let word: Option<String> = row.get(4)?;
        let says = codes::OutcomeRow { kind: row.get(1)?, detail: row.get(2)?, test: None, why: why.as_deref() };
        let assumption =
            |word: String| Assumption::ALL.into_iter().find(|assumption| assumption.word() == word).ok_or(Malformed);
        let assumes = word.map(assumption).transpose().map_err(malformed)?;
        Ok((row.get(0)?, Contradiction { says: codes::outcome(&says).map_err(malformed)?, assumes }))
    };
    let select = "SELECT place, kind, detail, why, assumes FROM contradiction WHERE run = ?";
    for (index, contradiction) in all(db, select, [run.0], contradiction)? {
        let state = usize::try_from(index).ok().and_then(|index| states.get_mut(index));
        state.ok_or(Malformed).map_err(malformed)?.code_says = Some(contradiction);
    }
    Ok(states)
}

/// Values that many mutants share.
struct Shared {
    files: HashMap<i64, Arc<MutatedFile>>,
    scopes: HashMap<i64, Arc<Scope>>,
    suppressions: HashMap<i64, Arc<Suppression>>,
    plans: HashMap<i64, Arc<EngineAssignment>>,
    tests: HashMap<i64, TestName>,
}

impl Shared {
    fn load(db: &Connection, run: RunId) -> rusqlite::Result<Self> {
        let file = |row: &Row<'_>| {
            let relative = path(row, 1)?;
            let text = blob::inflated(row.get_ref(3)?.as_blob()?, row.get(2)?).map_err(malformed)?;
            let source = SourceFile::new(relative.clone(), text);
            Ok((row.get(0)?, Arc::new(MutatedFile { relative, source })))
        };
        let files = "SELECT f.ordinal, f.path, s.length, s.deflated FROM file f JOIN source s ON s.id = f.source
                     WHERE f.run = ?";
        let scope = |row: &Row<'_>| {
            let scope = Scope { name: row.get(1)?, parameters: row.get(2)?, is_function: row.get(3)? };
            Ok((row.get(0)?, Arc::new(scope)))
        };
        let suppression = |row: &Row<'_>| {
            let (reason, reviewer) = (row.get(2)?, row.get(3)?);
            let suppression = match decoded(row, 1, codes::disposition)? {
                None => Suppression::Comment { reason },
                Some(disposition) => Suppression::Review { disposition, reason, reviewer },
            };
            Ok((row.get(0)?, Arc::new(suppression)))
        };
        let plan = |row: &Row<'_>| {
            Ok((row.get(0)?, Arc::new(EngineAssignment { engine: decoded(row, 1, codes::engine)?, why: row.get(2)? })))
        };
        Ok(Self {
            files: all(db, files, [run.0], file)?,
            scopes: all(db, "SELECT id, name, parameters, is_function FROM scope", [], scope)?,
            suppressions: all(db, "SELECT id, disposition, reason, reviewer FROM suppression", [], suppression)?,
            plans: all(db, "SELECT id, engine, why FROM plan", [], plan)?,
            tests: test_names(db)?,
        })
    }

    fn state(&self, row: &Row<'_>) -> rusqlite::Result<MutantState> {
        let file = shared(&self.files, row.get(1)?)?;
        let (start, end) = (row.get(2)?, row.get(3)?);
        if start > end || end as usize > file.source.text().len() {
            return Err(malformed(Malformed));
        }
        let operator: Result<Operator, _> = row.get_ref(4)?.as_str()?.parse();
        let constant = row.get::<_, Option<i64>>(7)?.map(|code| codes::constant(code, row.get(8).unwrap_or_default()));
        let suppression = row.get::<_, Option<i64>>(9)?.map(|id| shared(&self.suppressions, id)).transpose()?;
        let mutant = Mutant {
            id: id(row, 0)?,
            file,
            range: SourceRange::new(start, end),
            operator: operator.map_err(|_| malformed(Malformed))?,
            replacement: row.get_ref(5)?.as_blob()?.into(),
            scope: shared(&self.scopes, row.get(6)?)?,
            constant: constant.transpose().map_err(malformed)?,
            suppression,
        };
        let plan = row.get::<_, Option<i64>>(10)?.map(|id| shared(&self.plans, id)).transpose()?;
        Ok(MutantState {
            mutant,
            plan,
            outcome: self.outcome(row)?,
            code_says: None,
            trace: None,
            judgement: None,
            generated: None,
        })
    }

    fn outcome(&self, row: &Row<'_>) -> rusqlite::Result<Outcome> {
        let Some(kind) = row.get::<_, Option<i64>>(11)? else { return Ok(Outcome::Pending) };
        let test = row.get::<_, Option<i64>>(13)?.map(|id| shared(&self.tests, id)).transpose()?;
        let why: Option<String> = row.get(14)?;
        let row = codes::OutcomeRow { kind, detail: row.get(12)?, test: test.as_ref(), why: why.as_deref() };
        codes::outcome(&row).map_err(malformed)
    }
}

pub(super) fn test_names(db: &Connection) -> rusqlite::Result<HashMap<i64, TestName>> {
    all(db, "SELECT id, name FROM test_name", [], |row| Ok((row.get(0)?, test_name(row, 1)?)))
}

/// All rows of a query by their id.
fn all<T>(
    db: &Connection,
    select: &str,
    of: impl rusqlite::Params,
    read: impl Fn(&Row<'_>) -> rusqlite::Result<(i64, T)>,
) -> rusqlite::Result<HashMap<i64, T>> {
    db.prepare(select)?.query_map(of, read)?.collect()
}

fn shared<T: Clone>(known: &HashMap<i64, T>, id: i64) -> rusqlite::Result<T> {
    known.get(&id).cloned().ok_or(Malformed).map_err(malformed)
}
