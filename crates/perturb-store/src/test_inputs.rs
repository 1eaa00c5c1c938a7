//! The inputs that were found for the mutants of a function: a cache over runs, so that an interrupted test generation
//! continues where it stopped.

use super::blob::Malformed;
use super::intern::{Interned, Use};
use super::judgements::{pack, packed, StoredEvidence};
use super::values::malformed;
use super::{codes, ExecutionKey};
use perturb_model::{ChosenInput, Difference, InputSearchResult, MutantId, MutantJudgement};
use rusqlite::{params, Connection, OptionalExtension};
use serde::{Deserialize, Serialize};

/// The results for one function as a row stores them.
#[derive(Debug, Serialize, Deserialize)]
struct StoredInputs {
    judged: Vec<StoredVerdict>,
    chosen: Vec<StoredInput>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    within_tolerance: Vec<u64>,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredVerdict {
    mutant: u64,
    verdict: i64,
    told: StoredEvidence,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredInput {
    own: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wider: Option<usize>,
    kills: Vec<StoredKill>,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredKill {
    mutant: u64,
    kind: i64,
    input: Vec<u8>,
    original: Vec<u8>,
    other: Vec<u8>,
}

impl StoredInputs {
    fn of(found: &InputSearchResult) -> Self {
        let verdict = |MutantJudgement { mutant, judgement }: &MutantJudgement| StoredVerdict {
            mutant: mutant.bits(),
            verdict: codes::of_judged(judgement),
            told: StoredEvidence::of(judgement),
        };
        let kill = |(mutant, by): &(MutantId, Difference)| {
            let Difference { kind, input, original, other } = by.clone();
            StoredKill { mutant: mutant.bits(), kind: codes::of_kind(kind), input, original, other }
        };
        let input = |chosen: &ChosenInput| StoredInput {
            own: chosen.own.bits(),
            wider: chosen.wider,
            kills: chosen.kills.iter().map(kill).collect(),
        };
        Self {
            judged: found.judged.iter().map(verdict).collect(),
            chosen: found.chosen.iter().map(input).collect(),
            within_tolerance: found.within_tolerance.iter().map(|mutant| mutant.bits()).collect(),
        }
    }

    fn found(self) -> Result<InputSearchResult, Malformed> {
        let verdict = |StoredVerdict { mutant, verdict, told }| {
            let judgement = told.judgement(codes::judged(verdict)?)?;
            Ok(MutantJudgement { mutant: MutantId::from_bits(mutant), judgement })
        };
        let kill = |StoredKill { mutant, kind, input, original, other }| {
            let by = Difference { kind: codes::kind(kind)?, input, original, other };
            Ok((MutantId::from_bits(mutant), by))
        };
        let input = |StoredInput { own, wider, kills }| {
            let kills = kills.into_iter().map(kill).collect::<Result<_, Malformed>>()?;
            Ok(ChosenInput { own: MutantId::from_bits(own), wider, kills })
        };
        Ok(InputSearchResult {
            judged: self.judged.into_iter().map(verdict).collect::<Result<_, Malformed>>()?,
            chosen: self.chosen.into_iter().map(input).collect::<Result<_, Malformed>>()?,
            within_tolerance: self.within_tolerance.into_iter().map(MutantId::from_bits).collect(),
        })
    }
}

/// The inputs that are stored under a key. The key counts as used from now on.
pub(super) fn known(
    db: &Connection,
    interned: &mut Interned,
    key: ExecutionKey,
    used: Use,
) -> rusqlite::Result<Option<InputSearchResult>> {
    let key = interned.key(db, key, used)?;
    let mut select = db.prepare_cached("SELECT length, deflated FROM test_input WHERE key = ?")?;
    let kept: Option<StoredInputs> = select.query_row([key], |row| packed(row, 0)).optional()?;
    kept.map(|kept| kept.found().map_err(malformed)).transpose()
}

pub(super) fn write(
    db: &Connection,
    interned: &mut Interned,
    key: ExecutionKey,
    found: &InputSearchResult,
    used: Use,
) -> rusqlite::Result<()> {
    let key = interned.key(db, key, used)?;
    let (length, deflated) = pack(&StoredInputs::of(found))?;
    let insert = "INSERT OR REPLACE INTO test_input (key, length, deflated) VALUES (?, ?, ?)";
    db.prepare_cached(insert)?.execute(params![key, length, deflated])?;
    Ok(())
}
