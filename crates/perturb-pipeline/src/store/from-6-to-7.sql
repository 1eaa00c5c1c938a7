-- What version 7 of the store has more than version 6.

-- Every time that tests were generated for mutants of a run.
CREATE TABLE generation (
    id        INTEGER PRIMARY KEY,
    run       INTEGER NOT NULL,
    at        INTEGER NOT NULL,        -- milliseconds since 1970
    framework TEXT NOT NULL,
    folder    BLOB NOT NULL            -- that the tests were written to
);

-- What came of it for a mutant: tests of a file kill it, there is a reason why none does, or the verdict alone says so.
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
