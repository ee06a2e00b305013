import type { Database } from 'bun:sqlite';
import { NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import { noteColumnsSql } from '../note-fields.ts';
import * as storeMessage from '../store-messages.ts';
import { applicationId, migrations } from './sqlite-migrations.ts';
import { isSignInSessionEnded, readLabels, readOriginsPage, readPinnedIds } from './sqlite-reads.ts';

/** Advice that ends many messages. */
export const nameAnotherFile = `Name another file by ${message.databaseSetting}`;

/** Reads a setting or a field of the header whose value is a number, such as `user_version`. */
export function readNumericPragmaOrZero(db: Database, name: string): number {
  const row = db.prepare<Record<string, number>, []>(`PRAGMA ${name}`).all()[0];
  return Object.values(row ?? {})[0] ?? 0;
}

/** Whether another program created the database. One without tables and without an application id is nobody's. */
export function isForeignDatabase(db: Database): boolean {
  const owner = readNumericPragmaOrZero(db, 'application_id');
  if (owner === applicationId) return false;
  return owner !== 0 || db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' LIMIT 1").all().length > 0;
}

/** Throws `unavailable` for a file of another program or of a newer version. */
export function assertSupportedDatabase(db: Database, path: string): void {
  const version = readNumericPragmaOrZero(db, 'user_version');
  if (isForeignDatabase(db))
    throw new NoteError('unavailable', `${path} is a database of another program. ${nameAnotherFile}`);
  if (version > migrations.length) {
    const reason =
      `${path} was written by a newer version of Notes (schema ${version}, this one knows ${migrations.length}). ` +
      `Update Notes, or name another file by ${message.databaseSetting}`;
    throw new NoteError('unavailable', reason);
  }
}

/**
 * Throws `unavailable` if the schema is not the current one, and errors of SQLite if a table or an index is missing.
 */
export function assertCurrentSchema(db: Database): void {
  const version = readNumericPragmaOrZero(db, 'user_version');
  if (version !== migrations.length) throw new NoteError('unavailable', storeMessage.schemaChanged(version));
  db.prepare(`SELECT ${noteColumnsSql} FROM notes INDEXED BY notes_by_id_range WHERE id >> 10 = 0 LIMIT 1`).all();
  db.prepare(
    'SELECT version_id, previous_id FROM notes JOIN note_versions ON note_versions.id = version_id LIMIT 1',
  ).all();
  readLabels(db);
  readOriginsPage(db, Number.MAX_SAFE_INTEGER);
  isSignInSessionEnded(db, '');
  readPinnedIds(db);
}
