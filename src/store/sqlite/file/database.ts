import { constants, Database } from 'bun:sqlite';
import {
  closeSync,
  existsSync,
  lstatSync,
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
import { NoteError } from '../../../domain/error.ts';
import * as message from '../../../domain/message.ts';
import { codeOf, messageOf } from '../../../shared/thrown.ts';
import { isFull } from '../failure.ts';
import { anotherFile, migrate, pragma, refuseForeign } from '../migrate.ts';
import { migrations } from '../schema.ts';
import { restoreAdvice } from './backup-names.ts';
import { lock, lockStateOf } from './lock.ts';
import { refuseEarlierLog, refusePlanted, sizeOf } from './own-files.ts';

export interface DatabaseOptions {
  /** The database file, created if missing; `:memory:` for notes that are lost at the end. */
  readonly path: string;
  /** Whether to check the integrity of the whole file. */
  readonly isChecked: boolean;
  /** Whether to refuse a missing or empty file instead of creating a store. */
  readonly mustExist?: boolean;
  /** Replaces `migrations` in tests. */
  readonly steps?: readonly string[];
}

/** A database file that is open for writing, durable, migrated, and locked until `resources` are disposed of. */
export interface OpenDatabase {
  readonly db: Database;
  readonly path: string;
  readonly knownSteps: number;
  /** Path of the copy made before a migration. */
  readonly copy: string | undefined;
  readonly resources: Disposable;
}

/**
 * Opens a file after checking that it is ours, sound, writable and not in use. `refusal` explains the errors. A refused
 * file is not changed.
 */
export function openDatabase({ path: given, isChecked, mustExist, steps = migrations }: DatabaseOptions): OpenDatabase {
  refuseSpecial(given);
  if (mustExist && sizeOf(given) === 0) throw new NoteError('unavailable', message.noNotesThere);
  using opened = new DisposableStack();
  const path = createFile(given === ':memory:' ? join(temporaryFolder(opened), 'notes.db') : given);
  refuseForeignAtRest(path, steps);
  const held = opened.use(lock(path));
  refuseEmptied(path, held.hasStore);
  refuseEarlierLog(path);
  undoUnfinished(path);
  inspect(path, steps, isChecked);
  const db = opened.adopt(new Database(path), (made) => made.close(true));
  const copy = migrate(db, path, steps);
  makeDurable(db);
  unlessFull(() => probeWrite(db));
  unlessFull(() => held.rememberStore());
  return { db, path, knownSteps: steps.length, copy, resources: opened.move() };
}

/** Throws `unavailable` for a folder, pipe or device, also behind a link: to open a pipe would wait for its writer. */
export function refuseSpecial(path: string, advice = anotherFile): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return;
  const kind = found.isDirectory() ? 'a folder' : 'a pipe or a device';
  throw new NoteError('unavailable', `Cannot use ${path}: it is ${kind}. ${advice}`);
}

/**
 * Creates a folder in memory if the system offers that, else a temporary one; removed at disposal. Removes folders of
 * killed processes of this user, which would occupy memory forever.
 */
function temporaryFolder(opened: DisposableStack): string {
  const home = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  for (const name of readdirSync(home)) {
    const owner = /^notes-memory-(\d+)-/.exec(name)?.[1];
    if (owner !== undefined && !isRunning(Number(owner))) removeOwn(join(home, name));
  }
  return opened.adopt(mkdtempSync(join(home, `notes-memory-${process.pid}-`)), remove);
}

const remove = (folder: string) => rmSync(folder, { recursive: true, force: true });

