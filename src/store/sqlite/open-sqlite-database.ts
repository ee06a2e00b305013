import { constants, Database } from 'bun:sqlite';
import {
  accessSync,
  closeSync,
  existsSync,
  constants as fs,
  mkdirSync,
  openSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { NoteError } from '../../core/error.ts';
import { syncFolder } from '../fsync.ts';
import * as storeMessage from '../store-messages.ts';
import { formatRestoreAdvice } from './backup/backup-names.ts';
import { readFileSizeOrZero } from './database-files.ts';
import { createDisposableMemoryFolder } from './memory-folder.ts';
import { copyAndMigrateSqlite } from './migrate-sqlite.ts';
import { notSqlite } from './open-error.ts';
import { recoverLog } from './recover-log.ts';
import { assertSupportedDatabase, nameAnotherFile, readNumericPragmaOrZero } from './schema-checks.ts';
import { acquireServiceLock, isServiceLockHeld } from './service-lock.ts';
import { isSqliteFullError } from './sqlite-errors.ts';
import { migrations } from './sqlite-migrations.ts';

/** Who opens a database: a `service`, without another one beside it; or a `command`, also beside a service. */
type DatabaseOpener = 'service' | 'command';

export interface DatabaseOptions {
  /** The database file, created if missing; `:memory:` for notes that are deleted at the end. */
  readonly path: string;
  readonly openedBy: DatabaseOpener;
  /** Whether to throw for a missing or empty file instead of creating a store. */
  readonly mustExist?: boolean;
}

export interface OpenSqliteDatabase {
  readonly db: Database;
  readonly path: string;
  readonly openedBy: DatabaseOpener;
  /** Whether a commit is on disk when it ends; else the log has to be synced after it. */
  readonly isSyncedByCommit: boolean;
  /**
   * The database file of a service, opened to sync it. It is closed after the connection: closing any descriptor of a
   * file releases the locks of the process on it, also those of SQLite. Undefined for a command.
   */
  readonly databaseFd: number | undefined;
  /** Path of the copy that was made before a migration. */
  readonly copy: string | undefined;
  /** A sentence for users if the log of an earlier program may not be on disk. */
  readonly warning: string | undefined;
  /** Whether the log has to be recovered before anything is written: the disk was full. */
  readonly needsRecovery: boolean;
  /** Closes the connection and releases the lock. */
  readonly resources: Disposable;
}

/**
 * Opens a database for reading and writing, and creates it if it is missing. In this order: checks that the file is
 * ours; for a service, locks it against other services and checks its pages; recovers the log that a killed program
 * left; and migrates the schema. `toOpenNoteError` explains the errors.
 */
export function lockRecoverAndMigrateDatabase({
  path: requested,
  openedBy,
  mustExist,
}: DatabaseOptions): OpenSqliteDatabase {
  const special = findSpecialFileReason(requested);
  if (special !== undefined) throw new Error(`${special}. ${nameAnotherFile}`);
  if (mustExist && readFileSizeOrZero(requested) === 0) throw new Error(storeMessage.noNotesInStore);
  using opened = new DisposableStack();
  const path = ensureFileAndResolvePath(
    requested === ':memory:' ? join(opened.use(createDisposableMemoryFolder()).path, 'notes.db') : requested,
  );
  rollBackJournalIfPresent(path);
  assertSupportedFile(path);
  if (openedBy === 'service') {
    opened.use(acquireServiceLock(path));
    using checked = openReadOnlyWithoutCreatingLog(path); // another connection would checkpoint the log when closed
    assertSoundPages(checked, path);
  }
  const databaseFd = openedBy === 'service' ? opened.adopt(openSync(path, 'r+'), closeSync) : undefined;
  const db = opened.adopt(new Database(path), (connection) => connection.close(true));
  const needsRecovery = mayHaveUnsyncedLog(path, openedBy) && !recoverLogUnlessDiskFull(db, path, openedBy);
  db.run(`PRAGMA busy_timeout = ${openedBy === 'service' ? 0 : 5000}`); // a service never waits on its event loop
  const copy = lockCopyAndMigrateIfOutdated(db, path, openedBy);
  const isSyncedByCommit = configureDurability(db, openedBy);
  if (openedBy === 'service') {
    if (!needsRecovery) commitEmptyUnlessDiskFull(db);
    syncFolder(dirname(path));
  }
  const warning = needsRecovery ? formatDiskFullWarning(path) : undefined;
  return { db, path, openedBy, isSyncedByCommit, databaseFd, copy, warning, needsRecovery, resources: opened.move() };
}

/** Whether the last program was killed. Beside a service, a command need not care: the service has synced the log. */
const mayHaveUnsyncedLog = (path: string, openedBy: DatabaseOpener): boolean =>
  readFileSizeOrZero(`${path}-wal`) > 0 && (openedBy === 'service' || isKnownUnusedByServices(path));

/** Returns false, too, if it cannot be found out. */
function isKnownUnusedByServices(path: string): boolean {
  try {
    return !isServiceLockHeld(path);
  } catch {
    return false;
  }
}

/** How long a service waits at its start for programs that read from the log, in ms. */
const recoveryWaitMs = 5_000;

/**
 * Recovers the log that a killed program left. Returns false if that is still to be done, because the disk is full. If
 * other programs use the database, a command need not do it: the first of them has.
 */
function recoverLogUnlessDiskFull(db: Database, path: string, openedBy: DatabaseOpener): boolean {
  db.run(`PRAGMA busy_timeout = ${openedBy === 'service' ? recoveryWaitMs : 0}`);
  try {
    recoverLog(db, path);
    return true;
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    if (error.code === 'busy' && openedBy === 'service') throw error;
    return error.code === 'busy';
  }
}

const formatDiskFullWarning = (path: string) =>
  `The disk of ${path} is full: notes can be read, but not be written until there is room`;

/**
 * Opens a database for reading only if this process may not write to the file or to its folder. Undefined if it may, or
 * if the schema is not the current one.
 */
export function openReadOnlyIfNotWritable(requested: string): OpenSqliteDatabase | undefined {
  if (readFileSizeOrZero(requested) === 0 || canWriteFileAndFolder(requested)) return undefined;
  using opened = new DisposableStack();
  const db = opened.adopt(openReadOnlyWithoutCreatingLog(requested), (connection) => connection.close(true));
  assertSupportedDatabase(db, requested);
  if (readNumericPragmaOrZero(db, 'user_version') !== migrations.length) return undefined;
  const path = realpathSync(requested);
  return {
    db,
    path,
    openedBy: 'command',
    isSyncedByCommit: true,
    databaseFd: undefined,
    copy: undefined,
    warning: mayHaveUnsyncedLog(path, 'command') ? formatUnsyncedLogWarning(path) : undefined,
    needsRecovery: false,
    resources: opened.move(),
  };
}

const formatUnsyncedLogWarning = (path: string) =>
  `The log of ${path} cannot be written again, so its newest notes may not be on disk`;

/** Opens a database to copy it. Creates a log only where it may also delete it again. */
export function recoverAndOpenForCopying(path: string): Database {
  if (!canWriteFileAndFolder(path)) return openReadOnlyWithoutCreatingLog(path);
  const db = new Database(path, { create: false, readwrite: true });
  if (mayHaveUnsyncedLog(path, 'command')) recoverLogUnlessDiskFull(db, path, 'command'); // closing it copies the log in any case
  db.run('PRAGMA busy_timeout = 5000');
  return db;
}

function canWriteFileAndFolder(path: string): boolean {
  try {
    accessSync(path, fs.W_OK);
    accessSync(dirname(realpathSync(path)), fs.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Migrates an older schema; a command does so only while no service uses the database. Returns the path of the copy
 * that was made before.
 */
function lockCopyAndMigrateIfOutdated(db: Database, path: string, openedBy: DatabaseOpener): string | undefined {
  if (readNumericPragmaOrZero(db, 'user_version') === migrations.length) return undefined;
  using _lock = openedBy === 'service' ? undefined : acquireServiceLock(path);
  return copyAndMigrateSqlite(db, path, migrations);
}

/**
 * Says what stands at the path instead of a file: a folder, pipe or device, also behind a link. Undefined for a file,
 * and if nothing is there. Opening a pipe would wait for its writer.
 */
export function findSpecialFileReason(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return undefined;
  return found.isDirectory() ? 'it is a folder' : 'it is a pipe or a device';
}

/**
 * Creates a missing file that only its owner can read, and returns its real path. Follows symbolic links, and throws
 * for a file with several hard links: SQLite's log and our lock are named after the file, so that two services that use
 * it by two names would overwrite each other's notes.
 */
function ensureFileAndResolvePath(requested: string): string {
  mkdirSync(dirname(resolve(requested)), { recursive: true, mode: 0o700 });
  closeSync(openSync(requested, 'a', 0o600));
  const path = realpathSync(requested);
  if (statSync(path).nlink > 1) throw new Error('the file has a second name (a hard link). Remove it');
  return path;
}

/**
 * A journal without a log is left if the program was killed while it created the database. A connection that can write
 * rolls it back; read-only ones would see half of the schema.
 */
function rollBackJournalIfPresent(path: string): void {
  if (!existsSync(`${path}-journal`)) return;
  using db = new Database(path, { create: false, readwrite: true });
  db.run('PRAGMA busy_timeout = 5000');
  readNumericPragmaOrZero(db, 'user_version');
}

/** Smallest size of a database in bytes. SQLite treats a shorter file as new, and removes the log beside it. */
const minBytes = 512;

/** Throws for a file that is not ours, before a file is created beside it. */
function assertSupportedFile(path: string): void {
  const size = readFileSizeOrZero(path);
  if (size < minBytes && readFileSizeOrZero(`${path}-wal`) > 0)
    throw new NoteError(
      'unavailable',
      `${path} is empty, but its log holds notes. If the file was moved, put it back; else r${formatRestoreAdvice(path).slice(1)}`,
    );
  if (size > 0 && size < minBytes) throw new Error(`${notSqlite}. ${nameAnotherFile}`);
  const before = readFileStampOrThrow(path);
  try {
    using db = openReadOnlyWithoutCreatingLog(path);
    assertSupportedDatabase(db, path);
  } catch (error) {
    if (readFileStampOrThrow(path) === before) throw error;
    throw new NoteError('busy', `${path} was being written by another program. Try again`, { cause: error });
  }
}

/** Differs before and after another program wrote: what was read meanwhile may be half old and half new. */
function readFileStampOrThrow(path: string): string {
  const { size, mtimeNs } = statSync(path, { bigint: true });
  return `${size} ${mtimeNs} ${existsSync(`${path}-wal`)} ${existsSync(`${path}-journal`)}`;
}

/**
 * Opens a database for reading only, and leaves no new file beside it. A usual read-only connection to a database
 * without a log would create a log and leave it. Without a log no program is writing, so the file is opened as
 * immutable then.
 */
export function openReadOnlyWithoutCreatingLog(path: string): Database {
  const { size } = statSync(path);
  const isImmutable = size < minBytes || !existsSync(`${path}-wal`);
  const address = `${pathToFileURL(path).href}${isImmutable ? '?immutable=1' : ''}`;
  const db = new Database(address, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
  db.run('PRAGMA busy_timeout = 5000'); // another program may be opening or closing it
  return db;
}

/** Throws if SQLite finds a damaged page. */
function assertSoundPages(db: Database, path: string): void {
  const faults = db.prepare<{ quick_check: string }, []>('PRAGMA quick_check(1)').all();
  const fault = faults[0]?.quick_check;
  if (fault === 'ok') return;
  throw new Error(`it is damaged (${fault?.replaceAll('\n', ' ')}). ${formatRestoreAdvice(path)}`);
}

/**
 * Sets the settings of a connection on which durability depends. A service syncs the log itself after each commit,
 * except on macOS, where only SQLite's `fullfsync` reaches the disk. Returns whether a commit is on disk when it ends.
 */
function configureDurability(db: Database, openedBy: DatabaseOpener): boolean {
  const isSyncedByCommit = openedBy !== 'service' || process.platform === 'darwin';
  const journal = db.prepare<{ journal_mode: string }, []>('PRAGMA journal_mode = WAL').all()[0]?.journal_mode;
  db.run(`PRAGMA synchronous = ${isSyncedByCommit ? 'FULL' : 'NORMAL'}`);
  db.run('PRAGMA fullfsync = ON');
  db.run('PRAGMA checkpoint_fullfsync = ON');
  db.run('PRAGMA cache_size = -16384');
  db.run('PRAGMA journal_size_limit = 16777216');
  if (!isSyncedByCommit) db.run('PRAGMA wal_autocheckpoint = 0'); // checkpoints run on the worker
  if (journal !== 'wal') throw new Error('its file system does not support a write-ahead log');
  return isSyncedByCommit;
}

/**
 * Commits a transaction that changes nothing. Throws if the file cannot be written, but for a full disk: notes can be
 * read.
 */
function commitEmptyUnlessDiskFull(db: Database): void {
  try {
    db.transaction(
      () => void db.run(`PRAGMA user_version = ${readNumericPragmaOrZero(db, 'user_version')}`),
    ).immediate();
  } catch (error) {
    if (!isSqliteFullError(error)) throw error;
  }
}
