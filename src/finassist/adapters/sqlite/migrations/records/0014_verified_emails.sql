-- The account that had verified the same email before this one did.
ALTER TABLE accounts ADD COLUMN joined_to TEXT;

-- Mails with a token name their account, too.
DROP INDEX authorization_codes_by_subject;
CREATE INDEX tickets_by_subject ON tickets (json_extract(content, '$.subject'))
    WHERE kind IN ('AuthorizationCode', 'PasswordReset', 'EmailVerification');

-- A user who became another one, by verifying an email that the other had verified before.
ALTER TABLE users ADD COLUMN joined_into TEXT;
CREATE INDEX users_by_joined_into ON users (joined_into) WHERE joined_into IS NOT NULL;
