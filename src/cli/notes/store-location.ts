import { resolve } from 'node:path';
import { type Config, ConfigError, readConfigAndWarn, selectStoreVariables } from '../../config/config.ts';
import type { Environment } from '../../config/settings-table.ts';
import type { StoreFlags } from '../flag-types.ts';
import type { Io } from '../io.ts';

/** Identifies the notes named by flags or environment by a stable text without passwords. */
export function createStoreIdentifier(io: Pick<Io, 'env'>, flags: StoreFlags): string {
  const named = readServiceUrlOrStoreConfig(io.env, flags);
  if ('url' in named) {
    const { origin, pathname } = new URL(named.url);
    return `${origin}${pathname}`.replace(/\/+$/, '');
  }
  const { database } = named.config;
  if (database.engine === 'sqlite') return resolve(database.path);
  return `postgres://${database.hostname}:${database.port}/${database.database}`;
}

/** Returns the value of `DATABASE_URL` for that of a flag, which may be a path: `notes.db` gives `sqlite:notes.db`. */
export const toDatabaseUrl = (db: string): string =>
  /^(sqlite:|postgres(ql)?:|\w+:\/\/)/.test(db) ? db : `sqlite:${db}`;

/** Reads the settings of the database that the flag or the environment names. Throws `ConfigError`. */
const readStoreConfig = (env: Environment, db: string | undefined, warn?: Warn): Config =>
  readConfigAndWarn(selectStoreVariables(env), db === undefined ? {} : { database: toDatabaseUrl(db) }, warn);

export type Warn = (sentence: string) => void;

/** Finds the address of the service; undefined if flags or environment name a database. Throws `ConfigError`. */
export function findServiceUrl({ NOTES_URL }: Environment, { url, db }: StoreFlags): string | undefined {
  const address = url ?? (db === undefined ? NOTES_URL || undefined : undefined);
  if (address === undefined || (/^https?:\/\//.test(address) && URL.canParse(address))) return address;
  const source = url === undefined ? 'NOTES_URL' : '--url';
  throw new ConfigError(`${source} must begin with http:// or https://, not "${address}"`);
}

/** Returns the address of a service or the settings of a database. Throws `ConfigError`. */
export function readServiceUrlOrStoreConfig(
  env: Environment,
  flags: StoreFlags,
  warn?: Warn,
): { url: string } | { config: Config } {
  if (flags.url !== undefined && flags.db !== undefined) throw new ConfigError('--url and --db exclude each other');
  const url = findServiceUrl(env, flags);
  return url === undefined ? { config: readStoreConfig(env, flags.db, warn) } : { url };
}

export const inMemoryText = 'sqlite::memory: holds no notes. Name a file with --db';

/** Error messages for notes that are not in a local file. */
export interface Elsewhere {
  /** For the notes of a service. */
  readonly service: string;
  /** For notes in PostgreSQL. The location contains no password. */
  readonly postgres: (location: string) => string;
}

/** Returns the path of the database file named by flags or environment. Throws `ConfigError` if they name none. */
export function getDatabaseFilePathOrThrow({ env }: Pick<Io, 'env'>, flags: StoreFlags, elsewhere: Elsewhere): string {
  if (findServiceUrl(env, flags) !== undefined) throw new ConfigError(elsewhere.service);
  const { database } = readStoreConfig(env, flags.db);
  if (database.engine === 'postgres') {
    const { hostname, port, username, database: name } = database;
    throw new ConfigError(elsewhere.postgres(`--host=${hostname} --port=${port} --username=${username} ${name}`));
  }
  if (database.path === ':memory:') throw new ConfigError(inMemoryText);
  return database.path;
}
