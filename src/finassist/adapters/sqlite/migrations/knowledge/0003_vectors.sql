-- Vectors, kept by the hash of the text that they were made of: a text that comes back has them at once.

-- vectors: one of each passage, normalised float32 (little-endian), one after the other.
CREATE TABLE vectors (
    number INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    vectors BLOB NOT NULL
) STRICT;

-- An article's vectors, or who is about to make them: hash is NULL until then, and the claim ends by itself.
CREATE TABLE embedded_articles (
    number INTEGER PRIMARY KEY,
    hash BLOB,
    claimed_until INTEGER NOT NULL
) STRICT;

CREATE INDEX embedded_articles_by_hash ON embedded_articles (hash) WHERE hash IS NOT NULL;

-- At most one row.
CREATE TABLE embedding_model (
    model TEXT NOT NULL,
    dimensions INTEGER NOT NULL
) STRICT;

CREATE TRIGGER embedded_article_removed AFTER DELETE ON articles BEGIN
    DELETE FROM embedded_articles WHERE number = old.number;
END;

CREATE TRIGGER embedded_article_changed AFTER UPDATE OF title, body ON articles
WHEN new.title IS NOT old.title OR new.body IS NOT old.body BEGIN
    DELETE FROM embedded_articles WHERE number = old.number;
END;
