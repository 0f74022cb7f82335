-- Shares. message_ids comes last: it can be long, and counting does not read it.

CREATE TABLE shares (
    id TEXT PRIMARY KEY,
    share_id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    last_viewed_at INTEGER,
    view_count INTEGER NOT NULL DEFAULT 0,
    unique_viewers INTEGER NOT NULL DEFAULT 0,
    allow_continuation INTEGER NOT NULL,
    redacted INTEGER NOT NULL,
    title TEXT NOT NULL,
    custom_title TEXT,
    custom_description TEXT,
    message_ids TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- In the order of the list; with the times at the end, every count is read from the index alone.
CREATE INDEX shares_by_user ON shares (user_id, id DESC, revoked_at, expires_at);
CREATE INDEX shares_by_conversation ON shares (conversation_id);

-- What a redacted share shows in place of what was written. filenames is JSON.
CREATE TABLE share_texts (
    share_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    content TEXT NOT NULL,
    filenames TEXT NOT NULL,
    PRIMARY KEY (share_id, message_id)
) STRICT, WITHOUT ROWID;

-- viewer is a keyed hash that includes the share.
CREATE TABLE share_viewers (
    share_id TEXT NOT NULL,
    viewer TEXT NOT NULL,
    counted_at INTEGER NOT NULL,
    PRIMARY KEY (share_id, viewer)
) STRICT, WITHOUT ROWID;

-- day counts from 1970.
CREATE TABLE share_days (
    share_id TEXT NOT NULL,
    day INTEGER NOT NULL,
    views INTEGER NOT NULL,
    unique_viewers INTEGER NOT NULL,
    PRIMARY KEY (share_id, day)
) STRICT, WITHOUT ROWID;

CREATE INDEX conversations_by_share ON conversations (forked_from_share_id)
    WHERE forked_from_share_id IS NOT NULL;
