import { access, constants, open, readdir, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { counted, sizeText } from '../../../shared/text.ts';
import { codeOf, messageOf } from '../../../shared/thrown.ts';
import { inspectDatabase } from '../../../store/sqlite/background.ts';
import { reserveBytes } from '../../../store/sqlite/backup/automatic.ts';
import { restoreAdvice } from '../../../store/sqlite/backup/backup-names.ts';
import type { Inspection } from '../../../store/sqlite/backup/inspection.ts';
import { adviceOn, refuseSpecial } from '../../../store/sqlite/database.ts';
import { filesOf, realPathOf } from '../../../store/sqlite/database-files.ts';
import { isLocked } from '../../../store/sqlite/lock.ts';
import { anotherFile } from '../../../store/sqlite/migrate.ts';
import { migrations } from '../../../store/sqlite/schema.ts';
import { type BackupPlace, examineBackups } from './backups.ts';
import { type Check, fault, ok, schemaCheck, warning, within } from './check.ts';

interface FileCheckOptions {
  /** Whether to check the whole database, however long that takes. */
  readonly isFull: boolean;
  readonly backups: BackupPlace;
}

/** Checks a database file, its folder, its backups and its users. Writes a probe beside it and removes it. */
export async function examineFile(given: string, { isFull, backups }: FileCheckOptions): Promise<readonly Check[]> {
  const path = realPathOf(given);
  const folder = dirname(path);
  const found = await stat(path).catch(() => undefined);
  const bytes = found?.size ?? 0;
  const ofFolder = [
    within('folder', () => examineFolder(folder)),
    within('disk', () => examineDisk(folder, bytes)),
    within('leftovers', () => examineLeftovers(folder)),
  ];
  if (!found?.isFile()) return (await Promise.all([within('notes', () => missing(path)), ...ofFolder])).flat();
  // first, as SQLite removes a log when it closes
  const permissions = await within('permissions', () => examinePermissions(path));
  const ofFile = [
    permissions,
    within('lock', () => examineLock(path)),
    bytes === 0 ? within('notes', () => missing(path)) : examineNotes(path, isFull),
    within('logs', () => examineLogs(path)),
    within(
      'backup',
      () => examineBackups(path, backups, slowUnless(isFull)),
      isFull ? Number.POSITIVE_INFINITY : undefined,
    ),
  ];
  return (await Promise.all([...ofFolder, ...ofFile])).flat();
}

const sizeOf = async (path: string) => (await stat(path).catch(() => undefined))?.size ?? 0;

/** Checks a file that is missing or empty, and anything else in its place. */
async function missing(path: string): Promise<readonly Check[]> {
  try {
    refuseSpecial(path);
  } catch (error) {
    return [unusable('notes', error, path)];
  }
  if (isLocked(path)) {
    const found = `${path} is empty or gone while a service has it open`;
    return [warning('notes', found, 'Run this again; if the fault stays, restart the service and read its log')];
  }
  if ((await sizeOf(`${path}-wal`)) > 0) {
    const found = `${path} is empty or gone, although notes were kept in it`;
    return [fault('notes', found, restoreAdvice(path))];
  }
  return [ok('notes', 'none yet: the first start creates it')];
}

/** Checks a folder; for a missing one, the nearest folder above it, in which it will be created. */
async function examineFolder(wanted: string, folder = wanted): Promise<readonly Check[]> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    if (folder !== wanted) return [ok('folder', `${wanted} is created at the first start`)];
    const ms = await probe(join(folder, `.notes-probe-${process.pid}`));
    return [ok('folder', `${folder} can be written to; a sync takes ${ms.toFixed(1)} ms`)];
  } catch (error) {
    const reason = codeOf(error) || error;
    if (reason === 'ENOENT') return examineFolder(wanted, dirname(folder));
    if (reason === 'ENOSPC') return [fault('folder', `${folder} is on a full disk`, 'Free some space')];
    const found = `${folder} cannot be written to (${reason})`;
    if (reason === 'EROFS') return [fault('folder', found, 'Mount its file system so that it can be written to')];
    const isOwn = (await stat(folder).catch(() => undefined))?.uid === process.getuid?.();
    return [fault('folder', found, isOwn ? `chmod u+rwx ${folder}` : `Let the user that runs the service write to it`)];
  }
}

