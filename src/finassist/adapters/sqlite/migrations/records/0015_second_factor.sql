-- Second factors, and sign-ins that wait for theirs. secret is sealed, recovery_hashes is JSON.

CREATE TABLE second_factors (
    subject TEXT PRIMARY KEY,
    secret TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    confirmed_at INTEGER,
    recovery_hashes TEXT NOT NULL,
    last_step INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE second_factor_challenges (
    hash TEXT PRIMARY KEY,
    subject TEXT NOT NULL,
    tries INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX second_factor_challenges_by_subject ON second_factor_challenges (subject);
CREATE INDEX second_factor_challenges_by_expiry ON second_factor_challenges (expires_at);
