/** Finds what is wrong with the file of a database and with its folder. Changes nothing. */
import { constants, statSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { NoteError } from '../../core/error.ts';
import { formatByteSize, formatNoteCount } from '../../core/text/format-counts.ts';
import { getErrorCode, getErrorMessage } from '../../core/thrown-errors.ts';
import { restoreAdvice } from './backup/backup-names.ts';
import { filesOf, sizeOf } from './database-files.ts';
import { anotherFile } from './migrate-sqlite.ts';
import { adviceOn, specialKind } from './open-database.ts';
import { isLocked } from './service-lock.ts';
import { migrations } from './sqlite-migrations.ts';
import { inspectDatabase } from './sqlite-worker-client.ts';

/** What a check found, and how to correct it. */
export interface Finding {
  readonly state: 'ok' | 'warning' | 'fault';
  readonly found: string;
  readonly remedy?: string;
}

export const ok = (found: string): Finding => ({ state: 'ok', found });
export const warning = (found: string, remedy?: string): Finding => ({
  state: 'warning',
  found,
  ...(remedy !== undefined && { remedy }),
});
export const fault = (found: string, remedy: string): Finding => ({ state: 'fault', found, remedy });

export function checkPermissions(path: string): Finding {
  const self = process.getuid?.();
  const database = statSync(path, { throwIfNoEntry: false });
  if (!database) return ok('of a file that is created at the first start');
  const { uid, nlink } = database;
  if (nlink > 1) return fault(`${path} has a second name (a hard link)`, 'Remove one of the names');
  if (self && uid !== self) return fault(`${path} is owned by user ${uid}, not by you`, 'Run it as that user');
  for (const file of filesOf(path)) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found) continue;
    const rights = (found.mode & 0o777).toString(8).padStart(3, '0');
    if (found.uid !== uid) return fault(`${file} belongs to another user`, `chown --reference=${path} ${file}`);
    if (self && !(found.mode & 0o200)) return fault(`${file} cannot be written to (${rights})`, `chmod 600 ${file}`);
    if (found.mode & 0o077) return warning(`others may use ${file} (${rights})`, `chmod 600 ${file}`);
  }
  return ok(`the owner alone can read and write ${path}`);
}

/** Checks a folder; for a missing one, the nearest folder above it, in which it will be created. */
export async function checkFolder(wanted: string, folder = wanted): Promise<Finding> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return ok(folder === wanted ? `${folder} can be written to` : `${wanted} is created at the first start`);
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return checkFolder(wanted, dirname(folder));
    const isOwn = (await stat(folder).catch(() => undefined))?.uid === process.getuid?.();
    const [reason] = adviceOn(error, folder) ?? [getErrorMessage(error)];
    const remedy = isOwn ? `chmod u+rwx ${folder}` : 'Let the user that runs the service write to it';
    return fault(`${folder} cannot be written to: ${reason}`, remedy);
  }
}

export async function checkNotes(path: string, isFull: boolean): Promise<Finding> {
  try {
    const special = specialKind(path);
    if (special !== undefined) return fault(`Cannot use ${path}: ${special}`, anotherFile);
    const bytes = sizeOf(path);
    if (bytes === 0 && sizeOf(`${path}-wal`) > 0 && !isLocked(path))
      return fault(`${path} is empty or gone, although notes were kept in it`, restoreAdvice(path));
    if (bytes === 0) return ok('no notes yet: the first start creates the file');
    const { integrity, isForeign, schema, notes } = await inspectDatabase(path, isFull);
    if (integrity !== 'ok') return fault(`damaged: ${integrity.replaceAll('\n', ' ')}`, restoreAdvice(path));
    if (isForeign) return fault(`${path} is a database of another program`, anotherFile);
    if (schema > migrations.length) return fault(`schema ${schema} is of a newer version of Notes`, 'Update Notes');
    return ok(
      `${formatNoteCount(notes)} in ${formatByteSize(bytes)}, sound${isFull ? '' : ' (--full compares the indexes too)'}`,
    );
  } catch (error) {
    const cause = error instanceof NoteError ? error.cause : error;
    const [reason, remedy = 'Fix the cause, then run this again'] = adviceOn(cause, path) ?? [getErrorMessage(cause)];
    return fault(`Cannot use ${path}: ${reason}`, remedy);
  }
}
