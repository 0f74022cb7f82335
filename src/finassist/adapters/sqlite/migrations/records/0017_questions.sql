-- The text of the users' own messages, folded to be compared without case. A search of the list reads it, a
-- conversation's in one place.

CREATE TABLE questions (
    conversation_id TEXT NOT NULL,
    id TEXT NOT NULL,
    text_folded TEXT NOT NULL,
    PRIMARY KEY (conversation_id, id),
    FOREIGN KEY (conversation_id, id) REFERENCES messages (conversation_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

INSERT INTO questions SELECT conversation_id, id, casefold(json_extract(shown, '$[3]'))
    FROM messages WHERE json_extract(shown, '$[2]') = 'user' ORDER BY conversation_id, id;
