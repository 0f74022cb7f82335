-- Expands: What users count the payments to somebody as: of each owner the categories (JSON), by the words that name a payee.
CREATE TABLE payee_categories (
    owner_id TEXT PRIMARY KEY,
    categories TEXT NOT NULL,
    revision INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
