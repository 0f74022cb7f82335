-- Expands: Devices that are never seen again are looked for in this order.
CREATE INDEX devices_by_last_seen ON devices (last_seen_at, id) WHERE bound_user_id IS NULL;
