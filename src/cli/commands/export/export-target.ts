import { lstatSync } from 'node:fs';
import { NoteError } from '../../../core/error.ts';
import { isFileOfSqliteDatabase, resolveRealPath } from '../../../store/sqlite/database-files.ts';
import { runExplainingFileErrors } from '../../error-text.ts';

export interface Target {
  readonly path: string;
  readonly force: boolean;
}

/** Applies even with --force, which could otherwise destroy the notes. */
export async function assertIsNoDatabaseFile({ path }: Pick<Target, 'path'>): Promise<void> {
  const isPart = await runExplainingFileErrors('write', path, async () => isFileOfSqliteDatabase(path));
  if (isPart) throw createExportRefusedError(`${path} is a database, or belongs to one`, 'Name another file');
}

export function assertFileCanBeWritten({ path, force }: Target): void {
  const stats = lstatSyncIfPresent(resolveRealPath(path));
  if (stats?.isDirectory()) throw createExportRefusedError(`${path} is a folder`);
  if (stats && !stats.isFile())
    throw createExportRefusedError(`${path} is not a regular file`, 'Name another one, or - for standard output');
  if (stats && !force) throw createExportRefusedError(`${path} exists already`);
}

export const createExportRefusedError = (why: string, remedy = 'Name another one, or write over it with --force') =>
  new NoteError('unavailable', `Nothing was exported: ${why}. ${remedy}`);

export const lstatSyncIfPresent = (path: string) => lstatSync(path, { throwIfNoEntry: false });
