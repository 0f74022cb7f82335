-- All devices that a session bound, as a JSON list [{id, platform}] in the order it was seen on them.

ALTER TABLE sessions ADD COLUMN devices TEXT NOT NULL DEFAULT '[]';

UPDATE sessions SET devices = json_array(json_object('id', device_id, 'platform', platform))
    WHERE device_id IS NOT NULL;

ALTER TABLE sessions DROP COLUMN device_id;
ALTER TABLE sessions DROP COLUMN platform;
