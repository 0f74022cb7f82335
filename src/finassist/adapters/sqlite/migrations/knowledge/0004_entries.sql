-- Articles that are a question and its complete answer (domain/knowledge.py).

-- variants: other wordings of the question, a JSON array. quotable: whether the body is quoted as a whole.
ALTER TABLE articles ADD COLUMN variants TEXT NOT NULL DEFAULT '[]';
ALTER TABLE articles ADD COLUMN quotable INTEGER NOT NULL DEFAULT 0;
