-- What users answered to profile cards (a value is JSON), and which cards they were last shown (JSON).

CREATE TABLE user_profiles (
    user_id TEXT PRIMARY KEY,
    session_count INTEGER NOT NULL DEFAULT 0,
    shown TEXT NOT NULL DEFAULT '[]',
    revision INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE profile_answers (
    user_id TEXT NOT NULL REFERENCES user_profiles (user_id) ON DELETE CASCADE,
    question_key TEXT NOT NULL,
    value TEXT NOT NULL,
    do_not_use INTEGER NOT NULL,
    PRIMARY KEY (user_id, question_key)
) STRICT, WITHOUT ROWID;
