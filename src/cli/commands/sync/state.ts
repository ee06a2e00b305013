import { mkdirSync, readFileSync, renameSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../../config.ts';
import { isObject, parsed } from '../../../shared/json.ts';
import { stateFolder } from '../../journal/state-folder.ts';

/** What was last taken of one or several files that are read together. */
export interface Taken {
  readonly stamp: string;
  /** Of each note in them, by the key of its origin, what was taken. */
  readonly origins: Readonly<Record<string, string>>;
}

/** Changes with the content of a file, and with who may read it. */
export const stampOf = ({ size, mtimeMs, ctimeMs, ino }: Stats): string => [size, mtimeMs, ctimeMs, ino].join(' ');

/** What was taken of files before, by their paths. Without it, they are read once more. */
export class SyncState {
  readonly #path: string | undefined;
  readonly #files: Map<string, Taken>;

  /** Of the notes at a place, which `placeOf` in notes/open.ts names. */
  constructor(env: Environment, place: string) {
    const folder = stateFolder(env, 'sync');
    this.#path = folder && join(folder, `${Bun.CryptoHasher.hash('sha256', place, 'hex').slice(0, 16)}.json`);
    this.#files = new Map(Object.entries(this.#path === undefined ? {} : filesIn(this.#path)));
  }

  /** Whether files are as they were taken, and the store holds what was taken of them, by the keys of its origins. */
  isCurrent(path: string, stamp: string, stored: ReadonlyMap<string, string>): boolean {
    const taken = this.#files.get(path);
    return taken?.stamp === stamp && Object.entries(taken.origins).every(([key, origin]) => stored.get(key) === origin);
  }

  /** Whether one of the files that were taken has this origin. */
  holds(key: string): boolean {
    return this.#files.values().some(({ origins }) => Object.hasOwn(origins, key));
  }

  set(path: string, taken: Taken): void {
    this.#files.set(path, taken);
  }

  /** Forgets what stands below a folder and is not among these. */
  keepOnly(folder: string, paths: ReadonlySet<string>): void {
    for (const path of this.#files.keys())
      if (path.startsWith(join(folder, '/')) && !paths.has(path)) this.#files.delete(path);
  }

  /** Readable by its owner alone. Throws an error of the file system. */
  save(): void {
    if (this.#path === undefined) return;
    const part = `${this.#path}.${process.pid}.part`;
    mkdirSync(join(this.#path, '..'), { recursive: true, mode: 0o700 });
    try {
      writeFileSync(part, JSON.stringify(Object.fromEntries(this.#files)), { mode: 0o600 });
      renameSync(part, this.#path);
    } catch (error) {
      rmSync(part, { force: true });
      throw error;
    }
  }
}

/** None where the file is damaged, or there is none. */
function filesIn(path: string): Record<string, Taken> {
  try {
    const files = parsed(readFileSync(path, 'utf8'));
    return isObject(files) ? (files as Record<string, Taken>) : {};
  } catch {
    return {};
  }
}
