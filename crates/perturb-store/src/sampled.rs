//! Reads and writes the sample of a run.

use super::blob::{self, Malformed};
use super::values::malformed;
use perturb_model::{Calibration, Confidence, Estimate, Method, MutantIdx, Rule, Sampled, Share};
use rusqlite::{params, Connection, OptionalExtension, Row};

const PLAIN: i64 = 1;
const CORRECTED: i64 = 2;
const SUFFICED: i64 = 3;
const NOT_CALIBRATED: i64 = 4;

pub(super) fn write(db: &Connection, run: i64, sampled: &Sampled) -> rusqlite::Result<()> {
    let Sampled { strategy, population, drawn, rule, estimate, is_complete } = sampled;
    let (method, missed) = match estimate.method {
        Method::Plain => (PLAIN, None),
        Method::Corrected { missed } => (CORRECTED, Some(missed)),
        Method::Sufficed => (SUFFICED, None),
        Method::NotCalibrated { missed } => (NOT_CALIBRATED, Some(missed)),
    };
    let mut indices = Vec::new();
    drawn.iter().for_each(|mutant| blob::put(&mut indices, mutant.get() as u64));
    let insert =
        "INSERT OR REPLACE INTO sample (run, strategy, population, drawn, width, error, least, confidence, method,
                      killed, counted, missed, calibrated, complete) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    db.execute(
        insert,
        params![
            run,
            strategy.to_string(),
            population,
            indices,
            rule.width,
            rule.calibration.map(|calibration| calibration.width),
            rule.calibration.map(|calibration| calibration.least),
            rule.confidence.level(),
            method,
            estimate.killed.hits(),
            estimate.killed.of(),
            missed.map(Share::hits),
            missed.map(Share::of),
            is_complete,
        ],
    )?;
    Ok(())
}

pub(super) fn read(db: &Connection, run: i64) -> rusqlite::Result<Option<Sampled>> {
    let select = "SELECT strategy, population, drawn, width, error, least, confidence, method, killed, counted, missed,
                      calibrated, complete FROM sample WHERE run = ?";
    db.query_row(select, [run], sampled).optional()
}

fn sampled(row: &Row<'_>) -> rusqlite::Result<Sampled> {
    let wrong = |_| malformed(Malformed);
    let share = |hits: Option<u64>, of: Option<u64>| match (hits, of) {
        (Some(hits), Some(of)) if hits <= of => Ok(Share::new(hits, of)),
        _ => Err(malformed(Malformed)),
    };
    let missed = || share(row.get(10)?, row.get(11)?);
    let method = match row.get(7)? {
        PLAIN => Method::Plain,
        CORRECTED => Method::Corrected { missed: missed()? },
        SUFFICED => Method::Sufficed,
        NOT_CALIBRATED => Method::NotCalibrated { missed: missed()? },
        _ => return Err(malformed(Malformed)),
    };
    let calibration = match (row.get(4)?, row.get(5)?) {
        (Some(width), Some(least)) => Some(Calibration { width, least }),
        _ => None,
    };
    let confidence = Confidence::new(row.get(6)?).ok_or(Malformed).map_err(malformed)?;
    let mut numbers = blob::Numbers(row.get_ref(2)?.as_blob()?);
    let mut drawn = Vec::new();
    while let Some(index) = numbers.next().map_err(malformed)? {
        drawn.push(MutantIdx::new(usize::try_from(index).map_err(wrong)?));
    }
    Ok(Sampled {
        strategy: row.get_ref(0)?.as_str()?.parse().map_err(|_| malformed(Malformed))?,
        population: row.get(1)?,
        drawn,
        rule: Rule { width: row.get(3)?, confidence, calibration },
        estimate: Estimate { killed: share(row.get(8)?, row.get(9)?)?, method, confidence },
        is_complete: row.get(12)?,
    })
}
