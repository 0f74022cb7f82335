-- Expands: The message that a file came inside of; it is stored after the file, and a crash may come in between.
ALTER TABLE files ADD COLUMN message_id TEXT;
CREATE INDEX files_by_arrival ON files (created_at) WHERE message_id IS NOT NULL;

-- Which of some pictures are avatars.
CREATE INDEX users_by_avatar ON users (avatar_key) WHERE avatar_key IS NOT NULL;
