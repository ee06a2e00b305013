import { accessSync, constants, statSync } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { counted, sizeText } from '../../../core/tools/text.ts';
import { codeOf, messageOf } from '../../../core/tools/thrown.ts';
import { inspectDatabase } from '../../../store/sqlite/background.ts';
import { dayMs, reserveBytes } from '../../../store/sqlite/backup/automatic.ts';
import { refuseUnsound } from '../../../store/sqlite/backup/backup.ts';
import { backupsIn, newestOf, restoreAdvice } from '../../../store/sqlite/backup/backup-names.ts';
import { adviceOn, refuseSpecial } from '../../../store/sqlite/database.ts';
import { filesOf, realPathOf, sizeOf } from '../../../store/sqlite/database-files.ts';
import { isLocked } from '../../../store/sqlite/lock.ts';
import { anotherFile } from '../../../store/sqlite/migrate.ts';
import { migrations } from '../../../store/sqlite/schema.ts';
import { type Check, type Finding, fault, ok, warning } from './finding.ts';

/** The checks of a database file, its folder and its backups, in `backups` (`off`: none) of at most `maxBytes`. */
export function fileChecks(given: string, backups: string, maxBytes = Number.POSITIVE_INFINITY): readonly Check[] {
  const path = realPathOf(given);
  return [
    { name: 'permissions', run: () => examinePermissions(path) }, // first, as SQLite removes a log when it closes
    { name: 'folder', run: () => examineFolder(dirname(path)) },
    { name: 'space', run: () => examineSpace(path) },
    { name: 'integrity', run: (signal) => examineNotes(path, signal), mayTakeLong: true },
    { name: 'backup', run: (signal) => examineBackups(path, backups, maxBytes, signal), mayTakeLong: true },
  ];
}

function examinePermissions(path: string): Finding {
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
    if (isUnwritable(file)) return fault(`${file} cannot be written to (${rights})`, `chmod 600 ${file}`);
    if (found.mode & 0o077) return warning(`others may use ${file} (${rights})`, `chmod 600 ${file}`);
  }
  return ok(`the owner alone can read and write ${path}`);
}

function isUnwritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return false;
  } catch (error) {
    return codeOf(error) === 'EACCES'; // not of a read-only file system, which the folder's check reports
  }
}

/** Checks a folder; for a missing one, the nearest folder above it, in which it will be created. */
async function examineFolder(wanted: string, folder = wanted): Promise<Finding> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return ok(folder === wanted ? `${folder} can be written to` : `${wanted} is created at the first start`);
  } catch (error) {
    const reason = codeOf(error) || error;
    if (reason === 'ENOENT') return examineFolder(wanted, dirname(folder));
    const found = `${folder} cannot be written to (${reason})`;
    if (reason === 'EROFS') return fault(found, 'Mount its file system so that it can be written to');
    const isOwn = (await stat(folder).catch(() => undefined))?.uid === process.getuid?.();
    return fault(found, isOwn ? `chmod u+rwx ${folder}` : 'Let the user that runs the service write to it');
  }
}

async function examineSpace(path: string): Promise<Finding> {
  const facts = await statfs(dirname(path)).catch(() => undefined);
  if (facts === undefined) return ok('not known: the folder is missing');
  const free = facts.bavail * facts.bsize;
  const found = `${sizeText(free)} are free`;
  const reserve = sizeText(reserveBytes);
  if (free < reserveBytes) return fault(found, `Free some space: below ${reserve} notes may be refused`);
  return free < sizeOf(path) ? warning(`${found}, less than a backup takes`, 'Free some space') : ok(found);
}

async function examineNotes(path: string, signal: AbortSignal | undefined): Promise<Finding> {
  try {
    refuseSpecial(path);
    const [bytes, logBytes] = [sizeOf(path), sizeOf(`${path}-wal`)];
    const isUnused = !isLocked(path);
    if (bytes === 0 && logBytes > 0 && isUnused) {
      return fault(`${path} is empty or gone, although notes were kept in it`, restoreAdvice(path));
    }
    if (bytes === 0) return ok('no notes yet: the first start creates the file');
    // SQLite itself writes to the log soon after it writes to the database, so an older log was copied here
    const hasOldLog = logBytes > 0 && isUnused && statSync(path).mtimeMs > statSync(`${path}-wal`).mtimeMs;
    const { integrity, isForeign, schema, notes } = await inspectDatabase(path, signal === undefined, signal);
    if (integrity !== 'ok') return fault(`damaged: ${integrity.replaceAll('\n', ' ')}`, restoreAdvice(path));
    if (isForeign) return fault(`${path} is a database of another program`, anotherFile);
    if (schema > migrations.length) return fault(`schema ${schema} is of a newer version of Notes`, 'Update Notes');
    if (hasOldLog) return warning(oldLog, 'If it was copied here, copy it again with "notes restore"');
    return ok(`${counted(notes)} in ${sizeText(bytes)}, sound${signal ? ' (--full compares the indexes too)' : ''}`);
  } catch (error) {
    if (signal?.aborted) throw error;
    const advice = adviceOn(error, path) ?? adviceOn(error instanceof Error && error.cause, path);
    const [reason, remedy = 'Fix the cause, then run this again'] = advice ?? [];
    return fault(reason ? `Cannot use ${path}: ${reason}` : messageOf(error), remedy);
  }
}

const oldLog =
  '-wal is older than the database: if the database was copied here, ' +
  'this log belongs to another file and damages it at the next start';

async function examineBackups(
  database: string,
  folder: string,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<Finding> {
  const now = Date.now();
  const found = [...backupsIn(dirname(database), database), ...(folder === 'off' ? [] : backupsIn(folder, database))];
  const newest = newestOf(found, now);
  if (newest === undefined && folder !== 'off' && sizeOf(database) > maxBytes) {
    const remedy = 'Raise the size in BACKUP_KEEP; "notes backup" makes one now';
    return warning(`none in ${folder}: the database exceeds the space for backups`, remedy);
  }
  if (newest === undefined) return ok(`none${folder === 'off' ? '' : ` in ${folder}`} yet; "notes backup" makes one`);
  try {
    const { notes } = refuseUnsound(newest.path, await inspectDatabase(newest.path, signal === undefined, signal));
    const age = Math.floor((now - newest.at) / dayMs);
    const text = `${counted(notes)} in ${newest.path}, ${age} days old`;
    if (folder === 'off' || now - newest.at <= 3 * dayMs) return ok(text);
    return warning(text, 'Look for backup errors in the log of the service; "notes backup" makes one now');
  } catch (error) {
    if (signal?.aborted) throw error;
    return fault(`the newest cannot be opened: ${messageOf(error)}`, 'Remove it: a running service makes a new one');
  }
}
