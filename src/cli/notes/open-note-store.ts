import { statSync } from 'node:fs';
import { type Config, ConfigError } from '../../config/config.ts';
import type { DatabaseAddress } from '../../config/settings-table.ts';
import { isBusyError, NoteError } from '../../core/error.ts';
import type { PortableStore } from '../../core/store.ts';
import type { LabelStore } from '../../core/value-labels.ts';
import { findLockHolder } from '../../store/sqlite/lock-holder.ts';
import type { StoreFlags } from '../flag-types.ts';
import type { Io } from '../io.ts';
import { readServiceTokenIfSet } from './service-token.ts';
import { inMemoryText, readServiceUrlOrStoreConfig, type Warn } from './store-location.ts';

type Surroundings = Pick<Io, 'env' | 'stderr'>;

/**
 * Opens the notes that flags or environment name. If they name the address of a service, all requests go to it. If they
 * name a database, this process opens it, even while a service uses it. No file is created: a default file that is
 * missing, and any file that is empty, counts as a store without notes; a missing file that `--db` names is an error.
 * A file that this user may not write can still be read. Throws `ConfigError`, or `NoteError` if the notes are not
 * usable.
 */
export const openNoteStoreOrEmptyDefault = (io: Surroundings, flags: StoreFlags): Promise<PortableStore> =>
  openStoreByFlagsOrEnvironment(io, flags, flags.db === undefined ? 'empty' : 'error');

/** Like `openNoteStoreOrEmptyDefault`, but creates a missing file. */
export const openOrCreateNoteStore = (io: Surroundings, flags: StoreFlags): Promise<PortableStore> =>
  openStoreByFlagsOrEnvironment(io, flags, 'create');

/** Like `openOrCreateNoteStore`, but a missing file only counts as empty. */
export const openNoteStoreOrEmpty = (io: Surroundings, flags: StoreFlags): Promise<PortableStore> =>
  openStoreByFlagsOrEnvironment(io, flags, 'empty');

/** Creates a reader of the labels, which opens the notes only when it is called. */
export const createLabelReaderOpeningStore = (io: Surroundings, flags: StoreFlags): Pick<LabelStore, 'labels'> => ({
  async labels() {
    await using store = await openNoteStoreOrEmptyDefault(io, flags);
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

async function openStoreByFlagsOrEnvironment(
  io: Surroundings,
  flags: StoreFlags,
  ifMissing: IfMissing,
): Promise<PortableStore> {
  const warn = createWarnOnce(io.stderr);
  const named = readServiceUrlOrStoreConfig(io.env, flags, warn);
  if ('url' in named) return createServiceStore(named.url, readServiceTokenIfSet(io.env, warn));
  const { database } = named.config;
  if (database.engine === 'postgres') return openPostgresStore(database, named.config, warn);
  return openSqliteStore(database.path, ifMissing, named.config, warn);
}

async function createServiceStore(url: string, token: string | undefined): Promise<PortableStore> {
  const { createPortableClient } = await import('../../client/portable-client.ts');
  return createPortableClient(url, { token });
}

async function openPostgresStore(
  database: Extract<DatabaseAddress, { engine: 'postgres' }>,
  config: Config,
  warn: Warn,
): Promise<PortableStore> {
  const { openPostgres } = await import('../../store/open-postgres.ts');
  const { createPostgresOptionsAndWarn } = await import('../../service/open-store.ts');
  const options = createPostgresOptionsAndWarn(database, config, warn);
  return openPostgres({ ...options, poolSize: 2, cacheBytes: 0, maxVersions: config.historyVersions });
}

/** Opens a file, or an empty database in memory instead of a file without notes, unless the file is to be created. */
async function openSqliteStore(
  file: string,
  ifMissing: IfMissing,
  { historyVersions: maxVersions }: Config,
  warn: Warn,
): Promise<PortableStore> {
  if (file === ':memory:') throw new ConfigError(inMemoryText);
  const { openSqlite } = await import('../../store/open-sqlite.ts');
  const size = ifMissing === 'create' ? undefined : detectMissingOrEmptyFile(file);
  if (size === 'missing' && ifMissing === 'error')
    throw new NoteError('unavailable', `There is no file ${file}. "notes add" or "notes import" creates one`);
  const holdsNone = size === 'missing' || size === 'empty';
  const path = holdsNone ? ':memory:' : file;
  const isReadOnly = ifMissing !== 'create';
  try {
    return await openSqlite({ path, openedBy: 'command', isReadOnly, maxVersions, onWarning: warn });
  } catch (error) {
    throw toErrorWithLockHolder(error, file);
  }
}

/** Adds the program that holds a lock on a database to an error that the lock has caused. Only for files on Linux. */
export function toErrorWithLockHolder(error: unknown, location: string): unknown {
  if (!isBusyError(error)) return error;
  const path = location.replace(/^sqlite:/, '');
  const holder = findLockHolder(path, 'writer');
  return holder === undefined ? error : error.withMessage(`${error.message}. ${path} is locked by ${holder}`);
}

/** Says what a file is without opening it. If a log lies beside it, only SQLite can tell whether it is empty. */
function detectMissingOrEmptyFile(file: string): 'missing' | 'empty' | 'unknown' {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return 'missing';
    const hasLog = statSync(`${file}-wal`, { throwIfNoEntry: false }) !== undefined;
    return found.isFile() && found.size === 0 && !hasLog ? 'empty' : 'unknown';
  } catch {
    return 'unknown';
  }
}
