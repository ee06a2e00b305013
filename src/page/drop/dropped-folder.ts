import { createInvalidError } from '../../core/error.ts';
import { tryCreateOriginKey } from '../../formats/origin.ts';
import { assertFileCount } from '../../formats/packed-files.ts';
import type { Source } from '../../formats/source.ts';

/** The files below a folder, whose paths are relative to it. */
export interface DroppedFolder {
  readonly name: string;
  readonly paths: readonly string[];
  /** Opens one of the files. Throws `invalid` if that fails. */
  openFile(path: string): Promise<File>;
}

/** Lists all files below a folder that was dropped. Throws `invalid` if it cannot be read. */
export async function listDroppedFolder(folder: FileSystemDirectoryEntry): Promise<DroppedFolder> {
  const files = new Map<string, FileSystemFileEntry>();
  await collectFileEntries(folder, '', files, folder.name).catch((error) => {
    throw error instanceof DOMException ? createInvalidError(`It cannot be read (${error.message})`) : error;
  });
  return {
    name: folder.name,
    paths: [...files.keys()].sort(),
    openFile: (path) =>
      new Promise((resolve, reject) => {
        const fail = (reason: string) => reject(createInvalidError(`${path} cannot be read (${reason})`));
        const file = files.get(path);
        if (file === undefined) fail('it is not in the folder');
        else file.file(resolve, ({ message }) => fail(message));
      }),
  };
}

async function collectFileEntries(
  folder: FileSystemDirectoryEntry,
  above: string,
  files: Map<string, FileSystemFileEntry>,
  rootName: string,
): Promise<void> {
  for await (const entry of iterateFolderEntries(folder)) {
    const path = `${above}${entry.name}`;
    if (isDirectory(entry)) await collectFileEntries(entry, `${path}/`, files, rootName);
    else if (isFile(entry)) files.set(path, entry);
    assertFileCount(rootName, files.size);
  }
}

/** Browsers return the entries in pieces, of which the last is empty. */
async function* iterateFolderEntries(folder: FileSystemDirectoryEntry): AsyncGenerator<FileSystemEntry, void, void> {
  const reader = folder.createReader();
  const readPiece = () => new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
  for (let piece = await readPiece(); piece.length > 0; piece = await readPiece()) yield* piece;
}

const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;

/**
 * Creates the function that identifies files in vaults of Obsidian, as `notes import` does: by the name of the
 * innermost vault and the path in it. Browsers do not tell where a folder is, so that other files have no stable name.
 */
export function createOriginKeyFinder({ name, paths }: DroppedFolder): NonNullable<Source['findOriginKey']> {
  const vaults = new Set(paths.flatMap((path) => /^((?:.*\/)?)\.obsidian\//.exec(path)?.[1] ?? []));
  const byDepth = [...vaults].sort((one, other) => other.length - one.length);
  return (path = '') => {
    const vault = byDepth.find((folder) => path.startsWith(folder));
    if (vault === undefined) return undefined;
    const vaultName = vault === '' ? name : vault.split('/').at(-2);
    return tryCreateOriginKey('obsidian', `${vaultName}/${path.slice(vault.length)}`);
  };
}
