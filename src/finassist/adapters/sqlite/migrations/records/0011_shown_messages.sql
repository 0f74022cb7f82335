-- What a reader sees of a message becomes one value: a page is then read as one text.

CREATE TABLE shown_messages (
    id TEXT NOT NULL UNIQUE,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    status TEXT NOT NULL,
    category TEXT,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    finish_reason TEXT,
    error_code TEXT,
    feedback_rating INTEGER,
    feedback_text TEXT,
    feedback_at INTEGER,
    allowance_used INTEGER,
    allowance_total INTEGER,
    user_message_id TEXT,
    lease_holder TEXT,
    lease_expires_at INTEGER,
    lease_user_message_id TEXT,
    lease_quota_subject TEXT,
    lease_idempotency_key TEXT,
    lease_stop_requested INTEGER,
    -- Again and apart, for the index of the conversations that have some.
    visual_embeds TEXT NOT NULL,
    -- The fields of a ListedMessage, in their order, as a JSON array; the feedback is null in it, because it
    -- may be given while the reply is still being written. At the end: it is long, the others are read without.
    shown TEXT NOT NULL,
    PRIMARY KEY (conversation_id, id)
) STRICT, WITHOUT ROWID;

INSERT INTO shown_messages SELECT id, conversation_id, created_at, status, category, prompt_tokens,
    completion_tokens, finish_reason, error_code, feedback_rating, feedback_text, feedback_at, allowance_used,
    allowance_total, user_message_id, lease_holder, lease_expires_at, lease_user_message_id,
    lease_quota_subject, lease_idempotency_key, lease_stop_requested, visual_embeds,
    json_array(id, conversation_id, role, content, status, model, preprompt_key,
        prompt_tokens + completion_tokens,
        strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch'),
        strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1000.0, 'unixepoch'),
        json(attachments), json(tool_calls), json(sources), json(visual_embeds), NULL)
    FROM messages ORDER BY conversation_id, id;

DROP TABLE messages;
ALTER TABLE shown_messages RENAME TO messages;

-- One turn at a time per conversation.
CREATE UNIQUE INDEX messages_running ON messages (conversation_id) WHERE status = 'streaming';
CREATE INDEX messages_by_lease ON messages (lease_expires_at) WHERE status = 'streaming';
CREATE INDEX messages_to_stop ON messages (lease_holder)
    WHERE status = 'streaming' AND lease_stop_requested = 1;
CREATE INDEX messages_by_category ON messages (conversation_id, category, created_at)
    WHERE category IS NOT NULL;
CREATE INDEX messages_with_embeds ON messages (conversation_id) WHERE visual_embeds <> '[]';
