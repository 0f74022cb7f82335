-- Quote images, the version that every change of them raises, and which conversations have some.

CREATE TABLE visual_embeds (
    id TEXT PRIMARY KEY,
    category_key TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    image_url TEXT,
    image_key TEXT,
    quote_text TEXT,
    is_active INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE visual_embeds_version (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL
) STRICT;

INSERT INTO visual_embeds_version (id, version) VALUES (1, 0);

CREATE INDEX messages_with_embeds ON messages (conversation_id) WHERE visual_embeds <> '[]';
