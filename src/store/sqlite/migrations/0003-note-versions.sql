-- Notes as they were before a change of these fields. `created_at` never changes and stands in `notes`.
CREATE TABLE note_versions (
  note_id    INTEGER NOT NULL,
  title      TEXT    NOT NULL,
  content    TEXT    NOT NULL,
  category   TEXT    NOT NULL,
  "group"    TEXT    NOT NULL,
  color      TEXT    NOT NULL,
  archived   INTEGER NOT NULL,
  updated_at INTEGER NOT NULL, -- ms since 1970, UTC
  PRIMARY KEY (note_id, updated_at)
) STRICT, WITHOUT ROWID;
