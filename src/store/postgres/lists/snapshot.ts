import { categories, groups, type NoteFilter } from '../../../domain/note.ts';
import { columns } from '../../row.ts';
import type { Connection } from '../connections.ts';
import type { NoteRow } from '../row.ts';

/** Notes per fetch, and the size in bytes above which a note is fetched alone. */
const fetchSize = 512;
const longNote = 8 * 1024;

/** A row without its texts if they are long. */
export type ShortRow = Omit<NoteRow, 'title' | 'content'> & {
  readonly title: string | null;
  readonly content: string | null;
};

export const isWhole = (row: ShortRow): row is NoteRow => row.title !== null && row.content !== null;

const isLong = `octet_length(title) + octet_length(content) > ${longNote}`;
const shortText = (column: string) => `CASE WHEN ${isLong} THEN NULL ELSE ${column} END AS ${column}`;
const shortColumns = columns.replace('title, content', `${shortText('title')}, ${shortText('content')}`);

/** Selects matching notes by id, or those after one. */
export const selectFor = (filter: NoteFilter, after?: string): string =>
  `SELECT ${shortColumns} FROM notes ${whereOf(filter, after)} ORDER BY id`;

/** Selects the matching notes changed last. */
export const selectNewest = (filter: NoteFilter, limit: number): string =>
  `SELECT ${shortColumns} FROM notes ${whereOf(filter)} ORDER BY updated_at DESC, id DESC LIMIT ${limit}`;

/** Names all columns of the index, to use it for every filter. */
export function whereOf({ category, group, archived }: NoteFilter, after?: string): string {
  const matchesAll = category === undefined && group === undefined && archived === undefined;
  const conditions = matchesAll
    ? []
    : [
        `archived IN (${archived ?? 'false, true'})`,
        `category IN (${quoted(category === undefined ? categories : [category])})`,
        `"group" IN (${quoted(group === undefined ? groups : [group])})`,
      ];
  if (after !== undefined) conditions.push(`id > ${after}`);
  return conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
}

const quoted = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** Until it is rolled back, the connection sees the database in its present state. */
export const beginSnapshot = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/**
 * Identifies a server, its data and its last crash recovery; snapshots are comparable only within an epoch. Snapshots
 * of a standby omit transactions that are open on the primary, so each is an epoch of its own.
 */
export const epochNow = `concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time(),
  'notes'::regclass::oid, CASE WHEN pg_is_in_recovery() THEN gen_random_uuid() END)`;

/** Text that identifies the present notes: equal texts, equal notes. Until it is pruned, the log only grows. */
export const stateNow = `concat_ws(' ',
  coalesce((SELECT before::text FROM note_changes_pruned), gen_random_uuid()::text),
  (SELECT count(*) FROM note_changes), ${epochNow})`;

/**
 * Yields matching notes from the snapshot of the connection, in batches of bounded size. Uses a cursor, or `byPages`
 * where a cursor would first collect the whole list from many shards.
 */
export async function* rowsOf(
  connection: Connection,
  filter: NoteFilter,
  byPages: boolean,
): AsyncGenerator<NoteRow[], void, void> {
  for (let last: string | undefined; ; ) {
    const declare = last === undefined ? `DECLARE list NO SCROLL CURSOR FOR ${selectFor(filter)}; ` : '';
    const next = byPages ? `${selectFor(filter, last)} LIMIT ${fetchSize}` : `${declare}FETCH ${fetchSize} FROM list`;
    const rows = await connection.run<ShortRow>(next);
    yield* completed(connection, rows);
    if (rows.length < fetchSize) return;
    last = rows.at(-1)?.id;
  }
}

/** Completes rows with long texts. Yields a long note alone. */
export async function* completed(
  connection: Connection,
  rows: readonly ShortRow[],
): AsyncGenerator<NoteRow[], void, void> {
  let some: NoteRow[] = [];
  for (const row of rows) {
    if (isWhole(row)) {
      some.push(row);
      continue;
    }
    yield some;
    yield await connection.run<NoteRow>(`SELECT ${columns} FROM notes WHERE id = ${row.id}`);
    some = [];
  }
  yield some;
}
