import { readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../../config/settings-table.ts';
import { isObject, tryParseJson } from '../../../core/json/json.ts';
import { findStatePath, replaceStateFile } from '../../state-file.ts';

/** What was last imported from a file, or from several files that are read together. */
interface ImportedState {
  /** Changes with the files, such as `v2 1024 1700000000000 1700000000000 42`. */
  readonly stamp: string;
  /**
   * What the store recorded when it imported each note in the files: the `taken` of its origin, by the key of the
   * origin. If the store no longer has this record, the files are read again, though they have not changed.
   */
  readonly origins: Readonly<Record<string, string>>;
}

/** Returns a text that changes with the content and the permissions of a file. */
export const encodeFileStats = ({ size, mtimeMs, ctimeMs, ino }: Stats): string =>
  [size, mtimeMs, ctimeMs, ino].join(' ');

/** What was imported from files before, by path. Without it, they are read again. */
export class SyncState {
  readonly #path: string | undefined;
  readonly #files: Map<string, ImportedState>;

  /** `storeName` identifies the store, as returned by `createStoreIdentifier`. */
  constructor(env: Environment, storeName: string) {
    const folder = findStatePath(env, 'sync');
    this.#path = folder && join(folder, `${Bun.CryptoHasher.hash('sha256', storeName, 'hex').slice(0, 16)}.json`);
    this.#files = new Map(Object.entries(this.#path === undefined ? {} : readStateFileOrEmpty(this.#path)));
  }

  /** Whether files are unchanged since their import, and the store still has what was imported, by keys of origins. */
  isUnchangedAndStillStored(path: string, stamp: string, stored: ReadonlyMap<string, string>): boolean {
    const imported = this.#files.get(path);
    return (
      imported?.stamp === stamp && Object.entries(imported.origins).every(([key, origin]) => stored.get(key) === origin)
    );
  }

  /** Whether an imported file has this origin. */
  hasImportedOrigin(key: string): boolean {
    return this.#files.values().some(({ origins }) => Object.hasOwn(origins, key));
  }

  recordImport(path: string, imported: ImportedState): void {
    this.#files.set(path, imported);
  }

  /** Forgets files below a folder that are not among `paths`. */
  removeOtherFilesBelow(folder: string, paths: ReadonlySet<string>): void {
    for (const path of this.#files.keys())
      if (path.startsWith(join(folder, '/')) && !paths.has(path)) this.#files.delete(path);
  }

  /** Throws errors of the file system. */
  async save(): Promise<void> {
    if (this.#path !== undefined) await replaceStateFile(this.#path, JSON.stringify(Object.fromEntries(this.#files)));
  }
}

/** Returns an empty record if the file is damaged or missing. */
function readStateFileOrEmpty(path: string): Record<string, ImportedState> {
  try {
    const files = tryParseJson(readFileSync(path, 'utf8'));
    return isObject(files) ? (files as Record<string, ImportedState>) : {};
  } catch {
    return {};
  }
}
