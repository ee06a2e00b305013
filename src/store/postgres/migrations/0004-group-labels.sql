-- What groups are called. One without a row, or without a label, has its value alone.
CREATE TABLE group_labels (
  "group" text PRIMARY KEY,
  label   text
);
