-- The hash of a device's secret, and whether its client has shown it: then nobody reaches the guest without.

ALTER TABLE devices ADD COLUMN token_hash TEXT;
ALTER TABLE devices ADD COLUMN is_locked INTEGER NOT NULL DEFAULT 0;

-- What the files of an owner take up is summed before another one is added.

CREATE INDEX files_by_size ON files (owner_id, size);
