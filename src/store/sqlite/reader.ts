import { Database, type Statement } from 'bun:sqlite';
import { NoteError } from '../../domain/error.ts';
import { message } from '../../domain/message.ts';
import { categories, groups, type NoteFilter } from '../../domain/note.ts';
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
}

/** Reads lists from the database at `path`, each in a snapshot of its own, on connections that cannot write. */
export function createReader(path: string): Reader {
  const idle: Connection[] = [];
  let snapshots = 0;
  let closed = false;

  function* texts(filter: NoteFilter): Generator<string, void, void> {
    const connection = idle.pop() ?? new Connection(path);
    snapshots++;
    try {
      connection.begin.run();
      yield* jsonOf(connection.rows(filter));
    } finally {
      snapshots--;
      if (connection.db.inTransaction) connection.end.run();
      if (closed) connection.db.close(true);
      else idle.push(connection);
    }
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

  return {
    read,
    get snapshots() {
      return snapshots;
    },
    [Symbol.dispose]() {
      closed = true;
      for (const connection of idle.splice(0)) connection.db.close(true);
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

class Connection {
  readonly db: Database;
  readonly begin: Statement;
  readonly end: Statement;
  readonly #queries = new Map<string, Statement<NoteRow, number[]>>();

  constructor(path: string) {
    this.db = new Database(path, { readonly: true });
    this.begin = this.db.prepare('BEGIN');
    this.end = this.db.prepare('COMMIT');
  }

  /** The rows that match, in order of id. The cost follows what is returned, not what is stored. */
  rows(filter: NoteFilter): Iterable<NoteRow> {
    const archived = [0, 1].filter((flag) => filter.archived === undefined || flag === Number(filter.archived));
    const inCategories = categories.filter((name) => filter.category === undefined || name === filter.category);
    const inGroups = groups.filter((name) => filter.group === undefined || name === filter.group);
    const where = `archived IN (${archived}) AND category IN (${quoted(inCategories)}) AND "group" IN (${quoted(inGroups)})`;

    const cells = archived.length * inCategories.length * inGroups.length;
    if (cells === 2 * categories.length * groups.length) {
      return this.#query(`SELECT ${columns} FROM notes ORDER BY id`).iterate();
    }
    const indexed = `FROM notes INDEXED BY notes_by_cell WHERE ${where}`;
    if (cells === 1) return this.#query(`SELECT ${columns} ${indexed} ORDER BY id`).iterate();
    return this.#rowsByWindow(`SELECT id ${indexed}`);
  }

  /**
   * The index holds one run of ids for each combination of category, group and flag. Where a filter spans several,
   * they are merged for one window of ids after the other; windows widen where matches are rare.
   */
  *#rowsByWindow(ids: string): Generator<NoteRow, void, void> {
    const window = `id IN (${ids} AND id > ? AND id <= ?)`;
    const query = this.#query(`SELECT ${columns} FROM notes WHERE ${window} ORDER BY id`);
    const newest = this.db.prepare<{ id: number | null }, []>('SELECT max(id) AS id FROM notes').all()[0]?.id ?? 0;
    let width = 4096;
    for (let after = 0; after < newest; ) {
      const upTo = Math.min(after + width, newest);
      let found = 0;
      for (const row of query.iterate(after, upTo)) {
        found++;
        yield row;
      }
      after = upTo;
      if (found < 256) width *= 8;
      else if (found > 2048) width /= 2;
    }
  }

  #query(sql: string): Statement<NoteRow, number[]> {
    let query = this.#queries.get(sql);
    if (query === undefined) {
      query = this.db.prepare<NoteRow, number[]>(sql);
      this.#queries.set(sql, query);
    }
    return query;
  }
}

const quoted = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');
