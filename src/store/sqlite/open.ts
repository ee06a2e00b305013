import { Database } from 'bun:sqlite';
import {
  closeSync,
  existsSync,
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
import { NoteError } from '../../domain/error.ts';
import type { NoteEngine } from '../../domain/store.ts';
import { mapHeader } from './foreign-commits.ts';
import { lock } from './lock.ts';
import { migrate, pragma, refuseForeign } from './migrate.ts';
import { RedoLog, redoPathOf } from './redo-log.ts';
import { migrations } from './schema.ts';
import { SqliteStore, type StoreContext } from './store.ts';

export interface SqliteOptions extends Partial<StoreContext> {
  /** The database file, created when missing; `:memory:` for notes that end with the store. */
  readonly path: string;
  /** Called with the path of the copy that is made before the schema of a file with notes changes. */
  readonly onCopied?: (copy: string) => void;
  /** For a command that does little and ends: the whole file is not read to see whether it is sound, and no redo log is begun. */
  readonly isBrief?: boolean;
  /** Other steps than the product's, for tests. */
  readonly steps?: readonly string[];
}

/**
 * Opens the store after checking that the file is ours, sound, writable and used by no other service.
 * Throws `busy` while another program holds it, else `unavailable`, saying what to do; a file that is refused is left as it is.
 */
export function openSqlite(options: SqliteOptions): NoteEngine {
  const { path: given, now = Date.now, onCommit = () => {}, onLost = () => {}, onCopied = () => {} } = options;
  const { cacheBytes = 64 * 1024 * 1024, steps = migrations, isBrief = false } = options;
  const isTemporary = given === ':memory:';
  using opened = new DisposableStack();
  try {
    const path = createFile(isTemporary ? join(temporaryFolder(opened), 'notes.db') : given);
    opened.use(lock(path));
    undoUnfinished(path);
    inspect(path, steps, isBrief);
    const header = mapHeader(path);
    const db = opened.use(new Database(path));
    migrate(db, path, steps, onCopied);
    makeDurable(db);
    const isLogged = !isTemporary && (!isBrief || existsSync(redoPathOf(path)));
    const log = isLogged ? opened.use(new RedoLog(path)) : undefined;
    const location = `sqlite:${isTemporary ? given : path}`;
    const resources = new DisposableStack();
    const context = { now, onCommit, onLost, cacheBytes };
    const store = new SqliteStore({ db, path, header, log, resources }, location, context);
    resources.use(opened.move());
    return store;
  } catch (error) {
    throw refusal(error, given);
  }
}

/**
 * Memory where the system offers it as a folder, else its folder for temporary files; removed in the end. Folders of
 * processes that were killed are removed on the way: they would take memory for ever.
 */
function temporaryFolder(opened: DisposableStack): string {
  const home = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  for (const name of readdirSync(home)) {
    const owner = /^notes-memory-(\d+)-/.exec(name)?.[1];
    if (owner !== undefined && !isRunning(Number(owner))) remove(join(home, name));
  }
  return opened.adopt(mkdtempSync(join(home, `notes-memory-${process.pid}-`)), remove);
}

const remove = (folder: string) => rmSync(folder, { recursive: true, force: true });

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/**
 * Only its owner may read a new file of notes. Symbolic links are followed and hard links refused, so that one file has
 * one name: SQLite's log and our lock go by it, and two services would overwrite each other's notes.
 */
function createFile(given: string): string {
  mkdirSync(dirname(resolve(given)), { recursive: true, mode: 0o700 });
  closeSync(openSync(given, 'a', 0o600));
  const path = realpathSync(given);
  if (statSync(path).nlink > 1)
    throw new NoteError('unavailable', 'the file has a second name (a hard link). Remove it');
  return path;
}

/** Whoever was killed while the schema was made left a journal, which only a connection that can write plays back. */
function undoUnfinished(path: string): void {
  if (!existsSync(`${path}-journal`)) return;
  using db = new Database(path);
  db.prepare('SELECT 1 FROM sqlite_schema').all();
}

/**
 * Refuses a file that is damaged, not ours, or beside another one's log. On a connection that cannot write: one that can
 * folds the write-ahead log into the file when it is closed.
 */
function inspect(path: string, steps: readonly string[], isBrief: boolean): void {
  using db = new Database(path, { readonly: true });
  if (!isBrief) refuseDamaged(db);
  refuseForeign(db, path, steps.length);
  if (pragma(db, 'user_version') === 0) refuseOtherLog(path);
}

function refuseDamaged(db: Database): void {
  const faults = db.prepare<{ quick_check: string }, []>('PRAGMA quick_check(1)').all();
  const fault = faults[0]?.quick_check;
  if (fault !== 'ok') throw new NoteError('unavailable', `it is damaged (${fault?.replaceAll('\n', ' ')}). ${restore}`);
}

const restore = 'Restore it from a backup';

/** A log with notes beside a new database is of another one. */
function refuseOtherLog(path: string): void {
  if (!existsSync(redoPathOf(path))) return;
  using log = new RedoLog(path);
  if (log.batches().next().done) return;
  const remedy = 'Put back the database that the log belongs to, or remove the log';
  throw new NoteError('unavailable', `it is new, but the log beside it (-redo) holds notes. ${remedy}`);
}

/** A commit is on disk before it is answered. Asserted on the live connection, and tried with a real write. */
function makeDurable(db: Database): void {
  const journal = db.prepare<{ journal_mode: string }, []>('PRAGMA journal_mode = WAL').all()[0]?.journal_mode;
  db.run('PRAGMA synchronous = FULL');
  db.run('PRAGMA cache_size = -16384');
  db.run('PRAGMA journal_size_limit = 16777216');
  db.run('PRAGMA wal_autocheckpoint = 3500');
  if (journal !== 'wal') throw new NoteError('unavailable', 'its file system does not support a write-ahead log');
  if (pragma(db, 'synchronous') !== 2) throw new NoteError('unavailable', 'it cannot be written durably');
  db.transaction(() => db.run(`PRAGMA user_version = ${pragma(db, 'user_version')}`)).immediate();
}

const remedies: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'it is not a SQLite database. Name another file in DATABASE_URL',
  SQLITE_CORRUPT: `it is damaged. ${restore}`,
  SQLITE_FULL: 'its disk is full. Make room',
  SQLITE_READONLY: 'it cannot be written to. Check the permissions of the file and its folder',
  SQLITE_CANTOPEN: 'it cannot be opened. Check the permissions of the file and its folder',
  EACCES: 'permission is denied. Check the permissions of the file and its folder',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its disk is full. Make room',
  EISDIR: 'it is a folder. Name a file in DATABASE_URL',
  ENOTDIR: 'a part of its path is not a folder',
  EEXIST: 'a part of its path is not a folder',
};

/** Why the file `given` cannot be used, as a sentence. */
export function refusal(error: unknown, given: string): NoteError {
  if (error instanceof NoteError && error.message.includes(given)) return error;
  const kind = error instanceof NoteError ? error.code : 'unavailable';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const remedy = Object.entries(remedies).find(([prefix]) => code.startsWith(prefix))?.[1];
  const reason = remedy ?? (error instanceof Error ? error.message : String(error));
  return new NoteError(kind, `Cannot use ${given}: ${reason}`, { cause: error });
}
