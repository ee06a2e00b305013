import { lstatSync } from 'node:fs';
import { NoteError } from '../../../core/error.ts';
import { isFileOfAnyDatabase, resolveRealPath } from '../../../store/sqlite/database-files.ts';
import { explainFileErrors } from '../../error-text.ts';

export interface Target {
  readonly path: string;
  readonly force: boolean;
}

/** Applies even with --force, which could otherwise destroy the notes. */
export async function assertNoDatabase({ path }: Pick<Target, 'path'>): Promise<void> {
  const isPart = await explainFileErrors('write', path, async () => isFileOfAnyDatabase(path));
  if (isPart) throw createExportError(`${path} is a database, or belongs to one`, 'Name another file');
}

export function assertFileCanBeWritten({ path, force }: Target): void {
  const stats = lstatIfPresent(resolveRealPath(path));
  if (stats?.isDirectory()) throw createExportError(`${path} is a folder`);
  if (stats && !stats.isFile())
    throw createExportError(`${path} is not a regular file`, 'Name another one, or - for standard output');
  if (stats && !force) throw createExportError(`${path} exists already`);
}

export const createExportError = (why: string, remedy = 'Name another one, or write over it with --force') =>
  new NoteError('unavailable', `Nothing was exported: ${why}. ${remedy}`);

export const lstatIfPresent = (path: string) => lstatSync(path, { throwIfNoEntry: false });
