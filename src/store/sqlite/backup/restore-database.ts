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
import { getErrorCodeOrEmpty } from '../../../core/thrown-errors.ts';
import { syncFile, syncFolder } from '../../fsync.ts';
import { copyOwnerIfRoot, isSameFile, resolveRealPath } from '../database-files.ts';
import { findReasonAndRemedy, toOpenNoteError } from '../open-error.ts';
import { findSpecialFileReason, lockRecoverAndMigrateDatabase } from '../open-sqlite-database.ts';
import { nameAnotherFile } from '../schema-checks.ts';
import { acquireServiceLock } from '../service-lock.ts';
import { raiseIdSequence } from '../sqlite-settings-writes.ts';
import { inspectOnNewThread } from '../sqlite-worker-client.ts';
import { getFreeTimedPath } from './backup-names.ts';
import { copyAndCheckDatabase, createBackup, createDisposableFolderBeside } from './create-backup.ts';
import { emptyNotesSummary, type NotesSummary, readNotesSummary } from './inspect-database.ts';

/**
 * A checked copy of a backup, beside the database that it is to replace. Until disposal, no service can open that
 * database; if it is usable, no program can write to it either.
 */
export interface PreparedRestore extends AsyncDisposable {
  readonly path: string;
  /** What is at the path now. Not `isUsable` if the store cannot open it. */
  readonly target: NotesSummary & { readonly isUsable: boolean };
  readonly backup: NotesSummary;
  /** The folder with the copy. */
  readonly folder: string;
}

/** Whether notes may be lost by replacing the database: it has had some, or it cannot be read. */
export const mayHaveHeldNotes = ({ isUsable, lastId }: PreparedRestore['target']): boolean => !isUsable || lastId > 0;

const getPreparedCopyPath = (folder: string) => join(folder, 'copy.db');

/**
 * Copies and checks the backup, and locks the database at `requested`, which is created if it is missing. The log of a
 * usable database is copied into it. Throws `busy` while another program uses it, else `unavailable` with advice.
 */
