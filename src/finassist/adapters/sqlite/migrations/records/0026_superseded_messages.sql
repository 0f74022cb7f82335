-- Expands: The user's message whose place the question of a reply takes: from it up to that question, the messages of
-- the conversation are superseded.
ALTER TABLE messages ADD COLUMN replaces TEXT;
CREATE INDEX messages_replacing ON messages (conversation_id, replaces, user_message_id) WHERE replaces IS NOT NULL;
