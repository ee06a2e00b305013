-- Runs statements on the node of Citus that has the note `place`, in one transaction there: they cost the coordinator one
-- plan, however many notes and shards of this node they write. Undoes them and returns false unless the last one has
-- written `last_rows` rows, since notes were changed meanwhile, and this node has all `shard_ids`: a transaction that
-- spans nodes would take two phases. A shard that was written to does not move before the transaction ends.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);
CREATE FUNCTION write_on_node(
  place bigint, shard_ids bigint[], statements text, last_rows bigint, versioned_ids bigint[], max_versions bigint
) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT SET lock_timeout = '10ms' AS $$
DECLARE
  written    bigint;
  excess_ids bigint[];
BEGIN
  EXECUTE statements;
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written <> last_rows THEN
    RAISE serialization_failure;
  END IF;
  IF cardinality(versioned_ids) > 0 THEN
    SELECT array_agg(note_id) INTO excess_ids FROM (
      SELECT note_id FROM note_versions WHERE note_id = ANY (versioned_ids)
      GROUP BY note_id HAVING count(*) > max_versions) AS excess;
  END IF;
  IF excess_ids IS NOT NULL THEN
    DELETE FROM note_versions USING (
      SELECT note_id, updated_at, row_number() OVER (PARTITION BY note_id ORDER BY updated_at DESC) AS number
      FROM note_versions WHERE note_id = ANY (excess_ids)) AS numbered
    WHERE note_versions.note_id = ANY (excess_ids) AND note_versions.note_id = numbered.note_id
      AND note_versions.updated_at = numbered.updated_at AND number > max_versions;
  END IF;
  IF (SELECT count(*) FROM pg_dist_placement WHERE shardid = ANY (shard_ids)
      AND groupid = (SELECT groupid FROM pg_dist_local_group)) < cardinality(shard_ids) THEN
    RAISE serialization_failure;
  END IF;
  RETURN true;
EXCEPTION WHEN serialization_failure OR lock_not_available THEN
  RETURN false;
END $$;
SELECT create_distributed_function('write_on_node(bigint, bigint[], text, bigint, bigint[], bigint)', 'place',
  colocate_with => 'notes') FROM pg_dist_partition WHERE logicalrelid = 'notes'::regclass AND partmethod = 'h';
