-- Which notes are pinned: a JSON array of their ids, in order. One row holds all of them, so that one statement replaces
-- them, and can compare them with those that a client has read. Without a row, there are none.
CREATE TABLE pins (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  ids      TEXT NOT NULL
) STRICT;
