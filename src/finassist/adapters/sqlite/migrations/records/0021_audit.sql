-- The audit log. Erasing a user empties user_id and address; user_hash is a keyed hash of the id.

CREATE TABLE audit_records (
    id TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    action TEXT NOT NULL,
    actor TEXT NOT NULL,
    result TEXT NOT NULL,
    request_id TEXT NOT NULL,
    code TEXT,
    user_id TEXT,
    user_hash TEXT,
    address TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_records_by_time ON audit_records (at, id);
CREATE INDEX audit_records_by_action ON audit_records (action, at, id);
CREATE INDEX audit_records_by_user ON audit_records (user_id, at, id) WHERE user_id IS NOT NULL;
