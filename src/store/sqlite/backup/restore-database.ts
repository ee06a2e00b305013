import { Database } from 'bun:sqlite';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { NoteError } from '../../../core/error.ts';
import { getErrorCode } from '../../../core/thrown-errors.ts';
import { syncFile, syncFolder } from '../../fsync.ts';
import { isSameFile, keepOwner, realPathOf } from '../database-files.ts';
import { anotherFile } from '../migrate-sqlite.ts';
import { adviceOn, openDatabase, refusal, specialKind } from '../open-database.ts';
import { lock } from '../service-lock.ts';
import { setLastId } from '../sqlite-reads.ts';
import { inspectDatabase } from '../sqlite-worker-client.ts';
import { timedPath } from './backup-names.ts';
import { backUp, copyDatabase, temporaryFolderBeside } from './create-backup.ts';
import { type Counts, countsOf, nothing } from './inspect-database.ts';

/** A checked copy of a backup beside the database that it is to replace, which no service can open until disposal. */
export interface PreparedRestore extends AsyncDisposable {
  readonly path: string;
  /** What is at the path; `isUsable` unless the store refuses it. */
  readonly target: Counts & { readonly isUsable: boolean };
  readonly backup: Counts;
  readonly folder: string;
}

export const holdsNotes = ({ isUsable, lastId }: PreparedRestore['target']): boolean => !isUsable || lastId > 0;

const copyIn = (folder: string) => join(folder, 'copy.db');

/**
 * Creates a missing folder, and writes the log of a usable database into it. Throws `busy` while another program uses
 * it, else `unavailable` with advice.
 */
export async function prepareRestore(given: string, backup: string, signal?: AbortSignal): Promise<PreparedRestore> {
  const madeByBackup = 'Name a file that "notes backup" made';
  if (!existsSync(backup)) throw new NoteError('unavailable', `Cannot use ${backup}: there is no such file`);
  refuseSpecial(backup, madeByBackup);
  if (isSameFile(given, backup)) throw new NoteError('unavailable', `${backup} is the database itself`);
  refuseSpecial(given, anotherFile);
  mkdirSync(dirname(resolve(given)), { recursive: true, mode: 0o700 });
  const path = realPathOf(given);
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolderBeside(path)).path;
  const found = await copyDatabase(backup, copyIn(folder), signal).catch((error: unknown) => {
    const [reason] = adviceOn(error instanceof Error ? error.cause : undefined, backup) ?? [];
    if (reason === undefined) throw error;
    throw new NoteError('unavailable', `Cannot use ${backup}: ${reason}. ${madeByBackup}`, { cause: error });
  });
  const target = await take(path, opened);
  const resources = opened.move();
  return { path, target, backup: found, folder, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

function refuseSpecial(path: string, advice: string): void {
  const kind = specialKind(path);
  if (kind !== undefined) throw new NoteError('unavailable', `Cannot use ${path}: ${kind}. ${advice}`);
}

/** Not a fault in the file itself. */
const obstacle = /^(busy|E[A-Z]+|SQLITE_(BUSY|CANTOPEN|FULL|IOERR|READONLY).*)$/;

/** Keeps others from writing to a database, and a service from opening it. By disposal it has been replaced. */
async function take(path: string, opened: AsyncDisposableStack): Promise<PreparedRestore['target']> {
  try {
    using held = new DisposableStack();
    const { db, resources } = openDatabase({ path, user: 'service' });
    held.use(resources);
    db.run('PRAGMA journal_mode = DELETE'); // fails while others have it open
    db.run('BEGIN IMMEDIATE');
    const counts = countsOf(db);
    opened.use(held.move());
    return { ...counts, isUsable: true };
  } catch (error) {
    const found = await inspectDatabase(path, false).catch(() => undefined);
    const isForeign = found?.integrity === 'ok' && found.isForeign;
    if (isForeign || obstacle.test(getErrorCode(error))) throw refusal(error, path);
    opened.use(lock(path));
    return { ...(found ?? nothing), isUsable: false };
  }
}

interface RestoreOptions {
  /** Cancels the restore until the notes are saved. */
  readonly signal?: AbortSignal;
  readonly onStep?: (step: 'saved' | 'unreadable' | 'without logs' | 'placed') => void;
}

/**
 * Replaces the database, and returns the path at which it was saved; undefined if it never held a note. Killed between
 * any two steps, it leaves the old notes or the new ones; of an unusable database, an unusable one or the new notes. New
 * ids follow the highest one ever assigned, so that no id names two notes.
 */
export async function restore(
  { path, target, folder }: PreparedRestore,
  { signal, onStep = () => {} }: RestoreOptions = {},
): Promise<string | undefined> {
  signal?.throwIfAborted();
  const copy = copyIn(folder);
  raiseLastId(copy, target.lastId);
  keepOwner(path, copy);
  syncFile(copy);
  const saved = holdsNotes(target) ? timedPath(`${path}.before-restore-`, Date.now()) : undefined;
  if (saved !== undefined && !target.isUsable) saveFiles(path, saved);
  else if (saved !== undefined) keepOwner(path, (await backUp(path, saved, signal && { signal })).path);
  onStep('saved');
  if (!target.isUsable) makeUnreadable(path);
  onStep('unreadable');
  // a log would be applied to the new file, also one that a power cut brings back
  for (const suffix of logs) rmSync(path + suffix, { force: true });
  syncFolder(dirname(path));
  onStep('without logs');
  renameSync(copy, path);
  onStep('placed');
  syncFolder(dirname(path));
  return saved;
}

const logs = ['-wal', '-journal', '-shm'];

function raiseLastId(copy: string, lastId: number): void {
  using db = new Database(copy, { create: false, readwrite: true });
  setLastId(db, lastId);
}

/** Saves the file with its logs, since together they are what the store refused. An empty one stands for a missing one. */
function saveFiles(path: string, saved: string): void {
  closeSync(openSync(path, 'a', 0o600));
  for (const suffix of ['', ...logs]) {
    if (!existsSync(path + suffix)) continue;
    const copy = saved + suffix;
    copyFileSync(path + suffix, copy);
    chmodSync(copy, 0o600);
    keepOwner(path, copy);
    syncFile(copy);
  }
  syncFolder(dirname(path));
}

/** Overwrites the header by which SQLite recognises a database: without its log, it might become usable. */
function makeUnreadable(path: string): void {
  writeFileSync(path, 'A restore of these notes was interrupted. Run notes restore again.\n', { flag: 'r+' });
  syncFile(path);
}
