import type { Database, Statement } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { NoteError } from '../../domain/error.ts';
import type { Batches, StoredNote, TransferSource, TransferTarget } from '../transfer.ts';
import { type OpenDatabase, openDatabase, refusal } from './database.ts';
import { columns, type NoteRow } from './row.ts';

/** How many notes are read at once, and up to about how many characters. */
const most = { notes: 2_000, length: 1024 * 1024 };

/**
 * The notes in a file that no service uses. `onCopied` is called with the copy that is made before an older schema is
 * brought up to date. Throws `unavailable`, saying what to do.
 */
export async function openSqliteSource(given: string, onCopied: (copy: string) => void): Promise<TransferSource> {
  refuseMissing(given);
  using opened = new DisposableStack();
  const { db, path, copy } = attempt(given, () => openHeld(given, opened));
  if (copy !== undefined) onCopied(copy);
  const lastId = attempt(given, () => beginToRead(db));
  const resources = opened.move();
  return {
    location: `sqlite:${path}`,
    lastId,
    notes: () => notesIn(db, given),
    [Symbol.asyncDispose]: async () => resources.dispose(),
  };
}

/** An empty file, created when missing, that no service uses. Throws `unavailable`, saying what to do. */
export async function openSqliteTarget(given: string): Promise<TransferTarget> {
  using opened = new DisposableStack();
  const { db, path } = attempt(given, () => openHeld(given, opened));
  attempt(given, () => {
    db.run('BEGIN IMMEDIATE');
    refuseUsed(db, given);
  });
  const insert = db.prepare(`INSERT INTO notes (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const resources = opened.move();
  return {
    location: `sqlite:${path}`,
    write: async (notes) => attempt(given, () => insertAll(insert, notes)),
    notes: () => notesIn(db, given),
    continueAfter: async (lastId) => attempt(given, () => continueAfter(db, lastId)),
    commit: async () => attempt(given, () => void db.run('COMMIT')),
    [Symbol.asyncDispose]: async () => resources.dispose(),
  };
}

/** Open, locked, and closed with `opened`. A log is copied into the file then: that it fails does not look like a failed commit. */
function openHeld(given: string, opened: DisposableStack): OpenDatabase {
  const held = openDatabase({ path: given, isChecked: true });
  opened.use(held.resources);
  return held;
}

/** To open it would create it. */
function refuseMissing(given: string): void {
  const size = attempt(given, () => statSync(given, { throwIfNoEntry: false })?.size ?? 0);
  if (size > 0) return;
  throw new NoteError('unavailable', `Cannot use ${given}: there are no notes. Name the file that holds them`);
}

function refuseUsed(db: Database, given: string): void {
  if (db.prepare('SELECT 1 FROM notes LIMIT 1').all().length === 0) return;
  throw new NoteError('unavailable', `Cannot use ${given}: it holds notes already. Name a new file`);
}

/** Begins a transaction that sees the database as it is now, and returns the highest id that was ever given out. */
function beginToRead(db: Database): number {
  db.run('BEGIN');
  return lastIdOf(db);
}

/** The highest id that was ever given out. */
export function lastIdOf(db: Database): number {
  const select = `SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'notes'), 0),
    coalesce((SELECT max(id) FROM notes), 0)) AS id`;
  return db.prepare<{ id: number }, []>(select).all()[0]?.id ?? 0;
}

function insertAll(insert: Statement, notes: readonly StoredNote[]): void {
  for (const { id, title, content, category, group, color, archived, createdAt, updatedAt } of notes) {
    insert.run(id, title, content, category, group, color, Number(archived), createdAt, updatedAt);
  }
}

/** Has new ids go on after `lastId`, or after a higher one that was given out already. */
export function continueAfter(db: Database, lastId: number): void {
  const insert = `INSERT INTO sqlite_sequence (name, seq)
    SELECT 'notes', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'notes')`;
  db.run(insert);
  db.run("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'notes'", [lastId]);
}

async function* notesIn(db: Database, given: string): Batches {
  const rows = db.prepare<NoteRow, []>(`SELECT ${columns} FROM notes ORDER BY id`).iterate();
  try {
    for (;;) {
      const notes = attempt(given, () => nextOf(rows));
      if (notes.length === 0) return;
      yield notes;
    }
  } finally {
    rows.return?.();
  }
}

function nextOf(rows: Iterator<NoteRow>): StoredNote[] {
  const notes: StoredNote[] = [];
  for (let length = 0; notes.length < most.notes && length < most.length; ) {
    const { value: row, done } = rows.next();
    if (done) break;
    notes.push(storedNote(row));
    length += row.title.length + row.content.length;
  }
  return notes;
}

const storedNote = ({ archived, created_at: createdAt, updated_at: updatedAt, ...row }: NoteRow): StoredNote => ({
  ...row,
  archived: archived === 1,
  createdAt,
  updatedAt,
});

/** Errors of SQLite become ours. */
function attempt<Result>(given: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw refusal(error, given);
  }
}
