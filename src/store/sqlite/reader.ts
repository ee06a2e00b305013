import { Database, type Statement } from 'bun:sqlite';
import { categories, groups, type NoteFilter } from '../../domain/note.ts';
import { columns, type NoteRow } from './row.ts';

/** Rows of one snapshot, which is held until they end or are told to return. */
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
    const archived = [0, 1].filter((flag) => filter.archived === undefined || flag === Number(filter.archived));
    const inCategories = categories.filter((name) => filter.category === undefined || name === filter.category);
    const inGroups = groups.filter((name) => filter.group === undefined || name === filter.group);
    const indexed = `FROM notes INDEXED BY notes_by_cell
      WHERE archived IN (${archived}) AND category IN (${quoted(inCategories)}) AND "group" IN (${quoted(inGroups)})`;

    const cells = archived.length * inCategories.length * inGroups.length;
    if (cells === 2 * categories.length * groups.length) return this.#ordered('FROM notes');
    if (cells === 1) return this.#ordered(indexed);
    if (cells === categories.length * groups.length && filter.archived === false) {
      return this.#ordered('FROM notes NOT INDEXED WHERE archived = 0'); // nearly all: by way of the index it takes twice as long
    }
    return this.#windowed(indexed);
  }

  /** One statement that finds the rows in order of id by itself. */
  #ordered(source: string): Plan {
    const query = this.#db.prepare<NoteRow, []>(`SELECT ${columns} ${source} ORDER BY id`);
    return () => query.iterate();
  }

  /**
   * The index holds one run of ids for each combination of category, group and flag. Where a filter spans several,
   * they are merged for one window of ids after the other; windows widen where matches are rare.
   */
  #windowed(source: string): Plan {
    const window = `id IN (SELECT id ${source} AND id >= ? AND id < ?)`;
    const query = this.#db.prepare<NoteRow, [from: number, to: number]>(
      `SELECT ${columns} FROM notes WHERE ${window} ORDER BY id`,
    );
    const newest = this.#db.prepare<{ id: number | null }, []>('SELECT max(id) AS id FROM notes');

    return function* () {
      const end = (newest.all()[0]?.id ?? 0) + 1;
      for (let start = 0, width = 4096; start < end; ) {
        const next = Math.min(start + width, end);
        let found = 0;
        for (const row of query.iterate(start, next)) {
          found++;
          yield row;
        }
        start = next;
        if (found < 256) width *= 8;
        else if (found > 2048) width /= 2;
      }
    };
  }
}

const quoted = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');
