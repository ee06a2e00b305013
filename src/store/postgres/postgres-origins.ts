import type { Origin, PortableNote } from '../../core/note.ts';
import { maxOrigins, type NoteOrigin } from '../../core/store.ts';
import type { Owners } from '../decide-merge.ts';
import type { Connection, Connections } from './connections.ts';
import { jsonLiteral } from './row.ts';

const literal = (text: string) => `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** Returns the ids of stored notes that have the origins of these notes, by the keys of the origins. */
export async function ownersAmong(connection: Connection, notes: readonly PortableNote[]): Promise<Owners> {
  const keys = new Set(notes.flatMap(({ origin }) => (origin === undefined ? [] : [literal(origin.key)])));
  if (keys.size === 0) return new Map();
  const rows = await connection.run<{ id: string; key: string }>(
    `SELECT notes.id, key FROM note_origins JOIN notes ON notes.id = note_id WHERE key IN (${[...keys]})`,
  );
  return new Map(rows.map(({ id, key }) => [key, Number(id)]));
}

export function putOrigins(origins: ReadonlyMap<number, Origin>): string {
  const rows = Array.from(origins, ([note_id, { key, taken }]) => ({ note_id, key, taken }));
  return `INSERT INTO note_origins (note_id, key, taken)
    SELECT note_id, key, taken FROM json_to_recordset(${jsonLiteral(JSON.stringify(rows))})
      AS origin(note_id bigint, key text, taken text) ORDER BY note_id
    ON CONFLICT (note_id) DO UPDATE SET key = excluded.key, taken = excluded.taken`;
}

const select = `SELECT note_id AS id, key, taken FROM note_origins JOIN notes ON notes.id = note_id
  WHERE note_id > $1 ORDER BY note_id LIMIT ${maxOrigins}`;

export async function readOrigins(connections: Connections, after: number): Promise<readonly NoteOrigin[]> {
  const rows = await connections.read<Origin & { readonly id: string }>(select, [after]);
  return rows.map(({ id, key, taken }) => ({ id: Number(id), key, taken }));
}
