import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Config, ConfigError, type Environment, readConfig, selectStoreVariables } from '../../config.ts';
import { isBusy, NoteError } from '../../core/error.ts';
import type { LabelStore } from '../../core/labels.ts';
import type { PortableStore } from '../../core/store.ts';
import { readSecretFile } from '../../secret-file.ts';
import { findLockHolder } from '../../store/sqlite/lock-holder.ts';
import type { StoreFlags } from '../flags.ts';
import type { Io } from '../io.ts';

type Surroundings = Pick<Io, 'env' | 'stderr'>;

/**
 * Opens the notes named by flags or environment: through a service if its address is given, else the store itself, also
 * beside a service that uses it. Creates no file, and leaves an empty one as it is: a missing default file, and an
 * empty one, hold no notes. A file that cannot be written can be read. Throws `ConfigError`, or `NoteError` if the
 * notes are not usable.
 */
export const openNotes = (io: Surroundings, flags: StoreFlags): Promise<PortableStore> =>
  openLocatedStore(io, flags, flags.db === undefined ? 'empty' : 'error');

/** Like `openNotes`, but creates a missing file. */
export const openOrCreateNotes = (io: Surroundings, flags: StoreFlags): Promise<PortableStore> =>
  openLocatedStore(io, flags, 'create');

/** Like `openOrCreateNotes`, but a missing file only counts as empty. */
export const openNotesForDryRun = (io: Surroundings, flags: StoreFlags): Promise<PortableStore> =>
  openLocatedStore(io, flags, 'empty');

/** Their labels. Opens the notes only to read them. */
export const createLabelReader = (io: Surroundings, flags: StoreFlags): Pick<LabelStore, 'labels'> => ({
  async labels() {
    await using store = await openNotes(io, flags);
    return await store.labels();
  },
});

/** Identifies the notes named by flags or environment by a stable text without passwords. */
export function identifyStore(io: Pick<Io, 'env'>, flags: StoreFlags): string {
  const named = locateStore(io.env, flags);
  if ('url' in named) {
    const { origin, pathname } = new URL(named.url);
    return `${origin}${pathname}`.replace(/\/+$/, '');
  }
  const { database } = named.config;
  if (database.engine === 'sqlite') return resolve(database.path);
  return `postgres://${database.hostname}:${database.port}/${database.database}`;
}

/** Turns a path into a URL. */
export const toDatabaseUrl = (db: string): string =>
  /^(sqlite:|postgres(ql)?:|\w+:\/\/)/.test(db) ? db : `sqlite:${db}`;

/** Settings of the database named by the flag or the environment. Throws `ConfigError`. */
const readStoreConfig = (env: Environment, db: string | undefined, warn?: Warn): Config =>
  readConfig(selectStoreVariables(env), db === undefined ? {} : { database: toDatabaseUrl(db) }, warn);

type Warn = (sentence: string) => void;

/** What this process has warned of: a command may open the notes several times. */
const printedWarnings = new Set<string>();

/** Prints warnings, each of them once. */
const createWarnOnce =
  (stderr: Io['stderr']): Warn =>
  (sentence) => {
    if (!printedWarnings.has(sentence)) stderr.write(`notes: ${sentence}\n`);
    printedWarnings.add(sentence);
  };

