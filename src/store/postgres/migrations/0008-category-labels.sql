-- What categories are called: a JSON object of their labels. One row holds all of them, so that a transaction that
-- changes labels can wait for another one. A category without a label is not in it. Without a row, none has one.
CREATE TABLE category_labels (
  only_row integer PRIMARY KEY CHECK (only_row = 1),
  labels   text NOT NULL
);
