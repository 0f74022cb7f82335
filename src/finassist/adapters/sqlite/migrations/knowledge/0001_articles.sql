-- Articles and their search index.

-- edition: which set of starter articles the row came with; NULL for what an operator added.
CREATE TABLE articles (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    category TEXT,
    jurisdiction TEXT,
    as_of TEXT,
    url TEXT,
    edition TEXT
) STRICT;

CREATE INDEX articles_by_edition ON articles (edition) WHERE edition IS NOT NULL;

CREATE VIRTUAL TABLE articles_index USING fts5 (
    title, body,
    content = 'articles', content_rowid = 'number',
    tokenize = 'porter unicode61 remove_diacritics 2'
);

-- In how many articles a term stands.
CREATE VIRTUAL TABLE articles_terms USING fts5vocab (articles_index, row);

CREATE TRIGGER articles_added AFTER INSERT ON articles BEGIN
    INSERT INTO articles_index (rowid, title, body) VALUES (new.number, new.title, new.body);
END;

CREATE TRIGGER articles_removed AFTER DELETE ON articles BEGIN
    INSERT INTO articles_index (articles_index, rowid, title, body)
    VALUES ('delete', old.number, old.title, old.body);
END;

CREATE TRIGGER articles_replaced AFTER UPDATE OF title, body ON articles BEGIN
    INSERT INTO articles_index (articles_index, rowid, title, body)
    VALUES ('delete', old.number, old.title, old.body);
    INSERT INTO articles_index (rowid, title, body) VALUES (new.number, new.title, new.body);
END;
