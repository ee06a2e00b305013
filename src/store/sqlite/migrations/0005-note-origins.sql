-- Where a note comes from, and what was last taken of its source.
CREATE TABLE note_origins (
  note_id INTEGER PRIMARY KEY,
  key     TEXT NOT NULL,
  taken   TEXT NOT NULL -- a hash of each field
) STRICT;
CREATE INDEX note_origins_by_key ON note_origins (key);
