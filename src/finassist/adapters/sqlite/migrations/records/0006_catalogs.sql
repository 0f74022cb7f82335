-- What operators put into the service: two catalogs of pre-prompts, and the links that clients show.
-- Both catalogs have the same columns; ids sort by creation.

CREATE TABLE preprompts (
    id TEXT PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    public_value TEXT NOT NULL,
    masked_value TEXT NOT NULL,
    description TEXT,
    tags TEXT NOT NULL,
    is_deleted INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX preprompts_by_age ON preprompts (is_deleted, id);

CREATE TABLE second_opinion_preprompts (
    id TEXT PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    public_value TEXT NOT NULL,
    masked_value TEXT NOT NULL,
    description TEXT,
    tags TEXT NOT NULL,
    is_deleted INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX second_opinion_preprompts_by_age ON second_opinion_preprompts (is_deleted, id);

-- How many records each catalog has, so that a page costs the same whatever the catalog's size.
CREATE TABLE catalog_counts (
    catalog TEXT NOT NULL,
    is_deleted INTEGER NOT NULL,
    records INTEGER NOT NULL,
    PRIMARY KEY (catalog, is_deleted)
) STRICT, WITHOUT ROWID;
INSERT INTO catalog_counts VALUES
    ('preprompts', 0, 0), ('preprompts', 1, 0),
    ('second_opinion_preprompts', 0, 0), ('second_opinion_preprompts', 1, 0);

CREATE TRIGGER preprompts_added AFTER INSERT ON preprompts BEGIN
    UPDATE catalog_counts SET records = records + 1
        WHERE catalog = 'preprompts' AND is_deleted = new.is_deleted;
END;
CREATE TRIGGER preprompts_moved AFTER UPDATE OF is_deleted ON preprompts
    WHEN old.is_deleted <> new.is_deleted BEGIN
    UPDATE catalog_counts SET records = records + iif(is_deleted = new.is_deleted, 1, -1)
        WHERE catalog = 'preprompts';
END;
CREATE TRIGGER second_opinion_preprompts_added AFTER INSERT ON second_opinion_preprompts BEGIN
    UPDATE catalog_counts SET records = records + 1
        WHERE catalog = 'second_opinion_preprompts' AND is_deleted = new.is_deleted;
END;
CREATE TRIGGER second_opinion_preprompts_moved AFTER UPDATE OF is_deleted ON second_opinion_preprompts
    WHEN old.is_deleted <> new.is_deleted BEGIN
    UPDATE catalog_counts SET records = records + iif(is_deleted = new.is_deleted, 1, -1)
        WHERE catalog = 'second_opinion_preprompts';
END;

CREATE TABLE links (
    name TEXT PRIMARY KEY,
    url TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The record of the main catalog whose instruction holds in the conversation now.
ALTER TABLE conversations ADD COLUMN instructions_id TEXT;
