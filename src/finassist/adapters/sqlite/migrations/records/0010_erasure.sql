-- Erasing somebody: the job, and what keeps old tokens from bringing the erased back.

-- subject is JSON; it and user_id are NULL once everything is erased. counts is JSON.
CREATE TABLE erasures (
    receipt_id TEXT PRIMARY KEY,
    requested_at INTEGER NOT NULL,
    completed_at INTEGER,
    requests INTEGER NOT NULL,
    counts TEXT,
    user_id TEXT UNIQUE,
    subject TEXT,
    lease_holder TEXT,
    lease_expires_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX erasures_by_lease ON erasures (lease_expires_at) WHERE completed_at IS NULL;
CREATE INDEX erasures_by_completion ON erasures (completed_at) WHERE completed_at IS NOT NULL;

-- identity is a keyed hash of issuer and subject.
CREATE TABLE erased_identities (
    identity TEXT PRIMARY KEY,
    erased_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX erased_identities_by_age ON erased_identities (erased_at);

-- Older tokens are not this user's, but of whoever had the identity before and was erased.
ALTER TABLE users ADD COLUMN tokens_after INTEGER;

-- What of somebody is kept with the devices and guests of others.
CREATE INDEX devices_by_bound_user ON devices (bound_user_id) WHERE bound_user_id IS NOT NULL;
CREATE INDEX devices_by_hinted_user ON devices (hinted_user_id) WHERE hinted_user_id IS NOT NULL;
CREATE INDEX users_by_claimed_email ON users (claimed_email) WHERE claimed_email IS NOT NULL;
CREATE INDEX users_by_claimed_phone ON users (claimed_phone) WHERE claimed_phone IS NOT NULL;
CREATE INDEX authorization_codes_by_subject ON tickets (json_extract(content, '$.subject'))
    WHERE kind = 'AuthorizationCode';
