-- Expands: What was read of a file for a model, which the search of the list of conversations looks through.
ALTER TABLE files ADD COLUMN text TEXT;
