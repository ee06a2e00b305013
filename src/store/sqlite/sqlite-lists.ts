import type { Database } from 'bun:sqlite';
import { NoteError } from '../../core/error.ts';
import * as message from '../../core/message.ts';
import type { Note, NoteFilter } from '../../core/note.ts';
import type { JsonList } from '../../core/store.ts';
import { Semaphore } from '../../core/tools/concurrency.ts';
import { CachedList, chunksOf, type ListCache } from '../lists.ts';
import { columns, type NoteJson, noteJsonOf, noteOf } from '../row.ts';
import { type OpenDatabase, openUnchanged } from './database.ts';
import { fieldsOf, type NoteRow } from './sqlite-reads.ts';
import type { Transactions } from './sqlite-transactions.ts';

/** Lists read in pages at the same time, and how long another one waits for its turn, in ms. */
const maxLong = 16;
const longWaitMs = 30_000;

/** Lists up to this length, in UTF-16 units, are answered whole even if they are not cached. */
const wholeLength = 1024 * 1024;

/** Lists of a database, from memory, else from the main connection, or in pages if they are long. */
export class SqliteLists implements Disposable {
  readonly #db: Database;
  readonly #transactions: Transactions;
  readonly #path: string;
  readonly #snapshots = new Set<Rows>();
  readonly #turns = new Semaphore({
    max: maxLong,
    waitMs: longWaitMs,
    refuse: () => new NoteError('busy', message.busy),
  });

  constructor({ db, path }: OpenDatabase, transactions: Transactions) {
    this.#db = db;
    this.#transactions = transactions;
    this.#path = path;
  }

  get #cache(): ListCache {
    return this.#transactions.cache;
  }

  /** Returns the list as JSON, or `unchanged` at a `known` revision. Commits not on disk are not shown. */
  answer(filter: NoteFilter, known: readonly string[]): JsonList | Promise<JsonList> {
    const cached = this.#cache.find(filter);
    if (cached === 'too long') return this.#answerInPages(filter, known);
    if (cached !== undefined) return cached.answer(known);
    const unsynced = this.#transactions.unsynced;
    if (unsynced !== undefined) return unsynced.then(() => this.answer(filter, known));
    const list = this.#transactions.readNow(() => this.#read(filter));
    if (list === undefined) return this.#answerInPages(filter, known);
    return list.answer(known);
  }

  /** Yields the matching notes in batches, from one snapshot. */
  async *scan(filter: NoteFilter): AsyncGenerator<readonly Note[], void, void> {
    await this.#allSynced();
    for await (const page of this.#pages(filter)) {
      this.#transactions.noticeOtherCommits();
      yield page.map(noteOf);
    }
  }

  /**
   * Closes the snapshots of lists that are still being read, so that no connection outlives the main one. The store is
   * closed before: what reads on gets its error.
   */
  [Symbol.dispose](): void {
    for (const rows of this.#snapshots) rows.return();
  }

  async #allSynced(): Promise<void> {
    await this.#transactions.read(() => {});
  }

  /** Reads and keeps a list; undefined if it is too long to be answered whole. */
  #read(filter: NoteFilter): CachedList | undefined {
    const maxLength = Math.max(wholeLength, this.#cache.maxLength);
    const entries: NoteJson[] = [];
    let length = 0;
    for (const row of rowsIn(this.#db, filter)) {
      const entry = noteJsonOf(row);
      length += entry.json.length;
      if (length > maxLength) break;
      entries.push(entry);
    }
    const list = length > maxLength ? undefined : new CachedList(filter, entries, this.#cache.revision);
    if (list === undefined || length <= this.#cache.maxLength) this.#cache.put(filter, list);
    return list;
  }

  async #answerInPages(filter: NoteFilter, known: readonly string[]): Promise<JsonList> {
    const now = await this.#currentRevision(); // needs no turn
    if (known.includes(now)) return { kind: 'unchanged', revision: now };
    using held = new DisposableStack();
    held.adopt(await this.#turns.acquire(), (turn) => turn.release());
    const before = await this.#currentRevision();
    const pages = this.#pages(filter, held.move());
    const { value: first } = await pages.next();
    this.#transactions.noticeOtherCommits();
    // the snapshot may, or may not, have what was committed meanwhile
    const revision = this.#cache.revision === before ? before : `${before}-${crypto.randomUUID()}`;
    return { kind: 'chunks', revision, chunks: chunksOf((first ?? []).map(noteJsonOf), pages) };
  }

  async #currentRevision(): Promise<string> {
    await this.#allSynced();
    this.#transactions.noticeOtherCommits();
    return this.#cache.revision;
  }

  /** Yields the matching notes in pages, from one snapshot. Releases the resources at its end. */
  async *#pages(filter: NoteFilter, resources = new DisposableStack()): AsyncGenerator<readonly NoteRow[], void, void> {
    using _ = resources;
    const rows = rowsOfSnapshot(this.#path, filter);
    const nextPage = () => this.#transactions.guarded(() => pageOf(rows));
    this.#snapshots.add(rows);
    try {
      let page = nextPage(); // takes the snapshot
      this.#transactions.guarded(() => this.#transactions.syncSnapshot());
      for (; page.length > 0; page = nextPage()) yield page;
    } finally {
      this.#snapshots.delete(rows);
      rows.return();
    }
  }
}

/** Rows of one snapshot, which is held until they end or `return` is called. */
type Rows = Generator<NoteRow, void, void>;

/** Approximate length of a page, in characters. */
const pageLength = 128 * 1024;

/** Reads on a connection of its own, in a transaction that begins when the first row is requested. */
export function* rowsOfSnapshot(path: string, filter: NoteFilter): Rows {
  const db = openUnchanged(path);
  try {
    db.query('BEGIN').run();
    yield* rowsIn(db, filter);
  } finally {
    db.close(true);
  }
}

/** Reads one range of ids after the other, in the order of the index: the first rows do not wait for the last. */
function* rowsIn(db: Database, filter: NoteFilter): Rows {
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
function pageOf(rows: Rows): NoteRow[] {
  const page: NoteRow[] = [];
  for (let length = 0; length < pageLength; ) {
    const { value: row, done } = rows.next();
    if (done) break;
    page.push(row);
    length += row.title.length + row.content.length;
  }
  return page;
}