/** Measures how long a synced write takes, in ms. */
async function probe(path: string): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  try {
    const started = performance.now();
    await file.write('probe');
    await file.sync();
    return performance.now() - started;
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

async function examineDisk(folder: string, databaseBytes: number): Promise<readonly Check[]> {
  const facts = await statfs(folder).catch(() => undefined);
  if (facts === undefined) return [];
  const free = facts.bavail * facts.bsize;
  const found = `${sizeText(free)} are free`;
  const reserve = `${reserveBytes / 2 ** 20} MiB`;
  if (free < reserveBytes) return [fault('disk', found, `Free some space: below ${reserve} notes may be refused`)];
  if (free < databaseBytes) return [warning('disk', `${found}, less than a backup takes`, 'Free some space')];
  return [ok('disk', found)];
}

async function examinePermissions(path: string): Promise<readonly Check[]> {
  const name = 'permissions';
  const { mode, nlink, uid } = await stat(path);
  const self = process.getuid?.() ?? uid;
  if (nlink > 1) return [fault(name, `${path} has a second name (a hard link)`, 'Remove one of the names')];
  if (uid !== self && self !== 0)
    return [fault(name, `${path} is owned by user ${uid}, not by you`, 'Run it as that user')];
  for (const file of filesOf(path)) {
    const { mode } = (await stat(file).catch(() => undefined)) ?? { mode: 0 };
    if (await isClosed(file))
      return [fault(name, `${file} cannot be written to (${rights(mode)})`, `chmod 600 ${file}`)];
    if (mode & 0o077) return [warning(name, `others may use ${file} (${rights(mode)})`, `chmod 600 ${file}`)];
  }
  return [ok(name, `${rights(mode)}, owned by ${uid === self ? 'you' : `user ${uid}`}`)];
}

const isClosed = (file: string): Promise<boolean> =>
  access(file, constants.W_OK).then(
    () => false,
    (error) => codeOf(error) === 'EACCES',
  );

const rights = (mode: number) => (mode & 0o777).toString(8).padStart(3, '0');

async function examineLock(path: string): Promise<readonly Check[]> {
  const name = 'lock';
  if (isLocked(path)) return [ok(name, 'held by a service, which uses the notes')];
  const [notes, lock] = await Promise.all([stat(path), stat(`${path}.lock`).catch(() => undefined)]);
  if (lock === undefined || lock.uid === notes.uid) return [ok(name, 'free: no service uses the notes')];
  const found = `${path}.lock belongs to another user: no service of the owner of the notes can start`;
  return [fault(name, found, `chown --reference=${path} ${path}.lock`)];
}

const slowMs = 3_500;
const slowUnless = (isFull: boolean) => (isFull ? undefined : AbortSignal.timeout(slowMs));

async function examineNotes(path: string, isFull: boolean): Promise<readonly Check[]> {
  const name = 'integrity';
  try {
    const found = await inspectDatabase(path, isFull, slowUnless(isFull));
    return [
      integrity(path, found, isFull),
      ...(found.integrity === 'ok' ? [schema(path, found), await notes(path, found)] : []),
    ];
  } catch (error) {
    if (error instanceof DOMException) {
      return [warning(name, `not known after ${slowMs / 1000} s`, 'Run it with --full, which waits')];
    }
    return [unusable(name, error, path)];
  }
}

/** The fault of a file that cannot be opened. */
function unusable(name: string, error: unknown, path: string): Check {
  const advice = adviceOn(error, path) ?? adviceOn(error instanceof Error && error.cause, path);
  const [reason, remedy = 'Fix the cause, then run this again'] = advice ?? [];
  return fault(name, reason ? `Cannot use ${path}: ${reason}` : messageOf(error), remedy);
}

const integrity = (path: string, { integrity: found }: Inspection, isFull: boolean): Check =>
  found === 'ok'
    ? ok('integrity', isFull ? 'sound, indexes included' : 'sound (--full compares the indexes too)')
    : fault('integrity', `damaged: ${found.replaceAll('\n', ' ')}`, restoreAdvice(path));

const schema = (path: string, { isForeign, schema: version }: Inspection): Check =>
  isForeign
    ? fault('schema', `${path} is a database of another program`, anotherFile)
    : schemaCheck(version, version, migrations.length);

const notes = async (path: string, { notes: count, newest }: Inspection): Promise<Check> =>
  ok('notes', `${counted(count)} in ${sizeText(await sizeOf(path))}${newest ? `, the newest of ${newest}` : ''}`);

/** In bytes. SQLite cannot restart its log while a program reads an old snapshot. */
const longLog = 64 * 2 ** 20;

async function examineLogs(path: string): Promise<readonly Check[]> {
  const wal = await sizeOf(`${path}-wal`);
  if (wal > 0 && (await isOlderThanDatabase(path))) return [warning('logs', ...strangeLog)];
  const found = wal === 0 ? 'none' : `-wal ${sizeText(wal)}`;
  if (wal <= longLog) return [ok('logs', found)];
  return [warning('logs', found, 'Find the program that keeps the database open, and end it')];
}

const strangeLog = [
  '-wal is older than the database: if the database was copied here, ' +
    'this log belongs to another file and damages it at the next start',
  'If it was copied here, copy it again with "notes restore"',
] as const;

/** True for a copied log: SQLite itself writes to the log soon after it writes to the database. */
async function isOlderThanDatabase(path: string): Promise<boolean> {
  if (isLocked(path)) return false;
  const [database, log] = await Promise.all([stat(path), stat(`${path}-wal`)]);
  return database.mtimeMs > log.mtimeMs;
}

/** In ms; longer than any copy takes. */
const leftAfterMs = 60 * 60 * 1000;

/** Checks for temporary files of backups, restores and exports that were killed. */
async function examineLeftovers(folder: string): Promise<readonly Check[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith('.notes-'));
  const left: string[] = [];
  for (const name of names) {
    const stats = await stat(join(folder, name)).catch(() => undefined);
    if (stats !== undefined && Date.now() - stats.mtimeMs > leftAfterMs) left.push(name);
  }
  if (left.length === 0) return [];
  const found = `killed commands left ${left.join(', ')} in ${folder}`;
  return [warning('leftovers', found, 'Remove them: every note in them is stored elsewhere too')];
}
