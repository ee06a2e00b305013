import { Database } from 'bun:sqlite';
import type { NoteFilter } from '../../domain/note.ts';
import { columns } from '../row.ts';
import type { NoteRow } from './row.ts';

/** Rows of one snapshot, which is held until they end or `return` is called. */
export type Rows = Generator<NoteRow, void, void>;

/** Reads the database at `path` on read-only connections, each list in its own snapshot. */
export class Reader implements Disposable {
  readonly #path: string;
  readonly #idle: Connection[] = [];
  #isClosed = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Yields the matching notes by id. The snapshot is taken when the first one is requested. */
  *rows(filter: NoteFilter): Rows {
    const connection = this.#idle.pop() ?? new Connection(this.#path);
    try {
      yield* connection.rows(filter);
    } finally {
      if (this.#isClosed) connection[Symbol.dispose]();
      else this.#idle.push(connection);
    }
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    for (const connection of this.#idle.splice(0)) connection[Symbol.dispose]();
  }
}

/** A read-only connection that reads one list at a time, in a snapshot. It caches its statements. */
class Connection implements Disposable {
  readonly #db: Database;

  constructor(path: string) {
    this.#db = new Database(path, { readonly: true });
  }

  *rows(filter: NoteFilter): Rows {
    this.#db.query('BEGIN').run();
    try {
      yield* isNearlyAll(filter) ? this.#inOrder(filter) : this.#byRange(filter);
    } finally {
      if (this.#db.inTransaction) this.#db.query('COMMIT').run(); // some errors end the transaction
    }
  }

  [Symbol.dispose](): void {
    this.#db.close(true);
  }

  /** Scans the table. For nearly all notes, the index would take twice as long. */
  #inOrder({ archived }: NoteFilter): Iterable<NoteRow> {
    const where = archived === undefined ? '' : 'WHERE archived = 0';
    return this.#db.query<NoteRow, []>(`SELECT ${columns} FROM notes NOT INDEXED ${where} ORDER BY id`).iterate();
  }

  /** Reads one range of ids after the other, in the order of the index: the first rows do not wait for the last. */
  *#byRange(filter: NoteFilter): Rows {
    const fields = filterFields.filter((field) => filter[field] !== undefined);
    const values = fields.map((field) => filter[field] ?? '');
    const query = this.#db.query<NoteRow, [range: number, ...values: (string | boolean)[]]>(
      `SELECT ${columns} FROM notes WHERE id IN (SELECT id FROM notes INDEXED BY notes_by_id_range
         WHERE id >> 10 = ? AND archived IN (0, 1) ${fields.map((field) => `AND "${field}" = ?`).join(' ')})
       ORDER BY id`, // sorts ids only, as content may be long
    );
    const next = this.#db.query<{ range: number }, [after: number]>(
      `SELECT id >> 10 AS range FROM notes INDEXED BY notes_by_id_range WHERE id >> 10 > ? ORDER BY id >> 10 LIMIT 1`,
    );
    for (let [found] = next.all(-1); found; [found] = next.all(found.range))
      yield* query.iterate(found.range, ...values);
  }
}

const isNearlyAll = ({ archived, category, group }: NoteFilter) =>
  category === undefined && group === undefined && archived !== true;

const filterFields = ['archived', 'category', 'group'] as const;