/** Tolerates failures: others may have left files in it, or remove it at the same time. */
function removeOwn(folder: string): void {
  try {
    if (lstatSync(folder).uid === process.getuid?.()) remove(folder);
  } catch {}
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

/**
 * Creates a file readable by its owner only. Follows symbolic links and refuses hard links, so that a file has a single
 * name: SQLite's log and our lock are named after it, and two services would overwrite each other's notes.
 */
function createFile(given: string): string {
  mkdirSync(dirname(resolve(given)), { recursive: true, mode: 0o700 });
  closeSync(openSync(given, 'a', 0o600));
  const path = realpathSync(given);
  if (statSync(path).nlink > 1)
    throw new NoteError('unavailable', 'the file has a second name (a hard link). Remove it');
  return path;
}

/** Smallest size of a database in bytes. SQLite treats a shorter file as new, and removes the log beside it. */
const minBytes = 512;

function refuseEmptied(path: string, hadStore: boolean): void {
  const isNew = !hadStore && !existsSync(`${path}-wal`);
  if (isNew || statSync(path).size >= minBytes) return;
  const remedy = `${restoreAdvice(path)}. To start without notes, remove ${path}.lock`;
  throw new NoteError('unavailable', `${path} is empty or gone, although notes were kept in it. ${remedy}`);
}

/** Rolls back a first start that was killed. Only a connection that can write replays its journal. */
function undoUnfinished(path: string): void {
  if (!existsSync(`${path}-journal`)) return;
  using db = new Database(path);
  db.prepare('SELECT 1 FROM sqlite_schema').all();
}

/** Refuses a foreign file before a lock is left beside it. Leaves a file that may be in use to the lock. */
function refuseForeignAtRest(path: string, steps: readonly string[]): void {
  refusePlanted(path);
  const mayBeInUse = ['.lock', '-wal', '-journal'].some((suffix) => existsSync(path + suffix));
  if (mayBeInUse) return;
  const size = sizeOf(path);
  if (size > 0 && size < minBytes) throw new NoteError('unavailable', `${notSqlite}. ${anotherFile}`);
  using db = openUnchanged(path);
  refuseForeign(db, path, steps.length);
}

/**
 * Even a read-only connection would create a log beside a database at rest, and leave it there. Without a log, no
 * program is writing to the file.
 */
export function openUnchanged(path: string): Database {
  const { size } = statSync(path);
  if (existsSync(`${path}-wal`) && size >= minBytes) return new Database(path, { readonly: true });
  const address = `${pathToFileURL(path).href}?immutable=1`;
  return new Database(address, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
}

/**
 * Refuses a file that is damaged or not ours. Uses a read-only connection, as another one would checkpoint the
 * write-ahead log when closed.
 */
function inspect(path: string, steps: readonly string[], isChecked: boolean): void {
  using db = new Database(path, { readonly: true });
  if (isChecked) refuseDamaged(db, path);
  refuseForeign(db, path, steps.length);
}

function refuseDamaged(db: Database, path: string): void {
  const faults = db.prepare<{ quick_check: string }, []>('PRAGMA quick_check(1)').all();
  const fault = faults[0]?.quick_check;
  if (fault === 'ok') return;
  throw new NoteError('unavailable', `it is damaged (${fault?.replaceAll('\n', ' ')}). ${restoreAdvice(path)}`);
}

/** Makes commits durable before they are acknowledged. Verified on the live connection. */
function makeDurable(db: Database): void {
  const journal = db.prepare<{ journal_mode: string }, []>('PRAGMA journal_mode = WAL').all()[0]?.journal_mode;
  db.run('PRAGMA synchronous = FULL');
  db.run('PRAGMA fullfsync = ON'); // macOS: a plain fsync does not reach the disk
  db.run('PRAGMA checkpoint_fullfsync = ON');
  db.run('PRAGMA cache_size = -16384');
  db.run('PRAGMA journal_size_limit = 16777216');
  db.run('PRAGMA wal_autocheckpoint = 0'); // the writer checkpoints between batches
  if (journal !== 'wal') throw new NoteError('unavailable', 'its file system does not support a write-ahead log');
  if (pragma(db, 'synchronous') !== 2) throw new NoteError('unavailable', 'it cannot be written durably');
}

const probeWrite = (db: Database): void =>
  db.transaction(() => void db.run(`PRAGMA user_version = ${pragma(db, 'user_version')}`)).immediate();

/** Tolerates a full disk, on which notes can still be read. */
function unlessFull(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!isFull(error)) throw error;
  }
}

/** Why a database file cannot be used, and a remedy. */
type Advice = readonly [reason: string, remedy?: string];

const notSqlite = 'it is not a SQLite database';
const permissions = 'Check the permissions of the file and its folder';
const adviceFor: Readonly<Record<string, Advice | ((path: string) => Advice)>> = {
  SQLITE_NOTADB: (path) =>
    wasStore(path) ? ['its first bytes are overwritten', restoreAdvice(path)] : [notSqlite, anotherFile],
  SQLITE_CORRUPT: (path) => ['it is damaged', restoreAdvice(path)],
  SQLITE_BUSY: ['another program has locked it', 'Try again, or close it there'],
  SQLITE_FULL: ['its disk is full', 'Free some space'],
  SQLITE_READONLY: ['it cannot be written to', permissions],
  SQLITE_CANTOPEN: ['it cannot be opened', permissions],
  SQLITE_IOERR_SHM: ['its disk is full', 'Free some space'],
  EACCES: ['permission is denied', permissions],
  EROFS: ['its file system is read-only', anotherFile],
  ENOSPC: ['its disk is full', 'Free some space'],
  ENOTDIR: ['a part of its path is not a folder', anotherFile],
  EEXIST: ['a part of its path is not a folder', anotherFile],
  ENAMETOOLONG: ['its name is too long', anotherFile],
};

/** Whether the lock records that the file was a store. */
function wasStore(path: string): boolean {
  try {
    return lockStateOf(path).hasStore;
  } catch {
    return false;
  }
}

/** Returns advice by the code of an error of SQLite or the file system. */
export function adviceOn(error: unknown, path: string): Advice | undefined {
  const code = codeOf(error);
  const advice = Object.entries(adviceFor).find(([prefix]) => code.startsWith(prefix))?.[1];
  return typeof advice === 'function' ? advice(path) : advice;
}

/** Explains why the file `given` cannot be used. */
export function refusal(error: unknown, given: string): NoteError {
  const isSentence =
    error instanceof Error && [given, `Cannot use ${given}`].some((start) => error.message.startsWith(start));
  if (isSentence && error instanceof NoteError) return error;
  const ofSystem = codeOf(error).startsWith('SQLITE_BUSY') ? 'busy' : 'unavailable';
  const kind = error instanceof NoteError ? error.code : ofSystem;
  const advice = adviceOn(error, given) ?? [messageOf(error)];
  return new NoteError(kind, `Cannot use ${given}: ${advice.join('. ')}`, { cause: error });
}
