import { Database, type Statement } from 'bun:sqlite';
import { NoteError } from '../../domain/error.ts';
import * as message from '../../domain/message.ts';
import { categories, groups, type Note, type NoteFilter } from '../../domain/note.ts';
import type { ReadRange } from '../list-cache.ts';
import { columns, type NoteRow, noteOf } from './row.ts';

/** Up to about this many characters a list is answered in one piece; a longer one is read in chunks. */
const wholeLength = 1024 * 1024;
const chunkLength = 128 * 1024;

/** How many long lists may hold a snapshot at once. */
const maxSnapshots = 16;

/** A list as it is at the moment of reading. A long one holds its snapshot until `rest` ends or is told to return. */
export type Listing =
  | { readonly kind: 'whole'; readonly json: string }
  | { readonly kind: 'long'; readonly head: string; readonly rest: Generator<string, void, void> };

export interface Reader extends Disposable {
  /** Throws `busy` when too many long lists are being read. */
  read(filter: NoteFilter): Listing;
  /** Connections that hold a snapshot now. */
  readonly snapshots: number;
  /** Resolves when a long list may be read; fails with `busy` when that takes too long. Undefined: it may be now. */
  vacancy(): Promise<void> | undefined;
}

/**
 * Reads lists from the database at `path`, each in a snapshot of its own, on connections that cannot write. What goes
 * wrong while a list is read is thrown as what `failed` makes of it. A vacancy is waited for `vacancyMs` at most.
 */
export function createReader(
  path: string,
  failed: (error: unknown) => unknown = (error) => error,
  vacancyMs = 30_000,
): Reader {
  const idle: Connection[] = [];
  /** Those who wait for a snapshot to be let go, the first one first. */
  const waiting: (() => void)[] = [];
  let snapshots = 0;
  let closed = false;

  function* texts(filter: NoteFilter): Generator<string, void, void> {
    const connection = idle.pop() ?? new Connection(path);
    snapshots++;
    try {
      yield* jsonOf(connection.rows(filter));
    } catch (error) {
      throw failed(error);
    } finally {
      snapshots--;
      admit();
      if (closed) connection[Symbol.dispose]();
      else idle.push(connection);
    }
  }

  /** Who was let in before may have read nothing: the next one is let in as long as there is room. */
  function admit(): void {
    if (snapshots < maxSnapshots) waiting.shift()?.();
  }

  function read(filter: NoteFilter): Listing {
    const rest = texts(filter);
    let head = '';
    for (let next = rest.next(); !next.done; next = rest.next()) {
      head += next.value;
      if (head.length < wholeLength) continue;
      if (snapshots <= maxSnapshots) return { kind: 'long', head, rest };
      rest.return();
      throw new NoteError('busy', message.busy);
    }
    return { kind: 'whole', json: head };
  }

  function vacancy(): Promise<void> | undefined {
    if (snapshots < maxSnapshots && waiting.length === 0) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.push(resolve);
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(resolve), 1);
      reject(new NoteError('busy', message.busy));
    }, vacancyMs);
    return promise.then(() => {
      clearTimeout(timer);
      setImmediate(admit);
    });
  }

  return {
    read,
    vacancy,
    get snapshots() {
      return snapshots;
    },
    [Symbol.dispose]() {
      closed = true;
      for (const connection of idle.splice(0)) connection[Symbol.dispose]();
    },
  };
}

function* jsonOf(rows: Iterable<NoteRow>): Generator<string, void, void> {
  let text = '[';
  let separator = '';
  for (const row of rows) {
    text += separator + JSON.stringify(noteOf(row));
    separator = ',';
    if (text.length < chunkLength) continue;
    yield text;
    text = '';
  }
  yield `${text}]`;
}

/** How to read the rows of one filter with `from <= id < to`, in order of id. */
type Plan = (from: number, to: number) => Iterable<NoteRow>;

type Range = [from: number, to: number];

/** The notes with `from <= id < to` as `db` sees them, its open transaction included; to be read to the end at once. */
export function createRangeReader(db: Database): ReadRange {
  const plans = new Plans(db);
  return function* (filter, from, to) {
    for (const row of plans.rows(filter, from, to)) yield { id: row.id, json: JSON.stringify(noteOf(row)) };
  };
}

