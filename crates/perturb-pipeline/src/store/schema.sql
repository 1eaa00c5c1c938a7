-- The store, version 1; what later versions add is in files of their own, which follow it. Times are in microseconds, dates in milliseconds since 1970, ids of mutants are their 64 bits.
-- What is a number here and an enum in the program is in store/codes.rs.

CREATE TABLE run (
    id        INTEGER PRIMARY KEY,
    started   INTEGER NOT NULL,
    finished  INTEGER,                 -- null: it goes on, or it was killed
    ending    INTEGER,
    version   TEXT NOT NULL,           -- of perturb
    root      BLOB NOT NULL,
    arguments TEXT NOT NULL,           -- a JSON array
    seed      INTEGER NOT NULL,
    manifest  TEXT NOT NULL            -- JSON
);

CREATE TABLE step (
    run     INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    step    TEXT NOT NULL,
    wall    INTEGER NOT NULL,
    cpu     INTEGER NOT NULL,
    PRIMARY KEY (run, ordinal)
) WITHOUT ROWID;

CREATE TABLE test_name (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

CREATE TABLE test (
    run      INTEGER NOT NULL,
    ordinal  INTEGER NOT NULL,
    name     INTEGER NOT NULL,         -- test_name
    command  TEXT NOT NULL,
    wall     INTEGER NOT NULL,
    cpu      INTEGER NOT NULL,
    baseline INTEGER NOT NULL,
    why      TEXT,
    hash     BLOB NOT NULL,
    PRIMARY KEY (run, ordinal)
) WITHOUT ROWID;

-- The text of each file once, however many runs saw it.
CREATE TABLE source (
    id       INTEGER PRIMARY KEY,
    hash     BLOB NOT NULL UNIQUE,
    length   INTEGER NOT NULL,
    deflated BLOB NOT NULL
);

CREATE TABLE file (
    run     INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    path    BLOB NOT NULL,             -- below the root
    source  INTEGER NOT NULL,
    PRIMARY KEY (run, ordinal)
) WITHOUT ROWID;

CREATE TABLE scope (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL,
    parameters  TEXT NOT NULL,
    is_function INTEGER NOT NULL,
    UNIQUE (name, parameters, is_function)
);

CREATE TABLE suppression (
    id          INTEGER PRIMARY KEY,
    disposition INTEGER NOT NULL,      -- 0: a comment
    reason      TEXT NOT NULL,
    reviewer    TEXT NOT NULL,
    UNIQUE (disposition, reason, reviewer)
);

-- What stands at a place in the list of mutants; lines and columns follow from the file's text.
CREATE TABLE mutant (
    run         INTEGER NOT NULL,
    place       INTEGER NOT NULL,
    id          INTEGER NOT NULL,
    file        INTEGER NOT NULL,      -- file.ordinal
    first       INTEGER NOT NULL,      -- bytes
    past        INTEGER NOT NULL,
    operator    TEXT NOT NULL,
    replacement BLOB NOT NULL,
    scope       INTEGER NOT NULL,
    constant    INTEGER,               -- why it cannot be switched
    constant_of INTEGER,
    suppression INTEGER,
    PRIMARY KEY (run, place)
) WITHOUT ROWID;

CREATE TABLE plan (
    id     INTEGER PRIMARY KEY,
    engine INTEGER NOT NULL,
    why    TEXT NOT NULL,
    UNIQUE (engine, why)
);

CREATE TABLE planned (
    run   INTEGER NOT NULL,
    place INTEGER NOT NULL,
    plan  INTEGER NOT NULL,
    PRIMARY KEY (run, place)
) WITHOUT ROWID;

-- No row: pending.
CREATE TABLE outcome (
    run    INTEGER NOT NULL,
    place  INTEGER NOT NULL,
    kind   INTEGER NOT NULL,
    detail INTEGER,
    test   INTEGER,                    -- test_name
    why    TEXT,
    PRIMARY KEY (run, place)
) WITHOUT ROWID;

-- Runs of places, as variable-length numbers.
CREATE TABLE recording (
    run      INTEGER NOT NULL,
    test     INTEGER NOT NULL,         -- test_name
    reached  BLOB NOT NULL,
    infected BLOB NOT NULL,
    PRIMARY KEY (run, test)
) WITHOUT ROWID;

CREATE TABLE statement_counts (
    run      INTEGER NOT NULL,
    test     INTEGER NOT NULL,         -- test_name
    path     BLOB NOT NULL,
    length   INTEGER NOT NULL,
    deflated BLOB NOT NULL,            -- variable-length numbers
    PRIMARY KEY (run, test, path)
) WITHOUT ROWID;

-- All that a verdict depends on. Many executions share one key, so that one row here tells that all of them are in use.
CREATE TABLE execution_key (
    id       INTEGER PRIMARY KEY,
    hash     BLOB NOT NULL UNIQUE,
    used_run INTEGER NOT NULL,
    used_at  INTEGER NOT NULL
);

-- The ends of what tests print, each once: its id is the beginning of its hash.
CREATE TABLE output (
    id   INTEGER PRIMARY KEY,
    tail BLOB NOT NULL
);

-- Verdicts outlive their run: this is the cache.
CREATE TABLE execution (
    mutant  INTEGER NOT NULL,
    test    INTEGER NOT NULL,          -- test_name
    key     INTEGER NOT NULL,
    engine  INTEGER NOT NULL,
    verdict INTEGER NOT NULL,
    cpu     INTEGER NOT NULL,
    wall    INTEGER NOT NULL,
    output  INTEGER,
    PRIMARY KEY (mutant, test, key, engine)
) WITHOUT ROWID;

CREATE TABLE build_failure (
    mutant INTEGER NOT NULL,
    key    INTEGER NOT NULL,
    output INTEGER,
    PRIMARY KEY (mutant, key)
) WITHOUT ROWID;
