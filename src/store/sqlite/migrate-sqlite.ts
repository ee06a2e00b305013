import type { Database } from 'bun:sqlite';
import { closeSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import { syncFile, syncFolder } from '../fsync.ts';
import { noteColumnsSql } from '../note-fields.ts';
import * as storeMessage from '../store-messages.ts';
import { timedPath } from './backup/backup-names.ts';
import { keepOwner } from './database-files.ts';
import { applicationId, migrations } from './sqlite-migrations.ts';
import { isSessionEnded, readLabels, readOrigins } from './sqlite-reads.ts';

/**
 * Migrates the schema, each step in its own transaction. Copies a file that has a schema first, and returns the path of
 * the copy.
 */
export function migrate(db: Database, path: string, steps: readonly string[]): string | undefined {
  const version = pragma(db, 'user_version');
  if (version === steps.length) return undefined;
  const copy = version > 0 ? copyOf(db, path, version) : undefined;
  for (const [index, step] of steps.entries()) {
    if (index < version) continue;
    db.transaction(() => {
      db.run(step);
      db.run(`PRAGMA user_version = ${index + 1}`);
      db.run(`PRAGMA application_id = ${applicationId}`);
    }).immediate();
  }
  return copy;
}

export function pragma(db: Database, name: string): number {
  const row = db.prepare<Record<string, number>, []>(`PRAGMA ${name}`).all()[0];
  return Object.values(row ?? {})[0] ?? 0;
}

/** Throws `unavailable` for a file of another program or of a newer version. */
export function refuseForeign(db: Database, path: string): void {
  const version = pragma(db, 'user_version');
  if (isForeign(db)) throw new NoteError('unavailable', `${path} is a database of another program. ${anotherFile}`);
  if (version > migrations.length) {
    const reason =
      `${path} was written by a newer version of Notes (schema ${version}, this one knows ${migrations.length}). ` +
      `Update Notes, or name another file by ${message.databaseSetting}`;
    throw new NoteError('unavailable', reason);
  }
}

export const anotherFile = `Name another file by ${message.databaseSetting}`;

/** Whether another program created the database. An empty one has no owner. */
export function isForeign(db: Database): boolean {
  const owner = pragma(db, 'application_id');
  if (owner === applicationId) return false;
  return owner !== 0 || db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' LIMIT 1").all().length > 0;
}

/** Readable by its owner only, and synced before the schema changes. */
function copyOf(db: Database, path: string, version: number): string {
  const copy = timedPath(`${path}.schema-${version}.`, Date.now());
  closeSync(openSync(copy, 'wx', 0o600)); // does not follow links
  try {
    db.run('VACUUM INTO ?', [copy]);
    keepOwner(path, copy);
    syncFile(copy);
    syncFolder(dirname(path));
    return copy;
  } catch (error) {
    rmSync(copy, { force: true });
    throw error;
  }
}

/** Throws `unavailable` if the schema is not the current one, else errors of a missing table or index. */
export function checkSchema(db: Database): void {
  const version = pragma(db, 'user_version');
  if (version !== migrations.length) throw new NoteError('unavailable', storeMessage.schemaChanged(version));
  db.prepare(`SELECT ${noteColumnsSql} FROM notes INDEXED BY notes_by_id_range WHERE id >> 10 = 0 LIMIT 1`).all();
  db.prepare(
    'SELECT version_id, previous_id FROM notes JOIN note_versions ON note_versions.id = version_id LIMIT 1',
  ).all();
  readLabels(db);
  readOrigins(db, Number.MAX_SAFE_INTEGER);
  isSessionEnded(db, '');
}
