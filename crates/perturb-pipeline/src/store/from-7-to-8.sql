-- What version 8 of the store has more than version 7.

-- The work folder that the store belongs to: what stands in its file work.id. One row.
CREATE TABLE identity (
    work TEXT NOT NULL
);
-- Other verdicts that rest on the engine and the test of one that the audit contradicts: how many of them a slower engine has found
-- again, how many it has changed, and how many are in doubt, since it was time to stop.
ALTER TABLE audit ADD COLUMN confirmed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE audit ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE audit ADD COLUMN in_doubt INTEGER NOT NULL DEFAULT 0;
