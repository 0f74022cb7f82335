-- Times are milliseconds since 1970 (UTC). Columns that hold lists are JSON.

CREATE TABLE users (
    id TEXT PRIMARY KEY,
    is_guest INTEGER NOT NULL,
    auth_provider TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    email TEXT,
    email_verified INTEGER NOT NULL DEFAULT 0,
    phone TEXT,
    phone_verified INTEGER NOT NULL DEFAULT 0,
    avatar_url TEXT,
    claimed_email TEXT,
    claimed_phone TEXT,
    claimed_owner_ids TEXT NOT NULL DEFAULT '[]',
    email_folded TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX users_by_email ON users (email_folded, id) WHERE is_guest = 0;
CREATE INDEX users_by_phone ON users (phone, id) WHERE is_guest = 0;

CREATE TABLE identities (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;

CREATE INDEX identities_by_user ON identities (user_id);

CREATE TABLE devices (
    id TEXT PRIMARY KEY,
    platform TEXT NOT NULL,
    guest_user_id TEXT NOT NULL UNIQUE REFERENCES users (id),
    guest_owner_id TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    bound_user_id TEXT,
    bound_at INTEGER,
    hinted_user_id TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE conversations (
    id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL,
    title TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    last_message_at INTEGER NOT NULL,
    title_by_user INTEGER NOT NULL,
    preview TEXT NOT NULL,
    type TEXT NOT NULL,
    input_type TEXT NOT NULL,
    preprompt_key TEXT,
    pinned INTEGER NOT NULL,
    tags TEXT NOT NULL,
    status TEXT NOT NULL,
    message_count INTEGER NOT NULL,
    forked_from_share_id TEXT,
    title_folded TEXT NOT NULL,
    preview_folded TEXT NOT NULL
) STRICT;

-- In the order of the list; with the type at the end, every count is read from the index alone.
CREATE INDEX conversations_by_owner ON conversations
    (owner_id, status, pinned DESC, last_message_at DESC, id DESC, type);

CREATE TABLE messages (
    id TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    content TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    status TEXT NOT NULL,
    attachments TEXT NOT NULL,
    model TEXT,
    preprompt_key TEXT,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    tool_calls TEXT NOT NULL,
    sources TEXT NOT NULL,
    visual_embeds TEXT NOT NULL,
    finish_reason TEXT,
    error_code TEXT,
    feedback_rating INTEGER,
    feedback_text TEXT,
    feedback_at INTEGER,
    allowance_used INTEGER,
    allowance_total INTEGER,
    user_message_id TEXT,
    lease_holder TEXT,
    lease_expires_at INTEGER,
    lease_user_message_id TEXT,
    lease_quota_subject TEXT,
    lease_idempotency_key TEXT,
    lease_stop_requested INTEGER
) STRICT;

CREATE UNIQUE INDEX messages_by_conversation ON messages (conversation_id, id);
-- One turn at a time per conversation.
CREATE UNIQUE INDEX messages_running ON messages (conversation_id) WHERE status = 'streaming';
CREATE INDEX messages_by_lease ON messages (lease_expires_at) WHERE status = 'streaming';

CREATE INDEX messages_to_stop ON messages (lease_holder)
    WHERE status = 'streaming' AND lease_stop_requested = 1;

CREATE TABLE quotas (
    subject TEXT PRIMARY KEY,
    used INTEGER NOT NULL,
    granted INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE quota_reservations (
    subject TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    reserved_at INTEGER NOT NULL,
    PRIMARY KEY (subject, turn_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX quota_reservations_by_age ON quota_reservations (reserved_at);

-- hits: when the requests that still count were made, oldest first.
CREATE TABLE rate_windows (
    key TEXT PRIMARY KEY,
    hits TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX rate_windows_by_expiry ON rate_windows (expires_at);

CREATE TABLE idempotency_keys (
    owner TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    message_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (owner, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
