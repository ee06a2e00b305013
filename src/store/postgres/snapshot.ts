import { categories, groups, type NoteFilter } from '../../domain/note.ts';
import type { Connection } from './connections.ts';
import { columns, type NoteRow } from './row.ts';

/** How many notes are fetched at once, at first and later, and how long one may be, in bytes, to be fetched with others. */
const firstFetch = 64;
const laterFetch = 512;
const longNote = 8 * 1024;

/** A row whose texts are left out when they are long. */
export type ShortRow = Omit<NoteRow, 'title' | 'content'> & {
  readonly title: string | null;
  readonly content: string | null;
};

export const isWhole = (row: ShortRow): row is NoteRow => row.title !== null && row.content !== null;

const isLong = `octet_length(title) + octet_length(content) > ${longNote}`;
const shortText = (column: string) => `CASE WHEN ${isLong} THEN NULL ELSE ${column} END AS ${column}`;
const shortColumns = columns.replace('title, content', `${shortText('title')}, ${shortText('content')}`);

/** The notes that match, in order of id. All columns of the index are named, so that it serves every filter. */
export function selectFor({ category, group, archived }: NoteFilter): string {
  const matchesAll = category === undefined && group === undefined && archived === undefined;
  const conditions = matchesAll
    ? ''
    : `WHERE archived IN (${archived ?? 'false, true'})
         AND category IN (${quoted(category === undefined ? categories : [category])})
         AND "group" IN (${quoted(group === undefined ? groups : [group])})`;
  return `SELECT ${shortColumns} FROM notes ${conditions} ORDER BY id`;
}

const quoted = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** From here on, until it is rolled back, the connection sees the database as it is now. */
export const beginSnapshot = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/**
 * Tells one server, its data and its recovery after a crash from another: only within one can snapshots be compared. Those of a
 * standby do not name what is still open on the primary, so each is an epoch of its own.
 */
export const epochNow = `concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time(),
  'notes'::regclass::oid, CASE WHEN pg_is_in_recovery() THEN gen_random_uuid() END)`;

/** What the database holds now, as a text: equal texts, equal notes. A snapshot names the transactions that it sees. */
export const stateNow = `concat_ws(' ', pg_current_snapshot(), ${epochNow})`;

/** The notes that match in the connection's snapshot, by a cursor: some at a time, within a bounded size. */
export async function* rowsOf(connection: Connection, filter: NoteFilter): AsyncGenerator<NoteRow[], void, void> {
  for (let count = firstFetch; ; count = laterFetch) {
    const declare = count === firstFetch ? `DECLARE list NO SCROLL CURSOR FOR ${selectFor(filter)}; ` : '';
    const rows = await connection.run<ShortRow>(`${declare}FETCH ${count} FROM list`);
    for await (const some of completed(connection, rows)) yield some;
    if (rows.length < count) return;
  }
}

/** The rows with all their texts; a note that is long comes alone. */
async function* completed(connection: Connection, rows: readonly ShortRow[]): AsyncGenerator<NoteRow[], void, void> {
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
