import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { NoteError } from '../../../domain/error.ts';
import { syncFolderAsync } from '../../sync.ts';
import { inBackground, ofJob } from '../background.ts';
import { belongsTo, sizeOf } from '../database-files.ts';
import { isFull } from '../failure.ts';
import { migrations } from '../schema.ts';
import type { Inspection } from './inspection.ts';

interface BackupOptions {
  /** Cancels the backup and removes what was written. */
  readonly signal?: AbortSignal;
  /** Called repeatedly with the bytes copied and an estimate of the total. */
  readonly onProgress?: (done: number, all: number) => void;
  /** Whether an existing file may be replaced. */
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
 * Copies the database at its real path to `target`, also while a service uses it, and checks the copy. It contains all
 * notes acknowledged before. `target` is replaced atomically and synced. Throws `unavailable` with advice.
 */
export async function backUp(database: string, target: string, options: BackupOptions = {}): Promise<Backup> {
  const { signal, onProgress, replaces, temporary } = options;
  refuseTarget(database, target, replaces);
  await using folder = await temporaryFolderBeside(target, temporary);
  const copy = join(folder.path, basename(target));
  using _watch = watchSize(copy, sizeOf(database) + sizeOf(`${database}-wal`), onProgress);
  const found = await inBackground(signal, 'copy', database, copy).catch((error) => {
    throw isFull(error) ? new NoteError('unavailable', noRoom(target), { cause: error }) : ofJob(error, database);
  });
  const { notes } = refuseUnsound(database, found);
  onProgress?.(sizeOf(copy), sizeOf(copy));
  signal?.throwIfAborted();
  refuseTarget(database, target, replaces);
  await rename(copy, target);
  await syncFolderAsync(dirname(resolve(target)));
  return { path: target, notes, bytes: sizeOf(target) };
}

const noRoom = (target: string) =>
  `Cannot write ${target}: its disk is full. Free some space, or name a file on another disk`;

/** Throws `unavailable` unless it is a sound database of notes with a supported schema. */
export function refuseUnsound(path: string, found: Inspection): Inspection {
  const refuse = (reason: string) => new NoteError('unavailable', `Cannot use ${path}: ${reason}`);
  if (found.integrity !== 'ok') throw refuse(`it is damaged (${found.integrity.replaceAll('\n', ' ')})`);
  if (!found.isOurs) throw refuse('it holds no notes of this program');
  if (found.schema <= migrations.length) return found;
  throw refuse(`it was written by a newer version of Notes (schema ${found.schema}). Update Notes`);
}

function refuseTarget(database: string, target: string, replaces = false): void {
  const folder = dirname(resolve(target));
  const refuse = (reason: string) => new NoteError('unavailable', `Cannot write ${target}: ${reason}`);
  if (!existsSync(folder)) throw refuse(`there is no folder ${folder}. Create it first`);
  if (belongsTo(database, target)) throw refuse('it belongs to the database itself. Name another file');
  const found = statSync(target, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isFile()) throw refuse('it is not a file. Name another one');
  if (!replaces) throw refuse('it already exists. Name another file, or add --force');
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
