-- The data export reads a user's conversations by their ids, page by page.
CREATE INDEX conversations_by_owner_and_id ON conversations (owner_id, id);
