-- Runs of 1,024 ids, so that notes created together are beside each other in the index: a commit of many writes few of its pages.
DROP INDEX notes_by_cell;
CREATE INDEX notes_by_id_range ON notes (id >> 10, archived, category, "group");
