-- Articles are indexed by section, as stems that the program makes (adapters/sqlite/retrieval/sections.py).

DROP TRIGGER articles_added;
DROP TRIGGER articles_removed;
DROP TRIGGER articles_replaced;
DROP TABLE articles_terms;
DROP TABLE articles_index;

-- Which way of making sections the row's were made with; what has another one is made again.
ALTER TABLE articles ADD COLUMN analysis TEXT;
CREATE INDEX articles_by_analysis ON articles (analysis);

-- title, body: stems between spaces; passages end with a bar. first: how many passages come before.
CREATE TABLE sections (
    number INTEGER PRIMARY KEY,
    article INTEGER NOT NULL REFERENCES articles (number),
    first INTEGER NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL
) STRICT;

CREATE INDEX sections_by_article ON sections (article);

CREATE VIRTUAL TABLE sections_index USING fts5 (
    title, body,
    content = 'sections', content_rowid = 'number',
    tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER sections_added AFTER INSERT ON sections BEGIN
    INSERT INTO sections_index (rowid, title, body) VALUES (new.number, new.title, new.body);
END;

CREATE TRIGGER sections_removed AFTER DELETE ON sections BEGIN
    INSERT INTO sections_index (sections_index, rowid, title, body)
    VALUES ('delete', old.number, old.title, old.body);
END;

-- In how many sections a stem stands; the empty one: how many there are. Asking the index itself would
-- count through all of a common stem's sections every time.
CREATE TABLE stems (
    stem TEXT PRIMARY KEY,
    sections INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
