-- Addresses that the right passwords came from; hash is a keyed hash of the email and the address.

CREATE TABLE sign_in_addresses (
    hash TEXT PRIMARY KEY,
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    first_seen_at INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sign_in_addresses_by_subject ON sign_in_addresses (subject, issuer);
CREATE INDEX sign_in_addresses_by_expiry ON sign_in_addresses (expires_at);
