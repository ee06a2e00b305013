import { Database } from 'bun:sqlite';
import type { NoteFilter } from '../../../domain/note.ts';
import { columns } from '../../row.ts';
import { fieldsOf, type NoteRow } from '../row.ts';

/** Rows of one snapshot, which is held until they end or `return` is called. */
export type Rows = Generator<NoteRow, void, void>;

/** Reads the database at `path` on read-only connections, each list in its own snapshot on its own connection. */
export class Reader implements Disposable {
  readonly #path: string;
  readonly #idle: Database[] = [];
  #isClosed = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Yields the matching notes by id. The snapshot is taken when the first one is requested. */
  *rows(filter: NoteFilter): Rows {
    const db = this.#idle.pop() ?? new Database(this.#path, { readonly: true });
    try {
      db.query('BEGIN').run();
      yield* byRange(db, filter);
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
function* byRange(db: Database, filter: NoteFilter): Rows {
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
