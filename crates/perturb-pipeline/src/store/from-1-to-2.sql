-- What version 2 of the store has more than version 1.

-- What compilers make of mutants, over runs: the cache of step 4. The key is of all that the code of a unit depends on.
CREATE TABLE code (
    key    INTEGER NOT NULL,           -- execution_key
    mutant INTEGER NOT NULL,
    level  INTEGER NOT NULL,
    code   BLOB NOT NULL,
    PRIMARY KEY (key, mutant, level)
) WITHOUT ROWID;

-- What the code of a mutant says where a test says otherwise; as in outcome.
CREATE TABLE contradiction (
    run    INTEGER NOT NULL,
    place  INTEGER NOT NULL,
    kind   INTEGER NOT NULL,
    detail INTEGER,
    why    TEXT,
    PRIMARY KEY (run, place)
) WITHOUT ROWID;

-- How many pairs of a mutant and a test each engine executed (no reason), and how many the fastest left to others, and why.
CREATE TABLE pair_count (
    run    INTEGER NOT NULL,
    engine INTEGER NOT NULL,
    why    TEXT NOT NULL,
    pairs  INTEGER NOT NULL,
    PRIMARY KEY (run, engine, why)
) WITHOUT ROWID;

-- How many verdicts the rebuild engine was asked to find again.
CREATE TABLE audit (
    run       INTEGER PRIMARY KEY,
    checked   INTEGER NOT NULL,
    disagreed INTEGER NOT NULL
);
