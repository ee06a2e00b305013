import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { NoteError } from '../../../core/error.ts';
import { syncFolder } from '../../fsync.ts';
import { belongsTo, sizeOf } from '../database-files.ts';
import { isFull } from '../sqlite-errors.ts';
import { migrations } from '../sqlite-migrations.ts';
import { inBackground, ofJob } from '../sqlite-worker-client.ts';
import { backupPath } from './backup-names.ts';
import type { Inspection } from './inspect-database.ts';

interface BackupOptions {
  readonly signal?: AbortSignal;
  /** Called repeatedly with the bytes copied and an estimate of the total. */
  readonly onProgress?: (done: number, all: number) => void;
  readonly replaces?: boolean;
  /** Name of the folder beside the target for the unfinished copy; must not exist. A unique name by default. */
  readonly temporary?: string;
}

export interface Backup {
  readonly path: string;
  readonly notes: number;
  readonly bytes: number;
}

/**
 * Copies the database at its real path to a file, or into a folder by the name of `backupPath`, also while a service
 * uses it, and checks the copy. It contains all notes acknowledged before. The file appears at once, synced. Throws
 * `unavailable` with advice.
 */
export async function backUp(database: string, given: string, options: BackupOptions = {}): Promise<Backup> {
  const { signal, onProgress, replaces, temporary } = options;
  const begun = Date.now();
  const isFolder = given.endsWith('/') || statSync(given, { throwIfNoEntry: false })?.isDirectory();
  const targetNow = () => usable(database, isFolder ? backupPath(database, given, begun) : given, replaces);
  await using folder = await temporaryFolderBeside(targetNow(), temporary);
  const copy = join(folder.path, 'copy.db');
  using _watch = watchSize(copy, sizeOf(database) + sizeOf(`${database}-wal`), onProgress);
  const { notes } = await copyDatabase(database, copy, signal);
  onProgress?.(sizeOf(copy), sizeOf(copy));
  signal?.throwIfAborted();
  const target = targetNow();
  await rename(copy, target);
  syncFolder(dirname(resolve(target)));
  return { path: target, notes, bytes: sizeOf(target) };
}

/** Copies a database to a new file for its owner only, synced, and checks the copy. Throws `unavailable` with advice. */
export async function copyDatabase(database: string, copy: string, signal?: AbortSignal): Promise<Inspection> {
  const found = await inBackground(signal, 'copy', database, copy).catch((error) => {
    if (!isFull(error)) throw ofJob(error, database);
    const message = `Cannot write to ${dirname(dirname(copy))}: its disk is full. Free some space, or use another disk`;
    throw new NoteError('unavailable', message, { cause: error });
  });
  return refuseUnsound(database, found);
}

/** Throws `unavailable` unless it is a sound database of notes with a supported schema. */
export function refuseUnsound(path: string, found: Inspection): Inspection {
  const refuse = (reason: string) => new NoteError('unavailable', `Cannot use ${path}: ${reason}`);
  if (found.integrity !== 'ok') throw refuse(`it is damaged (${found.integrity.replaceAll('\n', ' ')})`);
  if (!found.isOurs) throw refuse('it holds no notes of this program');
  if (found.schema <= migrations.length) return found;
  throw refuse(`it was written by a newer version of Notes (schema ${found.schema}). Update Notes`);
}

function usable(database: string, target: string, replaces = false): string {
  const folder = dirname(resolve(target));
  const refuse = (reason: string) => new NoteError('unavailable', `Cannot write ${target}: ${reason}`);
  if (!existsSync(folder)) throw refuse(`there is no folder ${folder}. Create it first`);
  if (belongsTo(database, target)) throw refuse('it belongs to the database itself. Name another file');
  const found = statSync(target, { throwIfNoEntry: false });
  if (found === undefined) return target;
  if (!found.isFile()) throw refuse('it is not a file. Name another one');
  if (!replaces) throw refuse('it already exists. Name another file, or add --force');
  return target;
}

/** Creates a folder for its owner only. Disposal removes it with its content. */
export async function temporaryFolderBeside(target: string, name?: string) {
  const beside = dirname(resolve(target));
  const path = name === undefined ? await mkdtemp(join(beside, '.notes-')) : join(beside, name);
  if (name !== undefined) await mkdir(path, { mode: 0o700 });
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

const watchMs = 100;

function watchSize(copy: string, all: number, onProgress: BackupOptions['onProgress']): Disposable {
  const timer = setInterval(() => onProgress?.(sizeOf(copy), all), watchMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
