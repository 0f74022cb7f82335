-- Sessions of the built-in provider: a family of refresh tokens is one. expires_at is that of its newest token.

CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    subject TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    device_id TEXT,
    platform TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_subject ON sessions (subject);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Families from before: their oldest token tells about when they began.
INSERT INTO sessions (id, subject, created_at, last_seen_at, ends_at, expires_at)
    SELECT family_id, subject, began, began, began + 7776000000, expires FROM (
        SELECT family_id, min(subject) AS subject, max(expires_at) AS expires,
            min(min(expires_at) - 2592000000, CAST(strftime('%s', 'now') AS INTEGER) * 1000) AS began
        FROM refresh_tokens GROUP BY family_id);
