import { realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NoteError } from '../../../domain/error.ts';
import { stampOf } from '../../../store/sqlite/file/backup-names.ts';

/** The real path of a database file. Throws `unavailable` when there is none: to open it would create it. */
export function existingFile(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return realpathSync(path);
  throw new NoteError('unavailable', `Cannot use ${path}: there are no notes. Name the file that holds them with --db`);
}

/** Where a backup goes: a file, or a name by the time in a folder; beside the database when nothing is said. */
export function targetOf(database: string, given = dirname(database)): string {
  const isFolder = given.endsWith('/') || statSync(given, { throwIfNoEntry: false })?.isDirectory();
  return isFolder ? join(given, `notes-${stampOf(Date.now())}.db`) : given;
}
