//! The inputs that were found for the mutants of a function: a cache over runs, so that an interrupted test generation
//! continues where it stopped.

use super::blob::Malformed;
use super::intern::{Interned, Use};
use super::judgements::{pack, packed, Told};
use super::values::malformed;
use super::{codes, ExecutionKey};
use perturb_model::{ChosenInput, Difference, JudgedFor, KeptTests, MutantId};
use rusqlite::{params, Connection, OptionalExtension};
use serde::{Deserialize, Serialize};

/// The results for one function as a row stores them.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    judged: Vec<KeptVerdict>,
    chosen: Vec<KeptInput>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    within_tolerance: Vec<u64>,
}

#[derive(Debug, Serialize, Deserialize)]
struct KeptVerdict {
    mutant: u64,
    verdict: i64,
    told: Told,
}

#[derive(Debug, Serialize, Deserialize)]
struct KeptInput {
    own: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wider: Option<usize>,
    kills: Vec<KeptKill>,
}

#[derive(Debug, Serialize, Deserialize)]
struct KeptKill {
    mutant: u64,
    kind: i64,
    input: Vec<u8>,
    original: Vec<u8>,
    other: Vec<u8>,
}

impl Kept {
    fn of(found: &KeptTests) -> Self {
        let verdict = |JudgedFor { mutant, judgement }: &JudgedFor| KeptVerdict {
            mutant: mutant.bits(),
            verdict: codes::of_judged(judgement),
            told: Told::of(judgement),
        };
        let kill = |(mutant, by): &(MutantId, Difference)| {
            let Difference { kind, input, original, other } = by.clone();
            KeptKill { mutant: mutant.bits(), kind: codes::of_kind(kind), input, original, other }
        };
        let input = |chosen: &ChosenInput| KeptInput {
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

    fn found(self) -> Result<KeptTests, Malformed> {
        let verdict = |KeptVerdict { mutant, verdict, told }| {
            let judgement = told.judgement(codes::judged(verdict)?)?;
            Ok(JudgedFor { mutant: MutantId::from_bits(mutant), judgement })
        };
        let kill = |KeptKill { mutant, kind, input, original, other }| {
            let by = Difference { kind: codes::kind(kind)?, input, original, other };
            Ok((MutantId::from_bits(mutant), by))
        };
        let input = |KeptInput { own, wider, kills }| {
            let kills = kills.into_iter().map(kill).collect::<Result<_, Malformed>>()?;
            Ok(ChosenInput { own: MutantId::from_bits(own), wider, kills })
        };
        Ok(KeptTests {
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
) -> rusqlite::Result<Option<KeptTests>> {
    let key = interned.key(db, key, used)?;
    let mut select = db.prepare_cached("SELECT length, deflated FROM test_input WHERE key = ?")?;
    let kept: Option<Kept> = select.query_row([key], |row| packed(row, 0)).optional()?;
    kept.map(|kept| kept.found().map_err(malformed)).transpose()
}

pub(super) fn write(
    db: &Connection,
    interned: &mut Interned,
    key: ExecutionKey,
    found: &KeptTests,
    used: Use,
) -> rusqlite::Result<()> {
    let key = interned.key(db, key, used)?;
    let (length, deflated) = pack(&Kept::of(found))?;
    let insert = "INSERT OR REPLACE INTO test_input (key, length, deflated) VALUES (?, ?, ?)";
    db.prepare_cached(insert)?.execute(params![key, length, deflated])?;
    Ok(())
}
