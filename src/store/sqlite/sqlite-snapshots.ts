import type { Database } from 'bun:sqlite';
import { Semaphore } from '../../core/concurrency.ts';
import { NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import type { Note, NoteFilter } from '../../core/note.ts';
import { noteColumnsSql, toNote } from '../note-fields.ts';
import type { ListSnapshot } from '../note-storage.ts';
import type { DurableTransactions } from './durable-transactions.ts';
import { openUnchanged } from './open-database.ts';
import { listFilterFields, type NoteRow } from './sqlite-reads.ts';

/** Snapshots that are read at the same time, and how long another one waits for its turn, in ms. */
const maxSnapshots = 16;
const turnWaitMs = 30_000;

/** Approximate length of a page, in characters. */
const pageLength = 128 * 1024;

type Notes = Generator<Note, void, void>;

/** Reads the matching notes; undefined if they have more than `maxLength` characters. */
export function readShortList(db: Database, filter: NoteFilter, maxLength: number): readonly Note[] | undefined {
  const notes: Note[] = [];
  let length = 0;
  for (const note of readNotes(db, filter)) {
    length += note.title.length + note.content.length;
    if (length > maxLength) return undefined;
    notes.push(note);
  }
  return notes;
}

/** Long lists, read page by page from snapshots on connections of their own. */
export class SnapshotReader implements Disposable {
  readonly #path: string;
  readonly #transactions: DurableTransactions;
  readonly #open = new Set<Notes>();
  readonly #turns = new Semaphore({
    max: maxSnapshots,
    waitMs: turnWaitMs,
    createTimeoutError: () => new NoteError('busy', message.busy),
  });

  constructor(path: string, transactions: DurableTransactions) {
    this.#path = path;
    this.#transactions = transactions;
  }

  /** Takes the snapshot at a moment when all commits are on disk. */
  async open(filter: NoteFilter): Promise<ListSnapshot> {
    const { changeLog } = this.#transactions;
    const turn = await this.#turns.acquire();
    const pages = this.#readPages(filter);
    try {
      let before = '';
      const begun = await this.#transactions.read(() => {
        before = changeLog.cursor;
        return [pages.next()];
      });
      await Promise.all(begun);
      this.#transactions.noticeOtherCommits();
      // the snapshot may, or may not, have what another program has committed meanwhile
      const fingerprint = changeLog.cursor === before ? before : undefined;
      return { fingerprint, pages: releaseAtEnd(pages, turn) };
    } catch (error) {
      turn.release();
      throw error;
    }
  }

  /** Yields an empty page when it has taken the snapshot, and then the pages. */
  async *#readPages(filter: NoteFilter): ListSnapshot['pages'] {
    const notes = readNotesOfSnapshot(this.#path, filter);
    const nextPage = () => this.#transactions.guard(() => readPage(notes));
    this.#open.add(notes);
    try {
      let page = nextPage();
      yield [];
      for (; page.length > 0; page = nextPage()) yield page;
    } finally {
      this.#open.delete(notes);
      notes.return();
    }
  }

  /**
   * Closes the snapshots that are still being read, so that no connection outlives the main one. The store is closed
   * before: who reads on gets its error.
   */
  [Symbol.dispose](): void {
    for (const notes of this.#open) notes.return();
  }
}

async function* releaseAtEnd(pages: ListSnapshot['pages'], turn: { release(): void }): ListSnapshot['pages'] {
  try {
    yield* pages;
  } finally {
    turn.release();
  }
}

/** Reads on a connection of its own, in a transaction that begins when the first note is requested. */
export function* readNotesOfSnapshot(path: string, filter: NoteFilter): Notes {
  const db = openUnchanged(path);
  try {
    db.query('BEGIN').run();
    yield* readNotes(db, filter);
  } finally {
    db.close(true);
  }
}

/** Reads one range of ids after the other, in the order of the index: the first notes do not wait for the last. */
function* readNotes(db: Database, filter: NoteFilter): Notes {
  const fields = listFilterFields(filter);
  const values = fields.map((field) => filter[field] ?? '');
  const selectRange = db.query<NoteRow, [range: number, ...values: (string | boolean)[]]>(
    `SELECT ${noteColumnsSql} FROM notes WHERE id IN (SELECT id FROM notes INDEXED BY notes_by_id_range
       WHERE id >> 10 = ? AND archived IN (0, 1) ${fields.map((field) => `AND "${field}" = ?`).join(' ')})
     ORDER BY id`, // sorts ids only, as content may be long
  );
  const selectNextRange = db.query<{ range: number }, [after: number]>(
    `SELECT id >> 10 AS range FROM notes INDEXED BY notes_by_id_range WHERE id >> 10 > ? ORDER BY id >> 10 LIMIT 1`,
  );
  for (let [found] = selectNextRange.all(-1); found; [found] = selectNextRange.all(found.range))
    for (const row of selectRange.iterate(found.range, ...values)) yield toNote(row);
}

/** Reads the next notes, of about `pageLength` characters; none at the end. */
function readPage(notes: Notes): Note[] {
  const page: Note[] = [];
  for (let length = 0; length < pageLength; ) {
    const { value: note, done } = notes.next();
    if (done) break;
    page.push(note);
    length += note.title.length + note.content.length;
  }
  return page;
}