export async function lockAndPrepareRestore(
  requested: string,
  backup: string,
  signal?: AbortSignal,
): Promise<PreparedRestore> {
  const madeByBackup = 'Name a file that "notes backup" made';
  if (!existsSync(backup)) throw new NoteError('unavailable', `Cannot use ${backup}: there is no such file`);
  assertNotSpecialFile(backup, madeByBackup);
  if (isSameFile(requested, backup)) throw new NoteError('unavailable', `${backup} is the database itself`);
  assertNotSpecialFile(requested, nameAnotherFile);
  mkdirSync(dirname(resolve(requested)), { recursive: true, mode: 0o700 });
  const path = resolveRealPath(requested);
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await createDisposableFolderBeside(path)).path;
  const found = await copyAndCheckDatabase(backup, getPreparedCopyPath(folder), signal).catch((error: unknown) => {
    const [reason] = findReasonAndRemedy(error instanceof Error ? error.cause : undefined, backup) ?? [];
    if (reason === undefined) throw error;
    throw new NoteError('unavailable', `Cannot use ${backup}: ${reason}. ${madeByBackup}`, { cause: error });
  });
  const target = await lockTargetAndReadSummary(path, opened);
  const resources = opened.move();
  return { path, target, backup: found, folder, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

function assertNotSpecialFile(path: string, advice: string): void {
  const kind = findSpecialFileReason(path);
  if (kind !== undefined) throw new NoteError('unavailable', `Cannot use ${path}: ${kind}. ${advice}`);
}

/** Codes of errors that do not say that the file itself is unusable. */
const obstacleCode = /^(busy|E[A-Z]+|SQLITE_(BUSY|CANTOPEN|FULL|IOERR|READONLY).*)$/;

/**
 * Locks the database and counts its notes. The locks are released with `opened`: until then no other program can write
 * to a usable database, and no service can open an unusable one.
 */
async function lockTargetAndReadSummary(
  path: string,
  opened: AsyncDisposableStack,
): Promise<PreparedRestore['target']> {
  try {
    using locks = new DisposableStack();
    const { db, resources } = lockRecoverAndMigrateDatabase({ path, openedBy: 'service' });
    locks.use(resources);
    db.run('PRAGMA journal_mode = DELETE'); // fails while others have it open
    db.run('BEGIN IMMEDIATE');
    const counts = readNotesSummary(db);
    opened.use(locks.move());
    return { ...counts, isUsable: true };
  } catch (error) {
    const found = await inspectOnNewThread(path, false).catch(() => undefined);
    const isForeign = found?.integrity === 'ok' && found.isForeign;
    if (isForeign || obstacleCode.test(getErrorCodeOrEmpty(error))) throw toOpenNoteError(error, path);
    opened.use(acquireServiceLock(path));
    return { ...(found ?? emptyNotesSummary), isUsable: false };
  }
}

interface RestoreOptions {
  /** Cancels the restore; has no effect once the present notes are saved. */
  readonly signal?: AbortSignal;
  /** Called after each step that a killed process may have been the last one of. */
  readonly onStep?: (step: 'saved' | 'unreadable' | 'without logs' | 'replaced') => void;
}

/**
 * Saves the database beside itself, unless it never held a note, and replaces it by the copy. Returns the path at which
 * it was saved. If the process is killed between any two steps, either the old notes or the new ones are at the path;
 * an unusable database remains unusable until the new notes replace it. New ids follow the highest id that was ever
 * assigned in either of them, so that no id is assigned twice.
 */
export async function saveAndReplaceDatabase(
  { path, target, folder }: PreparedRestore,
  { signal, onStep = () => {} }: RestoreOptions = {},
): Promise<string | undefined> {
  signal?.throwIfAborted();
  const copy = getPreparedCopyPath(folder);
  raiseLastIdOfCopy(copy, target.lastId);
  copyOwnerIfRoot(path, copy);
  syncFile(copy);
  const saved = mayHaveHeldNotes(target) ? getFreeTimedPath(`${path}.before-restore-`, Date.now()) : undefined;
  if (saved !== undefined && !target.isUsable) copyUnusableDatabaseFiles(path, saved);
  else if (saved !== undefined) copyOwnerIfRoot(path, (await createBackup(path, saved, signal && { signal })).path);
  onStep('saved');
  if (!target.isUsable) overwriteHeader(path);
  onStep('unreadable');
  // SQLite would apply an old log to the new file; synced, since a power cut could bring a deleted log back
  for (const suffix of logSuffixes) rmSync(path + suffix, { force: true });
  syncFolder(dirname(path));
  onStep('without logs');
  renameSync(copy, path);
  onStep('replaced');
  syncFolder(dirname(path));
  return saved;
}

const logSuffixes = ['-wal', '-journal', '-shm'];

function raiseLastIdOfCopy(copy: string, lastId: number): void {
  using db = new Database(copy, { create: false, readwrite: true });
  raiseIdSequence(db, lastId);
}

/**
 * Copies the file with its logs, since the fault may be in any of them. Copies an empty file if the file is missing.
 */
function copyUnusableDatabaseFiles(path: string, saved: string): void {
  closeSync(openSync(path, 'a', 0o600));
  for (const suffix of ['', ...logSuffixes]) {
    if (!existsSync(path + suffix)) continue;
    const copy = saved + suffix;
    copyFileSync(path + suffix, copy);
    chmodSync(copy, 0o600);
    copyOwnerIfRoot(path, copy);
    syncFile(copy);
  }
  syncFolder(dirname(path));
}

/** Makes a database unreadable for SQLite: once its log is deleted, a damaged database might seem usable. */
function overwriteHeader(path: string): void {
  writeFileSync(path, 'A restore of these notes was interrupted. Run notes restore again.\n', { flag: 'r+' });
  syncFile(path);
}
