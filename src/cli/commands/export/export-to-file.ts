import { link, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { streamNoteBatchesAsJson } from '../../../core/json/json-array.ts';
import type { Note } from '../../../core/note.ts';
import { streamNoteBatchesAsNdjson } from '../../../formats/json-formats.ts';
import { syncFolder } from '../../../store/fsync.ts';
import { resolveRealPath } from '../../../store/sqlite/database-files.ts';
import { runExplainingFileErrors } from '../../error-text.ts';
import { type Output, writeWithBackpressure } from '../../io.ts';
import { replaceWithPrivateFile } from '../../replace-file.ts';
import {
  assertFileCanBeWritten,
  assertIsNoDatabaseFile,
  createExportRefusedError,
  lstatSyncIfPresent,
  type Target,
} from './export-target.ts';

export type Batches = AsyncIterable<readonly Note[]>;

const encodersByFormat = { ndjson: streamNoteBatchesAsNdjson, json: streamNoteBatchesAsJson } as const;

type TextFormat = keyof typeof encodersByFormat;

/** Writes notes to an output, respecting backpressure. */
export async function exportToOutput(output: Output, batches: Batches, format: TextFormat): Promise<void> {
  for await (const text of encodersByFormat[format](batches)) await writeWithBackpressure(output, text);
}

/** Writes notes to a file atomically. Throws `unavailable`. */
export async function exportToFile(target: Target, batches: Batches, format: TextFormat): Promise<void> {
  await assertIsNoDatabaseFile(target);
  assertFileCanBeWritten(target);
  const path = resolveRealPath(target.path); // write to the target of a link, do not replace the link
  await runExplainingFileErrors('write', target.path, async () => {
    await replaceWithPrivateFile(
      path,
      encodersByFormat[format](batches),
      target.force ? rename : linkOrRenameUnlessPresent,
    );
    syncFolder(dirname(path));
  });
}

/** Never replaces a file created meanwhile, if the file system supports hard links. */
async function linkOrRenameUnlessPresent(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch {
    if (lstatSyncIfPresent(path)) throw createExportRefusedError(`${path} exists already`);
    await rename(temporary, path);
  }
}
