import { createReadStream, type Dirent, type Stats, statSync } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { createInvalidError } from '../../../core/error.ts';
import type { Source } from '../../../formats/source.ts';
import { runExplainingFileErrors } from '../../error-text.ts';
import { FileOriginKeyFactory } from './file-origin-keys.ts';

/** A source with its first bytes read. */
export interface OpenSource {
  readonly source: Source;
  /** Whether it is a folder or an archive. */
  readonly isFolder?: boolean;
  /** The first 64 KiB as text; empty for a folder. */
  readonly head: string;
  /** Links in a folder. They are not followed, so that nothing outside is read. */
  readonly links?: readonly string[];
  /** Folders that cannot be read, with the reason. */
  readonly unreadable?: readonly { readonly location: string; readonly reason: string }[];
  /** Fraction that was read, from 0 to 1, if known. */
  readonly part: () => number | undefined;
  /** Call when all is read. */
  readonly close?: () => void;
}

export const chunkBytes = 256 * 1024;

export async function* streamFileChunks(path: string, name = path): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* createReadStream(path, { highWaterMark: chunkBytes });
  } catch (error) {
    await runExplainingFileErrors('read', name, () => Promise.reject(error));
  }
}

export async function openFolderSource(path: string, { mtime }: Stats): Promise<OpenSource> {
  const root = await runExplainingFileErrors('read', path, () => realpath(path));
  const files: string[] = [];
  const links: string[] = [];
  const unreadable: { location: string; reason: string }[] = [];
  for await (const [below, entry] of streamEntriesAndErrorsBelow(root)) {
    if (entry instanceof Error) unreadable.push({ location: below, reason: entry.message });
    else if (entry.isSymbolicLink()) links.push(below);
    else if (entry.isFile()) files.push(below);
  }
  const origins = new FileOriginKeyFactory();
  let read = 0;
  const source: Source = {
    name: path,
    modifiedAt: mtime,
    files: files.sort(),
    async *streamChunks(below) {
      if (below === undefined) return;
      read++;
      yield* streamFileInFolder(root, below);
    },
    async readTimes(below) {
      const { birthtimeMs, birthtime, mtimeMs, mtime: modifiedAt } = statSync(join(root, below));
      return { createdAt: birthtimeMs > 0 && birthtimeMs < mtimeMs ? birthtime : modifiedAt, modifiedAt };
    },
    findOriginKey: (below = '') => origins.tryCreateKey(join(root, below)),
  };
  return { source, isFolder: true, head: '', links, unreadable, part: () => read / Math.max(1, files.length) };
}

/** Yields all entries below a folder with paths separated by `/`; for an unreadable subfolder the error. */
async function* streamEntriesAndErrorsBelow(
  root: string,
  folder = '',
): AsyncGenerator<[below: string, Dirent | Error], void, void> {
  const path = join(root, folder);
  const entries = await runExplainingFileErrors('read', path, () => readdir(path, { withFileTypes: true })).catch(
    (error) => {
      if (folder === '' || !(error instanceof Error)) throw error;
      return error;
    },
  );
  if (entries instanceof Error) return yield [folder, entries];
  for (const entry of entries) {
    const below = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* streamEntriesAndErrorsBelow(root, below);
    else yield [below, entry];
  }
}

/** Reads a file. Checks again that it is not a link out of the folder, as it may have become one. */
async function* streamFileInFolder(root: string, below: string): AsyncGenerator<Uint8Array, void, void> {
  const path = join(root, below);
  if (
    !(await runExplainingFileErrors('read', below, () => realpath(path))).startsWith(
      root.endsWith(sep) ? root : root + sep,
    )
  )
    throw createInvalidError(`${below} is a link out of the folder`);
  const { size } = await runExplainingFileErrors('read', below, () => stat(path));
  if (size > chunkBytes) yield* streamFileChunks(path, below);
  else yield await runExplainingFileErrors('read', below, () => readFile(path));
}
