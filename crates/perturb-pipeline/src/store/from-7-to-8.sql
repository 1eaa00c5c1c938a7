-- What version 8 of the store has more than version 7.

-- The work folder that the store belongs to: what stands in its file work.id. One row.
CREATE TABLE identity (
    work TEXT NOT NULL
);
