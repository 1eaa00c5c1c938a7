-- What version 6 of the store has more than version 5.

-- What comparing functions says of mutants, over runs: another cache of step 7.
CREATE TABLE judgement (
    key      INTEGER NOT NULL,         -- execution_key
    mutant   INTEGER NOT NULL,
    verdict  INTEGER NOT NULL,
    length   INTEGER NOT NULL,
    deflated BLOB NOT NULL,            -- JSON: the witness, what the proof holds for, or the reason
    PRIMARY KEY (key, mutant)
) WITHOUT ROWID;

-- Under which key that of a run's mutant is.
CREATE TABLE judged (
    run   INTEGER NOT NULL,
    place INTEGER NOT NULL,
    key   INTEGER NOT NULL,            -- execution_key
    PRIMARY KEY (run, place)
) WITHOUT ROWID;
