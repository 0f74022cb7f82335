-- Expands: The data export reads the audit log's records about a user by their ids, page by page.
CREATE INDEX audit_records_by_user_and_id ON audit_records (user_id, id) WHERE user_id IS NOT NULL;
