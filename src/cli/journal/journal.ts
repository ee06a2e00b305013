import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../config.ts';
import { isObject, parsed } from '../../shared/json.ts';
import { keepState, stateFolder } from './state-folder.ts';

/** A note written by a command. Times are values of `updatedAt`. */
export interface Write {
  readonly id: number;
  /** Time of the replaced version, which the history contains, if fields other than `archived` changed. */
  readonly before?: string;
  /** The previous value of `archived`, if it changed; `true` for a new note, since notes cannot be deleted. */
  readonly archived?: boolean;
  readonly isNew?: boolean;
  readonly after: string;
}

/** The changes made by one command, without any text of a note. */
export interface Entry {
  readonly command: string;
  /** The store it worked on, as returned by `storeNameOf` in notes/open.ts. */
  readonly place: string;
  /** When the command ended, in ms since 1970. */
  readonly at: number;
  /** How many notes the command wrote. `writes` is empty if they are too many to keep. */
  readonly count: number;
  readonly writes: readonly Write[];
}

/** Each file contains the writes of one command, about 90 bytes each. */
const max = { writes: 200_000, files: 50, bytes: 32 * 1024 * 1024 };

/**
 * Saves the changes made by a command, readable by their owner only, and deletes the oldest entries beyond the limits.
 * Does nothing if the user has no home folder. Throws errors of the file system.
 */
export function keepEntry(
  env: Environment,
  { command, place, writes }: Pick<Entry, 'command' | 'place' | 'writes'>,
): void {
  const folder = stateFolder(env, 'undo');
  if (folder === undefined) return;
  const names = namesIn(folder);
  const newest = Number.parseInt(names.at(-1) ?? '0', 10);
  const at = Math.max(Date.now(), newest + 1); // keeps the order when the clock is set back
  const kept = writes.length > max.writes ? [] : writes;
  const entry: Entry = { command, place, at, count: writes.length, writes: kept };
  keepState(join(folder, `${String(at).padStart(15, '0')}-${process.pid}.json`), JSON.stringify(entry));
  trim(folder);
}

/** Returns the last entry of each store, newest first: what can be undone. */
export function lastEntries(env: Environment): readonly Entry[] {
  const folder = stateFolder(env, 'undo');
  if (folder === undefined) return [];
  const last = new Map<string, Entry>();
  for (const name of namesIn(folder).reverse()) {
    const entry = entryIn(join(folder, name));
    if (entry !== undefined && !last.has(entry.place)) last.set(entry.place, entry);
  }
  return [...last.values()];
}

/** Deletes the entries of a store, as returned by `storeNameOf`. Ignores errors: undo then finds no note to change. */
export function forgetEntries(env: Environment, place: string): void {
  const folder = stateFolder(env, 'undo') ?? '';
  try {
    for (const path of namesIn(folder).map((name) => join(folder, name)))
      if (entryIn(path)?.place === place) rmSync(path, { force: true });
  } catch {}
}

/** Names of the entries in a folder, oldest first. */
function namesIn(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => /^\d{15}-\d+\.json$/.test(name)).sort();
}

/** Returns undefined for a file that is damaged or belongs to another program. */
function entryIn(path: string): Entry | undefined {
  const entry = parsed(readFileSync(path, 'utf8'));
  return isObject(entry) && 'place' in entry && 'writes' in entry ? (entry as unknown as Entry) : undefined;
}

function trim(folder: string): void {
  let bytes = 0;
  for (const [at, name] of namesIn(folder).reverse().entries()) {
    const path = join(folder, name);
    bytes += statSync(path).size;
    if (at >= max.files || (at > 0 && bytes > max.bytes)) rmSync(path, { force: true });
  }
}
