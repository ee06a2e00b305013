import type { Database } from 'bun:sqlite';
import { Semaphore } from '../../core/concurrency.ts';
import { NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import type { Note, NoteFilter } from '../../core/note.ts';
import { noteColumnsSql, toNote } from '../note-fields.ts';
import type { ListSnapshot } from '../note-storage.ts';
import type { DurableTransactions } from './durable-transactions.ts';
import { openReadOnlyWithoutCreatingLog } from './open-sqlite-database.ts';
import { listFilterFields, type SqliteNoteRow } from './sqlite-reads.ts';

/** How many snapshots may be open at the same time. */
const maxSnapshots = 16;
/** How long another one waits until one of them is closed, in ms. */
const maxPermitWaitMs = 30_000;

/** A page ends with the note by which it reaches this length, in characters. */
const minPageLength = 128 * 1024;

type NoteIterator = Generator<Note, void, void>;

/** Reads the matching notes in order of id; undefined if they have more than `maxLength` characters. */
export function readListIfWithinChars(
  db: Database,
  filter: NoteFilter,
  maxLength: number,
): readonly Note[] | undefined {
  const notes: Note[] = [];
  let length = 0;
  for (const note of iterateNotes(db, filter)) {
    length += note.title.length + note.content.length;
    if (length > maxLength) return undefined;
    notes.push(note);
  }
  return notes;
}

/** Reads long lists page by page, each from a snapshot on a connection of its own. */
export class SqliteListReader implements Disposable {
  readonly #path: string;
  readonly #transactions: DurableTransactions;
  readonly #openIterators = new Set<NoteIterator>();
  readonly #permits = new Semaphore({
    max: maxSnapshots,
    waitMs: maxPermitWaitMs,
    createTimeoutError: () => new NoteError('busy', message.busy),
  });

  constructor(path: string, transactions: DurableTransactions) {
    this.#path = path;
    this.#transactions = transactions;
  }

  /**
   * Opens a snapshot of the matching notes when all commits are on disk. The caller reads its pages to the end or
   * returns.
   */
  async openListSnapshot(filter: NoteFilter): Promise<ListSnapshot> {
    const { changeLog } = this.#transactions;
    const permit = await this.#permits.acquirePermitOrTimeOut();
    const pages = this.#yieldEmptyPageThenPages(filter);
    try {
      let cursorBefore = '';
      const begun = await this.#transactions.readWhenDurable(() => {
        cursorBefore = changeLog.cursor;
        return [pages.next()];
      });
      await Promise.all(begun);
      this.#transactions.runUnlessClosed(() => this.#transactions.forgetChangesIfOthersCommitted());
      // if another program has committed meanwhile, nobody knows whether the snapshot shows it
      const fingerprint = changeLog.cursor === cursorBefore ? cursorBefore : undefined;
      return { fingerprint, pages: streamAndReleasePermit(pages, permit) };
    } catch (error) {
      permit.release();
      await pages.return();
      throw error;
    }
  }

  /** Yields an empty page once the snapshot is open, and then the pages. */
  async *#yieldEmptyPageThenPages(filter: NoteFilter): ListSnapshot['pages'] {
    const notes = openAndIterateNotes(this.#path, filter);
    const nextPage = () => this.#transactions.runUnlessClosed(() => takeNextPage(notes));
    this.#openIterators.add(notes);
    try {
      let page = nextPage();
      yield [];
      for (; page.length > 0; page = nextPage()) yield page;
    } finally {
      this.#openIterators.delete(notes);
      notes.return();
    }
  }

  /**
   * Closes the snapshots that are still being read, so that no connection outlives the main one. The store is closed
   * before, so whoever reads on gets the error of a closed store.
   */
  [Symbol.dispose](): void {
    for (const notes of this.#openIterators) notes.return();
  }
}

async function* streamAndReleasePermit(
  pages: ListSnapshot['pages'],
  permit: { release(): void },
): ListSnapshot['pages'] {
  try {
    yield* pages;
  } finally {
    permit.release();
  }
}

/** Yields the notes of a snapshot on a connection of its own. It is opened when the first note is requested. */
export function* openAndIterateNotes(path: string, filter: NoteFilter): NoteIterator {
  const db = openReadOnlyWithoutCreatingLog(path);
  try {
    db.query('BEGIN').run();
    yield* iterateNotes(db, filter);
  } finally {
    db.close(true);
  }
}

/**
 * Yields the matching notes in order of id. One query reads a range of 1,024 ids, so that the first notes do not wait
 * for the last ones.
 */
function* iterateNotes(db: Database, filter: NoteFilter): NoteIterator {
  const fields = listFilterFields(filter);
  const values = fields.map((field) => filter[field] ?? '');
  const selectRange = db.query<SqliteNoteRow, [range: number, ...values: (string | boolean)[]]>(
    `SELECT ${noteColumnsSql} FROM notes WHERE id IN (SELECT id FROM notes INDEXED BY notes_by_id_range
       WHERE id >> 10 = ? AND archived IN (0, 1) ${fields.map((field) => `AND "${field}" = ?`).join(' ')})
     ORDER BY id`, // sorts ids only, as content may be long
  );
  const selectNextRange = db.query<{ range: number }, [after: number]>(
    `SELECT id >> 10 AS range FROM notes INDEXED BY notes_by_id_range WHERE id >> 10 > ? ORDER BY id >> 10 LIMIT 1`,
  );
  for (let [next] = selectNextRange.all(-1); next; [next] = selectNextRange.all(next.range))
    for (const row of selectRange.iterate(next.range, ...values)) yield toNote(row);
}

/** Advances the iterator by one page; returns an empty one at the end. */
function takeNextPage(notes: NoteIterator): Note[] {
  const page: Note[] = [];
  for (let length = 0; length < minPageLength; ) {
    const { value: note, done } = notes.next();
    if (done) break;
    page.push(note);
    length += note.title.length + note.content.length;
  }
  return page;
}
