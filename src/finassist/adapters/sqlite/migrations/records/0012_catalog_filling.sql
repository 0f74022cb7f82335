-- Whether the catalogs were ever filled from what ships: one row, of who fills them until when.

CREATE TABLE catalog_filling (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    is_done INTEGER NOT NULL,
    claimed_until INTEGER NOT NULL
) STRICT;