/**
 * All notes that match, as `db` sees them, in order of id. Where most of the table is wanted, it is read from one end to the
 * other: by way of the index it takes twice as long.
 */
export function createNoteReader(db: Database): (filter: NoteFilter) => Note[] {
  return ({ category, group, archived }) => {
    const wanted = Object.entries({ category, group, archived: archived === undefined ? undefined : Number(archived) });
    const conditions = wanted.filter(([, value]) => value !== undefined);
    const source = category === undefined && group === undefined ? 'notes NOT INDEXED' : 'notes';
    const where = conditions.map(([column]) => `AND "${column}" = ?`).join(' ');
    const select = db.prepare<NoteRow, Value[]>(`SELECT ${columns} FROM ${source} WHERE true ${where} ORDER BY id`);
    return select.all(...conditions.map(([, value]) => value ?? null)).map(noteOf);
  };
}

type Value = string | number | null;

/** A connection that cannot write. Reads one list at a time, each in a snapshot. */
class Connection implements Disposable {
  readonly #db: Database;
  readonly #plans: Plans;
  readonly #begin: Statement;
  readonly #commit: Statement;

  constructor(path: string) {
    this.#db = new Database(path, { readonly: true });
    this.#plans = new Plans(this.#db);
    this.#begin = this.#db.prepare('BEGIN');
    this.#commit = this.#db.prepare('COMMIT');
  }

  *rows(filter: NoteFilter): Generator<NoteRow, void, void> {
    this.#begin.run();
    try {
      yield* this.#plans.rows(filter);
    } finally {
      if (this.#db.inTransaction) this.#commit.run(); // some errors end it
    }
  }

  [Symbol.dispose](): void {
    this.#db.close(true);
  }
}

/** The ways to read lists that were needed so far, each of one filter. */
class Plans {
  readonly #db: Database;
  readonly #plans = new Map<string, Plan>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** The rows that match, with `from <= id < to`. The cost follows what is returned, not what is stored. */
  rows(filter: NoteFilter, from = 0, to = Number.MAX_SAFE_INTEGER): Iterable<NoteRow> {
    const key = `${filter.archived} ${filter.category} ${filter.group}`;
    let plan = this.#plans.get(key);
    if (plan === undefined) {
      plan = this.#planFor(filter);
      this.#plans.set(key, plan);
    }
    return plan(from, to);
  }

  #planFor(filter: NoteFilter): Plan {
    const archived = [0, 1].filter((flag) => filter.archived === undefined || flag === Number(filter.archived));
    const inCategories = categories.filter((name) => filter.category === undefined || name === filter.category);
    const inGroups = groups.filter((name) => filter.group === undefined || name === filter.group);
    const indexed = `FROM notes INDEXED BY notes_by_cell
      WHERE archived IN (${archived}) AND category IN (${quoted(inCategories)}) AND "group" IN (${quoted(inGroups)})`;

    const cells = archived.length * inCategories.length * inGroups.length;
    if (cells === 2 * categories.length * groups.length) return this.#ordered('FROM notes WHERE true');
    if (cells === 1) return this.#ordered(indexed);
    return this.#windowed(indexed);
  }

  /** One statement that finds the rows in order of id by itself. */
  #ordered(source: string): Plan {
    const query = this.#db.prepare<NoteRow, Range>(`SELECT ${columns} ${source} AND id >= ? AND id < ? ORDER BY id`);
    return (from, to) => query.iterate(from, to);
  }

  /**
   * The index holds one run of ids for each combination of category, group and flag. Where a filter spans several,
   * they are merged for one window of ids after the other; windows widen where matches are rare.
   */
  #windowed(source: string): Plan {
    const window = `id IN (SELECT id ${source} AND id >= ? AND id < ?)`;
    const query = this.#db.prepare<NoteRow, Range>(`SELECT ${columns} FROM notes WHERE ${window} ORDER BY id`);
    const newest = this.#db.prepare<{ id: number | null }, []>('SELECT max(id) AS id FROM notes');

    return function* (from, to) {
      const end = Math.min(to, (newest.all()[0]?.id ?? 0) + 1);
      for (let start = from, width = 4096; start < end; ) {
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
