-- Each version refers to the one before it, and a note to its newest one. An index by note cost a page per update, since
-- updates of many notes are far apart in it.
ALTER TABLE notes ADD COLUMN version_id INTEGER;
ALTER TABLE note_versions ADD COLUMN previous_id INTEGER;
UPDATE note_versions SET previous_id = (
  SELECT older.id FROM note_versions AS older
  WHERE older.note_id = note_versions.note_id AND older.updated_at < note_versions.updated_at
  ORDER BY older.updated_at DESC LIMIT 1
);
UPDATE notes SET version_id = (SELECT id FROM note_versions WHERE note_id = notes.id ORDER BY updated_at DESC LIMIT 1)
WHERE id IN (SELECT note_id FROM note_versions);
DROP INDEX note_versions_by_note;
