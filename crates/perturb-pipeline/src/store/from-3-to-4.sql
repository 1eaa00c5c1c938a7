-- What version 4 of the store has more than version 3.

-- Which mutants a run has drawn, and what they say of the raw score.
CREATE TABLE sample (
    run        INTEGER PRIMARY KEY,
    strategy   TEXT NOT NULL,          -- as it is typed
    population INTEGER NOT NULL,
    drawn      BLOB NOT NULL,          -- places in the order of the draw, as variable-length numbers
    width      REAL NOT NULL,          -- T_CI
    error      REAL,                   -- T_CE, with reduced suites
    least      INTEGER,                -- mutants for the calibration
    confidence REAL NOT NULL,
    method     INTEGER NOT NULL,
    killed     INTEGER NOT NULL,
    counted    INTEGER NOT NULL,
    missed     INTEGER,                -- by reduced suites
    calibrated INTEGER,                -- mutants executed with both
    complete   INTEGER NOT NULL
);
