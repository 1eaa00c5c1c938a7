-- The tables of the store. Times are in microseconds, dates in milliseconds since 1970. The id of a mutant is its 64
-- bits. The numbers that stand for enums of the program are in src/codes.rs.

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

-- The texts of files. Each text is stored once for all runs.
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

-- The mutants of a run. Here and in the tables below, `place` is the index of a mutant in the list of its run. Lines
-- and columns are computed from the file's text.
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

-- Outcomes; a mutant without a row is pending.
CREATE TABLE outcome (
    run    INTEGER NOT NULL,
    place  INTEGER NOT NULL,
    kind   INTEGER NOT NULL,
    detail INTEGER,
    test   INTEGER,                    -- test_name
    why    TEXT,
    PRIMARY KEY (run, place)
) WITHOUT ROWID;

-- The sets of mutants as runs of indices, in variable-length numbers.
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

-- Hashes of everything that a verdict depends on. Many executions share a key, so that one row here marks all of them
-- as used.
CREATE TABLE execution_key (
    id       INTEGER PRIMARY KEY,
    hash     BLOB NOT NULL UNIQUE,
    used_run INTEGER NOT NULL,
    used_at  INTEGER NOT NULL
);

-- The ends of outputs, each stored once: the id is the beginning of its hash.
CREATE TABLE output (
    id   INTEGER PRIMARY KEY,
    tail BLOB NOT NULL
);

-- Verdicts. They outlive their run: this table is the cache.
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

-- The cache of compiled code, over runs. The key covers everything that the code of a unit depends on.
CREATE TABLE code (
    key    INTEGER NOT NULL,           -- execution_key
    mutant INTEGER NOT NULL,
    level  INTEGER NOT NULL,
    code   BLOB NOT NULL,
    PRIMARY KEY (key, mutant, level)
) WITHOUT ROWID;

-- Outcomes that compiled code suggests and a test refutes; columns as in outcome.
CREATE TABLE contradiction (
    run    INTEGER NOT NULL,
    place  INTEGER NOT NULL,
    kind   INTEGER NOT NULL,
    detail INTEGER,
    why    TEXT,
    assumes TEXT,                      -- what the compiler took for granted to say so, in a word
    PRIMARY KEY (run, place)
) WITHOUT ROWID;

-- How many pairs of a mutant and a test each engine executed (why is empty), and how many the fastest engine deferred
-- to others, and why.
CREATE TABLE pair_count (
    run    INTEGER NOT NULL,
    engine INTEGER NOT NULL,
    why    TEXT NOT NULL,
    pairs  INTEGER NOT NULL,
    PRIMARY KEY (run, engine, why)
) WITHOUT ROWID;

-- How many verdicts the rebuild engine checked and contradicted. Of others that rest on the same engine and test as a
-- contradicted one: how many a slower engine confirmed, how many it changed, and how many are in doubt because the run
-- ended before.
CREATE TABLE audit (
    run       INTEGER PRIMARY KEY,
    checked   INTEGER NOT NULL,
    disagreed INTEGER NOT NULL,
    confirmed INTEGER NOT NULL,
    changed   INTEGER NOT NULL,
    in_doubt  INTEGER NOT NULL
);

-- The sample of a run, and the estimate of the raw score.
CREATE TABLE sample (
    run        INTEGER PRIMARY KEY,
    strategy   TEXT NOT NULL,          -- as it is typed
    population INTEGER NOT NULL,
    drawn      BLOB NOT NULL,          -- indices in the order of the draw, as variable-length numbers
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

-- The traces of mutants in the statement counts, over runs: the cache of the discard step.
CREATE TABLE look (
    key       INTEGER NOT NULL,        -- execution_key
    mutant    INTEGER NOT NULL,
    distance  REAL,                    -- null: unknown; 0: likely equivalent
    signature INTEGER NOT NULL,
    PRIMARY KEY (key, mutant)
) WITHOUT ROWID;

-- The traces of a run's mutants that differ from the original.
CREATE TABLE trace (
    run       INTEGER NOT NULL,
    place     INTEGER NOT NULL,
    distance  REAL NOT NULL,
    signature INTEGER NOT NULL,
    PRIMARY KEY (run, place)
) WITHOUT ROWID;

-- How many statements of each file the tests execute.
CREATE TABLE covered (
    run      INTEGER NOT NULL,
    path     BLOB NOT NULL,
    executed INTEGER NOT NULL,
    all_of   INTEGER NOT NULL,
    PRIMARY KEY (run, path)
) WITHOUT ROWID;

-- The cache of judgements, over runs.
CREATE TABLE judgement (
    key      INTEGER NOT NULL,         -- execution_key
    mutant   INTEGER NOT NULL,
    verdict  INTEGER NOT NULL,
    length   INTEGER NOT NULL,
    deflated BLOB NOT NULL,            -- JSON: the witness, what the proof holds for, or the reason
    PRIMARY KEY (key, mutant)
) WITHOUT ROWID;

-- The key of the judgement on each of a run's mutants.
CREATE TABLE judged (
    run   INTEGER NOT NULL,
    place INTEGER NOT NULL,
    key   INTEGER NOT NULL,            -- execution_key
    PRIMARY KEY (run, place)
) WITHOUT ROWID;

-- Generations of tests for mutants of a run.
CREATE TABLE generation (
    id        INTEGER PRIMARY KEY,
    run       INTEGER NOT NULL,
    at        INTEGER NOT NULL,        -- milliseconds since 1970
    framework TEXT NOT NULL,
    folder    BLOB NOT NULL            -- that the tests were written to
);

-- The result of a generation for a mutant: tests of a file kill it, there is a reason why none does, or the verdict
-- alone says so.
CREATE TABLE generated (
    run        INTEGER NOT NULL,
    place      INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    file       TEXT,                   -- below the folder
    tests      TEXT,                   -- JSON: a list of names
    why        TEXT,
    verdict    INTEGER,                -- as in judgement, with the two below
    length     INTEGER,
    deflated   BLOB,
    PRIMARY KEY (run, place)
) WITHOUT ROWID;

-- The inputs that were found for the mutants of a function, over runs.
CREATE TABLE test_input (
    key      INTEGER PRIMARY KEY,      -- execution_key
    length   INTEGER NOT NULL,
    deflated BLOB NOT NULL             -- JSON: verdicts, and inputs with what they show
);

-- The work folder that the store belongs to: the content of its file work.id. One row.
CREATE TABLE identity (
    work TEXT NOT NULL
);
