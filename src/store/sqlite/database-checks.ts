/** Checks for `notes doctor` what may be wrong with the file of a database and with its folder. Changes nothing. */
import { constants, statSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { NoteError } from '../../core/error.ts';
import { formatByteSize, formatNoteCount } from '../../core/text/format-counts.ts';
import { getErrorCode, getErrorMessage } from '../../core/thrown-errors.ts';
import { formatRestoreAdvice } from './backup/backup-names.ts';
import { listDatabaseFiles, readFileSize } from './database-files.ts';
import { describeSpecialFile } from './open-database.ts';
import { findAdvice } from './open-error.ts';
import { nameAnotherFile } from './schema-checks.ts';
import { isServiceLockHeld } from './service-lock.ts';
import { migrations } from './sqlite-migrations.ts';
import { inspectOnNewThread } from './sqlite-worker-client.ts';

/** What a check found, and how to correct it. */
export interface Finding {
  readonly state: 'ok' | 'warning' | 'fault';
  readonly found: string;
  readonly remedy?: string;
}

export const okFinding = (found: string): Finding => ({ state: 'ok', found });
export const warningFinding = (found: string, remedy?: string): Finding => ({
  state: 'warning',
  found,
  ...(remedy !== undefined && { remedy }),
});
export const faultFinding = (found: string, remedy: string): Finding => ({ state: 'fault', found, remedy });

/** Checks the owner and the permissions of the files of a database. */
export function checkPermissions(path: string): Finding {
  const self = process.getuid?.();
  const database = statSync(path, { throwIfNoEntry: false });
  if (!database) return okFinding('of a file that is created at the first start');
  const { uid, nlink } = database;
  if (nlink > 1) return faultFinding(`${path} has a second name (a hard link)`, 'Remove one of the names');
  if (self && uid !== self) return faultFinding(`${path} is owned by user ${uid}, not by you`, 'Run it as that user');
  for (const file of listDatabaseFiles(path)) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found) continue;
    const rights = (found.mode & 0o777).toString(8).padStart(3, '0');
    if (found.uid !== uid) return faultFinding(`${file} belongs to another user`, `chown --reference=${path} ${file}`);
    if (self && !(found.mode & 0o200))
      return faultFinding(`${file} cannot be written to (${rights})`, `chmod 600 ${file}`);
    if (found.mode & 0o077) return warningFinding(`others may use ${file} (${rights})`, `chmod 600 ${file}`);
  }
  return okFinding(`the owner alone can read and write ${path}`);
}

/** Checks whether a folder can be written to; of a missing one, the nearest folder above it. */
export async function checkFolder(wanted: string, folder = wanted): Promise<Finding> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return okFinding(folder === wanted ? `${folder} can be written to` : `${wanted} is created at the first start`);
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return checkFolder(wanted, dirname(folder));
    const isOwn = (await stat(folder).catch(() => undefined))?.uid === process.getuid?.();
    const [reason] = findAdvice(error, folder) ?? [getErrorMessage(error)];
    const remedy = isOwn ? `chmod u+rwx ${folder}` : 'Let the user that runs the service write to it';
    return faultFinding(`${folder} cannot be written to: ${reason}`, remedy);
  }
}

/** Checks whether the store could open the database at `path`; if `isThorough`, also its indexes. */
export async function checkNotes(path: string, isThorough: boolean): Promise<Finding> {
  try {
    const special = describeSpecialFile(path);
    if (special !== undefined) return faultFinding(`Cannot use ${path}: ${special}`, nameAnotherFile);
    const bytes = readFileSize(path);
    if (bytes === 0 && readFileSize(`${path}-wal`) > 0 && !isServiceLockHeld(path))
      return faultFinding(`${path} is empty or gone, although notes were kept in it`, formatRestoreAdvice(path));
    if (bytes === 0) return okFinding('no notes yet: the first start creates the file');
    const { integrity, isForeign, schema, notes } = await inspectOnNewThread(path, isThorough);
    if (integrity !== 'ok')
      return faultFinding(`damaged: ${integrity.replaceAll('\n', ' ')}`, formatRestoreAdvice(path));
    if (isForeign) return faultFinding(`${path} is a database of another program`, nameAnotherFile);
    if (schema > migrations.length)
      return faultFinding(`schema ${schema} is of a newer version of Notes`, 'Update Notes');
    return okFinding(
      `${formatNoteCount(notes)} in ${formatByteSize(bytes)}, sound${isThorough ? '' : ' (--full compares the indexes too)'}`,
    );
  } catch (error) {
    const cause = error instanceof NoteError ? error.cause : error;
    const [reason, remedy = 'Fix the cause, then run this again'] = findAdvice(cause, path) ?? [getErrorMessage(cause)];
    return faultFinding(`Cannot use ${path}: ${reason}`, remedy);
  }
}
