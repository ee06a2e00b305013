import type { Connections } from '../connections.ts';

const sequence = `pg_get_serial_sequence('notes', 'id')::regclass`;

const lastGiven = `coalesce(pg_sequence_last_value(${sequence}), 0)`;

/** Returns the highest id ever assigned; 0 if there is none. */
export async function lastIdOf(connections: Connections): Promise<number> {
  const [row] = await connections.read<{ id: string }>(
    `SELECT greatest(${lastGiven}, (SELECT max(id) FROM notes)) AS id`,
  );
  return Number(row?.id);
}

/**
 * Makes new ids follow `lastId`. Run before an insert, so that concurrent creates get higher ids. Not undone by a
 * rollback.
 */
export const continueAfter = (lastId: number): string =>
  `SELECT setval(${sequence}, ${lastId}) WHERE ${lastGiven} < ${lastId}`;
