-- States of an idempotency key; holder: the request that has it, message_id: '' until its turn is stored.

ALTER TABLE idempotency_keys ADD COLUMN holder TEXT NOT NULL DEFAULT '';
ALTER TABLE idempotency_keys ADD COLUMN state TEXT NOT NULL DEFAULT 'begun';
ALTER TABLE idempotency_keys ADD COLUMN held_until INTEGER NOT NULL DEFAULT 0;
