-- Where a note comes from, and what was last taken of its source.
CREATE TABLE note_origins (
  note_id bigint PRIMARY KEY,
  key     text NOT NULL,
  taken   text NOT NULL -- a hash of each field
);
CREATE INDEX note_origins_by_key ON note_origins (key);
