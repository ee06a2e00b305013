import { quoteJsonSql } from './recordset.ts';

export const idSequenceSql = `pg_get_serial_sequence('notes', 'id')::regclass`;

/** The highest id that the sequence has assigned; 0 if there is none. */
export const lastSequenceIdSql = `coalesce(pg_sequence_last_value(${idSequenceSql}), 0)`;

/**
 * Makes new ids follow `lastId`. Run before an insert, so that concurrent creates get higher ids. Not undone by a
 * rollback.
 */
export const raiseIdSequenceSql = (lastId: number): string =>
  `SELECT setval(${idSequenceSql}, ${lastId}) WHERE ${lastSequenceIdSql} < ${lastId}`;

/** Returns one row, or none if other ids than `expectedIds` are pinned. */
export function replacePinnedIdsIfExpectedSql(
  ids: readonly number[],
  expectedIds: readonly number[] | undefined,
): string {
  const condition = expectedIds === undefined ? 'true' : `stored.ids = '${JSON.stringify(expectedIds)}'`;
  return `INSERT INTO pins AS stored (only_row, ids) VALUES (1, '${JSON.stringify(ids)}')
    ON CONFLICT (only_row) DO UPDATE SET ids = excluded.ids WHERE ${condition}
    RETURNING only_row`;
}

/** Inserts an ended session, and deletes those that ended by themselves before `deleteBefore`, in ms since 1970. */
export function insertEndedSessionAndDeleteExpiredSql(id: string, endsAt: number, deleteBefore: number): string {
  const rows = JSON.stringify([{ id, ends_at: endsAt }]);
  return `DELETE FROM ended_sessions WHERE ends_at < ${deleteBefore};
    INSERT INTO ended_sessions (id, ends_at)
    SELECT id, ends_at FROM json_to_recordset(${quoteJsonSql(rows)}) AS ended(id text, ends_at bigint)
    ON CONFLICT DO NOTHING`;
}
