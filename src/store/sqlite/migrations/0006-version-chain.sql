-- Each version refers to the one before it, and a note to its newest one. An index by note cost a page per update, since
-- updates of many notes are far apart in it. What links the versions stands before their texts, so that to follow it does
-- not read long ones.
ALTER TABLE notes ADD COLUMN version_id INTEGER;
CREATE TABLE linked_versions (
  id          INTEGER PRIMARY KEY,
  note_id     INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL, -- ms since 1970, UTC
  previous_id INTEGER,
  category    TEXT    NOT NULL,
  "group"     TEXT    NOT NULL,
  color       TEXT    NOT NULL,
  archived    INTEGER NOT NULL,
  title       TEXT    NOT NULL,
  content     TEXT    NOT NULL
) STRICT;
INSERT INTO linked_versions (id, note_id, updated_at, previous_id, category, "group", color, archived, title, content)
SELECT id, note_id, updated_at, (
    SELECT older.id FROM note_versions AS older
    WHERE older.note_id = version.note_id AND older.updated_at < version.updated_at
    ORDER BY older.updated_at DESC LIMIT 1
  ), category, "group", color, archived, title, content
FROM note_versions AS version;
UPDATE notes SET version_id = (SELECT id FROM note_versions WHERE note_id = notes.id ORDER BY updated_at DESC LIMIT 1)
WHERE id IN (SELECT note_id FROM note_versions);
DROP TABLE note_versions;
ALTER TABLE linked_versions RENAME TO note_versions;
