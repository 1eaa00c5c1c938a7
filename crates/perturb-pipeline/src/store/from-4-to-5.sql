-- What version 5 of the store has more than version 4.

-- Mutants of a run that are likely duplicates of another one, which counts.
CREATE TABLE alike (
    run   INTEGER NOT NULL,
    place INTEGER NOT NULL,
    of    INTEGER NOT NULL,            -- the id of a mutant
    PRIMARY KEY (run, place)
) WITHOUT ROWID;

-- How many statements of each file any test executes.
CREATE TABLE covered (
    run      INTEGER NOT NULL,
    path     BLOB NOT NULL,
    executed INTEGER NOT NULL,
    all_of   INTEGER NOT NULL,
    PRIMARY KEY (run, path)
) WITHOUT ROWID;
