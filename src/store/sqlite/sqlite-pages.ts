import type { Database } from 'bun:sqlite';
import type { NoteFilter } from '../../core/note.ts';
import type { JsonChunks } from '../../core/store.ts';
import { columns, entryOf } from '../row.ts';
import { fieldsOf, type NoteRow } from './row.ts';

/** Rows of one snapshot, which is held until they end or `return` is called. */
export type Rows = Generator<NoteRow, void, void>;

/** Approximate length of a page, in characters. */
const pageLength = 128 * 1024;

const encoder = new TextEncoder();

/** Reads long lists, each in a read transaction on a connection of its own. */
export class PageReader implements Disposable {
  readonly #connect: () => Database;
  readonly #idle: Database[] = [];
  #isClosed = false;

  constructor(connect: () => Database) {
    this.#connect = connect;
  }

  /** Yields the matching notes by id. The snapshot is taken when the first one is requested. */
  *rows(filter: NoteFilter): Rows {
    const db = this.#idle.pop() ?? this.#connect();
    try {
      db.query('BEGIN').run();
      yield* rowsIn(db, filter);
    } finally {
      if (db.inTransaction) db.query('COMMIT').run(); // some errors end the transaction
      if (this.#isClosed) db.close(true);
      else this.#idle.push(db);
    }
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    for (const db of this.#idle.splice(0)) db.close(true);
  }
}

/** Reads one range of ids after the other, in the order of the index: the first rows do not wait for the last. */
export function* rowsIn(db: Database, filter: NoteFilter): Rows {
  const fields = fieldsOf(filter);
  const values = fields.map((field) => filter[field] ?? '');
  const query = db.query<NoteRow, [range: number, ...values: (string | boolean)[]]>(
    `SELECT ${columns} FROM notes WHERE id IN (SELECT id FROM notes INDEXED BY notes_by_id_range
       WHERE id >> 10 = ? AND archived IN (0, 1) ${fields.map((field) => `AND "${field}" = ?`).join(' ')})
     ORDER BY id`, // sorts ids only, as content may be long
  );
  const next = db.query<{ range: number }, [after: number]>(
    `SELECT id >> 10 AS range FROM notes INDEXED BY notes_by_id_range WHERE id >> 10 > ? ORDER BY id >> 10 LIMIT 1`,
  );
  for (let [found] = next.all(-1); found; [found] = next.all(found.range)) yield* query.iterate(found.range, ...values);
}

/** Takes the next rows, of about `pageLength` characters; none at the end. */
export function pageOf(rows: Rows): NoteRow[] {
  const page: NoteRow[] = [];
  for (let length = 0; length < pageLength; ) {
    const { value: row, done } = rows.next();
    if (done) break;
    page.push(row);
    length += row.title.length + row.content.length;
  }
  return page;
}

/** A JSON array in chunks, one per page of rows. `nextPage` returns no rows at the end; `ended` is called once. */
export function jsonChunks(nextPage: () => readonly NoteRow[], ended: () => void): JsonChunks {
  let page: readonly NoteRow[] | undefined = nextPage();
  let separator = '[';
  const close = async () => {
    if (page !== undefined) ended();
    page = undefined;
  };
  const next = async () => {
    if (page === undefined) return undefined;
    const text = `${separator}${page.map((row) => entryOf(row).json).join()}`;
    separator = ',';
    page = page.length === 0 ? page : nextPage();
    if (page.length > 0) return encoder.encode(text);
    await close();
    return encoder.encode(`${text}]`);
  };
  return { next, close };
}
