import { constants, Database } from 'bun:sqlite';
import {
  accessSync,
  closeSync,
  existsSync,
  constants as fs,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { NoteError } from '../../core/error.ts';
import { getErrorCode, getErrorMessage } from '../../core/thrown-errors.ts';
import { syncFolder } from '../fsync.ts';
import * as storeMessage from '../store-messages.ts';
import { newestBackup, restoreAdvice } from './backup/backup-names.ts';
import { realPathOf, sizeOf } from './database-files.ts';
import { anotherFile, migrate, pragma, refuseForeign } from './migrate-sqlite.ts';
import { recoverLog } from './recover-log.ts';
import { isLocked, lock } from './service-lock.ts';
import { isFull } from './sqlite-errors.ts';
import { migrations } from './sqlite-migrations.ts';

/** Who opens a database: a `service`, without another one beside it; or a `command`, also beside a service. */
type DatabaseUser = 'service' | 'command';

export interface DatabaseOptions {
  /** The database file, created if missing; `:memory:` for notes that are lost at the end. */
  readonly path: string;
  readonly user: DatabaseUser;
  /** Whether to refuse a missing or empty file instead of creating a store. */
  readonly mustExist?: boolean;
}

export interface OpenDatabase {
  readonly db: Database;
  readonly path: string;
  readonly user: DatabaseUser;
  /** Whether a commit is on disk when it ends; else the log has to be synced after it. */
  readonly isSyncedByCommit: boolean;
  readonly copy: string | undefined;
  /** A sentence for users if the log that an earlier program left may not be on disk. */
  readonly warning: string | undefined;
  /** Whether it has to be recovered before anything is written, for which there was no room. */
  readonly needsRecovery: boolean;
  readonly resources: Disposable;
}

/** Opens a file after checking that it is ours, sound and usable. `refusal` explains the errors. */
export function openDatabase(options: DatabaseOptions): OpenDatabase {
  const { path: given, user, mustExist } = options;
  const special = specialKind(given);
  if (special !== undefined) throw new Error(`${special}. ${anotherFile}`);
  if (mustExist && sizeOf(given) === 0) throw new Error(storeMessage.noNotesInStore);
  using opened = new DisposableStack();
  const path = createFile(given === ':memory:' ? join(temporaryFolder(opened), 'notes.db') : given);
  rollBackFirstStart(path);
  refuseUnusable(path);
  if (user === 'service') {
    opened.use(lock(path));
    using unchanged = openUnchanged(path); // another connection would checkpoint the log when closed
    refuseDamaged(unchanged, path);
  }
  const db = opened.adopt(new Database(path), (made) => made.close(true));
  const needsRecovery = hasOldLog(path, user) && !tryToRecoverLog(db, path, user);
  db.run(`PRAGMA busy_timeout = ${user === 'service' ? 0 : 5000}`); // a service never waits on its event loop
  const copy = prepare(db, path, user);
  const isSyncedByCommit = makeDurable(db, user);
  if (user === 'service') {
    if (!needsRecovery) probeWrite(db);
    syncFolder(dirname(path));
  }
  const warning = needsRecovery ? withoutRoom(path) : undefined;
  return { db, path, user, isSyncedByCommit, copy, warning, needsRecovery, resources: opened.move() };
}

/** Whether the last program was killed. Beside a service a command need not care: the service has done so. */
const hasOldLog = (path: string, user: DatabaseUser): boolean =>
  sizeOf(`${path}-wal`) > 0 && (user === 'service' || isUnused(path));

/** Whether no service uses the database; false if that cannot be seen. */
function isUnused(path: string): boolean {
  try {
    return !isLocked(path);
  } catch {
    return false;
  }
}

/** How long a start waits for programs that read from an old log, in ms. */
const recoveryWaitMs = 5_000;

/**
 * Recovers the log of an unclean end. Returns false if the disk is full. A command leaves it to other programs that use
 * the database: the first of them has done so.
 */
function tryToRecoverLog(db: Database, path: string, user: DatabaseUser): boolean {
  db.run(`PRAGMA busy_timeout = ${user === 'service' ? recoveryWaitMs : 0}`);
  try {
    recoverLog(db, path);
    return true;
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    if (error.code === 'busy' && user === 'service') throw error;
    return error.code === 'busy';
  }
}

const withoutRoom = (path: string) =>
  `The disk of ${path} is full: notes can be read, but not be written until there is room`;

/**
 * Opens a file that this process cannot write, or in a folder that it cannot write, to read from it. Undefined if it
 * can write both, or if the schema is not current.
 */
export function openReadOnly(given: string): OpenDatabase | undefined {
  if (sizeOf(given) === 0 || isWritable(given)) return undefined;
  using opened = new DisposableStack();
  const db = opened.adopt(openUnchanged(given), (made) => made.close(true));
  refuseForeign(db, given);
  if (pragma(db, 'user_version') !== migrations.length) return undefined;
  const path = realpathSync(given);
  const warning = hasOldLog(path, 'command') ? unsyncedLog(path) : undefined;
  const facts = { user: 'command', isSyncedByCommit: true, copy: undefined, needsRecovery: false } as const;
  return { db, path, ...facts, warning, resources: opened.move() };
}

const unsyncedLog = (path: string) =>
  `The log of ${path} cannot be written again, so its newest notes may not be on disk`;

/** Opens a file for a copy; as `openUnchanged` does if SQLite could not remove the log that it would leave there. */
export function openToCopy(path: string): Database {
  if (!isWritable(path)) return openUnchanged(path);
  const db = new Database(path, { create: false, readwrite: true });
  if (hasOldLog(path, 'command')) tryToRecoverLog(db, path, 'command'); // closing it copies the log in any case
  db.run('PRAGMA busy_timeout = 5000');
  return db;
}

function isWritable(path: string): boolean {
  try {
    for (const place of [path, dirname(realpathSync(path))]) accessSync(place, fs.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Brings the schema up to date. A command does so only while no service uses the database. */
function prepare(db: Database, path: string, user: DatabaseUser): string | undefined {
  if (pragma(db, 'user_version') === migrations.length) return undefined;
  using _lock = user === 'service' ? undefined : lock(path);
  return migrate(db, path, migrations);
}

/** Tells a folder, pipe or device, also behind a link, from a file: to open a pipe would wait for its writer. */
export function specialKind(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return undefined;
  return found.isDirectory() ? 'it is a folder' : 'it is a pipe or a device';
}

/** Creates a folder, in memory on Linux; removed at disposal, or by the next store in memory if this process is killed. */
function temporaryFolder(opened: DisposableStack): string {
  const home = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  for (const name of readdirSync(home)) {
    const pid = /^notes-memory-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && hasEnded(Number(pid))) removeUnused(join(home, name));
  }
  return opened.adopt(mkdtempSync(join(home, `notes-memory-${process.pid}-`)), (path) =>
    rmSync(path, { recursive: true }),
  );
}

function hasEnded(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch (error) {
    return getErrorCode(error) === 'ESRCH';
  }
}

/** Containers may share the folder, but not the ids of processes: what is locked is in use. */
function removeUnused(path: string): void {
  try {
    if (!isLocked(join(path, 'notes.db'))) rmSync(path, { recursive: true });
  } catch {} // another user's, or removed meanwhile
}

/**
 * Creates a file readable by its owner only. Follows symbolic links and refuses hard links, so that a file has a single
 * name: SQLite's log and our lock are named after it, and two services would overwrite each other's notes.
 */
function createFile(given: string): string {
  mkdirSync(dirname(resolve(given)), { recursive: true, mode: 0o700 });
  closeSync(openSync(given, 'a', 0o600));
  const path = realpathSync(given);
  if (statSync(path).nlink > 1) throw new Error('the file has a second name (a hard link). Remove it');
  return path;
}

/** A first start was cut short. Its journal is rolled back by a connection that can write; others see half of it. */
function rollBackFirstStart(path: string): void {
  if (!existsSync(`${path}-journal`)) return;
  using db = new Database(path, { create: false, readwrite: true });
  db.run('PRAGMA busy_timeout = 5000');
  pragma(db, 'user_version');
}

/** Smallest size of a database in bytes. SQLite treats a shorter file as new, and removes the log beside it. */
const minBytes = 512;

/** Refuses a file that is not ours, before anything is left beside it. */
function refuseUnusable(path: string): void {
  const size = sizeOf(path);
  if (size < minBytes && sizeOf(`${path}-wal`) > 0)
    throw new NoteError(
      'unavailable',
      `${path} is empty, but its log holds notes. If the file was moved, put it back; else r${restoreAdvice(path).slice(1)}`,
    );
  if (size > 0 && size < minBytes) throw new Error(`${notSqlite}. ${anotherFile}`);
  const before = stateOf(path);
  try {
    using db = openUnchanged(path);
    refuseForeign(db, path);
  } catch (error) {
    if (stateOf(path) === before) throw error;
    throw new NoteError('busy', `${path} was being written by another program. Try again`, { cause: error });
  }
}

/** Changes while a program writes: what `openUnchanged` reads meanwhile, as while another command creates it, is torn. */
function stateOf(path: string): string {
  const { size, mtimeNs } = statSync(path, { bigint: true });
  return `${size} ${mtimeNs} ${existsSync(`${path}-wal`)} ${existsSync(`${path}-journal`)}`;
}

/**
 * Even a read-only connection would create a log beside a database at rest, and leave it there. Without a log, no
 * program is writing to the file.
 */
export function openUnchanged(path: string): Database {
  const { size } = statSync(path);
  const isAtRest = size < minBytes || !existsSync(`${path}-wal`);
  const address = `${pathToFileURL(path).href}${isAtRest ? '?immutable=1' : ''}`;
  const db = new Database(address, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
  db.run('PRAGMA busy_timeout = 5000'); // another program may be opening or closing it
  return db;
}

function refuseDamaged(db: Database, path: string): void {
  const faults = db.prepare<{ quick_check: string }, []>('PRAGMA quick_check(1)').all();
  const fault = faults[0]?.quick_check;
  if (fault === 'ok') return;
  throw new Error(`it is damaged (${fault?.replaceAll('\n', ' ')}). ${restoreAdvice(path)}`);
}

/**
 * Makes commits durable. A service syncs the log itself after each commit, except on
 * macOS, where only SQLite's `fullfsync` reaches the disk. Returns whether a commit is on disk when it ends.
 */
function makeDurable(db: Database, user: DatabaseUser): boolean {
  const isSyncedByCommit = user !== 'service' || process.platform === 'darwin';
  const journal = db.prepare<{ journal_mode: string }, []>('PRAGMA journal_mode = WAL').all()[0]?.journal_mode;
  db.run(`PRAGMA synchronous = ${isSyncedByCommit ? 'FULL' : 'NORMAL'}`);
  db.run('PRAGMA fullfsync = ON');
  db.run('PRAGMA checkpoint_fullfsync = ON');
  db.run('PRAGMA cache_size = -16384');
  db.run('PRAGMA journal_size_limit = 16777216');
  if (!isSyncedByCommit) db.run('PRAGMA wal_autocheckpoint = 0'); // checkpoints run on the second thread
  if (journal !== 'wal') throw new Error('its file system does not support a write-ahead log');
  return isSyncedByCommit;
}

/** Tolerates a full disk, on which notes can still be read. */
function probeWrite(db: Database): void {
  try {
    db.transaction(() => void db.run(`PRAGMA user_version = ${pragma(db, 'user_version')}`)).immediate();
  } catch (error) {
    if (!isFull(error)) throw error;
  }
}

type Advice = readonly [reason: string, remedy?: string];

const notSqlite = 'it is not a SQLite database';
const diskFails: Advice = ['its disk fails to read or to write', 'Check the disk, then try again'];
const permissions = 'Check the permissions of the file and its folder';
const adviceFor: Readonly<Record<string, Advice | ((path: string) => Advice)>> = {
  SQLITE_NOTADB: (path) => [notSqlite, newestBackup(path) === undefined ? anotherFile : restoreAdvice(path)],
  SQLITE_CORRUPT: (path) => ['it is damaged', restoreAdvice(path)],
  SQLITE_BUSY: ['another program has locked it', 'Try again, or close it there'],
  SQLITE_FULL: ['its disk is full', 'Free some space'],
  SQLITE_READONLY: ['it cannot be written to', permissions],
  SQLITE_CANTOPEN: ['it cannot be opened', permissions],
  SQLITE_IOERR_SHM: ['its disk is full', 'Free some space'],
  SQLITE_IOERR: diskFails,
  EIO: diskFails,
  EACCES: ['permission is denied', permissions],
  EROFS: ['its file system is read-only', anotherFile],
  ENOSPC: ['its disk is full', 'Free some space'],
  ENOTDIR: ['a part of its path is not a folder', anotherFile],
  EEXIST: ['a part of its path is not a folder', anotherFile],
  ENAMETOOLONG: ['its name is too long', anotherFile],
};

export function adviceOn(error: unknown, path: string): Advice | undefined {
  const code = getErrorCode(error);
  const advice = Object.entries(adviceFor).find(([prefix]) => code.startsWith(prefix))?.[1];
  return typeof advice === 'function' ? advice(path) : advice;
}

/** Explains why a file was not opened. A `NoteError` is a sentence that names its real path, other errors are clauses. */
export function refusal(error: unknown, given: string): NoteError {
  if (error instanceof NoteError && realPathOf(given) === given) return error;
  const ofSystem = getErrorCode(error).startsWith('SQLITE_BUSY') ? 'busy' : 'unavailable';
  const kind = error instanceof NoteError ? error.code : ofSystem;
  const advice = adviceOn(error, given) ?? [getErrorMessage(error)];
  return new NoteError(kind, `Cannot use ${given}: ${advice.join('. ')}`, { cause: error });
}
