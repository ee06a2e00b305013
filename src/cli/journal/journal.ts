import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../config.ts';
import { parsed } from '../../shared/json.ts';
import { stateFolder } from './state-folder.ts';

/** One note that a command has written. Times are values of `updatedAt`. */
export interface Write {
  readonly id: number;
  /** When the note was written that it was before, where its text has changed: the history has that version. */
  readonly before?: string;
  /** Whether it was archived before, where that has changed. A new note counts as one that was: there is no delete. */
  readonly archived?: boolean;
  readonly isNew?: boolean;
  readonly after: string;
}

/** What one command has done, without any text of a note. */
export interface Entry {
  readonly command: string;
  /** Which notes it worked on, as `placeOf` in notes/open.ts names them. */
  readonly place: string;
  /** When it ended, in ms since 1970. */
  readonly at: number;
  /** How many notes it has written: more than `writes`, which is empty then, when they were too many to keep. */
  readonly count: number;
  readonly writes: readonly Write[];
}

/** A file holds the writes of one command, about 90 bytes each. */
const max = { writes: 200_000, files: 50, bytes: 32 * 1024 * 1024 };

/**
 * Keeps what a command has done, readable by its owner alone, and removes the oldest entries beyond a bound. Keeps nothing where
 * the user has no home. Throws an error of the file system.
 */
export function keepEntry(
  env: Environment,
  { command, place, writes }: Pick<Entry, 'command' | 'place' | 'writes'>,
): void {
  const folder = stateFolder(env, 'undo');
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = namesIn(folder);
  const at = Math.max(Date.now(), timeOf(names.at(-1)) + 1); // a clock that was set back changes no order
  const kept = writes.length > max.writes ? [] : writes;
  const entry: Entry = { command, place, at, count: writes.length, writes: kept };
  const path = join(folder, `${String(at).padStart(15, '0')}-${process.pid}.json`);
  writeFileSync(`${path}.part`, JSON.stringify(entry), { mode: 0o600, flag: 'wx' });
  renameSync(`${path}.part`, path);
  trim(folder);
}

/** The last entry of each place, the newest first: what there is to undo. */
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

/** The entries in a folder, the oldest first. */
function namesIn(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => /^\d{15}-\d+\.json$/.test(name)).sort();
}

const timeOf = (name = '0') => Number.parseInt(name, 10);

/** Undefined for a file that is damaged, or of another program. */
function entryIn(path: string): Entry | undefined {
  const entry = parsed(readFileSync(path, 'utf8'));
  const isEntry = typeof entry === 'object' && entry !== null && 'place' in entry && 'writes' in entry;
  return isEntry ? (entry as Entry) : undefined;
}

function trim(folder: string): void {
  let bytes = 0;
  for (const [at, name] of namesIn(folder).reverse().entries()) {
    const path = join(folder, name);
    bytes += statSync(path).size;
    if (at >= max.files || (at > 0 && bytes > max.bytes)) rmSync(path, { force: true });
  }
}
