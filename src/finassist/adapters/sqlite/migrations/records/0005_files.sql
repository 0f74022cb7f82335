-- Files that users keep. Identifiers sort by creation, so the indexes are in the order of the lists.

CREATE TABLE files (
    id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL,
    conversation_id TEXT,
    filename TEXT NOT NULL,
    mime_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    kind TEXT NOT NULL,
    width INTEGER,
    height INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX files_by_owner ON files (owner_id, id DESC);
CREATE INDEX files_by_conversation ON files (owner_id, conversation_id, id DESC);
