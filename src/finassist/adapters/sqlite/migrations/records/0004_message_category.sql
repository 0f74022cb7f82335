-- The finance category of a user's question; NULL for replies, small talk and whatever has none.
ALTER TABLE messages ADD COLUMN category TEXT;

-- What somebody asks about is read from the index alone.
CREATE INDEX messages_by_category ON messages (conversation_id, category, created_at)
    WHERE category IS NOT NULL;
