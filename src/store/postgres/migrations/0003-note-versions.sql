-- Notes as they were before a change of these fields. `created_at` never changes and stands in `notes`.
CREATE TABLE note_versions (
  note_id    bigint  NOT NULL,
  title      text    NOT NULL,
  content    text    NOT NULL,
  category   text    NOT NULL,
  "group"    text    NOT NULL,
  color      text    NOT NULL,
  archived   boolean NOT NULL,
  updated_at bigint  NOT NULL, -- ms since 1970, UTC
  PRIMARY KEY (note_id, updated_at)
);
