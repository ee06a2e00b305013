SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);
     CREATE TABLE note_changes (
       txid xid8     NOT NULL DEFAULT pg_current_xact_id(),
       ids  bigint[] NOT NULL -- an empty array: which notes have changed is not known
     );
     CREATE INDEX note_changes_by_txid ON note_changes (txid);
     CREATE TABLE note_changes_pruned (
       only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
       before   xid8    NOT NULL -- what older transactions wrote may be missing
     );
     INSERT INTO note_changes_pruned (before) VALUES (pg_snapshot_xmax(pg_current_snapshot()));
     CREATE FUNCTION log_note_changes() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
     BEGIN
       IF TG_OP = 'TRUNCATE' THEN
         INSERT INTO note_changes (ids) VALUES ('{}');
       ELSE
         INSERT INTO note_changes (ids)
           SELECT CASE WHEN count(*) > 10000 THEN '{}' ELSE array_agg(id) END FROM written HAVING count(*) > 0;
       END IF;
       RETURN NULL;
     END $$;
     CREATE FUNCTION prune_note_changes(kept bigint) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
     DECLARE
       newest  bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
       horizon xid8   := least(greatest(newest - kept, 0)::text::xid8, pg_snapshot_xmin(pg_current_snapshot()));
     BEGIN
       -- What a dump of another server brought along: transactions that have not been here yet.
       DELETE FROM note_changes WHERE txid >= pg_snapshot_xmax(pg_current_snapshot())
         AND txid IS DISTINCT FROM pg_current_xact_id_if_assigned();
       UPDATE note_changes_pruned SET before = horizon
         WHERE before < horizon OR before > pg_snapshot_xmax(pg_current_snapshot());
       DELETE FROM note_changes WHERE txid < horizon;
     END $$;
     CREATE TRIGGER notes_log_insert AFTER INSERT ON notes REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION log_note_changes();
     ALTER TABLE notes ENABLE ALWAYS TRIGGER notes_log_insert;
     CREATE TRIGGER notes_log_update AFTER UPDATE ON notes REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION log_note_changes();
     ALTER TABLE notes ENABLE ALWAYS TRIGGER notes_log_update;
     CREATE TRIGGER notes_log_delete AFTER DELETE ON notes REFERENCING OLD TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION log_note_changes();
     ALTER TABLE notes ENABLE ALWAYS TRIGGER notes_log_delete;
     CREATE TRIGGER notes_log_truncate AFTER TRUNCATE ON notes  FOR EACH STATEMENT EXECUTE FUNCTION log_note_changes();
     ALTER TABLE notes ENABLE ALWAYS TRIGGER notes_log_truncate;
