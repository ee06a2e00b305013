import { statSync } from 'node:fs';
import { ConfigError } from '../../config.ts';
import { isBusy, NoteError } from '../../core/error.ts';
import type { LabelStore } from '../../core/group-labels.ts';
import type { PortableStore } from '../../core/store.ts';
import { findLockHolder } from '../../store/sqlite/lock-holder.ts';
import type { StoreFlags } from '../flag-types.ts';
import type { Io } from '../io.ts';
import { inMemoryText, locateStore, type Warn } from './locate-store.ts';
import { readServiceToken } from './service-token.ts';

type Surroundings = Pick<Io, 'env' | 'stderr'>;

/**
 * Opens the notes that flags or environment name. If they name the address of a service, all requests go to it. If they
 * name a database, this process opens it, even while a service uses it. No file is created: a default file that is
 * missing, and any file that is empty, counts as a store without notes; a missing file that `--db` names is an error.
 * A file that this user may not write can still be read. Throws `ConfigError`, or `NoteError` if the notes are not
 * usable.
 */
export const openNotes = (io: Surroundings, flags: StoreFlags): Promise<PortableStore> =>
  locateAndOpenStore(io, flags, flags.db === undefined ? 'empty' : 'error');

/** Like `openNotes`, but creates a missing file. */
export const openOrCreateNotes = (io: Surroundings, flags: StoreFlags): Promise<PortableStore> =>
  locateAndOpenStore(io, flags, 'create');

/** Like `openOrCreateNotes`, but a missing file only counts as empty. */
export const openNotesForDryRun = (io: Surroundings, flags: StoreFlags): Promise<PortableStore> =>
  locateAndOpenStore(io, flags, 'empty');

/** Creates a reader of the labels, which opens the notes only when it is called. */
export const createLabelReader = (io: Surroundings, flags: StoreFlags): Pick<LabelStore, 'labels'> => ({
  async labels() {
    await using store = await openNotes(io, flags);
    return await store.labels();
  },
});
/** What this process has warned of: a command may open the notes several times. */
const printedWarnings = new Set<string>();

/** Prints warnings, each of them once. */
const createWarnOnce =
  (stderr: Io['stderr']): Warn =>
  (sentence) => {
    if (!printedWarnings.has(sentence)) stderr.write(`notes: ${sentence}\n`);
    printedWarnings.add(sentence);
  };
type IfMissing = 'create' | 'empty' | 'error';

async function locateAndOpenStore(io: Surroundings, flags: StoreFlags, ifMissing: IfMissing): Promise<PortableStore> {
  const warn = createWarnOnce(io.stderr);
  const named = locateStore(io.env, flags, warn);
  if ('url' in named) {
    const { createPortableClient } = await import('../../client/portable-client.ts');
    return createPortableClient(named.url, { token: readServiceToken(io.env, warn) });
  }
  const { config } = named;
  const { database, historyVersions: maxVersions } = config;
  if (database.engine === 'postgres') {
    const { openPostgres } = await import('../../store/open-postgres.ts');
    const { createPostgresOptionsAndWarn } = await import('../../service/open-store.ts');
    const options = createPostgresOptionsAndWarn(database, config, warn);
    return openPostgres({ ...options, poolSize: 2, cacheBytes: 0, maxVersions });
  }
  if (database.path === ':memory:') throw new ConfigError(inMemoryText);
  const { openSqlite } = await import('../../store/open-sqlite.ts');
  const size = ifMissing === 'create' ? undefined : classifyFile(database.path);
  if (size === 'missing' && ifMissing === 'error')
    throw new NoteError('unavailable', `There is no file ${database.path}. "notes add" or "notes import" creates one`);
  const holdsNone = size === 'missing' || size === 'empty';
  const path = holdsNone ? ':memory:' : database.path;
  const isReadOnly = ifMissing !== 'create';
  try {
    return await openSqlite({ path, user: 'command', isReadOnly, maxVersions, onWarning: warn });
  } catch (error) {
    throw addLockHolder(error, database.path);
  }
}

/** Adds the program that holds a lock on a database to an error that the lock has caused. Only for files on Linux. */
export function addLockHolder(error: unknown, location: string): unknown {
  if (!isBusy(error)) return error;
  const path = location.replace(/^sqlite:/, '');
  const holder = findLockHolder(path, 'writer');
  return holder === undefined ? error : error.withMessage(`${error.message}. ${path} is locked by ${holder}`);
}

/** Says what a file is without opening it. If a log lies beside it, only SQLite can tell whether it is empty. */
function classifyFile(file: string): 'missing' | 'empty' | 'unknown' {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return 'missing';
    const hasLog = statSync(`${file}-wal`, { throwIfNoEntry: false }) !== undefined;
    return found.isFile() && found.size === 0 && !hasLog ? 'empty' : 'unknown';
  } catch {
    return 'unknown';
  }
}
