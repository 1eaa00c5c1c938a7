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

-- What the runs of a mutant leave in the counts of its file, over runs: the cache of step 7.
CREATE TABLE look (
    key       INTEGER NOT NULL,        -- execution_key
    mutant    INTEGER NOT NULL,
    distance  REAL,                    -- null: unknown; 0: likely equivalent
    signature INTEGER NOT NULL,
    PRIMARY KEY (key, mutant)
) WITHOUT ROWID;

-- The same for the mutants of a run that differ.
CREATE TABLE trace (
    run       INTEGER NOT NULL,
    place     INTEGER NOT NULL,
    distance  REAL NOT NULL,
    signature INTEGER NOT NULL,
    PRIMARY KEY (run, place)
) WITHOUT ROWID;
