-- What version 3 of the store has more than version 2.

-- What the compiler took for granted to say so, in a word.
ALTER TABLE contradiction ADD COLUMN assumes TEXT;
