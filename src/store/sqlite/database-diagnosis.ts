/** Checks for `notes doctor` what may be wrong with the file of a database and with its folder. Changes nothing. */
import { constants, statSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { NoteError } from '../../core/error.ts';
import { formatByteSize, formatNoteCount } from '../../core/text/format-counts.ts';
import { getErrorCodeOrEmpty, getErrorMessage } from '../../core/thrown-errors.ts';
import { formatRestoreAdvice } from './backup/backup-names.ts';
import { listDatabaseFiles, readFileSizeOrZero } from './database-files.ts';
import { findReasonAndRemedy } from './open-error.ts';
import { findSpecialFileReason } from './open-sqlite-database.ts';
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

export const createOkFinding = (found: string): Finding => ({ state: 'ok', found });
export const createWarningFinding = (found: string, remedy?: string): Finding => ({
  state: 'warning',
  found,
  ...(remedy !== undefined && { remedy }),
});
export const createFaultFinding = (found: string, remedy: string): Finding => ({ state: 'fault', found, remedy });

/** Checks the owner and the permissions of the files of a database. */
export function checkPermissions(path: string): Finding {
  const self = process.getuid?.();
  const database = statSync(path, { throwIfNoEntry: false });
  if (!database) return createOkFinding('of a file that is created at the first start');
  const { uid, nlink } = database;
  if (nlink > 1) return createFaultFinding(`${path} has a second name (a hard link)`, 'Remove one of the names');
  if (self && uid !== self)
    return createFaultFinding(`${path} is owned by user ${uid}, not by you`, 'Run it as that user');
  for (const file of listDatabaseFiles(path)) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found) continue;
    const rights = (found.mode & 0o777).toString(8).padStart(3, '0');
    if (found.uid !== uid)
      return createFaultFinding(`${file} belongs to another user`, `chown --reference=${path} ${file}`);
    if (self && !(found.mode & 0o200))
      return createFaultFinding(`${file} cannot be written to (${rights})`, `chmod 600 ${file}`);
    if (found.mode & 0o077) return createWarningFinding(`others may use ${file} (${rights})`, `chmod 600 ${file}`);
  }
  return createOkFinding(`the owner alone can read and write ${path}`);
}

/** Checks whether a folder can be written to; of a missing one, the nearest folder above it. */
export async function checkFolderOrParentWritable(wanted: string, folder = wanted): Promise<Finding> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return createOkFinding(
      folder === wanted ? `${folder} can be written to` : `${wanted} is created at the first start`,
    );
  } catch (error) {
    if (getErrorCodeOrEmpty(error) === 'ENOENT') return checkFolderOrParentWritable(wanted, dirname(folder));
    const isOwn = (await stat(folder).catch(() => undefined))?.uid === process.getuid?.();
    const [reason] = findReasonAndRemedy(error, folder) ?? [getErrorMessage(error)];
    const remedy = isOwn ? `chmod u+rwx ${folder}` : 'Let the user that runs the service write to it';
    return createFaultFinding(`${folder} cannot be written to: ${reason}`, remedy);
  }
}

/** Checks whether the store could open the database at `path`; if `isThorough`, also its indexes. */
export async function checkNotes(path: string, isThorough: boolean): Promise<Finding> {
  try {
    const special = findSpecialFileReason(path);
    if (special !== undefined) return createFaultFinding(`Cannot use ${path}: ${special}`, nameAnotherFile);
    const bytes = readFileSizeOrZero(path);
    if (bytes === 0 && readFileSizeOrZero(`${path}-wal`) > 0 && !isServiceLockHeld(path))
      return createFaultFinding(`${path} is empty or gone, although notes were kept in it`, formatRestoreAdvice(path));
    if (bytes === 0) return createOkFinding('no notes yet: the first start creates the file');
    const { integrity, isForeign, schema, notes } = await inspectOnNewThread(path, isThorough);
    if (integrity !== 'ok')
      return createFaultFinding(`damaged: ${integrity.replaceAll('\n', ' ')}`, formatRestoreAdvice(path));
    if (isForeign) return createFaultFinding(`${path} is a database of another program`, nameAnotherFile);
    if (schema > migrations.length)
      return createFaultFinding(`schema ${schema} is of a newer version of Notes`, 'Update Notes');
    return createOkFinding(
      `${formatNoteCount(notes)} in ${formatByteSize(bytes)}, sound${isThorough ? '' : ' (--full compares the indexes too)'}`,
    );
  } catch (error) {
    const cause = error instanceof NoteError ? error.cause : error;
    const [reason, remedy = 'Fix the cause, then run this again'] = findReasonAndRemedy(cause, path) ?? [
      getErrorMessage(cause),
    ];
    return createFaultFinding(`Cannot use ${path}: ${reason}`, remedy);
  }
}
