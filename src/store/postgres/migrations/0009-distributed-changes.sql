-- Which notes were written where Citus distributes them: it allows no triggers there. Instances announce their writes in
-- the first table, and log them in the second one when the shards have committed. A crash of the server may empty both:
-- everything counts as changed after it.
CREATE UNLOGGED TABLE announced_writes (
  id      bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  ids     bigint[]    NOT NULL, -- an empty array: which notes are written is not known
  ends_at timestamptz NOT NULL  -- from then on, the instance sends no statement for them
) WITH (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0); -- each read of shards scans it
CREATE UNLOGGED TABLE distributed_changes (
  txid xid8     NOT NULL DEFAULT pg_current_xact_id(),
  ids  bigint[] NOT NULL -- an empty array: which notes have changed is not known
);
CREATE INDEX distributed_changes_by_txid ON distributed_changes (txid);
CREATE TABLE distributed_changes_pruned (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  before   xid8    NOT NULL -- what older transactions logged may be missing
);
INSERT INTO distributed_changes_pruned (before) VALUES (pg_snapshot_xmax(pg_current_snapshot()));
