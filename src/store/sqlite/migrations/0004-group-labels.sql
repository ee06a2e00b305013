-- What groups are called. One without a row, or without a label, has its value alone.
CREATE TABLE group_labels (
  "group" TEXT PRIMARY KEY NOT NULL,
  label   TEXT
) STRICT, WITHOUT ROWID;
