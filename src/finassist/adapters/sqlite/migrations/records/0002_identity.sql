-- The built-in identity provider, and what signing in leaves behind.

CREATE TABLE accounts (
    subject TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    email TEXT,
    email_verified INTEGER NOT NULL,
    phone TEXT UNIQUE,
    phone_verified INTEGER NOT NULL,
    password_hash TEXT,
    email_folded TEXT
) STRICT, WITHOUT ROWID;

-- An address belongs to at most one account that verified it, and at most one that did not.
CREATE UNIQUE INDEX accounts_by_email ON accounts (email_folded, email_verified)
    WHERE email_folded IS NOT NULL;

CREATE TABLE account_social (
    issuer TEXT NOT NULL,
    social_subject TEXT NOT NULL,
    subject TEXT NOT NULL REFERENCES accounts (subject) ON DELETE CASCADE,
    PRIMARY KEY (issuer, social_subject)
) STRICT, WITHOUT ROWID;

CREATE INDEX account_social_by_account ON account_social (subject);

-- used_at: when the token was rotated, NULL for one that was not.
CREATE TABLE refresh_tokens (
    hash TEXT PRIMARY KEY,
    family_id TEXT NOT NULL,
    subject TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX refresh_tokens_by_family ON refresh_tokens (family_id);
CREATE INDEX refresh_tokens_by_subject ON refresh_tokens (subject);
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);

-- What is good once: redirect logins, forms of the hosted page, authorization codes. content is JSON.
CREATE TABLE tickets (
    kind TEXT NOT NULL,
    hash TEXT NOT NULL,
    content TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (kind, hash)
) STRICT, WITHOUT ROWID;

CREATE INDEX tickets_by_expiry ON tickets (expires_at);

CREATE TABLE sign_in_failures (
    key TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    locked_until INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sign_in_failures_by_expiry ON sign_in_failures (expires_at);

-- The newest code of a phone.
CREATE TABLE otp_codes (
    phone TEXT PRIMARY KEY,
    device_id TEXT NOT NULL,
    code_hash TEXT NOT NULL,
    sent_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    wrong_tries INTEGER NOT NULL,
    used INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX otp_codes_by_expiry ON otp_codes (expires_at);
