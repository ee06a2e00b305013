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

/** The notes that match, in order of id, after one of them. All columns of the index are named, so that it serves every filter. */
export function selectFor({ category, group, archived }: NoteFilter, after?: string): string {
  const matchesAll = category === undefined && group === undefined && archived === undefined;
  const conditions = matchesAll
    ? []
    : [
        `archived IN (${archived ?? 'false, true'})`,
        `category IN (${quoted(category === undefined ? categories : [category])})`,
        `"group" IN (${quoted(group === undefined ? groups : [group])})`,
      ];
  if (after !== undefined) conditions.push(`id > ${after}`);
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  return `SELECT ${shortColumns} FROM notes ${where} ORDER BY id`;
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

/** What the database holds now, as a text: equal texts, equal notes. As long as the log is not pruned, it only grows. */
export const stateNow = `concat_ws(' ', coalesce((SELECT before::text FROM note_changes_pruned), gen_random_uuid()::text),
  (SELECT count(*) FROM note_changes), ${epochNow})`;

/**
 * The notes that match in the connection's snapshot: some at a time, within a bounded size. By a cursor, or `byPages` where one
 * would first collect the whole list from many shards.
 */
export async function* rowsOf(
  connection: Connection,
  filter: NoteFilter,
  byPages = false,
): AsyncGenerator<NoteRow[], void, void> {
  let last: string | undefined;
  for (let count = firstFetch; ; count = laterFetch) {
    const declare = last === undefined ? `DECLARE list NO SCROLL CURSOR FOR ${selectFor(filter)}; ` : '';
    const next = byPages ? `${selectFor(filter, last)} LIMIT ${count}` : `${declare}FETCH ${count} FROM list`;
    const rows = await connection.run<ShortRow>(next);
    for await (const some of completed(connection, rows)) yield some;
    if (rows.length < count) return;
    last = rows.at(-1)?.id;
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
