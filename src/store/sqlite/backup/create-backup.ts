import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { NoteError } from '../../../core/error.ts';
import { syncFolder } from '../../fsync.ts';
import { isFileOfDatabase, readFileSizeOrZero } from '../database-files.ts';
import { isSqliteFullError } from '../sqlite-errors.ts';
import { migrations } from '../sqlite-migrations.ts';
import { requestOnNewThread, toWorkerOpenError } from '../sqlite-worker-client.ts';
import { getFreeBackupPath } from './backup-names.ts';
import type { Inspection } from './inspect-database.ts';

interface BackupOptions {
  readonly signal?: AbortSignal;
  /** Called repeatedly with the number of bytes copied, and an estimate of their total. */
  readonly onProgress?: (copied: number, total: number) => void;
  /** Whether to replace a file at the target. */
  readonly replaces?: boolean;
  /** Name of the folder beside the target for the unfinished copy; it must not exist. By default a unique name. */
  readonly temporary?: string;
}

export interface Backup {
  readonly path: string;
  readonly notes: number;
  readonly bytes: number;
}

/**
 * Copies a database to a file, or to a new file in a folder that `getFreeBackupPath` names, also while a service uses
 * it, and checks the copy. It contains all notes that were acknowledged before the call. The file appears complete and
 * synced, or not at all. Throws `unavailable` with advice.
 */
export async function createBackup(
  database: string,
  destination: string,
  options: BackupOptions = {},
): Promise<Backup> {
  const { signal, onProgress, replaces, temporary } = options;
  const begun = Date.now();
  const isFolder = destination.endsWith('/') || statSync(destination, { throwIfNoEntry: false })?.isDirectory();
  const findTarget = () => {
    const target = isFolder ? getFreeBackupPath(database, destination, begun) : destination;
    assertTargetIsUsable(database, target, replaces);
    return target;
  };
  await using folder = await createDisposableFolderBeside(findTarget(), temporary);
  const copy = join(folder.path, 'copy.db');
  using _reports = startFileSizeReports(
    copy,
    readFileSizeOrZero(database) + readFileSizeOrZero(`${database}-wal`),
    onProgress,
  );
  const { notes } = await copyAndCheckDatabase(database, copy, signal);
  onProgress?.(readFileSizeOrZero(copy), readFileSizeOrZero(copy));
  signal?.throwIfAborted();
  const target = findTarget(); // others may have created files meanwhile
  await rename(copy, target);
  syncFolder(dirname(resolve(target)));
  return { path: target, notes, bytes: readFileSizeOrZero(target) };
}

/**
 * Copies a database to a new file that only its owner can read, syncs and inspects the copy. Throws `unavailable` with
 * advice if that fails, or if the copy is not a sound database of notes.
 */
export async function copyAndCheckDatabase(database: string, copy: string, signal?: AbortSignal): Promise<Inspection> {
  const inspection = await requestOnNewThread(signal, 'copyAndInspectDatabase', [database, copy]).catch((error) => {
    if (!isSqliteFullError(error)) throw toWorkerOpenError(error, database);
    const message = `Cannot write to ${dirname(dirname(copy))}: its disk is full. Free some space, or use another disk`;
    throw new NoteError('unavailable', message, { cause: error });
  });
  assertUsableInspection(database, inspection);
  return inspection;
}

/**
 * Throws `unavailable` unless the inspected database is sound, holds notes, and has a schema that this program knows.
 */
export function assertUsableInspection(path: string, { integrity, isOurs, schema }: Inspection): void {
  const createError = (reason: string) => new NoteError('unavailable', `Cannot use ${path}: ${reason}`);
  if (integrity !== 'ok') throw createError(`it is damaged (${integrity.replaceAll('\n', ' ')})`);
  if (!isOurs) throw createError('it holds no notes of this program');
  if (schema > migrations.length)
    throw createError(`it was written by a newer version of Notes (schema ${schema}). Update Notes`);
}

/** Throws `unavailable` unless a backup may be written to `target`. */
function assertTargetIsUsable(database: string, target: string, replaces = false): void {
  const folder = dirname(resolve(target));
  const createError = (reason: string) => new NoteError('unavailable', `Cannot write ${target}: ${reason}`);
  if (!existsSync(folder)) throw createError(`there is no folder ${folder}. Create it first`);
  if (isFileOfDatabase(target, database)) throw createError('it belongs to the database itself. Name another file');
  const stats = statSync(target, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isFile()) throw createError('it is not a file. Name another one');
  if (!replaces) throw createError('it already exists. Name another file, or add --force');
}

/** Creates a folder that only its owner can read, in the folder of `target`. Disposal deletes it with its content. */
export async function createDisposableFolderBeside(target: string, name?: string) {
  const parent = dirname(resolve(target));
  const path = name === undefined ? await mkdtemp(join(parent, '.notes-')) : join(parent, name);
  if (name !== undefined) await mkdir(path, { mode: 0o700 });
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

const reportIntervalMs = 100;

/** Reports the size of a growing file as progress, until disposal. */
function startFileSizeReports(copy: string, total: number, onProgress: BackupOptions['onProgress']): Disposable {
  const timer = setInterval(() => onProgress?.(readFileSizeOrZero(copy), total), reportIntervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
