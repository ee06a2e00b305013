-- Notes as they were before a change of these fields. `created_at` never changes and stands in `notes`.
-- Rows are appended, and the oldest of a note is written over in the end: sorted by note they would cost twice as many pages.
CREATE TABLE note_versions (
  id         INTEGER PRIMARY KEY,
  note_id    INTEGER NOT NULL,
  title      TEXT    NOT NULL,
  content    TEXT    NOT NULL,
  category   TEXT    NOT NULL,
  "group"    TEXT    NOT NULL,
  color      TEXT    NOT NULL,
  archived   INTEGER NOT NULL,
  updated_at INTEGER NOT NULL -- ms since 1970, UTC
) STRICT;
CREATE UNIQUE INDEX note_versions_by_note ON note_versions (note_id, updated_at);
