import { mkdir, readdir, readFile, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { categories } from '../../../core/enums.ts';
import type { Note } from '../../../core/note.ts';
import { toMarkdownFile } from '../../../formats/markdown-format.ts';
import { syncFolder } from '../../../store/fsync.ts';
import { runExplainingFileErrors } from '../../error-text.ts';
import { createTemporaryPathBeside, replaceWithPrivateFile } from '../../replace-file.ts';
import { assertIsNoDatabaseFile, createExportRefusedError, lstatSyncIfPresent, type Target } from './export-target.ts';
import type { Batches } from './export-to-file.ts';

/** Writes notes to a folder, one file each; a new folder appears atomically. Throws `unavailable`. */
export async function exportToFolder({ path, force }: Target, batches: Batches): Promise<void> {
  await assertIsNoDatabaseFile({ path });
  const present = await runExplainingFileErrors('write', path, async () => lstatSyncIfPresent(path) && readdir(path));
  if (present && present.length > 0) {
    if (!force) throw createExportRefusedError(`${path} is a folder that is not empty`);
    return runExplainingFileErrors('write', path, async () => {
      assertCategoryFoldersAreNoLinks(path);
      await writeNoteFilesAndRemoveRenamed(path, batches);
    });
  }
  await runExplainingFileErrors('write', path, async () => {
    const temporary = createTemporaryPathBeside(resolve(path));
    try {
      await writeNoteFilesAndRemoveRenamed(temporary, batches);
      if (present) await rmdir(path); // not every system can rename over an empty folder
      await rename(temporary, path);
      syncFolder(dirname(resolve(path)));
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  });
}

function assertCategoryFoldersAreNoLinks(folder: string): void {
  for (const category of categories) assertIsRealFolderIfPresent(join(folder, category));
}

/** Throws if the folder of a category is a link, which would lead its files to another place. */
function assertIsRealFolderIfPresent(home: string): void {
  const isFolder = lstatSyncIfPresent(home)?.isDirectory() ?? true;
  if (!isFolder)
    throw createExportRefusedError(`${home} is a link or a file, not a folder`, 'Move it away, or name another folder');
}

const maxConcurrentWrites = 16;

/** Replaces the files of the same notes, even if their names have changed, and no others. */
async function writeNoteFilesAndRemoveRenamed(folder: string, batches: Batches): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const present = await readFilePathsByIdInName(folder);
  const written = new Set([folder]);
  for await (const notes of batches) {
    for (let from = 0; from < notes.length; from += maxConcurrentWrites) {
      await Promise.all(notes.slice(from, from + maxConcurrentWrites).map(write));
    }
  }
  for (const path of written) syncFolder(path);

  async function write(note: Note): Promise<void> {
    const file = toMarkdownFile(note);
    const home = join(folder, note.category);
    if (!written.has(home)) {
      assertIsRealFolderIfPresent(home); // also of a category that only a later version of the service knows
      await mkdir(home, { recursive: true, mode: 0o700 });
    }
    written.add(home);
    await replaceWithPrivateFile(join(folder, file.path), [file.text]);
    for (const old of present.get(note.id) ?? [])
      if (old !== file.path) await removeFileIfItHoldsNote(join(folder, old), note.id);
  }
}

/** Returns the paths of files named after notes, by id. */
async function readFilePathsByIdInName(folder: string): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>();
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    for (const name of await readdir(join(folder, entry.name))) {
      const id = Number(/^(\d+)(?:-.*)?\.md$/.exec(name)?.[1]);
      if (id > 0) found.set(id, [...(found.get(id) ?? []), `${entry.name}/${name}`]);
    }
  }
  return found;
}

/** Removes a file only if its text has the id too, as its name may be a coincidence. */
async function removeFileIfItHoldsNote(path: string, id: number): Promise<void> {
  const text = await readFile(path, 'utf8');
  if (text.startsWith(`---\nid: ${id}\n`)) await unlink(path);
}