/** Address of the service named by flags or environment; undefined if they name a database. Throws `ConfigError`. */
export function findServiceUrl({ NOTES_URL }: Environment, { url, db }: StoreFlags): string | undefined {
  const given = url ?? (db === undefined ? NOTES_URL || undefined : undefined);
  if (given === undefined || (/^https?:\/\//.test(given) && URL.canParse(given))) return given;
  const source = url === undefined ? 'NOTES_URL' : '--url';
  throw new ConfigError(`${source} must begin with http:// or https://, not "${given}"`);
}

/** Returns the address of a service or the settings of a database. Throws `ConfigError`. */
function locateStore(env: Environment, flags: StoreFlags, warn?: Warn): { url: string } | { config: Config } {
  if (flags.url !== undefined && flags.db !== undefined) throw new ConfigError('--url and --db exclude each other');
  const url = findServiceUrl(env, flags);
  return url === undefined ? { config: readStoreConfig(env, flags.db, warn) } : { url };
}

const inMemoryText = 'sqlite::memory: holds no notes. Name a file with --db';

type IfMissing = 'create' | 'empty' | 'error';

async function openLocatedStore(io: Surroundings, flags: StoreFlags, ifMissing: IfMissing): Promise<PortableStore> {
  const warn = createWarnOnce(io.stderr);
  const named = locateStore(io.env, flags, warn);
  if ('url' in named) {
    const { createPortableClient } = await import('../../client/portable-client.ts');
    return createPortableClient(named.url, { token: readServiceToken(io.env, warn) });
  }
  const { config } = named;
  const { database, historyVersions: maxVersions } = config;
  if (database.engine === 'postgres') {
    const { openPostgres } = await import('../../store/postgres/open.ts');
    const { postgresOptions } = await import('../../service/open-store.ts');
    const options = postgresOptions(database, config, warn);
    return openPostgres({ ...options, poolSize: 2, cacheBytes: 0, maxVersions });
  }
  if (database.path === ':memory:') throw new ConfigError(inMemoryText);
  const { openSqlite } = await import('../../store/sqlite/open.ts');
  const size = ifMissing === 'create' ? undefined : inspectFile(database.path);
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
  return holder === undefined ? error : error.reworded(`${error.message}. ${path} is locked by ${holder}`);
}

/** Of a folder that cannot be read, or with a log left beside it, only opening the file tells more. */
function inspectFile(file: string): 'missing' | 'empty' | 'unknown' {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return 'missing';
    const hasLog = statSync(`${file}-wal`, { throwIfNoEntry: false }) !== undefined;
    return found.isFile() && found.size === 0 && !hasLog ? 'empty' : 'unknown';
  } catch {
    return 'unknown';
  }
}

/**
 * Reads the token for a service from NOTES_TOKEN, or from the file that NOTES_TOKEN_FILE names. Throws `ConfigError`.
 * There is no flag for it, because every user can see flags in the list of processes.
 */
function readServiceToken({ NOTES_TOKEN: given, NOTES_TOKEN_FILE: file }: Environment, warn: Warn): string | undefined {
  if (given && file) throw new ConfigError('NOTES_TOKEN and NOTES_TOKEN_FILE must not both be set');
  const token = file ? readTokenFile(file, warn) : given;
  if (!token && !file) return undefined;
  if (token && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new ConfigError(`${file ? 'The text in NOTES_TOKEN_FILE' : 'NOTES_TOKEN'} must be a token without blanks`);
}

function readTokenFile(file: string, warn: Warn): string {
  const secret = readSecretFile(file, 'NOTES_TOKEN_FILE');
  if (secret === undefined) throw new ConfigError(`NOTES_TOKEN_FILE must be a readable file, not "${file}"`);
  if (secret.warning !== undefined) warn(secret.warning);
  return secret.text.trim();
}

/** Error messages for notes that are not in a local file. */
export interface Elsewhere {
  /** For the notes of a service. */
  readonly service: string;
  /** For notes in PostgreSQL. The location contains no password. */
  readonly postgres: (location: string) => string;
}

/** Returns the path of the database file named by flags or environment. Throws `ConfigError` if they name none. */
export function getDatabaseFile({ env }: Pick<Io, 'env'>, flags: StoreFlags, elsewhere: Elsewhere): string {
  if (findServiceUrl(env, flags) !== undefined) throw new ConfigError(elsewhere.service);
  const { database } = readStoreConfig(env, flags.db);
  if (database.engine === 'postgres') {
    const { hostname, port, username, database: name } = database;
    throw new ConfigError(elsewhere.postgres(`--host=${hostname} --port=${port} --username=${username} ${name}`));
  }
  if (database.path === ':memory:') throw new ConfigError(inMemoryText);
  return database.path;
}
