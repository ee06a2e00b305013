import { Database, type Statement } from 'bun:sqlite';
import type { NoteFilter } from '../../domain/note.ts';
import { columns, type NoteRow } from './row.ts';

/** Rows of one snapshot, which is held until they end or `return` is called. */
export type Rows = Generator<NoteRow, void, void>;

/** Reads the database at `path` on connections that cannot write: each list in a snapshot of its own. */
export class Reader implements Disposable {
  readonly #path: string;
  readonly #idle: Connection[] = [];
  #isClosed = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** The notes that match, in order of id, as they are when the first one is asked for. */
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

/** How to read the rows of one filter, in order of id. */
type Plan = () => Iterable<NoteRow>;

/** A connection that cannot write. Reads one list at a time, each in a snapshot. */
class Connection implements Disposable {
  readonly #db: Database;
  readonly #plans = new Map<string, Plan>();
  readonly #begin: Statement;
  readonly #commit: Statement;

  constructor(path: string) {
    this.#db = new Database(path, { readonly: true });
    this.#begin = this.#db.prepare('BEGIN');
    this.#commit = this.#db.prepare('COMMIT');
  }

  *rows(filter: NoteFilter): Rows {
    this.#begin.run();
    try {
      yield* this.#planOf(filter)();
    } finally {
      if (this.#db.inTransaction) this.#commit.run(); // some errors end it
    }
  }

  [Symbol.dispose](): void {
    this.#db.close(true);
  }

  #planOf(filter: NoteFilter): Plan {
    const key = `${filter.archived} ${filter.category} ${filter.group}`;
    let plan = this.#plans.get(key);
    if (plan === undefined) {
      plan = this.#newPlan(filter);
      this.#plans.set(key, plan);
    }
    return plan;
  }

  #newPlan(filter: NoteFilter): Plan {
    const { archived, category, group } = filter;
    if (category === undefined && group === undefined && archived !== true) return this.#inOrder(archived);
    return this.#byRange(filter);
  }

  /** Of nearly all notes: by way of the index it takes twice as long. */
  #inOrder(archived: false | undefined): Plan {
    const where = archived === undefined ? '' : 'WHERE archived = 0';
    const query = this.#db.prepare<NoteRow, []>(`SELECT ${columns} FROM notes NOT INDEXED ${where} ORDER BY id`);
    return () => query.iterate();
  }

  /** One range of ids after the other, as the index has them: the first rows need not wait for the last. */
  #byRange(filter: NoteFilter): Plan {
    const fields = filterFields.filter((field) => filter[field] !== undefined);
    const values = fields.map((field) => filter[field] ?? '');
    const query = this.#db.prepare<NoteRow, [range: number, ...values: (string | boolean)[]]>(
      `SELECT ${columns} FROM notes WHERE id IN (SELECT id FROM notes INDEXED BY notes_by_id_range
         WHERE id >> 10 = ? AND archived IN (0, 1) ${fields.map((field) => `AND "${field}" = ?`).join(' ')})
       ORDER BY id`, // the ids alone are sorted: content may be long
    );
    const next = this.#db.prepare<{ range: number }, [after: number]>(
      `SELECT id >> 10 AS range FROM notes INDEXED BY notes_by_id_range WHERE id >> 10 > ? ORDER BY id >> 10 LIMIT 1`,
    );

    return function* () {
      for (let [found] = next.all(-1); found; [found] = next.all(found.range))
        yield* query.iterate(found.range, ...values);
    };
  }
}

const filterFields = ['archived', 'category', 'group'] as const;
