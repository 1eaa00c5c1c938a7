-- What version 3 of the store has more than version 2.

-- What the compiler took for granted to say so: the option with which it does not.
ALTER TABLE contradiction ADD COLUMN assumes TEXT;
